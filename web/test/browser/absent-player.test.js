// One of five players drops out in a round, a bot stands in, and the player gets the seat back.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { assertFaultless, openBrowser, openPeople, Server, sitDown, startGame, TcpProxy } from './harness.js';

test('any player lets a bot stand in for a player who is away', { timeout: 300_000 }, async () => {
  const server = await Server.start({ options: ['--timeout-percent', '5'] });
  const browser = await openBrowser();
  const proxy = await TcpProxy.to(server);
  const people = await openPeople(browser, [...Array(4).fill(server), proxy]);
  const [ann, bob, cem, dora, emil] = people;
  await sitDown(ann, bob, cem, dora, emil);
  await startGame(ann, bob, cem, dora, emil);
  await Promise.all(people.map((person) => person.play(3)));

  // This room waits for 1.5 s, and Emil counts as away after 5 s: a bot may stand in as soon as a banner names Emil.
  proxy.disconnect();
  const goOn = Promise.all(people.slice(0, 4).map((person) => person.playDownTo(10)));
  for (const person of [ann, dora]) {
    assert.match(await person.finds(bannerAboutEmil, null), /Emil is away, and it is their turn\./);
  }
  await dora.click('Let a bot stand in');
  await goOn;
  proxy.reconnect();
  await emil.click('I’m back');
  await Promise.all(people.map((person) => person.playDownTo(8)));
  assertFaultless(...people);
});

/** Runs in the page: the banner that names Emil, as soon as there is one. */
function bannerAboutEmil() {
  const banners = [...document.querySelectorAll('.banner')].map(({ textContent }) => textContent ?? '');
  return banners.find((text) => text.includes('Emil')) ?? null;
}
