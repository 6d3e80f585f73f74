/** The games, each by its name on the wire: as they are played. */

import { nyet } from '../nyet/game.js';
import { sticheln } from '../sticheln/game.js';

/** @import { Game } from './types.js' */

/** @type {{ sticheln: Game, nyet: Game }} */
export const GAMES = { sticheln, nyet };

/**
 * The game of a table.
 * @param {{ game: keyof typeof GAMES }} room
 */
export const gameOf = (room) => GAMES[room.game];
