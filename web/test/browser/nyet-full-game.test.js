// Four people with screens of all sizes click through a whole game of Nyet!.
//
// ROUNDS=8 plays eight rounds, the default of a real game, instead of two.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  assertFaultless,
  DESKTOP,
  MOVING,
  ONE_TAP,
  openBrowser,
  Person,
  PHONE,
  PHONE_LANDSCAPE,
  Server,
} from './harness.js';
import { openNyet, playGame } from './play-nyet.js';

const server = await Server.start();
const browser = await openBrowser();

const TABLET = { width: 768, height: 1024 };

/** How many rounds four people play; the game has eight as usual. */
const ROUNDS = Number(process.env.ROUNDS ?? 2);

test(`four people play a game of ${ROUNDS} rounds`, { timeout: 900_000 }, async () => {
  /** @type {Person[]} */
  const people = [];
  for (const [name, viewport] of /** @type {const} */ ([
    ['Ann', DESKTOP],
    ['Bob', PHONE],
    ['Cem', PHONE_LANDSCAPE],
    ['Dora', TABLET],
  ])) {
    people.push(await Person.open(browser, server, name, { viewport, ...(name === 'Ann' ? MOVING : ONE_TAP) }));
  }
  const [ann, ...others] = people;
  const link = await openNyet(ann, 4);
  if (ROUNDS !== 8) await ann.setRounds(ROUNDS);
  await Promise.all(others.map((person) => person.sit(link)));
  for (const person of others) await person.click("I'm ready");
  await ann.sees('4 of 4 taken');
  await ann.click('Start');

  await Promise.all(people.map(playGame));
  const standings = await Promise.all(people.map(({ page }) => page.locator('.podium .st').allInnerTexts()));
  for (const seen of standings) assert.deepEqual(seen, standings[0]);
  const rounds = await ann.page.locator('[data-screen=game-end] .tbl thead th').allInnerTexts();
  assert.deepEqual(rounds, ['Player', ...Array.from({ length: ROUNDS }, (_, round) => `R${round + 1}`), 'Total']);
  assertFaultless(...people);
});
