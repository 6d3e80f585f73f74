// People drop out, and the table waits, goes on without them, and keeps their seats.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { assertFaultless, Line, openBrowser, PATIENCE, Person, Server } from './harness.js';

const browser = await openBrowser();

describe('absence', { concurrency: true, timeout: 300_000 }, () => {
  test('the host is lost, a bot stands in, and the host comes back', async () => {
    const server = await Server.start();
    const line = await Line.to(server);
    const ann = await Person.come(browser, line, 'Ann');
    const bob = await Person.come(browser, server, 'Bob');
    const cem = await Person.come(browser, server, 'Cem');
    const eve = await Person.come(browser, server, 'Eve');
    await sitDown(ann, bob, cem);
    await ann.click('Start');
    await Promise.all([bob.play(1), cem.play(1)]);
    await eve.follow(ann.page.url());
    await eve.sees('You are watching.');

    // All wait for the host, whose connection breaks: a mark on her plate, and not a word about it.
    line.cut();
    await plate(bob, 'Ann', 'connection lost').waitFor();
    assert.equal(await bob.page.locator('.banner, .toast').count(), 0);
    assert.equal(await bob.page.locator('.seat.lost').count(), 1);
    const before = await ann.hand();
    await ann.sees(/Connection lost. Trying again in .* Your seat is safe/);
    assert.deepEqual(await ann.hand(), before, 'her table stays visible');

    // After five seconds everybody is told.
    await plate(bob, 'Ann', 'away').waitFor();
    await bob.sees('Ann dropped out. The table waits for');
    await cem.sees('Ann dropped out. The table waits for');
    assert.equal(await cem.page.getByRole('button', { name: 'Let a bot stand in' }).count(), 0);

    // After half a minute somebody else is host, and anybody at the table may call a bot, the host or not.
    const grace = { timeout: PATIENCE };
    await bob.sees('You are the host now.', grace);
    await plate(cem, 'Bob', 'host').waitFor();
    await cem.sees('Ann is away, and it is their turn.', grace);
    await eve.sees('Ann is away, and it is their turn.', grace);
    assert.equal(await eve.page.getByRole('button', { name: 'Let a bot stand in' }).count(), 0);
    await cem.click('Let a bot stand in');
    await plate(bob, 'Ann', 'a bot stands in').waitFor();
    await Promise.all([bob.playDownTo(12), cem.playDownTo(12)]);

    // She is back by herself; her seat is hers as soon as she says so.
    line.mend();
    await ann.sees('A bot is playing for you. Your seat is still yours.');
    await ann.seesNoMore('Connection lost');
    await ann.sees('Connected again.');
    await bob.sees('Ann is back.');
    await plate(bob, 'Ann', 'a bot stands in').waitFor();
    await ann.click("I'm back");
    await ann.seesNoMore('A bot is playing for you');
    await plate(bob, 'Ann', 'a bot stands in').waitFor({ state: 'detached' });
    await Promise.all([ann, bob, cem].map((person) => person.playDownTo(10)));
    assert.equal((await ann.hand()).length, 10);
    assert.equal(await ann.page.getByText('You are the host now.').count(), 0);
    await plate(ann, 'Bob', 'host').waitFor();

    // Somebody leaves for good. A bot keeps the chair until one who watches takes it.
    await cem.click('Menu');
    await cem.click('Leave the table');
    await cem.sees('A bot plays on with your cards');
    await cem.dialog('Leave for good?').getByRole('button', { name: 'Leave' }).click();
    await cem.sees('Open tables');
    assert.equal(await cem.page.getByText('You are still sitting').count(), 0);
    await bob.sees(/Cem has left\. \w+, a bot, plays on\./);
    await eve.sees(/You are watching\. Bot \w+ would make room\./);
    assert.equal((await eve.hand()).length, 0);
    await eve.click('Sit down here');
    await eve.page.getByLabel('Your name').fill('Eve');
    await eve.click(/^Sit down$/);
    await bob.sees('Eve sits down.');
    await Promise.all([ann, bob, eve].map((person) => person.playDownTo(8)));
    assertFaultless(ann, bob, cem, eve);
  });

  test('somebody is away from a table with a turn limit, and nobody has to click', async () => {
    const server = await Server.start();
    const gus = await Person.come(browser, server, 'Gus');
    const hal = await Person.come(browser, server, 'Hal');
    const ida = await Person.come(browser, server, 'Ida');
    await sitDown(gus, hal, ida);
    await gus.page.getByRole('radiogroup', { name: 'Time for a card' }).getByText('30 s').click();
    await ida.sees('30 s');
    await gus.click('Start');

    await hal.page.locator('.hand .cb').nth(14).waitFor();
    await hal.page.close();
    await Promise.all([gus.play(1), ida.play(1)]);
    await plate(gus, 'Hal', 'away').waitFor();
    assert.equal(await gus.page.getByRole('button', { name: 'Let a bot stand in' }).count(), 0);
    const timeIsOver = { timeout: PATIENCE };
    await Promise.all([gus.sees('Colours are out', timeIsOver), ida.sees('Colours are out', timeIsOver)]);
    await gus.sees('Time was up: a bot has moved for Hal.');
    await gus.page.locator('[role=log]').getByText('Time is up, a bot moves for Hal.').waitFor({ state: 'attached' });
    assert.equal(await plate(gus, 'Hal', 'a bot stands in').count(), 0, 'it was that one card');

    // He comes back through the home page, in one click, and his turn is his own.
    const back = await hal.window();
    await back.goHome();
    await back.sees('You are still sitting at');
    await back.page.getByRole('link', { name: 'Back to the table' }).click();
    await back.page.locator('.hand .cb').nth(13).waitFor();
    assert.equal((await back.hand()).length, 14);
    await plate(gus, 'Hal', 'away').waitFor({ state: 'detached' });
    await Promise.all([gus, back, ida].map((person) => person.playDownTo(13)));
    assertFaultless(gus, hal, ida);
  });
});

/**
 * The first opens a table, and the others sit down at it.
 * @param {Person} host
 * @param {Person[]} others
 */
async function sitDown(host, ...others) {
  for (const person of [host, ...others]) person.isHasty = true;
  const link = await host.openTable({ seats: others.length + 1 });
  await host.seated();
  for (const person of others) await person.sit(link);
}

/**
 * The plate of somebody, as one of the others sees it, if it tells this.
 * @param {Person} person
 * @param {string} name
 * @param {string} fact
 */
const plate = (person, name, fact) =>
  person.page.getByRole('button', { name: new RegExp(`^${name}(, [^,]+)*, ${fact}(,|$)`) });
