/** The games, each by its name on the wire: as much of them as has to be known before cards are dealt. */

import * as nyet from './nyet/facts.js';
import * as sticheln from './sticheln/facts.js';

/** @typedef {Pick<import('./table/types.js').Game, 'card' | 'seats' | 'usual' | 'colours' | 'rounds'>} Facts */

/** @type {{ sticheln: Facts, nyet: Facts }} */
export const GAMES = { sticheln, nyet };

/**
 * The game of a table.
 * @param {{ game: keyof typeof GAMES }} room
 */
export const gameOf = (room) => GAMES[room.game];
