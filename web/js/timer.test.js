import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  AHEAD,
  gameState,
  holdState,
  OPEN_CONNECTION,
  pageState,
  person,
  roomState,
  toast,
  view,
} from '../test/unit/builders.js';
import { nextTick } from './timer.js';

/** @import { State } from './types.js' */

const NOW = 1_000_300;

/**
 * A table at which a bot may stand in for one person from this time on.
 * @param {number} time by the clock of this device
 * @returns {Partial<State>}
 */
function waitingUntil(time) {
  const bob = person('Bob', { presence: 'away', stand_in_from: time + AHEAD });
  const room = roomState({ chairs: [{ kind: 'free' }, bob] });
  return { room, clockSkew: AHEAD };
}

/**
 * A spectator to whom a free seat is offered until this time.
 * @param {number} time by the clock of this device
 * @returns {Partial<State>}
 */
function offeredUntil(time) {
  const you = { seat: null, host: false, spectator: 4 };
  const offered = { spectator: 4, offered_until: time + AHEAD };
  return { room: roomState({ you, spectators: [offered] }), you, clockSkew: AHEAD };
}

test('a page on which nothing changes has no tick', () => {
  assert.equal(nextTick(pageState(), NOW), undefined);
});

test('the next tick is the first time at which something ends', () => {
  const toasts = [toast(NOW + 4000), toast(NOW + 900)];
  assert.equal(nextTick(pageState({ toasts, hold: holdState('taken', NOW + 1200) }), NOW), NOW + 900);
});

test('a finished trick shows no seconds', () => {
  assert.equal(nextTick(pageState({ hold: holdState('taken', NOW + 1200) }), NOW), NOW + 1200);
});

test('past times need no tick', () => {
  assert.equal(nextTick(pageState({ reactions: [{ seat: 0, reaction: 'laugh', until: NOW }] }), NOW), undefined);
});

test('a table that counts seconds ticks with each second', () => {
  /** @type {Partial<State>[]} */
  const counting = [
    { game: gameState(view(), { deadline: NOW + 9000 }) },
    { connection: { ...OPEN_CONNECTION, retryAt: NOW + 9000 } },
    waitingUntil(NOW + 100),
    { prompt: { kind: 'offer_handover' } },
    { hold: holdState('reveal', NOW + 9000) },
    offeredUntil(NOW + 9000),
  ];
  for (const fields of counting) assert.equal(nextTick(pageState(fields), NOW), 1_001_000, JSON.stringify(fields));
  assert.equal(
    nextTick(pageState({ route: 'home', connection: { ...OPEN_CONNECTION, retryAt: NOW + 9000 } }), NOW),
    undefined,
  );
});

test('a chair for which a bot may stand in counts no seconds', () => {
  assert.equal(nextTick(pageState(waitingUntil(NOW)), NOW), undefined);
});

test('a lost connection ticks when its banner is due', () => {
  assert.equal(nextTick(pageState({ connection: { ...OPEN_CONNECTION, since: NOW - 500 } }), NOW), NOW + 1500);
});
