import assert from 'node:assert/strict';
import { test } from 'node:test';

import { nextTick } from '../../js/timers.js';
import { gameState, OPEN_LINK, pageState, pauseState, toast, view } from './builders.js';

/** @import { State } from '../../js/types.js' */

const NOW = 1_000_300;

test('a page on which nothing changes has no tick', () => {
  assert.equal(nextTick(pageState(), NOW), undefined);
});

test('the next tick is the first time at which something ends', () => {
  const toasts = [toast(NOW + 4000), toast(NOW + 900)];
  assert.equal(nextTick(pageState({ toasts, pause: pauseState('trick', NOW + 1200) }), NOW), NOW + 900);
});

test('past times need no tick', () => {
  assert.equal(nextTick(pageState({ reactions: [{ seat: 0, reaction: 'laugh', until: NOW }] }), NOW), undefined);
});

test('a table that counts seconds ticks with each second', () => {
  /** @type {Partial<State>[]} */
  const counting = [
    { game: gameState(view(), { deadline: NOW + 9000 }) },
    { link: { ...OPEN_LINK, retryAt: NOW + 9000 } },
    { awaySince: [null, NOW - 100] },
    { prompt: { kind: 'handover' } },
    { pause: pauseState('reveal', NOW + 9000) },
  ];
  for (const fields of counting) assert.equal(nextTick(pageState(fields), NOW), 1_001_000, JSON.stringify(fields));
  assert.equal(nextTick(pageState({ page: 'home', awaySince: [NOW] }), NOW), undefined);
});

test('a lost connection ticks when its banner is due', () => {
  assert.equal(nextTick(pageState({ link: { ...OPEN_LINK, since: NOW - 500 } }), NOW), NOW + 1500);
});
