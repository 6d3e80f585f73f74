// The secrets that seats belong to, one for each table, and the list of tables where this browser has a seat.

import { readItem, readJson, removeItem, writeItem } from './storage.js';

/** @typedef {{ code: string, title: string | null, at: number }} KeptSeat */

const SEATS = 'sticheln.seats';
const NAME = 'sticheln.name';
/** More than anybody sits at. */
const MOST = 12;

/**
 * The secret for a table; made if there is none.
 * @param {string} code
 */
export function tokenFor(code) {
  const name = `sticheln.seat.${code}`;
  const kept = readItem(name);
  if (kept !== null && /^[\w-]{43}$/.test(kept)) return kept;
  const secret = newToken();
  writeItem(name, secret);
  return secret;
}

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

/** A few random characters, for ids. */
export function randomId() {
  const words = crypto.getRandomValues(new Uint32Array(2));
  return Array.from(words, (word) => word.toString(36)).join('');
}

/**
 * The tables where this browser has a seat, the latest first.
 * @returns {KeptSeat[]}
 */
export function savedSeats() {
  const seats = readJson(SEATS, /** @type {KeptSeat[]} */ ([]));
  return Array.isArray(seats) ? seats.filter((seat) => typeof seat?.code === 'string') : [];
}

/**
 * @param {string} code
 * @param {string | null} title
 * @param {number} now
 */
export function saveSeat(code, title, now) {
  const [first] = savedSeats();
  if (first?.code === code && first.title === title) return;
  const others = savedSeats().filter((seat) => seat.code !== code);
  writeItem(SEATS, JSON.stringify([{ code, title, at: now }, ...others].slice(0, MOST)));
}

/**
 * Takes a table off the list; the secret stays, so that whoever comes back is still the same.
 * @param {string} code
 */
export function removeSeat(code) {
  const others = savedSeats().filter((seat) => seat.code !== code);
  writeItem(SEATS, JSON.stringify(others));
}

/**
 * Forgets the secret of a table that is gone.
 * @param {string} code
 */
export function forgetTable(code) {
  removeSeat(code);
  removeItem(`sticheln.seat.${code}`);
}

/** The name that was used last. */
export const savedName = () => readItem(NAME) ?? '';

/** @param {string} name */
export const saveName = (name) => writeItem(NAME, name);
