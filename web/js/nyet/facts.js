/** What is known of Nyet! before any game of it. */

/** A card that stands for the game. */
export const card = 'blue-1';

/** With how many seats it is played, the fewest first, and the usual number. */
export const seats = [2, 3, 4, 5];
export const usual = 4;

/** The colours that the digit keys stand for, in the order of the hand. */
export const colours = () => ['red', 'yellow', 'green', 'blue'];

/**
 * How many rounds a game has as usual: each seat deals equally often.
 * @param {{ chairs: unknown[] }} room
 * @returns {number}
 */
export const rounds = ({ chairs }) => (/** @type {Record<number, number>} */ ({ 2: 8, 3: 9, 4: 8, 5: 10 }))[chairs.length] ?? 8;
