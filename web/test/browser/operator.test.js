// Players see what the operator does: a notice, a restart, a closed room, links, and who may open rooms.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { assertFaultless, openBrowser, openPeople, Person, PHONE, Server, sitDown, startGame } from './harness.js';

const browser = await openBrowser();

test('a planned restart counts down, and everybody comes back by themselves', { timeout: 300_000 }, async () => {
  // After a restart a room waits for half a minute until it deals by itself.
  const server = await Server.start({ options: ['--timeout-percent', '10'] });
  const people = await openPeople(browser, Array(3).fill(server));
  const [ann, bob, cem] = people;
  await sitDown(ann, bob, cem);
  await ann.setRounds(2);
  await startGame(ann, bob, cem);
  await server.command('drain', '--in', '10m');
  const countdown = /restarts in \d+:\d\d at the latest\. This round goes on/;
  await Promise.all(people.map((person) => person.sees(countdown)));
  const spoken = ann.page.getByRole('status').filter({ hasText: /restarts in 10 minutes/ });
  await spoken.waitFor({ state: 'attached' });

  // It is called off, and planned again.
  await server.command('drain', '--cancel');
  await ann.seesNoMore(countdown);
  await server.command('drain', '--in', '1h');
  await ann.sees(countdown);
  const begun = server.ended();
  await Promise.all(people.map((person) => person.play(15)));
  await Promise.all(people.map((person) => person.sees(/Games and rounds go on afterwards/)));
  await begun;
  await server.begin();
  // The next round is dealt without anybody's help.
  await Promise.all(people.map((person) => person.page.locator('.hand .card-button').nth(14).waitFor()));
  await ann.seesNoMore(/restarts in/);
  assertFaultless(...people);
});

test('no game begins before a planned restart', { timeout: 120_000 }, async () => {
  const server = await Server.start();
  const ann = await Person.open(browser, server, 'Ann', { viewport: PHONE });
  await ann.openRoom({ seats: 3 });
  await ann.waitUntilSeated();
  await server.command('drain');
  await ann.sees(/Games and rounds go on afterwards/);
  await ann.click('Fill with bots & start');
  await ann.sees('The server restarts soon. Games begin after that.');
  assertFaultless(ann);
});

test('a notice is shown at every table until it is closed, and stays in the chat', { timeout: 120_000 }, async () => {
  const server = await Server.start();
  const [ann, bob] = await openPeople(browser, Array(2).fill(server));
  await ann.openRoom({ seats: 3 });
  await ann.waitUntilSeated();
  await bob.openRoom({ seats: 3 });
  await bob.waitUntilSeated();
  const text = '<img src=x onerror=alert(1)> The server moves on Sunday.';
  assert.match(await server.command('say', text), /told: 2\./);
  for (const person of [ann, bob]) await person.sees(`From the operator of the server: ${text}`);
  const banner = ann.page.locator('.banner').filter({ hasText: text });
  assert.equal(await banner.getAttribute('role'), 'status');
  await banner.getByRole('button', { name: 'Close' }).click();
  await banner.waitFor({ state: 'detached' });
  await ann.page.locator('.chat-lines').getByText(text).first().waitFor({ state: 'attached' });

  // After a reload it is shown again, since the page has forgotten that it was closed.
  await ann.page.reload();
  await ann.sees(`From the operator of the server: ${text}`);
  assertFaultless(ann, bob);
});

test('the people of a room that the operator closes are told', { timeout: 120_000 }, async () => {
  const server = await Server.start();
  const ann = await Person.open(browser, server, 'Ann');
  const link = await ann.openRoom({ seats: 3 });
  await ann.waitUntilSeated();
  await server.command('close', link.slice(-8));
  await ann.dialog('This table was closed').getByRole('link').first().click();
  await ann.page.locator('#name').waitFor();
  assert.equal(await ann.page.locator('.saved-room').count(), 0);
});

test('the page asks for the password for opening tables once, and has the links of the operator', {
  timeout: 120_000,
}, async () => {
  const options = ['--open-password', 'Tischlein', '--imprint-url', 'https://club.example/imprint?a&b'];
  const server = await Server.start({ options: [...options, '--privacy-url', 'https://club.example/privacy'] });
  const ann = await Person.open(browser, server, 'Ann', { viewport: PHONE });
  await ann.goHome();
  const links = ann.page.locator('footer a[target=_blank]');
  assert.deepEqual(await links.allInnerTexts(), ['Imprint', 'Privacy policy']);
  assert.equal(await links.first().getAttribute('href'), 'https://club.example/imprint?a&b');

  await ann.page.locator('#name').fill('Ann');
  await ann.click('Open a new table');
  const prompt = ann.dialog('Password for new tables');
  await prompt.getByLabel('Password').fill('wrong');
  await ann.page.keyboard.press('Enter');
  await prompt.getByText('That is not the password for opening tables.').waitFor();
  await prompt.getByLabel('Password').fill('Tischlein');
  await ann.page.keyboard.press('Enter');
  await ann.page.waitForURL(/\/t\/[0-9a-z]{8}$/);
  await ann.waitUntilSeated();
  await ann.click('Menu');
  await ann.page.locator('dialog a', { hasText: 'Privacy policy' }).waitFor();

  // The browser remembers it.
  await ann.openRoom({ seats: 3 });
  await ann.waitUntilSeated();
});
