// The list of games. No other module that games share names a game.

import { nyet } from './nyet/game.js';
import { sticheln } from './sticheln/game.js';

/** @import { Game, GameLobby } from './game.js' */
/** @import { RoomState } from './types.js' */

/** All games, in the order in which they are offered. @type {readonly Game[]} */
export const GAMES = [sticheln, nyet];

/**
 * The game with this id; undefined if the page does not have it.
 * @param {string | undefined} id
 * @returns {Game | undefined}
 */
export const findGame = (id) => GAMES.find((game) => game.id === id);

/**
 * The game of a room. The page is of the same version as its server, so it has all games that rooms are opened for.
 * @param {{ game: string }} room
 */
export const gameOf = ({ game }) => /** @type {Game} */ (findGame(game));

/**
 * The lobby of a game. The parts of the page that use it are loaded with it.
 * @param {Game} game
 */
export const lobbyOf = ({ lobby }) => /** @type {GameLobby} */ (lobby.value);

/**
 * How many rounds the game of a room has; null if it ends with a number of points.
 * @param {Pick<RoomState, 'game' | 'options' | 'chairs'>} room
 * @returns {number | null}
 */
export function plannedRounds(room) {
  const { end } = room.options;
  if (end?.type === 'target') return null;
  return end?.rounds ?? gameOf(room).rounds(room);
}
