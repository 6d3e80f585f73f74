/** The games, each by its name on the wire: as much of them as has to be known before cards are dealt. */

import { t } from './i18n.js';

/** @typedef {Pick<import('./table/types.js').Game, 'card' | 'seats' | 'usual' | 'rounds'>} Facts */

/** What is known of Sticheln before any game of it. @type {Facts} */
export const sticheln = {
  card: 'red-7',
  seats: [3, 4, 5, 6],
  usual: 4,
  rounds: ({ options, chairs }) => (options?.edition === 'amigo-1993' ? 10 : chairs.length),
};

/** What is known of Nyet! before any game of it. Each seat deals equally often. @type {Facts} */
export const nyet = {
  card: 'blue-1',
  seats: [2, 3, 4, 5],
  usual: 4,
  rounds: ({ chairs }) => /** @type {Record<number, number>} */ ({ 2: 8, 3: 9, 4: 8, 5: 10 })[chairs.length] ?? 8,
};

/** @type {{ sticheln: Facts, nyet: Facts }} */
export const GAMES = { sticheln, nyet };

/**
 * The game of a table.
 * @param {{ game: keyof typeof GAMES }} room
 */
export const gameOf = (room) => GAMES[room.game];

/** So many minutes a round takes for each seat, more or less, in both games. */
const MINUTES = 2.2;

/**
 * How many minutes the game will take, roughly; `null` where nobody knows how many rounds it has.
 * @param {import('./state.js').Room} room
 */
export function duration(room) {
  const { end } = room.options;
  if (end?.type === 'target') return null;
  const rounds = end?.rounds ?? gameOf(room).rounds(room);
  return Math.max(5, 5 * Math.round((rounds * room.chairs.length * MINUTES) / 5));
}

/**
 * How long the game is: in words.
 * @param {import('./state.js').Room} room
 */
export function length(room) {
  const { end } = room.options;
  if (end?.type === 'target') return t('opt.untilPoints', { n: end.target });
  return t('opt.roundsOf', { n: end?.rounds ?? gameOf(room).rounds(room) });
}
