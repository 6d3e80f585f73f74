import assert from 'node:assert/strict';
import { test } from 'node:test';

// Templates need a document, which lit-html touches when it is imported.
import '../../test/unit/fake-document.js';

import { replaySample } from '../../test/replays.js';
import { pageState } from '../../test/unit/builders.js';
import { displayOf as nyetDisplay } from '../nyet/display.js';
import * as nyet from '../nyet/plate.js';
import { displayOf as stichelnDisplay } from '../sticheln/display.js';
import * as sticheln from '../sticheln/plate.js';
import { BEGINNING } from './place.js';
import { playStateOf } from './play-state.js';
import { newReplay } from './session.js';
import { stopsOf } from './stops.js';

/** @import { ReplaySample } from '../../test/replays.js' */
/** @import { HiddenCards } from '../game.js' */
/** @import { Nyet } from '../nyet/types.js' */
/** @import { Card, Seat } from '../protocol.js' */
/** @import { Sticheln } from '../sticheln/types.js' */
/** @import { PlayState } from '../types.js' */
/** @import { Perspective } from './types.js' */

/** The state of the table at a stop of a round. @param {ReplaySample} sample @param {number} at @param {number} stop @param {Perspective} perspective */
function stateAt({ overview, rounds }, at, stop, perspective) {
  const round = rounds[at];
  const place = { ...BEGINNING, round: round.round, perspective };
  const replay = { ...newReplay(overview.id, place), overview, rounds: { [round.round]: round }, stopIndex: stop };
  const playState = playStateOf(pageState({ route: 'replay', code: null, replay }));
  assert.ok(playState);
  return playState;
}

/** @param {PlayState} playState @param {Seat} seat @returns {HiddenCards | null} */
function hiddenIn(playState, seat) {
  if (playState.room.game === 'nyet') {
    const state = /** @type {PlayState<Nyet>} */ (/** @type {unknown} */ (playState));
    return nyet.hiddenCards(seat, nyetDisplay(state), state);
  }
  const state = /** @type {PlayState<Sticheln>} */ (/** @type {unknown} */ (playState));
  return sticheln.hiddenCards(seat, stichelnDisplay(state));
}

const OPEN = /** @type {const} */ ({ kind: 'open' });

test('with open hands each card of a seat is in its hand, hidden, or public', () => {
  for (const name of /** @type {const} */ (['sticheln4', 'sticheln6', 'nyet4'])) {
    const sample = replaySample(name);
    for (const [at, round] of sample.rounds.entries()) {
      const seats = round.players.length;
      /** The cards that are public, by seat. @type {Card[][]} */
      const open = Array.from({ length: seats }, () => []);
      /** @type {(Card[] | undefined)[]} */
      const dealt = Array(seats).fill(undefined);
      for (const [index, stop] of stopsOf(round).entries()) {
        if (stop.isResult) break;
        for (const event of round.steps[stop.step].events ?? []) {
          if (event.type === 'played') open[event.seat].push(event.card);
          if (event.type === 'revealed') event.picks.map((pick, seat) => open[seat].push(pick));
        }
        const playState = stateAt(sample, at, index, OPEN);
        for (let seat = 0; seat < seats; seat += 1) {
          const hidden = hiddenIn(playState, seat);
          const hand = playState.game.view.hands?.[seat].hand ?? [];
          if (hidden?.isInHand) assert.ok(hidden.cards.every((card) => /** @type {Card[]} */ (hand).includes(card)));
          const all = [...hand, ...(hidden && !hidden.isInHand ? hidden.cards : []), ...open[seat]].sort();
          dealt[seat] ??= all;
          assert.deepEqual(all, dealt[seat], `${name}, round ${round.round}, stop ${index}, seat ${seat}`);
        }
      }
    }
  }
});

test('as a seat its own hidden cards are known, and no other ones', () => {
  for (const name of /** @type {const} */ (['sticheln4', 'nyet4'])) {
    const sample = replaySample(name);
    for (const index of stopsOf(sample.rounds[0]).keys()) {
      const open = stateAt(sample, 0, index, OPEN);
      const asSeat = stateAt(sample, 0, index, { kind: 'seat', seat: 1 });
      assert.deepEqual(hiddenIn(asSeat, 1), hiddenIn(open, 1));
      for (const seat of [0, 2, 3]) assert.equal(hiddenIn(asSeat, seat), null);
      for (const seat of [0, 1, 2, 3]) {
        assert.equal(hiddenIn(stateAt(sample, 0, index, { kind: 'spectator' }), seat), null);
      }
    }
  }
});

test('a passed card is hidden in the hand of the neighbour until it is played', () => {
  const sample = replaySample('nyet4');
  const [round] = sample.rounds;
  const end = stopsOf(round).findIndex(({ step }) =>
    round.steps[step].events?.some(({ type }) => type === 'discards_done'),
  );
  const playState = /** @type {PlayState<Nyet>} */ (/** @type {unknown} */ (stateAt(sample, 0, end, OPEN)));
  const display = nyetDisplay(playState);
  assert.ok(display.conditions);
  const conditions = { ...display.conditions, discard: /** @type {const} */ ('pass_left') };
  const hiddenOf = (/** @type {Card[]} */ hand) =>
    nyet.hiddenCards(
      1,
      { ...display, conditions, owns: Array(4).fill({ hand, discard: ['red-2'], received: 'blue-1' }) },
      playState,
    );
  const hidden = hiddenOf(['blue-1', 'blue-1', 'red-3']);
  assert.deepEqual([hidden?.cards, hidden?.isInHand], [['blue-1'], true]);
  assert.equal(hiddenOf(['red-3']), null, 'it was played, and the card that the seat has passed is not its own');
});
