// Where the seats are round the table.

/** @import { Seat } from '../protocol.js' */

/**
 * The sides of the table where the other seats are, clockwise from the left, by the number of seats.
 * @type {Record<number, string[]>}
 */
const SIDES = {
  2: ['n'],
  3: ['w', 'e'],
  4: ['w', 'n', 'e'],
  5: ['w', 'nw', 'ne', 'e'],
  6: ['w', 'nw', 'n', 'ne', 'e'],
};

/**
 * The seats clockwise from the left neighbour of the one at the bottom, which comes last.
 * @param {number} seats
 * @param {Seat} south
 * @returns {Seat[]}
 */
export const clockwise = (seats, south) => Array.from({ length: seats }, (_, step) => (south + 1 + step) % seats);

/**
 * The seats clockwise from the one at the bottom, which comes first.
 * @param {{ seats: number, south: Seat }} display
 * @returns {Seat[]}
 */
export const fromSouth = ({ seats, south }) => Array.from({ length: seats }, (_, step) => (south + step) % seats);

/**
 * The sides of the seats that are not at the bottom, in the order of {@link clockwise}.
 * @param {number} seats
 * @returns {readonly string[]}
 */
export const sidesOf = (seats) => SIDES[seats] ?? [];
