import assert from 'node:assert/strict';
import { test } from 'node:test';

import '../test/unit/fake-document.js';
import { bot, NOW, person, roomState, STICHELN_OPTIONS } from '../test/unit/builders.js';
import { durationOf, plannedRounds, playersOf, roundsLeftNearLimit, seatToTheLeft, usualRounds } from './games.js';
import { withRoundLimitNews } from './news.js';
import { defaultSettings } from './settings.js';
import { initialState } from './state.js';
import { lobby as sticheln } from './sticheln/lobby.js';

/** @import { Chair, DealtEvent, GameEnd } from './protocol.js' */
/** @import { RoomState } from './types.js' */
/** @import { Sticheln } from './sticheln/types.js' */

const FREE = /** @type {Chair} */ ({ kind: 'free' });
const [ANN, BOB, CEM] = ['Ann', 'Bob', 'Cem'].map((name) => person(name));
const TARGET = /** @type {GameEnd} */ ({ type: 'target', target: 100, max_rounds: 20 });

/** A lobby of Sticheln. @param {Chair[]} chairs @param {Partial<RoomState>} [fields] */
const lobby = (chairs, fields = {}) => roomState({ phase: 'lobby', chairs, ...fields });
/** @param {Partial<Sticheln['options']>} options */
const options = (options) => ({ options: { ...STICHELN_OPTIONS, ...options } });

test('the length of a game is for the players who sit, not for the chairs', () => {
  const six = lobby([ANN, FREE, BOB, FREE, bot('Spool', 'normal'), FREE]);
  assert.equal(playersOf(six), 3);
  assert.equal(plannedRounds(six), 3);
  assert.deepEqual(durationOf(six), durationOf(lobby([ANN, BOB, CEM])));
  assert.ok(durationOf(lobby([ANN, BOB, CEM, ANN])).usual > durationOf(six).usual);
});

test('as long as too few sit, a game can only start with bots on all chairs', () => {
  assert.equal(playersOf(lobby([ANN, FREE, FREE, FREE])), 4);
  assert.equal(usualRounds(lobby([ANN, BOB, FREE, FREE, FREE])), 5);
});

test('a game to a score has a usual duration, and one at its limit of rounds', () => {
  const room = lobby([ANN, BOB, CEM], options({ end: TARGET }));
  assert.equal(plannedRounds(room), null);
  const { usual, most } = durationOf(room);
  assert.ok(most !== null && usual < most, `${usual} ${most}`);
  assert.equal(most, durationOf(lobby([ANN, BOB, CEM], options({ end: { type: 'rounds', rounds: 20 } }))).usual);
  const short = durationOf(lobby([ANN, BOB, CEM], options({ end: { type: 'target', target: 999, max_rounds: 2 } })));
  assert.equal(short.usual, short.most, 'never more than the limit');
});

test('the limit of rounds is told in the last three rounds before it', () => {
  const room = lobby([ANN, BOB, CEM], options({ end: TARGET }));
  assert.deepEqual(
    [17, 18, 19, 20].map((round) => roundsLeftNearLimit(room, round)),
    [null, 2, 1, 0],
  );
  assert.equal(roundsLeftNearLimit(lobby([ANN, BOB, CEM]), 3), null, 'other games have none');
  const state = { ...initialState(defaultSettings(['en']), NOW), room };
  const toasts = (/** @type {number} */ round) => {
    /** @type {DealtEvent} */
    const dealt = { type: 'dealt', round, opening: 0, cards: 15 };
    return withRoundLimitNews(state, [dealt]).toasts.map(({ key, args }) => [key, args?.n]);
  };
  assert.deepEqual([17, 19, 20].map(toasts), [[], [['news.roundsLeft', 1]], [['news.lastRound', undefined]]]);
});

test('the lobby names the dealer and the leader of each edition', () => {
  const chairs = [ANN, FREE, BOB, CEM];
  const text = (/** @type {Partial<RoomState>} */ fields) =>
    sticheln.openingText?.(/** @type {RoomState<Sticheln>} */ (lobby(chairs, fields)));
  // Without texts a text is its key.
  assert.equal(text({}), 'sticheln.opt.opening.leads.random');
  assert.equal(text({ opening_seat: 0 }), 'sticheln.opt.opening.leads.named');
  const amigo = options({ edition: 'amigo-1993' });
  assert.equal(text(amigo), 'sticheln.opt.opening.deals.random');
  assert.equal(text({ ...amigo, opening_seat: 0 }), 'sticheln.opt.opening.deals.named');
  assert.equal(seatToTheLeft(lobby(chairs), 0), 2, 'the free chair will be removed');
  assert.equal(seatToTheLeft(lobby(chairs), 3), 0);
  assert.equal(seatToTheLeft(lobby([ANN, FREE, FREE]), 0), 1, 'bots will take the chairs');
});
