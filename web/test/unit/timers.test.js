import assert from 'node:assert/strict';
import { test } from 'node:test';

import { defaultSettings } from '../../js/settings.js';
import { initialState } from '../../js/state.js';
import { nextTick } from '../../js/timers.js';

const NOW = 1_000_300;
const LINK = { status: 'open', retryAt: null, since: null, isRestart: false, isUnsaved: false };
const state = (fields = {}) => ({
  ...initialState(defaultSettings(['en']), NOW),
  link: LINK,
  page: 'table',
  ...fields,
});

test('a page on which nothing changes has no tick', () => {
  assert.equal(nextTick(state(), NOW), undefined);
});

test('the next tick is the first time at which something ends', () => {
  const toasts = [{ until: NOW + 4000 }, { until: NOW + 900 }];
  assert.equal(nextTick(state({ toasts, pause: { kind: 'trick', until: NOW + 1200 } }), NOW), NOW + 900);
});

test('past times need no tick', () => {
  assert.equal(nextTick(state({ reactions: [{ until: NOW }] }), NOW), undefined);
});

test('a table that counts seconds ticks with each second', () => {
  const counting = [
    { game: { deadline: NOW + 9000 } },
    { link: { ...LINK, retryAt: NOW + 9000 } },
    { awaySince: [null, NOW - 100] },
    { prompt: { kind: 'handover' } },
    { pause: { kind: 'reveal', until: NOW + 9000 } },
  ];
  for (const fields of counting) assert.equal(nextTick(state(fields), NOW), 1_001_000, JSON.stringify(fields));
  assert.equal(nextTick(state({ page: 'home', awaySince: [NOW] }), NOW), undefined);
});

test('a lost connection ticks when its banner is due', () => {
  assert.equal(nextTick(state({ link: { ...LINK, since: NOW - 500 } }), NOW), NOW + 1500);
});
