// A game goes on when the node of a browser and the leader of the room are killed, and when nodes end.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  assertFaultless,
  assertSameStandings,
  openBrowser,
  openPeople,
  sitDown,
  startGame,
  TcpProxy,
  WITH_ANIMATIONS,
} from './harness.js';
import { startNodes } from './nodes.js';

/** @import { Person } from './person.js' */

test('nobody has to do anything when nodes are killed and replaced', { timeout: 600_000 }, async () => {
  const [first, second, third] = await startNodes(3);
  const browser = await openBrowser();
  // As a proxy does: a connection goes to the first node that accepts it.
  const proxies = await Promise.all(
    [
      [first, second, third],
      [second, third, first],
      [third, second, first],
    ].map((nodes) => TcpProxy.to(...nodes)),
  );
  const people = await openPeople(browser, proxies, WITH_ANIMATIONS);
  const [ann, bob, cem] = people;
  const all = (/** @type {(person: Person) => Promise<unknown>} */ act) => Promise.all(people.map(act));
  // The first node opens the room, so it is the leader.
  await sitDown(ann, bob, cem);
  await ann.setRounds(1);
  await startGame(ann, bob, cem);
  await all((person) => person.play(2));

  // The node of Bob's browser is killed. The others notice nothing.
  const hand = await bob.hand();
  await second.end('SIGKILL');
  await bob.seesNoMore('Connection lost');
  assert.deepEqual(await bob.hand(), hand);
  await all((person) => person.play(2));
  await second.begin();

  // The leader is killed, which has Ann's browser. Cem's browser keeps its connection.
  await first.end('SIGKILL');
  await all((person) => person.play(2));
  await first.begin();

  // The others end one after the other, as in a roll-out.
  for (const node of [third, second]) {
    await node.end('SIGTERM');
    await all((person) => person.play(2));
    await node.begin();
  }
  await all((person) => person.play(5));
  await assertSameStandings(...people);
  assertFaultless(...people);
});
