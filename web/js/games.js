/** The games, each by its name on the wire: as much of them as has to be known before cards are dealt. */

import * as nyet from './nyet/facts.js';
import * as nyetOptions from './nyet/options.js';
import * as sticheln from './sticheln/facts.js';
import * as stichelnOptions from './sticheln/options.js';

/** @typedef {Pick<import('./table/types.js').Game, 'card' | 'seats' | 'usual' | 'colours' | 'rounds' | 'options'>} Facts */

/** @type {{ sticheln: Facts, nyet: Facts }} */
export const GAMES = {
  sticheln: { ...sticheln, options: stichelnOptions },
  nyet: { ...nyet, options: nyetOptions },
};

/**
 * The game of a table.
 * @param {{ game: keyof typeof GAMES }} room
 */
export const gameOf = (room) => GAMES[room.game];
