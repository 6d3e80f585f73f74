// The display of Nyet!. During a hold it shows conditions, teams or a finished trick, although the game has gone on.

import { baseDisplay } from '../table/display.js';

/** @import { BaseDisplay, DisplayTrick } from '../game.js' */
/** @import { Conditions, NyetTable } from '../protocol.js' */
/** @import { PlayState } from '../types.js' */
/** @import { Nyet, NyetDisplay } from './types.js' */

/**
 * The kinds of displays in the phases of a round. During a hold the display has the kind of the hold.
 * @type {Record<NyetTable['phase'], NyetDisplay['kind']>}
 */
const PHASES = { cover: 'board', team: 'choosing_team', discard: 'discard', trick: 'trick', round_end: 'round_end' };

/**
 * The display in a state.
 * @param {PlayState<Nyet>} state
 * @returns {NyetDisplay}
 */
export function displayOf(state) {
  const base = baseDisplay(state);
  const { table, own } = base;
  const { hold, game } = state;
  const kind = hold ? hold.kind : PHASES[table.phase];
  const conditions = 'conditions' in table ? table.conditions : null;
  const finished = table.tricks_won.reduce((sum, tricks) => sum + tricks, 0);
  const trickNumber = kind === 'taken' ? Math.max(1, finished) : finished + 1;
  const number = kind === 'taken' ? trickNumber : trickNumber - 1;
  return {
    ...base,
    kind,
    round: table.round,
    dealer: table.dealer,
    maxLifted: maxLifted(kind, base, conditions),
    hasOwnPlate: kind !== 'board' && kind !== 'settled' && kind !== 'choosing_team',
    highlighted: kind === 'trick' ? base.toAct : [],
    trick: trickOf(kind, state, table),
    trickNumber,
    pastTricks: { tricks: table.last_trick ? [{ number, trick: table.last_trick }] : [], shown: 'last' },
    running: null,
    board: table.board,
    characters: table.characters,
    covered: kind === 'settled' || kind === 'board' ? game.memory.covered : null,
    coversLeft: table.phase === 'cover' ? table.covers_left : 0,
    conditions,
    teams: 'teams' in table ? table.teams : null,
    hasDiscarded: table.phase === 'discard' ? table.discarded : Array(base.seats).fill(true),
    discard: own?.discard ?? [],
    received: own?.received ?? null,
    actions: base.mayChange ? game.changes : game.legal,
  };
}

/**
 * How many cards may be lifted.
 * @param {NyetDisplay['kind']} kind
 * @param {BaseDisplay<Nyet>} base
 * @param {Conditions | null} conditions
 */
function maxLifted(kind, { yours, mayChange }, conditions) {
  if (kind === 'discard' && (yours || mayChange)) return conditions?.discard === 'two' ? 2 : 1;
  return kind === 'trick' || kind === 'taken' ? 1 : 0;
}

/**
 * @param {NyetDisplay['kind']} kind
 * @param {PlayState<Nyet>} state
 * @param {NyetTable} table
 * @returns {DisplayTrick | null}
 */
function trickOf(kind, { hold }, table) {
  if (hold?.event.type === 'trick_taken') {
    const { leader, cards, seat } = hold.event;
    const shown = hold.view.table;
    const lead = shown.phase === 'trick' ? shown.trick.lead : undefined;
    return { leader, lead, cards, winning: seat, taker: seat };
  }
  return kind === 'trick' && table.phase === 'trick' ? table.trick : null;
}
