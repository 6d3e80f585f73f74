import assert from 'node:assert/strict';
import { test } from 'node:test';

import { replaySample } from '../../test/replays.js';
import { cardsPlayed, spansOf, stopAt, stopsOf, trickFrom } from './stops.js';

const sticheln = replaySample('sticheln4').rounds[1];
const stops = stopsOf(sticheln);
/** The index of the stop that a place names. @param {number} trick @param {number} number */
const at = (trick, number) => stopAt(stops, { trick, number });

test('a round has a stop for each step but mere acts, and one more for its result', () => {
  const acts = sticheln.steps.filter(({ act }) => act);
  assert.equal(acts.length, 1);
  assert.equal(stops.length, sticheln.steps.length - acts.length + 1);
  assert.deepEqual(stops[0], { step: 0, trick: 0, number: 1, isResult: false });
  // The deal and four picks come first, then 14 tricks of four cards.
  assert.deepEqual(
    spansOf(stops).map(({ first, last }) => [first, last]),
    [[0, 4], ...Array.from({ length: 14 }, (_, trick) => [5 + 4 * trick, 8 + 4 * trick])],
  );
  assert.deepEqual(stops.slice(-2), [
    { step: sticheln.steps.length - 1, trick: 14, number: 4, isResult: false },
    { step: sticheln.steps.length - 1, trick: 14, number: 5, isResult: true },
  ]);
});

test('a place that does not exist is the last one before it', () => {
  assert.deepEqual(stops[at(7, 3)], { ...stops[at(7, 3)], trick: 7, number: 3 });
  assert.equal(at(7, 9), at(7, 4));
  assert.equal(at(99, 1), stops.length - 1);
  assert.equal(at(0, 0), 0);
});

test('a step by trick goes to the beginning of a trick; backwards first to that of the same one', () => {
  assert.equal(trickFrom(stops, at(7, 3), 1), at(8, 1));
  assert.equal(trickFrom(stops, at(7, 3), -1), at(7, 1));
  assert.equal(trickFrom(stops, at(7, 1), -1), at(6, 1));
  assert.equal(trickFrom(stops, at(14, 2), 1), undefined);
  assert.equal(trickFrom(stops, 0, -1), undefined);
});

test('a stop has as many cards in its trick as were played', () => {
  assert.deepEqual(
    [at(0, 3), at(7, 1), at(7, 4), stops.length - 1].map((stop) => cardsPlayed(sticheln, stops, stop)),
    [0, 1, 4, 4],
  );
});

test('an abandoned round has no result, and other games have stops before their first trick too', () => {
  const abandoned = { ...sticheln, steps: sticheln.steps.slice(0, 20) };
  assert.ok(stopsOf(abandoned).every(({ isResult }) => !isResult));
  const nyet = stopsOf(replaySample('nyet4').rounds[0]);
  assert.ok(nyet.filter(({ trick }) => trick === 0).length > 20);
  assert.equal(nyet.at(-1)?.isResult, true);
});
