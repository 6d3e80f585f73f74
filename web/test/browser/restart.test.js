// A game survives when the server is killed, and when it is restarted in order.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  assertFaultless,
  assertSameStandings,
  assertTokensNotLogged,
  openBrowser,
  openPeople,
  Server,
  sitDown,
  startGame,
  WITH_ANIMATIONS,
} from './harness.js';

/** @import { Person } from './person.js' */

test('a game survives that the server is killed or restarted', { timeout: 600_000 }, async () => {
  const server = await Server.start({ options: ['--log', 'sticheln=trace'] });
  const browser = await openBrowser();
  const people = await openPeople(browser, Array(3).fill(server), WITH_ANIMATIONS);
  const [ann, bob, cem] = people;
  const all = (/** @type {(person: Person) => Promise<unknown>} */ act) => Promise.all(people.map(act));
  await sitDown(ann, bob, cem);
  await ann.setRounds(2);
  await startGame(ann, bob, cem);
  await all((person) => person.play(15));

  // In the second round the server is killed and started again.
  await all((person) => person.play(7));
  const before = await Promise.all(people.map((person) => person.hand()));
  await server.end('SIGKILL');
  await ann.page
    .getByText(/Connection lost/)
    .first()
    .waitFor();
  assert.deepEqual(await ann.hand(), before[0], 'the table stays visible');
  await server.begin();
  await all((person) => person.seesNoMore('Connection lost'));
  assert.deepEqual(await Promise.all(people.map((person) => person.hand())), before);

  // Then the server is stopped with SIGTERM, and started again.
  await all((person) => person.play(3));
  await server.end('SIGTERM');
  await cem.page
    .getByText(/The server restarts/)
    .first()
    .waitFor();
  await server.begin();
  await all((person) => person.play(5));
  await assertSameStandings(...people);
  assertFaultless(...people);
  assertTokensNotLogged(server, ...people);
});
