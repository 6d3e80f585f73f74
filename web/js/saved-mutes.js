// The muted people of each room, as the browser keeps them.

import { KEYS, readJson, writeItem } from './storage.js';

/** How many rooms with muted people are kept; the oldest are dropped. */
const MAX_ROOMS = 12;
/** The muted people of a room. @typedef {{ code: string, names: string[] }} Mutes */

/** @returns {Mutes[]} */
function savedMutes() {
  const saved = readJson(KEYS.mutes, /** @type {Mutes[]} */ ([]));
  return Array.isArray(saved) ? saved.filter((mutes) => Array.isArray(mutes?.names)) : [];
}

/**
 * The names of the people who are muted in a room, the latest last.
 * @param {string} code
 * @returns {string[]}
 */
export const mutedIn = (code) => savedMutes().find((mutes) => mutes.code === code)?.names ?? [];

/**
 * Saves the names of the people who are muted in a room.
 * @param {string} code
 * @param {readonly string[]} names
 */
export function saveMuted(code, names) {
  const others = savedMutes().filter((mutes) => mutes.code !== code);
  const all = names.length === 0 ? others : [{ code, names }, ...others];
  writeItem(KEYS.mutes, JSON.stringify(all.slice(0, MAX_ROOMS)));
}
