// The identity of this browser: its token for each room, the saved rooms, and the last name.

import { KEYS, readItem, readJson, removeItem, writeItem } from './storage.js';

/** @import { SavedRoom } from './types.js' */

/** The number of saved rooms; the oldest ones are dropped. */
const MAX_SAVED_ROOMS = 12;

/**
 * The token for a room; a new one if there is none.
 * @param {string} code
 */
export function tokenFor(code) {
  const key = tokenKey(code);
  const saved = readItem(key);
  if (saved !== null && /^[\w-]{43}$/.test(saved)) return saved;
  const token = newToken();
  writeItem(key, token);
  return token;
}

/**
 * The tokens of this browser, those of the saved rooms, for a request that does not name its room.
 * @returns {string[]}
 */
export const savedTokens = () => savedRooms().flatMap(({ code }) => readItem(tokenKey(code)) ?? []);

/** @param {string} code */
const tokenKey = (code) => KEYS.tokenPrefix + code;

/** 256 random bits as 43 characters of base64url. */
export function newToken() {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return base64url(bytes);
}

/** @param {Uint8Array} bytes */
export function base64url(bytes) {
  const binary = String.fromCharCode(...bytes);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** A few random characters, as a prefix of ids. */
export function randomId() {
  const words = crypto.getRandomValues(new Uint32Array(2));
  return Array.from(words, (word) => word.toString(36)).join('');
}

/**
 * The saved rooms: those where this browser has a seat, the latest first.
 * @returns {SavedRoom[]}
 */
export function savedRooms() {
  const rooms = readJson(KEYS.savedRooms, /** @type {SavedRoom[]} */ ([]));
  return Array.isArray(rooms) ? rooms.filter((room) => typeof room?.code === 'string') : [];
}

/**
 * Puts a room at the top of the saved ones.
 * @param {string} code
 * @param {string | null} title
 */
export function saveRoom(code, title) {
  const [first] = savedRooms();
  if (first?.code === code && first.title === title) return;
  const others = savedRooms().filter((room) => room.code !== code);
  writeItem(KEYS.savedRooms, JSON.stringify([{ code, title }, ...others].slice(0, MAX_SAVED_ROOMS)));
}

/**
 * Removes a room from the saved ones. Its token stays, so that the same person can return.
 * @param {string} code
 */
export function removeSavedRoom(code) {
  const others = savedRooms().filter((room) => room.code !== code);
  writeItem(KEYS.savedRooms, JSON.stringify(others));
}

/**
 * Deletes a room that no longer exists from the saved ones, and its token.
 * @param {string} code
 */
export function deleteRoomAndToken(code) {
  removeSavedRoom(code);
  removeItem(tokenKey(code));
}

/** The name that was used last. */
export const savedName = () => readItem(KEYS.name) ?? '';

/** @param {string} name */
export const saveName = (name) => writeItem(KEYS.name, name);
