// The display of Sticheln. During a hold it shows a reveal or a finished trick, although the game has gone on.

import { parseCard } from '../table/card-text.js';
import { baseDisplay } from '../table/display.js';

/** @import { DisplayTrick } from '../game.js' */
/** @import { StichelnTable } from '../protocol.js' */
/** @import { PlayState } from '../types.js' */
/** @import { Sticheln, StichelnDisplay } from './types.js' */

/**
 * The display in a state.
 * @param {PlayState<Sticheln>} state
 * @returns {StichelnDisplay}
 */
export function displayOf(state) {
  const base = baseDisplay(state);
  const { table, heldTable, own, seats } = base;
  const event = state.hold?.event;
  const reveal = event?.type === 'revealed' ? event : null;
  const kind = kindOf(state, table);
  const trickNumber = kind === 'taken' ? Math.max(1, table.tricks_played) : table.tricks_played + 1;
  return {
    ...base,
    kind,
    round: table.round,
    dealer: table.dealer ?? null,
    maxLifted: kind === 'reveal' ? 0 : 1,
    hasOwnPlate: kind !== 'pick' && kind !== 'reveal',
    highlighted: reveal ? [reveal.leader] : kind === 'trick' ? base.toAct : [],
    trick: trickOf(state, kind, table),
    trickNumber,
    pastTricks: pastTricks(state, kind, table, trickNumber),
    running: runningScores(table),
    hasPicked: table.phase === 'pick' ? table.picked : Array(seats).fill(true),
    picks: reveal?.picks ?? picksOf(table) ?? picksOf(heldTable),
    firstLeader: reveal?.leader ?? table.first_leader,
    ownPick: own?.pick ?? null,
  };
}

/**
 * @param {StichelnTable} table
 * @returns {StichelnDisplay['running']}
 */
const runningScores = ({ running }) =>
  running
    ? {
        points: running.map(({ points }) => points),
        columns: [
          { heading: 'sticheln.running.minus', points: running.map(({ minus }) => -minus) },
          { heading: 'sticheln.running.plus', points: running.map(({ plus }) => plus) },
        ],
      }
    : null;

/** @param {StichelnTable} table */
const picksOf = (table) => (table.phase === 'pick' ? null : table.picks);

/**
 * @param {PlayState<Sticheln>} state
 * @param {StichelnTable} table
 * @returns {StichelnDisplay['kind']}
 */
function kindOf({ hold }, table) {
  return hold ? hold.kind : table.phase;
}

/**
 * @param {PlayState<Sticheln>} state
 * @param {StichelnDisplay['kind']} kind
 * @param {StichelnTable} table
 * @returns {DisplayTrick | null}
 */
function trickOf({ hold }, kind, table) {
  const event = hold?.event;
  if (event?.type === 'trick_taken' || event?.type === 'set_aside') {
    const { leader, cards } = event;
    const lead = parseCard(cards[0]).colour;
    if (event.type === 'set_aside') return { leader, cards, lead, taker: null };
    return { leader, cards, lead, winning: event.seat, taker: event.seat, points: event.points };
  }
  return kind === 'trick' && table.phase === 'trick' ? table.trick : null;
}

/**
 * @param {PlayState<Sticheln>} state
 * @param {StichelnDisplay['kind']} kind
 * @param {StichelnTable} table
 * @param {number} trickNumber
 * @returns {StichelnDisplay['pastTricks']}
 */
function pastTricks({ room }, kind, { history = [], last_trick }, trickNumber) {
  const { show_history, show_last_trick } = room.options;
  const shown = show_history === 'all' ? 'all' : show_history === 'off' || !show_last_trick ? 'none' : 'last';
  if (history.length > 0) {
    return { tricks: history.map((trick, index) => ({ number: index + 1, trick })).reverse(), shown };
  }
  const number = kind === 'taken' ? trickNumber : trickNumber - 1;
  return { tricks: last_trick ? [{ number, trick: last_trick }] : [], shown };
}
