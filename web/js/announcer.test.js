import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pageState } from '../test/unit/builders.js';
import { createAnnouncer } from './announcer.js';

/** @import { GameEvent } from './protocol.js' */
/** @import { State } from './types.js' */

/** An announcer, what it has announced, and a clock that is set by hand. */
function setUp({ hasTexts = true } = {}) {
  /** @type {string[]} */
  const announced = [];
  /** @type {(() => void)[]} */
  const due = [];
  const set = { hasTexts };
  const { addEvents: add, ...announcer } = createAnnouncer({
    announce: (lines, status) => announced.push(...lines, ...(status ? [`(${status})`] : [])),
    later: (done) => due.push(done),
  });
  const describe = (/** @type {GameEvent[]} */ events, /** @type {State} */ { code }) =>
    events.flatMap((event) => (event.type === 'played' ? `${code} ${event.card}.` : []));
  const addEvents = (/** @type {GameEvent[]} */ events, /** @type {State} */ state) =>
    add(() => (set.hasTexts ? describe(events, state) : null));
  const pass = () => {
    for (const done of due.splice(0)) done();
  };
  return { announcer: { ...announcer, addEvents }, announced, set, pass };
}

/**
 * Events with these cards.
 * @param {string[]} cards
 * @returns {GameEvent[]}
 */
const played = (...cards) => cards.map((card) => ({ type: 'played', seat: 0, card, winning: false }));

/** The state of the room with a code. @param {number} code */
const at = (code) => pageState({ code: String(code) });

test('events within the batch time become one announcement, in their order', () => {
  const { announcer, announced, pass } = setUp();
  announcer.addEvents(played('a', 'b'), at(1));
  announcer.addEvents(played('c'), at(2));
  assert.deepEqual(announced, []);
  pass();
  announcer.addEvents(played('d'), at(2));
  pass();
  assert.deepEqual(announced, ['1 a. 1 b. 2 c.', '2 d.']);
});

test('no announcement is longer than a trick', () => {
  const { announcer, announced, pass } = setUp();
  announcer.addEvents(played(...'abcdefghij'), at(1));
  pass();
  assert.deepEqual(announced, ['1 a. 1 b. 1 c. 1 d. 1 e. 1 f. 1 g. 1 h.', '1 i. 1 j.']);
});

test('the newest status line is announced after the events that led to it', () => {
  const { announcer, announced, pass } = setUp();
  announcer.setStatusLine(' Wait\u00a0for\n b. ');
  pass();
  announcer.setStatusLine('Sending.');
  announcer.addEvents(played('b'), at(1));
  announcer.setStatusLine('Your turn.');
  pass();
  announcer.setStatusLine('Your turn.');
  pass();
  assert.deepEqual(announced, ['(Wait for b.)', '1 b.', '(Your turn.)']);
});

test('events without a line are not announced', () => {
  const { announcer, announced, pass } = setUp();
  announcer.addEvents([], at(1));
  announcer.addEvents([{ type: 'picked', seat: 0 }], at(1));
  pass();
  assert.deepEqual(announced, []);
});

test('events before the texts are loaded are announced afterwards, each with the state after it', () => {
  const { announcer, announced, set, pass } = setUp({ hasTexts: false });
  announcer.addEvents(played('a'), at(1));
  announcer.addEvents(played('b'), at(2));
  pass();
  assert.deepEqual(announced, []);
  set.hasTexts = true;
  announcer.describePending();
  announcer.describePending();
  pass();
  assert.deepEqual(announced, ['1 a. 2 b.']);
});

test('events of one room are not announced at the next', () => {
  const { announcer, announced, set, pass } = setUp();
  announcer.addEvents(played('a'), at(1));
  set.hasTexts = false;
  announcer.addEvents(played('b'), at(1));
  announcer.clear();
  set.hasTexts = true;
  announcer.describePending();
  pass();
  assert.deepEqual(announced, []);
});
