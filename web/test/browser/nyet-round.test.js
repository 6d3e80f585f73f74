// Two people and a spectator see a round of Nyet!, and the board works with keys.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { assertFaultless, DESKTOP, ONE_TAP, openBrowser, Person, PHONE, Server } from './harness.js';
import { openNyet, playRound } from './play-nyet.js';

const server = await Server.start();
const browser = await openBrowser();

test('two people and a bot play a round', { timeout: 240_000 }, () => round(3));

test('the board can be used with the keyboard', { timeout: 60_000 }, async () => {
  const ann = await Person.open(browser, server, 'Ann');
  await openNyet(ann, 2);
  await ann.click('Fill with bots & start');
  const { page } = ann;
  await page.locator('.tray.turn').waitFor();
  const free = page.locator('.space:not([aria-disabled])');
  await free.first().waitFor();
  const name = () => page.evaluate(() => document.activeElement?.getAttribute('data-space'));

  await page.locator('.space[tabindex="0"]').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Home');
  assert.equal(await name(), 'discard:none');
  await page.keyboard.press('ArrowRight');
  assert.equal(await name(), 'discard:one');
  if ((await page.locator('.space:focus').getAttribute('aria-disabled')) === 'true')
    await page.keyboard.press('ArrowRight');
  const chosen = page.locator(`[data-space="${await name()}"]`);
  await page.keyboard.press('Enter');
  await chosen.and(page.locator('[aria-pressed="true"]')).waitFor();
  await page.keyboard.press('Escape');
  await chosen.and(page.locator('[aria-pressed="false"]')).waitFor();
  await page.keyboard.press('Enter');
  await chosen.and(page.locator('[aria-pressed="true"]')).waitFor();
  await page.keyboard.press('Enter');
  await chosen.and(page.locator('.covered')).waitFor();
  assert.match((await chosen.getAttribute('aria-label')) ?? '', /covered by you/);
  assertFaultless(ann);
});

/**
 * Plays a whole round.
 * @param {number} seats
 */
async function round(seats) {
  const ann = await Person.open(browser, server, 'Ann', ONE_TAP);
  const bob = await Person.open(browser, server, 'Bob', { viewport: PHONE, hasTouch: true, isMobile: true });
  const people = [ann, bob];
  const link = await openNyet(ann, seats);
  await bob.sit(link);
  for (let bots = 2; bots < seats; bots += 1) await ann.page.getByRole('button', { name: 'Add a bot' }).first().click();
  await ann.sees(`${seats} of ${seats} taken`);
  await bob.click('I’m ready');
  await ann.click('Start');
  await Promise.all(people.map(({ page }) => page.locator('.board .space').first().waitFor()));

  const eve = await Person.open(browser, server, 'Eve', { viewport: DESKTOP });
  await eve.follow(link);
  await eve.sees('You are watching.');
  assert.equal(await eve.page.locator('.hand .card-button').count(), 0);

  await Promise.all(people.map(playRound));
  await eve.page.locator('[data-screen=round-end]').waitFor();
  const totals = await Promise.all([ann, bob, eve].map(totalsOf));
  assert.equal(totals[0].length, seats);
  assert.deepEqual(totals[1], totals[0]);
  assert.deepEqual(totals[2], totals[0]);
  assertFaultless(ann, bob, eve);
}

/**
 * The totals in the order of the seats' names.
 * @param {Person} person
 */
async function totalsOf({ page, name }) {
  const rows = await page
    .locator('[data-screen=round-end] .data-table tbody tr')
    .evaluateAll((rows) =>
      rows.map((row) => [
        row.querySelector('th')?.textContent?.trim() ?? '',
        row.querySelector('.total')?.textContent?.trim() ?? '',
      ]),
    );
  return rows.map(([who, total]) => `${who === 'You' ? name : who} ${total}`).sort();
}
