// The identity of this browser: its token for each table, the tables where it has a seat, and the last name.

import { KEYS, readItem, readJson, removeItem, writeItem } from './storage.js';

/** @typedef {{ code: string, title: string | null }} SavedSeat */

/** The number of tables in the list; the oldest ones are dropped. */
const MAX_SEATS = 12;

/**
 * The token for a table; a new one if there is none.
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
 * The tables where this browser has a seat, the latest first.
 * @returns {SavedSeat[]}
 */
export function savedSeats() {
  const seats = readJson(KEYS.seats, /** @type {SavedSeat[]} */ ([]));
  return Array.isArray(seats) ? seats.filter((seat) => typeof seat?.code === 'string') : [];
}

/**
 * Puts a table at the top of the list.
 * @param {string} code
 * @param {string | null} title
 */
export function saveSeat(code, title) {
  const [first] = savedSeats();
  if (first?.code === code && first.title === title) return;
  const others = savedSeats().filter((seat) => seat.code !== code);
  writeItem(KEYS.seats, JSON.stringify([{ code, title }, ...others].slice(0, MAX_SEATS)));
}

/**
 * Takes a table off the list. Its token stays, so that the same person can return.
 * @param {string} code
 */
export function removeSeat(code) {
  const others = savedSeats().filter((seat) => seat.code !== code);
  writeItem(KEYS.seats, JSON.stringify(others));
}

/**
 * Forgets a table that no longer exists, and its token.
 * @param {string} code
 */
export function forgetRoom(code) {
  removeSeat(code);
  removeItem(tokenKey(code));
}

/** The name that was used last. */
export const savedName = () => readItem(KEYS.name) ?? '';

/** @param {string} name */
export const saveName = (name) => writeItem(KEYS.name, name);
