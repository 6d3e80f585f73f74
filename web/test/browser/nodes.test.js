// A game goes on when nodes are killed or frozen, also the leader, and when a new version is rolled out.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ANSWER_TIMEOUT_MS, PING_AFTER_MS } from '../../js/connection.js';
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
import { metricOf, NEXT_PROGRAM, startNodes } from './nodes.js';

/** @import { Person } from './person.js' */
/** @import { Server } from './server.js' */

/** The format of this version, and that of the version that is rolled out. */
const FORMAT = 8;
const NEXT_FORMAT = 9;
/** The longest time until a condition of the nodes holds, in milliseconds. */
const CONDITION_TIMEOUT_MS = 10_000;
/** The longest time until another node leads the room of a frozen one, in milliseconds. A page waits longer for an answer. */
const TAKEOVER_TIMEOUT_MS = 7000;

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

/**
 * Waits until a condition holds.
 * @param {string} condition
 * @param {() => Promise<boolean>} holds
 */
async function until(condition, holds) {
  const deadline = Date.now() + CONDITION_TIMEOUT_MS;
  while (!(await holds())) assert.ok(Date.now() < deadline, `not in time: ${condition}`);
}

test('nobody has to do anything when nodes are killed or frozen, and a new version is rolled out', {
  timeout: 600_000,
}, async () => {
  const { nodes, database } = await startNodes(3);
  const [first, second, third] = nodes;
  const browser = await openBrowser();
  // As a proxy does: a connection goes to the first node that is ready.
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
  const leases = (/** @type {string} */ since) =>
    database.number(`SELECT COUNT(*) FROM node WHERE lease_until > ${since}`);
  // The test lets time pass on Ann's page.
  await ann.page.clock.install();
  // The first node opens the room, so it is the leader.
  await sitDown(ann, bob, cem);
  await ann.setRounds(1);
  await startGame(ann, bob, cem);
  let loads = 0;
  for (const { page } of people) page.on('domcontentloaded', () => (loads += 1));
  await all((person) => person.play(1));

  // The leader is frozen, which has Ann's browser, and Bob plays. Another node goes on with the table.
  const others = Promise.all([ann.play(1), cem.play(1)]);
  await bob.reachesTurn();
  first.freeze();
  const frozenAt = Date.now();
  await bob.play(1);
  assert.ok(Date.now() - frozenAt < TAKEOVER_TIMEOUT_MS, 'another node goes on in time');
  // Ann's page gets no answer, and comes back through another node.
  for (const silence of [PING_AFTER_MS, ANSWER_TIMEOUT_MS]) await ann.page.clock.fastForward(silence);
  await others;
  await ann.page.clock.setSystemTime(Date.now());
  await all((person) => person.play(1));
  await until('the lease has been over for a second', async () => (await leases("now() - INTERVAL '1 s'")) === 2);
  first.resume();
  await until('all nodes have a lease', async () => (await leases('now()')) === 3);
  assert.ok((await metricOf(first, 'sticheln_lost_leases_total')) > 0);

  // Of the other nodes one is the leader now. Ann's and Bob's browsers have the second node, and Cem's has the third.
  const leads = async (/** @type {Server} */ node) => (await metricOf(node, 'sticheln_rooms')) === 1;
  await until('one node is the leader', async () => (await leads(second)) !== (await leads(third)));
  const [leader, gateway] = (await leads(second)) ? [second, third] : [third, second];
  // The other one is killed. The people whose browsers have the leader notice nothing.
  const hands = await Promise.all(people.map((person) => person.hand()));
  await gateway.end('SIGKILL');
  await all((person) => person.seesNoMore('Connection lost'));
  assert.deepEqual(await Promise.all(people.map((person) => person.hand())), hands);
  await all((person) => person.play(1));
  await gateway.begin();

  // The leader is killed.
  await leader.end('SIGKILL');
  await all((person) => person.play(2));
  await leader.begin();

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
  const isRaised = async () => (await format()) === NEXT_FORMAT && (await protocolsFor(cem))[1] === 2;
  await until('the format is raised', isRaised);
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
