// A game works over plain HTTP at an address of the local network.

import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { test } from 'node:test';

import { assertFaultless, ONE_TAP, openBrowser, Person, Server } from './harness.js';

test('a game can be played over the network address of this machine', { timeout: 300_000 }, async (t) => {
  const host = lanAddress();
  if (host === undefined) return t.skip('this machine has no IPv4 address but loopback');
  const server = await Server.start({ host });
  const ann = await Person.open(await openBrowser(), server, 'Ann', ONE_TAP);
  const { page } = ann;
  ann.dismissesTricks = true;

  const link = await ann.openRoom({ seats: 3 });
  await ann.waitUntilSeated();
  assert.equal(new URL(link).hostname, host);
  assert.equal(await page.evaluate(() => isSecureContext), false);
  assert.equal(await page.evaluate(() => 'clipboard' in navigator), false);

  // Without HTTPS the page cannot copy: it selects the link, and names the keys for copying.
  await ann.click('Copy');
  await ann.sees('The link is selected: press Ctrl+C');
  assert.equal(await selected(ann), link);
  await page.keyboard.press('Control+C');
  const line = page.getByPlaceholder('Say something');
  await line.click();
  await page.keyboard.press('Control+V');
  assert.equal(await line.inputValue(), link);
  await line.fill('');

  await copyFromMenu(ann, link);

  // It cannot share either: there is no button for it, and a text says why.
  assert.equal(await page.getByRole('button', { name: 'Share link' }).count(), 0);
  await ann.sees('Sharing from here needs https');

  await ann.click('Add a bot');
  await ann.sees('2 of 3 taken');
  await ann.click('Add a bot');
  await ann.sees('3 of 3 taken');
  await ann.setRounds(1);
  await ann.sees('Sticheln · 3 players · 1 round');
  await ann.click('Start');

  await ann.play(7);

  await copyFromMenu(ann, link);
  const hand = await ann.hand();
  assert.equal(hand.length, 8);
  await page.reload();
  await page.locator('.hand .card-button').first().waitFor();
  assert.deepEqual(await ann.hand(), hand, 'the seat and its cards are the same after a reload');

  await ann.play(8);
  await page.locator('[data-screen=game-end]').waitFor();
  assert.equal(await page.locator('.podium li').count(), 3);
  assertFaultless(ann);
});

/**
 * Copies the link from the menu.
 * @param {Person} person
 * @param {string} link
 */
async function copyFromMenu(person, link) {
  const menu = person.dialog('Menu');
  await person.click('Menu');
  await menu.getByRole('button', { name: 'Copy' }).click();
  await menu.getByText('The link is selected').waitFor();
  assert.equal(await selected(person), link);
  await menu.getByRole('button', { name: 'Close' }).click();
  await menu.waitFor({ state: 'detached' });
}

/**
 * The selected text on the page.
 * @param {Person} person
 */
const selected = (person) => person.page.evaluate(() => String(getSelection()));

/** The address of this machine in its network, or undefined if it has only loopback. */
function lanAddress() {
  const all = Object.values(networkInterfaces()).flatMap((some) => some ?? []);
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
}
