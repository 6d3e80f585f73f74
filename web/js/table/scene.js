/** What both games read from the state: which table is shown, what may be done, and how long. */

import { sorted } from './cards.js';

/** @import { Action, Common, State, View } from './types.js' */

/**
 * The parts of what is shown that both games have; `null` without a game.
 * @param {State} state
 * @returns {Common | null}
 */
export function common(state) {
  const { game, room, pause } = state;
  if (!game?.view?.table || !room) {
    return null;
  }
  /** @type {View} */
  const view = game.view;
  /** @type {View} */
  const before = pause?.view ?? view;
  const isSameRound = before.table.round === view.table.round;
  const table = pause && !isSameRound ? before.table : view.table;
  const seats = table.hand_counts.length;
  const you = view.seat ?? null;
  const own = pause && !isSameRound ? undefined : view.own;
  const toAct = pause || table.phase === 'round_end' ? [] : view.to_act;
  const paused = room.phase === 'paused';
  return {
    seats,
    you,
    south: you ?? clamp(state.viewpoint, seats),
    table,
    before: before.table,
    own,
    hand: sorted(own?.hand ?? []),
    legal: new Map(game.legal.filter((action) => action.card).map((action) => [action.card, action])),
    hints: hintsOf(view),
    toAct,
    yours: you !== null && toAct.includes(you) && !paused,
    paused,
    byBot: game.byBot ?? [],
    left: toAct.length > 0 && game.deadline ? secondsUntil(game.deadline, state.clock) : null,
  };
}

/**
 * The seconds until a time, not negative; `null` if it cannot be told.
 * @param {number | null | undefined} until
 * @param {number} clock
 * @returns {number | null}
 */
export function secondsUntil(until, clock) {
  if (!until || !clock) {
    return null;
  }
  return Math.max(0, Math.ceil((until - clock) / 1000));
}

/**
 * @param {View} view
 * @returns {Common['hints']}
 */
function hintsOf(view) {
  const { hints, own } = view;
  const cards = hints && own ? own.hand : [];
  return new Map(
    cards.map((card, place) => [card, { winning: hints?.winning[place] ?? false, points: hints?.points[place] ?? 0 }]),
  );
}

/**
 * @param {number} seat
 * @param {number} seats
 */
function clamp(seat, seats) {
  return seat >= 0 && seat < seats ? seat : 0;
}
