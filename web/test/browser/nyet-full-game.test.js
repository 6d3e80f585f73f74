// Four people with screens of all sizes click through a whole game of Nyet!.
//
// ROUNDS=8 plays eight rounds, the default of a real game, instead of two.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  assertFaultless,
  assertSameStandings,
  openBrowser,
  openPeople,
  Server,
  startGame,
  WITH_ANIMATIONS,
} from './harness.js';
import { openNyet, playGame } from './play-nyet.js';

const server = await Server.start();
const browser = await openBrowser();

/** How many rounds four people play; the game has eight as usual. */
const ROUNDS = Number(process.env.ROUNDS ?? 2);

test(`four people play a game of ${ROUNDS} rounds`, { timeout: 900_000 }, async () => {
  const people = await openPeople(browser, Array(4).fill(server), WITH_ANIMATIONS);
  const [ann, ...others] = people;
  const link = await openNyet(ann, 4);
  if (ROUNDS !== 8) await ann.setRounds(ROUNDS);
  await Promise.all(others.map((person) => person.sit(link)));
  await startGame(ann, ...others);

  await Promise.all(people.map(playGame));
  await assertSameStandings(...people);
  const rounds = await ann.page.locator('[data-screen=game-end] .data-table thead th').allInnerTexts();
  assert.deepEqual(rounds, ['Player', ...Array.from({ length: ROUNDS }, (_, round) => `R${round + 1}`), 'Total']);
  assertFaultless(...people);
});
