// The log of a round is read while the round is played and after it, by keyboard and by clicks, in both games.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { assertFaultless, ONE_TAP, openBrowser, Person, PHONE, Server } from './harness.js';
import { openNyet, playRound } from './play-nyet.js';

/** @import { Person as PersonType } from './person.js' */

const server = await Server.start();
const browser = await openBrowser();

/** The headings of the open log. @param {PersonType} person */
const headings = (person) => person.dialog('Round log').getByRole('heading', { level: 4 }).allInnerTexts();

/** Waits until the open log has this heading. @param {PersonType} person @param {string} name */
const hasHeading = (person, name) => person.dialog('Round log').getByRole('heading', { name, exact: true }).waitFor();

test('the log of Sticheln has what the options show, and everything after the round', {
  timeout: 240_000,
}, async () => {
  const ann = await Person.open(browser, server, 'Ann', ONE_TAP);
  const { page } = ann;
  await ann.openRoom({ seats: 3 });
  await ann.setRounds(2);
  await ann.click('Fill with bots & start');
  // A pick, two whole tricks, and a card of the third one.
  await ann.playDownTo(11);
  await page.keyboard.press('l');
  const log = ann.dialog('Round log');
  await hasHeading(ann, 'Before the first trick');
  await log.getByText('Round 1 is dealt: 15 cards each.', { exact: true }).waitFor();
  // Only the last finished trick may be looked up.
  await log.getByText(/cannot be looked up before the end of the round/).waitFor();
  assert.ok(!(await headings(ann)).includes('Trick 1'));

  await page.keyboard.press('Escape');
  await log.waitFor({ state: 'detached' });
  await ann.play(11);
  await page.locator('[data-screen=round-end]').waitFor();
  await ann.click('Log of this round');
  await hasHeading(ann, 'The hands as dealt');
  const all = Array.from({ length: 14 }, (_, at) => `Trick ${at + 1}`);
  assert.deepEqual(await headings(ann), [
    'Before the first trick',
    ...all,
    'After the last trick',
    'The hands as dealt',
  ]);
  const first = log.locator('section').filter({ has: page.getByRole('heading', { name: 'Trick 1', exact: true }) });
  const lines = await first.getByRole('listitem').allInnerTexts();
  assert.equal(lines.length, 4);
  assert.match(lines[0], /leads? /);
  assert.match(lines[3], /takes? the trick: 3 cards/);
  assert.equal(await log.locator('.log-hands .card').count(), 45);
  await page.keyboard.press('Escape');

  // In the next round the first one can be read too, with the keyboard alone.
  await ann.click('Ready for round 2');
  await page.locator('.hand .card-button').nth(14).waitFor();
  await page.keyboard.press('l');
  await log.getByText('Round 2 is dealt: 15 cards each.', { exact: true }).waitFor();
  const round1 = log.getByRole('button', { name: 'Round 1', exact: true });
  while (!(await round1.evaluate((button) => button === document.activeElement))) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await hasHeading(ann, 'Trick 14');
  assert.equal(await round1.getAttribute('aria-pressed'), 'true');
  assertFaultless(ann);
});

test('a spectator reads the log of Nyet! on a phone', { timeout: 240_000 }, async () => {
  const ann = await Person.open(browser, server, 'Ann', ONE_TAP);
  const link = await openNyet(ann, 2);
  const eve = await Person.open(browser, server, 'Eve', { viewport: PHONE, hasTouch: true, isMobile: true });
  await eve.follow(link);
  await ann.click('Fill with bots & start');
  await eve.page.locator('.board .space').first().waitFor();
  await eve.click('Menu');
  await eve.click('Round log');
  await hasHeading(eve, 'Before the first trick');
  // The log is read again while it is open.
  await playRound(ann);
  await hasHeading(eve, 'After the last trick');
  await hasHeading(eve, 'Trick 1');
  const log = eve.dialog('Round log');
  await log
    .getByText(/^Ann covers /)
    .first()
    .waitFor();
  assert.ok((await log.getByText(/takes the trick\./).count()) > 5);
  assertFaultless(ann, eve);
});

test('past tricks tell who led and who played each card', { timeout: 120_000 }, async () => {
  const ann = await Person.open(browser, server, 'Ann', ONE_TAP);
  await ann.openRoom({ seats: 3 });
  await ann.click('Fill with bots & start');
  await ann.playDownTo(12);
  await ann.page.keyboard.press('h');
  const tricks = ann.dialog('Last trick');
  const cards = tricks.locator('.trick-card');
  await cards.nth(2).waitFor();
  assert.match(await cards.nth(0).innerText(), / led/);
  const names = await tricks.locator('.trick-card small').allInnerTexts();
  assert.equal(new Set(names).size, 3);
  assertFaultless(ann);
});
