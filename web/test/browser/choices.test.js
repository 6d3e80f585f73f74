// A hidden choice can be replaced until the last one is in, and nobody else sees that.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { assertFaultless, openBrowser, Person, PHONE, Server, sitDown } from './harness.js';

const server = await Server.start();
const browser = await openBrowser();

test('a pick is swapped by tap, by keyboard, and not after the last pick', { timeout: 300_000 }, async () => {
  const ann = await Person.open(browser, server, 'Ann', { viewport: PHONE });
  const bob = await Person.open(browser, server, 'Bob');
  const cem = await Person.open(browser, server, 'Cem');
  await sitDown(ann, bob, cem);
  await ann.click('Start');
  await Promise.all([ann, bob, cem].map((person) => person.page.locator('.hand .card-button').nth(14).waitFor()));
  await ann.play(1);
  await ann.sees('You can still swap it.');

  /** Confirms the card that is lifted. The button ignores clicks for a moment. */
  const swaps = async (/** @type {string} */ card) => {
    await ann.page.locator(`.hand [data-card="${card}"]`).waitFor();
    const button = ann.page.getByRole('button', { name: /^Swap for/ });
    await button.waitFor();
    while ((await ann.hand()).includes(card)) {
      await button.click({ timeout: 1000 }).catch(() => {});
    }
  };
  const [first] = await ann.hand();
  await ann.page.locator('.hand .card-button').first().click();
  await swaps(String(first));
  assert.equal((await ann.hand()).length, 14);
  // By keyboard: the arrow moves the focus to the hand.
  await ann.page.keyboard.press('End');
  await ann.page.keyboard.press('Enter');
  const last = String((await ann.hand()).at(-1));
  await swaps(last);
  await Promise.all([bob.play(1), cem.play(1)]);
  await ann.sees('The colours are revealed');
  await ann.seesNoMore('You can still swap it.');
  assertFaultless(ann, bob, cem);
});
