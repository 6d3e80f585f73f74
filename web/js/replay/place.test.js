import assert from 'node:assert/strict';
import { test } from 'node:test';

import { BEGINNING, fragmentOf, LAST_STOP, placeOf } from './place.js';

test('a fragment names round, trick, stop and perspective, and the place leads back to it', () => {
  for (const [fragment, perspective] of /** @type {const} */ ([
    ['#r2.t7.c3', { kind: 'open' }],
    ['#r2.t7.c3.s1', { kind: 'seat', seat: 1 }],
    ['#r2.t7.c3.w', { kind: 'spectator' }],
  ])) {
    const place = placeOf(fragment);
    assert.deepEqual(place, { round: 2, trick: 7, number: 3, perspective });
    assert.equal(fragmentOf(place), fragment);
  }
});

test('parts that are missing name the beginning of the round or of the trick', () => {
  assert.deepEqual(placeOf('#r3'), { ...BEGINNING, round: 3 });
  assert.deepEqual(placeOf('#r3.t4'), { ...BEGINNING, round: 3, trick: 4 });
  assert.deepEqual(placeOf('#r3.s2'), { ...BEGINNING, round: 3, perspective: { kind: 'seat', seat: 2 } });
});

test('a fragment can name the place after every stop', () => {
  const place = { ...BEGINNING, ...LAST_STOP };
  assert.deepEqual(placeOf(fragmentOf(place)), place);
});

test('nonsense names the beginning', () => {
  for (const text of [
    '',
    '#',
    '#r',
    '#rx.t1',
    '#r1.t2.c3.s',
    '#r1.c3',
    '#seat=1.abc',
    '#r1.t2.c3.w.w',
    '#r1234.t1.c1',
  ]) {
    assert.deepEqual(placeOf(text), BEGINNING, text);
  }
});
