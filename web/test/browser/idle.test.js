// Idle people: the others are told, a bot stands in, the host is replaced, and a game ends early.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { assertFaultless, openBrowser, openPeople, Server, sitDown, startGame } from './harness.js';

test('a bot stands in for an idle player, who is warned before', { timeout: 300_000 }, async () => {
  // A minute takes 3 s here.
  const server = await Server.start({ options: ['--timeout-percent', '5'] });
  const browser = await openBrowser();
  const people = await openPeople(browser, [server, server, server]);
  const [ann, bob, cem] = people;
  await sitDown(ann, bob, cem);
  await startGame(ann, bob, cem);
  await Promise.all([ann.playDownTo(14), bob.playDownTo(14)]);
  await ann.sees('Cem has not moved for a minute.');
  await cem.sees('The others may let a bot play for you');
  await bob.click('Let a bot stand in');
  await cem.sees('A bot is playing for you.');
  await Promise.all([ann.playDownTo(11), bob.playDownTo(11)]);
  await cem.click('I’m back');
  assertFaultless(...people);
});

test('an idle host is replaced, and the players end the game together', { timeout: 300_000 }, async () => {
  const server = await Server.start({ options: ['--timeout-percent', '5'] });
  const browser = await openBrowser();
  const people = await openPeople(browser, [server, server, server]);
  const [ann, bob, cem] = people;
  await sitDown(ann, bob, cem);
  for (const person of [bob, cem]) await person.click('I’m ready');
  await cem.sees('Everybody waits for Ann, the host.');
  await cem.click('Ask Ann to go on');
  await Promise.race([bob, cem].map((person) => person.sees('You are the host now.')));
  const isHost = await cem.page.getByText('You are the host now.').isVisible();
  const [host, other] = isHost ? [cem, bob] : [bob, cem];
  await host.click('Start');
  await other.click('Menu');
  await other.click('Propose the end');
  await other.click('Propose it');
  for (const person of people) await person.page.locator('.banner', { hasText: 'end the game' }).waitFor();
  assert.ok(host);
  assertFaultless(...people);
});
