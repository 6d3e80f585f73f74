// The list of games. No other module that games share names a game.

import { nyet } from './nyet/game.js';
import { sticheln } from './sticheln/game.js';

/** @import { Game, GameLobby } from './game.js' */
/** @import { Seat } from './protocol.js' */
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

/** A room, as far as the length of its game depends on it. @typedef {Pick<RoomState, 'game' | 'options' | 'chairs'>} PlannedRoom */

/**
 * How many players the game of a room has: the people and bots who sit, because the start removes free chairs. As long as
 * too few sit, the game can only start with bots on all chairs.
 * @param {Pick<RoomState, 'game' | 'chairs'>} room
 */
export function playersOf({ game, chairs }) {
  const taken = chairs.filter(({ kind }) => kind !== 'free').length;
  return taken < gameOf({ game }).seats[0] ? chairs.length : taken;
}

/**
 * The seat to the left of another one in the game of a room, by the chairs of the room.
 * @param {Pick<RoomState, 'game' | 'chairs'>} room
 * @param {Seat} seat
 * @returns {Seat}
 */
export function seatToTheLeft({ game, chairs }, seat) {
  const plays = (/** @type {Seat} */ at) => playersOf({ game, chairs }) === chairs.length || chairs[at].kind !== 'free';
  const order = chairs.map((_, step) => (seat + 1 + step) % chairs.length);
  return order.find(plays) ?? seat;
}

/**
 * How many rounds the game of a room usually has.
 * @param {PlannedRoom} room
 */
export const usualRounds = (room) => gameOf(room).rounds(room.options, playersOf(room));

/**
 * How many rounds the game of a room has; null if it ends with a number of points.
 * @param {PlannedRoom} room
 * @returns {number | null}
 */
export function plannedRounds(room) {
  const { end } = room.options;
  if (end?.type === 'target') return null;
  return end?.rounds ?? usualRounds(room);
}

/**
 * After how many rounds a game that ends with a number of points is over in any case; null for another game.
 * @param {Pick<RoomState, 'options'>} room
 * @returns {number | null}
 */
export const roundLimit = ({ options: { end } }) => (end?.type === 'target' ? end.max_rounds : null);

/** From so many rounds before the limit on, people are told of it. */
const ROUNDS_NEAR_LIMIT = 3;

/**
 * How many rounds there can be after this one, once the limit of rounds is near; null before, and without a limit.
 * @param {Pick<RoomState, 'options'>} room
 * @param {number} round
 * @returns {number | null}
 */
export function roundsLeftNearLimit(room, round) {
  const limit = roundLimit(room);
  return limit !== null && limit - round < ROUNDS_NEAR_LIMIT ? Math.max(0, limit - round) : null;
}

/** Durations are told in steps of this many minutes. */
const STEP_MINUTES = 5;

/**
 * The approximate duration of the game of a room, in minutes. `most`: that of a game with a limit of rounds that reaches it.
 * @param {PlannedRoom} room
 * @returns {{ usual: number, most: number | null }}
 */
export function durationOf(room) {
  const game = gameOf(room);
  const players = playersOf(room);
  const minutes = (/** @type {number} */ rounds) =>
    STEP_MINUTES * Math.max(1, Math.round((rounds * players * game.minutesPerSeat) / STEP_MINUTES));
  const { end } = room.options;
  if (end?.type !== 'target') return { usual: minutes(end?.rounds ?? usualRounds(room)), most: null };
  const rounds = Math.min(end.max_rounds, Math.ceil(end.target / game.pointsPerRound(players)));
  return { usual: minutes(rounds), most: minutes(end.max_rounds) };
}
