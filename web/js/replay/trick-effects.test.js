import assert from 'node:assert/strict';
import { test } from 'node:test';

// Templates need a document, which lit-html touches when it is imported.
import '../../test/unit/fake-document.js';

import { replaySample } from '../../test/replays.js';
import { nyet } from '../nyet/game.js';
import { trickEffects } from '../nyet/trick-effects.js';
import { sticheln } from '../sticheln/game.js';
import { stopsOf } from './stops.js';
import { effectsOf } from './trick-effects.js';

/** @import { GameTable, TakenTrick } from '../game.js' */
/** @import { Nyet } from '../nyet/types.js' */
/** @import { Card, Conditions, NyetTrickTable, Seat, Teams } from '../protocol.js' */

const OPEN = /** @type {const} */ ({ kind: 'open' });
const SPECTATOR = /** @type {const} */ ({ kind: 'spectator' });
/** @param {Seat} seat */
const asSeat = (seat) => /** @type {const} */ ({ kind: 'seat', seat });

/** The sum of the costs. @param {readonly { cost: number }[]} effects */
const total = (effects) => effects.reduce((sum, { cost }) => sum + cost, 0);

test('there are no effects before the game is loaded', async () => {
  const { rounds } = replaySample('nyet4');
  assert.deepEqual(effectsOf('nyet', rounds[0], OPEN), []);
  await sticheln.table.load();
  nyet.table.value = /** @type {GameTable<Nyet>} */ ({ trickEffects });
  assert.ok(effectsOf('nyet', rounds[0], OPEN).length > 0);
});

test('in Sticheln the tricks with negative points cost their takers, and a seat only its own', () => {
  const [, round] = replaySample('sticheln4').rounds;
  const stops = stopsOf(round);
  const effects = effectsOf('sticheln', round, OPEN);
  const losses = effects.filter(({ cost }) => cost > 0);
  assert.ok(losses.length > 3);
  assert.deepEqual(effectsOf('sticheln', round, SPECTATOR), effects);
  for (const { cost, stop, step, note } of effects) {
    assert.deepEqual([stops[stop].step, stops[stop].number, note], [step, 4, null]);
    const taken = round.steps[step].events?.find(({ type }) => type === 'trick_taken');
    assert.ok(taken?.type === 'trick_taken' && 'points' in taken);
    assert.equal(cost, Math.max(0, -taken.points));
    for (const seat of [0, 1, 2, 3]) {
      const own = effectsOf('sticheln', round, asSeat(seat)).find((effect) => effect.stop === stop);
      assert.equal(own?.cost, taken.seat === seat ? cost : 0);
    }
  }
});

test('in Nyet! the tricks of the other team cost a seat as many points as that team scores', () => {
  const { overview, rounds } = replaySample('nyet4');
  for (const [at, round] of rounds.entries()) {
    const points = overview.rounds[at].points ?? [];
    const most = Math.max(...points);
    for (const seat of [0, 1, 2, 3]) {
      const ofOthers = points.find((each) => each !== points[seat]);
      assert.equal(total(effectsOf('nyet', round, asSeat(seat))), ofOthers);
    }
    // With open hands they are the tricks that the losers of the round did not take.
    assert.equal(total(effectsOf('nyet', round, OPEN)), most);
    assert.equal(total(effectsOf('nyet', round, SPECTATOR)), most);
  }
});

/**
 * Tricks of Nyet!: for each the taker, and the loot.
 * @param {Conditions['points']} points
 * @param {Teams} teams
 * @param {readonly (readonly [seat: Seat, ...loot: Card[]])[]} tricks
 */
const tricksOf = (points, teams, tricks) =>
  tricks.map(([seat, ...loot]) => {
    const table = /** @type {NyetTrickTable} */ ({ phase: 'trick', conditions: { points }, teams });
    const event = { type: 'trick_taken', seat, leader: 0, cards: [], loot };
    return /** @type {TakenTrick<Nyet>} */ ({ event, table });
  });

/** @param {readonly TakenTrick<Nyet>[]} tricks @param {Seat | null} seat */
const costs = (tricks, seat) => trickEffects(tricks, seat).map(({ cost }) => cost);

test('in Nyet! each loot card is worth as much as its trick, and the note has both', () => {
  const teams = { of: [0, 0, 1, 1], bonus: null };
  const tricks = tricksOf('3', teams, [[0], [1, 'red-1', 'red-1'], [2], [3, 'blue-1']]);
  assert.deepEqual(costs(tricks, 0), [0, 0, 3, 6]);
  assert.deepEqual(costs(tricks, 3), [3, 9, 0, 0]);
  assert.deepEqual(costs(tricks, null), [3, 9, 0, 0], 'seats 2 and 3 lose: 9 points against 12');
  assert.deepEqual(
    trickEffects(tricks, null).map(({ note }) => note?.args?.points),
    ['+3', '+9', '+3', '+6'],
  );
});

test('in Nyet! tricks with negative points cost the team that takes them', () => {
  const teams = { of: [0, 0, 1, 1], bonus: null };
  const tricks = tricksOf('-2', teams, [[0], [2, 'red-1'], [3]]);
  assert.deepEqual(costs(tricks, 1), [2, 0, 0]);
  assert.deepEqual(costs(tricks, 2), [0, 4, 2]);
  assert.deepEqual(costs(tricks, null), [0, 4, 2]);
  assert.equal(trickEffects(tricks, null)[1].note?.args?.points, '−4');
});

test('in Nyet! a trick costs the holder of the x2 card double', () => {
  const teams = { of: [0, 1, 1], bonus: 0 };
  const tricks = tricksOf('2', teams, [[0], [1], [2, 'red-1'], [0]]);
  assert.deepEqual(costs(tricks, 0), [0, 4, 8, 0]);
  assert.deepEqual(costs(tricks, 1), [2, 0, 0, 2]);
  // The lone player has 2 × 4 points, each of the others 6.
  assert.deepEqual(costs(tricks, null), [2, 0, 0, 2]);
});

test('in Nyet! with equal points each trick costs one of the teams; two players are two teams', () => {
  const tricks = tricksOf('1', { of: [0, 1], bonus: null }, [[0], [1]]);
  assert.deepEqual(costs(tricks, null), [1, 1]);
  assert.deepEqual(costs(tricks, 0), [0, 1]);
  assert.deepEqual(costs([], null), []);
});
