// After a game: its replay at a shared link, a game played on from its middle, and its file.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { promisify } from 'node:util';

import { violations } from './axe.js';
import { recordPage } from './failures.js';
import {
  assertFaultless,
  ONE_TAP,
  openBrowser,
  openPeople,
  Person,
  PHONE,
  Server,
  sitDown,
  startGame,
} from './harness.js';

/** @import { Page } from 'playwright-core' */

const run = promisify(execFile);
const server = await Server.start();
const browser = await openBrowser();

/**
 * Waits until the replay is at a stop.
 * @param {Page} page
 * @param {string} text the stop in words
 */
const isAt = (page, text) => page.locator(`input[aria-valuetext="${text}"]`).waitFor();

/**
 * The exit code and the output of the command `verify`.
 * @param {string} path
 */
async function verify(path) {
  try {
    const { stdout } = await run(server.program, ['verify', path]);
    return { code: 0, output: stdout };
  } catch (error) {
    const { code, stdout, stderr } = /** @type {{ code: number, stdout: string, stderr: string }} */ (error);
    return { code, output: stdout + stderr };
  }
}

test('four people play; a friend follows the replay on a phone, plays on from its middle, and checks its file', {
  timeout: 400_000,
}, async () => {
  const people = await openPeople(browser, Array(4).fill(server));
  const [ann, bob, ...others] = people;
  await sitDown(ann, bob, ...others);
  await ann.setRounds(1);
  await startGame(ann, bob, ...others);
  await Promise.all(people.map((person) => person.play(15)));
  await Promise.all(people.map((person) => person.page.locator('[data-screen=game-end]').waitFor()));
  const href = await ann.page.getByRole('link', { name: 'Replay' }).getAttribute('href');
  assert.ok(href);

  // A friend opens the link on a phone, as Bob saw the game.
  const eve = await Person.open(browser, server, 'Eve', { viewport: PHONE, ...ONE_TAP });
  const { page } = eve;
  const link = new URL(href, ann.page.url());
  link.hash = 'r1.t4.c2.s1';
  await page.goto(link.href);
  await isAt(page, 'Round 1, trick 4, card 2 of 4');
  assert.equal(
    await page.getByRole('combobox', { name: 'View' }).locator('option:checked').textContent(),
    'As Bob saw it',
  );
  assert.equal(await page.locator('.open-hands').count(), 0, 'nobody else knew the hands');
  await page.locator('.replay-hand li').first().waitFor();
  const hand = await page.locator('.replay-hand li').count();
  assert.ok(hand === 10 || hand === 11, `${hand} cards before or after the fourth one`);

  // A screen reader hears each step, and the log has the line of the stop.
  await page.keyboard.press('ArrowRight');
  await isAt(page, 'Round 1, trick 4, card 3 of 4');
  const heard = page.getByRole('log').getByText(/^(You|Ann|Cem|Dora)\b.*\d/);
  await heard.first().waitFor({ state: 'attached' });
  await page.getByRole('button', { name: 'Round log' }).click();
  await page.locator('dialog [aria-current=step]').waitFor();
  assert.deepEqual(await violations(page), []);
  await page.keyboard.press('Escape');

  // She exports the file without names. It holds, and not once another seat took a trick.
  await page.getByRole('button', { name: 'Menu of the replay' }).click();
  await page.getByRole('button', { name: 'Export the game' }).click();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('dialog').getByRole('button', { name: 'Without names' }).click(),
  ]);
  const path = await file.path();
  const text = await readFile(path, 'utf8');
  for (const { name } of people) assert.ok(!text.includes(name), name);
  assert.equal((await verify(path)).code, 0);
  const record = JSON.parse(text);
  const [round] = record.rounds;
  round.tricks[3].taker = (round.tricks[3].taker + 1) % 4;
  const tampered = `${path}.tampered`;
  await writeFile(tampered, JSON.stringify(record));
  const refused = await verify(tampered);
  assert.notEqual(refused.code, 0);
  assert.match(refused.output, /round 1, trick 4/i);
  if (await page.getByRole('dialog').count()) await page.keyboard.press('Escape');

  // The host of the server imports the file: its replay is that of the game.
  const imported = await server.command('import', path);
  const [address] = /\/g\/[\w-]+/.exec(imported) ?? [];
  assert.ok(address, imported);
  const guest = await Person.open(browser, server, 'Fay');
  await guest.page.goto(`${new URL(`.${address}`, server.url)}#r1.t4.c3`);
  await isAt(guest.page, 'Round 1, trick 4, card 3 of 4');
  await guest.page.getByRole('button', { name: 'End of the round' }).click();
  await guest.page.locator('.replay-result').waitFor();

  // She plays on from the middle as Cem, against bots, and the game ends.
  await page.getByRole('combobox', { name: 'View' }).selectOption({ label: 'All hands open' });
  await page.getByRole('button', { name: 'Menu of the replay' }).click();
  await page.getByRole('button', { name: 'Play on from here' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Cem', { exact: true }).click();
  await dialog.getByRole('button', { name: 'Open the table' }).click();
  await page.waitForURL(/\/t\/[0-9a-z]{8}$/);
  await eve.sees(/continues another one from round 1/);
  // It takes less time than a whole game, and nobody knows how much.
  assert.equal(await page.getByText(/about \d+ minutes/).count(), 0);
  await eve.sit();
  await eve.click('Fill with bots & start');
  const cem = round.hands[2];
  await page.locator('.hand .card-button').first().waitFor();
  const left = await eve.hand();
  assert.ok(left.length === 10 || left.length === 11);
  for (const card of left) assert.ok(cem.includes(card), `${card} was dealt to Cem`);
  await eve.play(15);
  await page.locator('[data-screen=game-end]').waitFor();
  assertFaultless(...people, eve, guest);
});

test('a game that ends in its first round is in the list in the lobby, and the list stays open', {
  timeout: 120_000,
}, async () => {
  const ann = await Person.open(browser, server, 'Ann', ONE_TAP);
  await ann.openRoom({ seats: 3 });
  await ann.click('Fill with bots & start');
  await ann.play(2);
  await ann.click('Menu');
  await ann.click('End the game');
  await ann.page.locator('dialog').getByRole('button', { name: 'End the game' }).click();
  await ann.page.getByRole('button', { name: 'Start', exact: true }).waitFor();
  await ann.click('Menu');
  await ann.click('Games of this table');
  const list = ann.dialog('Games of this table');
  await list.getByText('ended in the first round').waitFor();
  const guest = await Person.open(browser, server, 'Fay');
  await guest.follow(ann.page.url());
  await ann.sees('1 watching');
  const [page] = await Promise.all([
    ann.page.waitForEvent('popup'),
    list.getByRole('link', { name: /^Replay of the game/ }).click(),
  ]);
  await isAt(page, 'Round 1, deal');
  await page.getByRole('button', { name: 'End of the round' }).click();
  await page.getByText('The round was abandoned here.').waitFor();
  await page.close();
  assertFaultless(ann, guest);
});

test('people find the replay after a round, and only those who may see it do', { timeout: 240_000 }, async () => {
  const ann = await Person.open(browser, server, 'Ann', ONE_TAP);
  await ann.openRoom({ seats: 3 });
  await ann.setRounds(2);
  await ann.page
    .locator('label')
    .filter({ hasText: /^the players$/ })
    .click();
  await ann.click('Fill with bots & start');
  await ann.play(15);
  await ann.page.locator('[data-screen=round-end]').waitFor();
  const [page] = await Promise.all([
    ann.page.waitForEvent('popup'),
    ann.page.getByRole('link', { name: 'Replay' }).click(),
  ]);
  await isAt(page, 'Round 1, deal');
  await page.locator('.open-hands').waitFor();
  await page.getByRole('button', { name: 'End of the round' }).click();
  await page.getByRole('heading', { name: 'Round 1 is scored', level: 1 }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Round 2', exact: true }).count(), 0);
  await ann.page.bringToFront();
  await ann.play(15);
  await ann.page.locator('[data-screen=game-end]').waitFor();
  await page.bringToFront();
  // A step from the end finds the round that was finished meanwhile.
  await page.getByRole('button', { name: 'Next card' }).click();
  await isAt(page, 'Round 2, deal');
  await page.getByText('Round 2 is now part of the replay.').waitFor();

  const context = await browser.newContext({ locale: 'en' });
  const stranger = await context.newPage();
  recordPage(stranger, 'stranger');
  await stranger.goto(page.url());
  await stranger.getByText('You may not see this replay.', { exact: false }).waitFor();
  await page.close();
  // Without its token the browser first asks in vain.
  ann.browserLog.tolerated.push(/status of 403/);
  assertFaultless(ann);
});
