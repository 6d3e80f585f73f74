// The spaces of the board: their order, their state, their names.

import { enumValues } from '../exhaustive.js';
import { t } from '../i18n.js';
import { CHARACTERS, spaceText } from './phrases.js';

/** @import { Board, DiscardRule, PointsSpace, Seat, TrumpSpace } from '../protocol.js' */
/** @import { PlayState } from '../types.js' */
/** @import { Nyet, NyetDisplay, Row, Space } from './types.js' */

/** The rows from above. @type {readonly Row[]} */
export const ROWS = enumValues({ start: true, discard: true, trump: true, supertrump: true, points: true });

/** @type {readonly DiscardRule[]} */
const DISCARD_RULES = enumValues({ none: true, one: true, two: true, one_not_1: true, pass_left: true });
/** @type {readonly TrumpSpace[]} */
const COLOURS = enumValues({ red: true, yellow: true, green: true, blue: true, none: true });
/** @type {readonly PointsSpace[]} */
const POINTS = enumValues({ 1: true, 2: true, 3: true, 4: true, '-2': true });
/** The spaces of the rows from the left. @type {Readonly<Record<Exclude<Row, 'start'>, readonly Space[]>>} */
export const SPACES = { discard: DISCARD_RULES, trump: COLOURS, supertrump: COLOURS, points: POINTS };

/**
 * The key of a space, by which it is lifted.
 * @param {Row} row
 * @param {Space} space
 */
export const spaceKey = (row, space) => `${row}:${space}`;

/**
 * The space with a key; null if there is none.
 * @param {string | undefined} key
 * @param {NyetDisplay} display
 */
export function spaceOfKey(key, display) {
  const spaces = ROWS.flatMap((row) => spacesOf(row, display).map((space) => ({ row, space })));
  return spaces.find(({ row, space }) => spaceKey(row, space) === key) ?? null;
}

/**
 * The spaces of a row from the left. Characters that nobody plays come last.
 * @param {Row} row
 * @param {NyetDisplay} display
 * @returns {readonly Space[]}
 */
export function spacesOf(row, { board, characters }) {
  if (row === 'start') return [...characters, ...CHARACTERS.filter((character) => !characters.includes(character))];
  return SPACES[row].filter((space) => space in board[row]);
}

/**
 * @param {Board} board
 * @param {Row} row
 * @returns {Partial<Record<Space, Seat | null>>}
 */
const rowOf = (board, row) => board[row];

/**
 * The seat that has covered a space; null if it is free, undefined if it is the space of a character nobody plays.
 * @param {Row} row
 * @param {Space} space
 * @param {NyetDisplay} display
 */
export const coveredBy = (row, space, { board }) => rowOf(board, row)[space];

/**
 * The free spaces of a row.
 * @param {Row} row
 * @param {NyetDisplay} display
 */
export const freeSpaces = (row, display) =>
  spacesOf(row, display).filter((space) => coveredBy(row, space, display) === null);

/**
 * A space of the board in words, for the own seat.
 * @param {Row} row
 * @param {Space} space
 * @param {NyetDisplay} display
 * @param {PlayState<Nyet>} state
 */
export const shownSpaceText = (row, space, { characters, ownSeat }, state) =>
  spaceText(row, space, characters, ownSeat, state.room, t);
