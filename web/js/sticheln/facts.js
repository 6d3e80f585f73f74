/** What is known of Sticheln before any game of it. */

import { COLOURS } from '../table/order.js';

/** A card that stands for the game. */
export const card = 'red-7';

/** With how many seats it is played, the fewest first, and the usual number. */
export const seats = [3, 4, 5, 6];
export const usual = 4;

/**
 * The colours that the digit keys stand for: six, with orange or with grey.
 * @param {{ edition?: string } | null | undefined} options
 * @returns {string[]}
 */
export function colours(options) {
  const missing = options?.edition === 'amigo-1993' ? 'grey' : 'orange';
  return COLOURS.filter((colour) => colour !== missing);
}

/**
 * How many rounds a game has as usual.
 * @param {{ options?: any, chairs: unknown[] }} room
 * @returns {number}
 */
export function rounds(room) {
  return room.options?.edition === 'amigo-1993' ? 10 : room.chairs.length;
}
