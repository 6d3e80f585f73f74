/** The table as it is shown, which may still be a reveal or a finished trick while the game is further. */

import { parts, sorted } from './order.js';

/** @import { Action, State, TableView, Trick, View } from './types.js' */

/**
 * @typedef {object} Shown
 * @property {'pick' | 'reveal' | 'trick' | 'taken' | 'over'} kind
 * @property {number} seats How many seats the game has.
 * @property {number | null} you The own seat.
 * @property {number} south The seat at the bottom.
 * @property {TableView} table What everybody knows, at least of this round.
 * @property {boolean[]} picked Who has laid a card face down.
 * @property {string[] | null} picks The cards that were turned up.
 * @property {(Trick & { taker?: number | null, points?: number }) | null} trick The trick on the table.
 * @property {number} number The number of that trick, from 1.
 * @property {number} leads The seat that leads the first trick, while the cards are turned up.
 * @property {string[]} hand The own hand, sorted.
 * @property {string | null} pick The own card, as long as it lies face down.
 * @property {Map<string, Action>} legal What can be done with each card.
 * @property {Map<string, { winning: boolean, points: number }>} hints What each card would do.
 * @property {number[]} toAct Who must act in what is shown.
 * @property {boolean} yours Whether the own seat must act in what is shown.
 * @property {boolean} paused Whether the table rests.
 * @property {number | null} left The seconds that are left to those who must act.
 */

/**
 * What is to be shown now; `null` without a game.
 * @param {State} state
 * @returns {Shown | null}
 */
export function shown(state) {
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
  const kind = kindOf(state, table);
  const isNow = kind === 'pick' || kind === 'trick';
  const toAct = isNow ? view.to_act : [];
  const paused = room.phase === 'paused';
  const trick = trickOf(kind, table, pause?.event);
  return {
    kind,
    seats,
    you,
    south: you ?? clamp(state.viewpoint, seats),
    table,
    picked: table.picked ?? Array(seats).fill(true),
    picks: (kind === 'reveal' ? pause?.event.picks : table.picks ?? before.table.picks) ?? null,
    trick,
    number: kind === 'taken' ? Math.max(1, table.tricks_played) : table.tricks_played + 1,
    leads: kind === 'reveal' ? pause?.event.leader : table.first_leader,
    hand: sorted(own?.hand ?? []),
    pick: own?.pick ?? null,
    legal: new Map(game.legal.filter((action) => action.card).map((action) => [action.card, action])),
    hints: hintsOf(view),
    toAct,
    yours: you !== null && toAct.includes(you) && !paused,
    paused,
    left: isNow && game.deadline ? secondsUntil(game.deadline, state.clock) : null,
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
 * @param {State} state
 * @param {TableView} table
 * @returns {Shown['kind']}
 */
function kindOf(state, table) {
  if (state.pause?.kind === 'reveal') {
    return 'reveal';
  }
  if (state.pause?.kind === 'trick') {
    return 'taken';
  }
  return table.phase === 'round_end' ? 'over' : table.phase;
}

/**
 * @param {Shown['kind']} kind
 * @param {TableView} table
 * @param {any} event
 * @returns {Shown['trick']}
 */
function trickOf(kind, table, event) {
  if (kind === 'taken') {
    const taker = event.seat ?? null;
    return {
      leader: event.leader,
      lead: parts(event.cards[0]).colour,
      cards: event.cards,
      winning: taker ?? undefined,
      taker,
      points: event.points,
    };
  }
  return kind === 'trick' ? table.trick ?? null : null;
}

/**
 * @param {View} view
 * @returns {Shown['hints']}
 */
function hintsOf(view) {
  const { hints, own } = view;
  const cards = hints && own ? own.hand : [];
  return new Map(
    cards.map((card, place) => [
      card,
      { winning: hints?.winning[place] ?? false, points: hints?.points[place] ?? 0 },
    ]),
  );
}

/**
 * @param {number} seat
 * @param {number} seats
 */
function clamp(seat, seats) {
  return seat >= 0 && seat < seats ? seat : 0;
}
