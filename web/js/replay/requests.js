// The HTTP requests of a replay.

import { savedTokens } from '../identity.js';
import { KEYS, readItem } from '../storage.js';
import { urlOf } from '../urls.js';

/** @import { ErrorBody, GameId, GameReplay, RoomOpened } from '../protocol.js' */
/** @import { RoundReplay } from './types.js' */

/**
 * An answer of the server, or the code of the error.
 * @template T
 * @typedef {{ body: T } | { error: string }} Answer
 */

/** The error after which another token of this browser may be accepted. */
const FORBIDDEN = 'replay_forbidden';

/** The requests about a replay. @typedef {ReturnType<typeof createRequests>} Requests */

/**
 * The requests about a replay. Its id does not name its room, so this browser does not know which of its tokens is the one of
 * the game. The token that the server has accepted last is tried first.
 * @param {string} id
 */
export function createRequests(id) {
  /** The token that was accepted; null: none was needed. @type {string | null} */
  let accepted = null;

  /**
   * @template T
   * @param {string} path
   * @param {RequestInit} [init]
   * @returns {Promise<Answer<T>>}
   */
  async function request(path, init) {
    const first = await attempt(path, accepted, init);
    if (!('error' in first) || first.error !== FORBIDDEN) return /** @type {Answer<T>} */ (first);
    for (const token of savedTokens()) {
      if (token === accepted) continue;
      const answer = await attempt(path, token, init);
      if ('error' in answer && answer.error === FORBIDDEN) continue;
      accepted = token;
      return /** @type {Answer<T>} */ (answer);
    }
    return first;
  }

  const game = `api/games/${id}`;
  return {
    /** @returns {Promise<Answer<GameReplay>>} */
    overview: () => request(game),
    /** @param {number} round @returns {Promise<Answer<RoundReplay>>} */
    round: (round) => request(`${game}/rounds/${round}`),
    /** The record of the game. @param {boolean} names whether it has the names @returns {Promise<Answer<object>>} */
    record: (names) => request(`${game}/record?names=${names}`),
    /**
     * Opens a room in which the game goes on from a step.
     * @param {{ game: GameId, seats: number, round: number, rev: number }} from
     * @returns {Promise<Answer<RoomOpened>>}
     */
    playOn({ game, seats, round, rev }) {
      const openPassword = readItem(KEYS.openPassword);
      const form = {
        game,
        seats,
        play_on: { replay: id, round, rev },
        ...(openPassword && { open_password: openPassword }),
      };
      const headers = { 'content-type': 'application/json' };
      return request('api/rooms', { method: 'POST', headers, body: JSON.stringify(form) });
    },
  };
}

/**
 * @param {string} path
 * @param {string | null} token
 * @param {RequestInit} [init]
 * @returns {Promise<Answer<unknown>>}
 */
async function attempt(path, token, init = {}) {
  const headers = new Headers(init.headers);
  if (token !== null) headers.set('authorization', `Bearer ${token}`);
  try {
    const response = await fetch(urlOf(path), { ...init, headers });
    /** @type {(object & Partial<ErrorBody>) | null} */
    const body = await response.json().catch(() => null);
    if (response.ok) return body === null ? { error: 'unknown' } : { body };
    return { error: body?.code ?? 'unknown' };
  } catch {
    return { error: 'not_connected' };
  }
}
