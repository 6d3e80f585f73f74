// The display, which the table shows. Here is the part that all games share.

import { gameOf } from '../games.js';
import { isLoaded, t } from '../i18n.js';
import { handOf, isGameOver } from '../state.js';
import { sortCards } from './card-text.js';

/** @import { BaseDisplay, GameTable, GameTypes, Display } from '../game.js' */
/** @import { Card, Seat } from '../protocol.js' */
/** @import { PlayState, RoomState, State } from '../types.js' */

/**
 * Whether the state has a room and a game, which may be over.
 * @param {State} state
 * @returns {state is PlayState}
 */
export const hasGame = (state) => state.room !== null && state.game !== null;

/**
 * The part of a game for the table. It is loaded with the table of this game.
 * @param {Pick<RoomState, 'game'>} room
 */
export const gameTableOf = (room) => /** @type {GameTable} */ (gameOf(room).table.value);

/**
 * Whether the code and the texts of the game of a room are loaded.
 * @param {Pick<RoomState, 'game'>} room
 */
export function isGameLoaded(room) {
  const { table, texts } = gameOf(room);
  return table.value !== null && isLoaded(texts.main);
}

/**
 * The display in a state. A game that was ended early shows its results, although its last round is not over.
 * @param {PlayState} state
 * @returns {Display}
 */
export function displayOf(state) {
  const display = gameTableOf(state.room).display(state);
  const isEndedEarly = isGameOver(state) && state.hold === null && display.kind !== 'round_end';
  return isEndedEarly ? /** @type {Display} */ ({ ...display, kind: 'round_end', hand: [], running: null }) : display;
}

/**
 * The part of a display that all games share.
 * @template {GameTypes} G
 * @param {PlayState<G>} playing
 * @returns {BaseDisplay<G>}
 */
export function baseDisplay(playing) {
  // The fields that are read here are the same in all games.
  const state = /** @type {PlayState} */ (/** @type {unknown} */ (playing));
  const { game, room, hold } = state;
  const { view } = game;
  const heldTable = (hold?.view ?? view).table;
  const isSameRound = heldTable.round === view.table.round;
  const table = hold && !isSameRound ? heldTable : view.table;
  const seats = table.hand_counts.length;
  const ownSeat = view.seat ?? null;
  const isEarlierRound = hold !== null && !isSameRound;
  const own = isEarlierRound ? undefined : view.own;
  const toAct = hold || table.phase === 'round_end' ? [] : view.to_act;
  const isPaused = room.phase === 'paused';
  const mayChange = !hold && !isPaused && game.changes.length > 0;
  const actions = mayChange ? game.changes : game.legal;
  /** @type {BaseDisplay} */
  const display = {
    seats,
    ownSeat,
    south: ownSeat ?? (state.viewpoint < seats ? state.viewpoint : 0),
    table,
    heldTable,
    own,
    owns: isEarlierRound ? [] : (view.hands ?? []),
    hand: sortCards(own?.hand ?? []),
    legal: new Map(actions.flatMap((action) => ('card' in action ? [[action.card, action]] : []))),
    hints: hintsOf(state),
    toAct,
    yours: ownSeat !== null && toAct.includes(ownSeat) && !isPaused,
    mayChange,
    byBot: game.byBot,
    isPaused,
    secondsLeft: toAct.length > 0 ? secondsUntil(game.deadline, state.clock) : null,
  };
  return /** @type {BaseDisplay<G>} */ (/** @type {unknown} */ (display));
}

/**
 * The hand of a seat, sorted, for a spectator whom all seats allow to see it; null for everybody else.
 * @param {Seat} seat
 * @param {PlayState} state
 * @returns {Card[] | null}
 */
export function cardsOfSeat(seat, { game }) {
  const own = game.view.hands?.[seat];
  return own ? sortCards([...own.hand]) : null;
}

/**
 * The compartment of a seat: that of the own seat, or of each seat for an observer who may know all hands.
 * @template Own
 * @param {Seat} seat
 * @param {{ ownSeat: Seat | null, own: Own | undefined, owns: readonly Own[] }} display
 * @returns {Own | undefined}
 */
export const ownOf = (seat, { ownSeat, own, owns }) => (seat === ownSeat ? own : owns[seat]);

/**
 * The seconds until a time, at least 0; null if there is no such time.
 * @param {number | null | undefined} until
 * @param {number} clock
 * @returns {number | null}
 */
export function secondsUntil(until, clock) {
  if (!until || !clock) return null;
  return Math.max(0, Math.ceil((until - clock) / 1000));
}

/**
 * The label of the button that ends a hold, with the seconds until it ends by itself.
 * @param {{ hold: { until: number } | null, clock: number }} state
 */
export function continueLabel({ hold, clock }) {
  const left = secondsUntil(hold?.until, clock);
  return `${t('play.continue')}${left ? ` (${left})` : ''}`;
}

/**
 * @param {PlayState} state
 * @returns {BaseDisplay['hints']}
 */
function hintsOf({ game: { view } }) {
  const { hints } = view;
  /** @type {readonly Card[]} */
  const cards = hints ? handOf(view) : [];
  return new Map(
    cards.map((card, index) => [card, { winning: hints?.winning[index] ?? false, points: hints?.points[index] ?? 0 }]),
  );
}
