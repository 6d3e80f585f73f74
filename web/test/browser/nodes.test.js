// A game goes on when nodes are killed, also the leader, and when a new version is rolled out.

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
import { NEXT_PROGRAM, startNodes } from './nodes.js';

/** @import { Person } from './person.js' */

/** The format of this version, and that of the version that is rolled out. */
const FORMAT = 7;
const NEXT_FORMAT = 8;
/** The longest time until the nodes have raised the format, in milliseconds. */
const RAISE_TIMEOUT_MS = 10_000;

/**
 * The version of the protocol that a new connection of a page gets if it offers two, and the version that `welcome` names.
 * @param {Person} person
 * @returns {Promise<[string, number]>}
 */
const protocolsFor = (person) =>
  person.page.evaluate(
    () =>
      new Promise((resolve, reject) => {
        const room = location.pathname.split('/').at(-1);
        const address = `ws://${location.host}/api/rooms/${room}/socket`;
        const socket = new WebSocket(address, ['trick.v1', 'trick.v2']);
        socket.onopen = () => socket.send(JSON.stringify({ id: '1', type: 'hello', token: 'A'.repeat(43) }));
        socket.onerror = () => reject(new Error('the socket does not open'));
        socket.onmessage = ({ data }) => {
          const message = JSON.parse(data);
          if (message.type !== 'welcome') return;
          socket.close();
          resolve([socket.protocol, message.protocol]);
        };
      }),
  );

test('nobody has to do anything when nodes are killed and a new version is rolled out', {
  timeout: 600_000,
}, async () => {
  const { nodes, database } = await startNodes(3);
  const [first, second, third] = nodes;
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
  const format = () => database.number('SELECT format FROM database_state');
  // The first node opens the room, so it is the leader.
  await sitDown(ann, bob, cem);
  await ann.setRounds(1);
  await startGame(ann, bob, cem);
  let loads = 0;
  for (const { page } of people) page.on('domcontentloaded', () => (loads += 1));
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

  // A new version replaces the nodes, one after the other. All of them write the old format as long as one knows no other.
  for (const node of nodes.toReversed()) {
    await node.end('SIGTERM');
    await all((person) => person.play(2));
    node.program = NEXT_PROGRAM;
    if (node !== first) assert.equal(await format(), FORMAT);
    await node.begin();
    if (node === first) continue;
    await all((person) => person.play(1));
    assert.equal(await format(), FORMAT);
    // Cem has a new node, and the others may have the old one.
    assert.deepEqual(await protocolsFor(cem), ['trick.v1', 1]);
  }
  const deadline = Date.now() + RAISE_TIMEOUT_MS;
  const isRaised = async () => (await format()) === NEXT_FORMAT && (await protocolsFor(cem))[1] === 2;
  while (!(await isRaised())) assert.ok(Date.now() < deadline, 'the format was not raised');
  assert.deepEqual(await protocolsFor(cem), ['trick.v2', 2]);
  await all((person) => person.play(1));
  await assertSameStandings(...people);
  // The log of the round has entries of both formats.
  const entries = (/** @type {string} */ are) =>
    database.number(`SELECT COUNT(*) FROM entry WHERE body ${are} '{"next":%'`);
  assert.ok((await entries('LIKE')) > 0 && (await entries('NOT LIKE')) > 0);
  assert.equal(loads, 0, 'no page was loaded again');
  assertFaultless(...people);
});
