/** The table of Sticheln as it is shown, which may still be a reveal or a finished trick while the game is further. */

import { parts } from '../table/cards.js';
import { common } from '../table/scene.js';

/** @import { Common, Scene, State, TableView } from '../table/types.js' */

/**
 * @typedef {object} Own What only Sticheln has.
 * @property {'pick' | 'reveal' | 'trick' | 'taken' | 'over'} kind
 * @property {boolean[]} picked Who has laid a card face down.
 * @property {string[] | null} picks The cards that were turned up.
 * @property {number} leads The seat that leads the first trick, while the cards are turned up.
 * @property {string | null} pick The own card, as long as it lies face down.
 *
 * @typedef {Common & Scene & Own} Shown
 */

/**
 * What is to be shown now; `null` without a game.
 * @param {State} state
 * @returns {Shown | null}
 */
export function shown(state) {
  const now = common(state);
  if (!now) {
    return null;
  }
  const { table } = now;
  const { pause } = state;
  const kind = kindOf(state, table);
  return {
    ...now,
    kind,
    most: kind === 'reveal' ? 0 : 1,
    hasPlate: kind !== 'pick' && kind !== 'reveal',
    turn: kind === 'trick' ? now.toAct : kind === 'reveal' ? [pause?.event.leader] : [],
    picked: table.picked ?? Array(now.seats).fill(true),
    picks: (kind === 'reveal' ? pause?.event.picks : (table.picks ?? now.before.picks)) ?? null,
    trick: trickOf(kind, table, pause?.event),
    number: kind === 'taken' ? Math.max(1, table.tricks_played) : table.tricks_played + 1,
    leads: kind === 'reveal' ? pause?.event.leader : table.first_leader,
    pick: now.own?.pick ?? null,
  };
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
  return table.phase === 'pick' || table.phase === 'trick' ? table.phase : 'over';
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
  return kind === 'trick' ? (table.trick ?? null) : null;
}
