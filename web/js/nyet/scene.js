/** The table of Nyet! as it is shown, which may still be what was settled while the game is further. */

import { common } from '../table/scene.js';

/** @import { Action, Common, Scene, State } from '../table/types.js' */

/**
 * @typedef {{ start: string, start_seat: number, discard: string, trump: string, supertrump: string, points: string }} Conditions
 * @typedef {{ of: number[], bonus: number | null }} Teams
 * @typedef {Record<string, Record<string, number | null>>} Board
 *
 * @typedef {object} Own What only Nyet! has.
 * @property {'board' | 'settled' | 'team' | 'teams' | 'discard' | 'chosen' | 'trick' | 'taken' | 'over'} kind
 * @property {Board} board Each row with its spaces, and the seat that has covered each.
 * @property {string[]} characters Who plays which.
 * @property {{ seat: number, row: string, space: string } | null} cover The space that was covered last, if that is news.
 * @property {Conditions | null} conditions The rules of the round, once they stand.
 * @property {Teams | null} teams Who plays with whom, once that is known.
 * @property {boolean[]} discarded Who has chosen cards.
 * @property {string[]} aside What the own seat has chosen to lay aside or to pass.
 * @property {string | null} received The card that was passed to the own seat.
 * @property {Action[]} actions Everything that can be done now.
 *
 * @typedef {Common & Scene & Own} Shown
 */

/** What pauses are called while they last. */
const PAUSES = /** @type {const} */ ({
  settled: 'settled',
  teams: 'teams',
  chosen: 'chosen',
  trick: 'taken',
  reveal: 'taken',
});
/** And what the phases of the round. */
const PHASES = /** @type {Record<string, Own['kind']>} */ ({
  nyet: 'board',
  team: 'team',
  discard: 'discard',
  trick: 'trick',
});

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
  const { table, own } = now;
  const { pause, game } = state;
  const kind = pause ? PAUSES[pause.kind] : (PHASES[table.phase] ?? 'over');
  const conditions = table.conditions ?? null;
  const taken = table.tricks_won.reduce((/** @type {number} */ sum, /** @type {number} */ tricks) => sum + tricks, 0);
  return {
    ...now,
    kind,
    most: mostOf(kind, now, conditions),
    hasPlate: !['board', 'settled', 'team'].includes(kind),
    turn: kind === 'trick' ? now.toAct : [],
    trick: trickOf(kind, state, table),
    number: kind === 'taken' ? Math.max(1, taken) : taken + 1,
    board: table.board,
    characters: table.characters,
    cover: kind === 'settled' || kind === 'board' ? (game?.cover ?? null) : null,
    conditions,
    teams: table.teams ?? null,
    discarded: table.discarded ?? Array(now.seats).fill(true),
    aside: own?.discard ?? [],
    received: own?.received ?? null,
    actions: game?.legal ?? [],
  };
}

/**
 * How many cards may be lifted.
 * @param {Own['kind']} kind
 * @param {Common} now
 * @param {Conditions | null} conditions
 */
function mostOf(kind, now, conditions) {
  if (kind === 'discard' && now.yours) {
    return conditions?.discard === 'two' ? 2 : 1;
  }
  return kind === 'trick' || kind === 'taken' ? 1 : 0;
}

/**
 * @param {Own['kind']} kind
 * @param {State} state
 * @param {Common['table']} table
 * @returns {Shown['trick']}
 */
function trickOf(kind, { pause }, table) {
  if (kind === 'taken') {
    if (!pause) return null;
    const { leader, cards, seat } = pause.event;
    return { leader, lead: pause.view?.table.trick?.lead, cards, winning: seat, taker: seat };
  }
  return kind === 'trick' ? (table.trick ?? null) : null;
}

/** Whether two seats play together. @param {Shown} now @param {number} one @param {number} other */
export const areMates = (now, one, other) => now.teams !== null && now.teams.of[one] === now.teams.of[other];

/**
 * The seats of a team.
 * @param {Teams} teams
 * @param {number} team
 * @returns {number[]}
 */
export const members = (teams, team) => teams.of.flatMap((other, seat) => (other === team ? [seat] : []));

/** Whether a card is a supertrump in this round. @param {string} card @param {Shown} now */
export const isSupertrump = (card, now) => now.conditions !== null && card === `${now.conditions.supertrump}-1`;
