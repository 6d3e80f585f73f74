import assert from 'node:assert/strict';
import { test } from 'node:test';

import { replaySample } from '../../test/replays.js';
import { pageState } from '../../test/unit/builders.js';
import { BEGINNING } from './place.js';
import { playStateOf } from './play-state.js';
import { newReplay } from './session.js';
import { stopAt, stopsOf } from './stops.js';

/** @import { ReplaySample } from '../../test/replays.js' */
/** @import { PlayState } from '../types.js' */
/** @import { Perspective } from './types.js' */

const sticheln = replaySample('sticheln4');
const nyet = replaySample('nyet4');

/**
 * The state of the table at a place of the first round.
 * @param {ReplaySample} sample
 * @param {{ trick: number, number: number }} place
 * @param {Perspective} [perspective]
 * @returns {PlayState}
 */
function shownAt({ overview, rounds }, place, perspective = { kind: 'open' }) {
  const [round] = rounds;
  const replay = {
    ...newReplay(overview.id, { ...BEGINNING, perspective }),
    overview,
    rounds: { 1: round },
    stopIndex: stopAt(stopsOf(round), place),
  };
  const playState = playStateOf(pageState({ route: 'replay', code: null, replay }));
  assert.ok(playState);
  return playState;
}

const SECOND_CARD = { trick: 3, number: 2 };

test('with open hands the view has those of all seats, and no own seat', () => {
  for (const sample of [sticheln, nyet]) {
    const { game, you } = shownAt(sample, SECOND_CARD);
    const { table, hands, seat, own } = game.view;
    assert.deepEqual([you.seat, seat, own], [null, null, undefined]);
    assert.deepEqual(
      hands?.map(({ hand }) => hand.length),
      table.hand_counts,
    );
  }
});

test('as a seat knew it the view has the own part of this seat alone', () => {
  for (const sample of [sticheln, nyet]) {
    const { game, you, viewpoint } = shownAt(sample, SECOND_CARD, { kind: 'seat', seat: 2 });
    assert.deepEqual([you.seat, viewpoint, game.view.seat, game.view.hands], [2, 2, 2, undefined]);
    assert.deepEqual(game.view.own, shownAt(sample, SECOND_CARD).game.view.hands?.[2]);
  }
});

test('as a spectator the view has no hand', () => {
  const { game, you } = shownAt(sticheln, SECOND_CARD, { kind: 'spectator' });
  assert.deepEqual([you.seat, game.view.hands, game.view.own], [null, undefined, undefined]);
  assert.doesNotMatch(JSON.stringify(game), /"hand"/);
});

test('the table is that of the step, and keeps what the step does not change', () => {
  const { table } = shownAt(sticheln, SECOND_CARD).game.view;
  assert.equal(table.phase, 'trick');
  assert.equal(table.phase === 'trick' && table.trick.cards.length, 2);
  // The step at which a bot stands in has no table.
  const { room } = shownAt(sticheln, { trick: 14, number: 1 });
  assert.equal(room.chairs[3].kind === 'person' && room.chairs[3].stood_in, true);
  assert.equal(shownAt(sticheln, { trick: 0, number: 1 }).room.chairs[3].kind === 'person', true);
});

test('a finished trick is held, and the result of the round is not', () => {
  const taken = shownAt(sticheln, { trick: 14, number: 4 });
  assert.equal(taken.hold?.kind, 'taken');
  const result = shownAt(sticheln, { trick: 14, number: 5 });
  assert.deepEqual([result.hold, result.game.view.table.phase], [null, 'round_end']);
  assert.deepEqual(
    result.sheet?.rounds,
    sticheln.overview.rounds.slice(0, 1).map(({ points }) => points),
  );
});

test('each hold replaces the one before', () => {
  const kinds = stopsOf(nyet.rounds[0]).map(({ trick, number }) => shownAt(nyet, { trick, number }).hold?.kind ?? '');
  assert.ok(kinds.includes('settled') && kinds.includes('chosen'), kinds.join());
  assert.equal(
    kinds.filter((kind) => kind === 'taken').length,
    nyet.rounds[0].steps.filter(({ events }) => events?.some(({ type }) => type === 'trick_taken')).length,
  );
});

test('a card that a bot has played for a person is marked', () => {
  const { game } = shownAt(sticheln, { trick: 12, number: 4 });
  assert.deepEqual(game.byBot, [3]);
});

test('a person whose name was erased has a chair without a name', () => {
  const [round] = sticheln.rounds;
  const players = round.players.map((player, seat) =>
    seat === 2 ? { kind: /** @type {const} */ ('person'), name: null } : player,
  );
  const { room } = shownAt({ ...sticheln, rounds: [{ ...round, players }] }, SECOND_CARD);
  assert.equal(room.chairs[2].kind, 'free');
});

test('nothing is shown before the game and its round are loaded', () => {
  assert.equal(playStateOf(pageState()), null);
  const replay = { ...newReplay('a', BEGINNING), overview: sticheln.overview };
  assert.equal(playStateOf(pageState({ replay })), null);
});
