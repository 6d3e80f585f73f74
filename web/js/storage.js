// What the browser remembers. Where it refuses to, everything works until the page is closed.

/** @type {Map<string, string>} */
const instead = new Map();

/**
 * What was written under this name; null if nothing was.
 * @param {string} name
 * @returns {string | null}
 */
export function readItem(name) {
  try {
    return localStorage.getItem(name) ?? instead.get(name) ?? null;
  } catch {
    return instead.get(name) ?? null;
  }
}

/**
 * @param {string} name
 * @param {string} value
 */
export function writeItem(name, value) {
  try {
    localStorage.setItem(name, value);
    instead.delete(name);
  } catch {
    instead.set(name, value);
  }
}

/** @param {string} name */
export function removeItem(name) {
  instead.delete(name);
  try {
    localStorage.removeItem(name);
  } catch {
    // It was never written.
  }
}

/**
 * What was written as JSON; `fallback` if it was not, or cannot be read.
 * @template T
 * @param {string} name
 * @param {T} fallback
 * @returns {T}
 */
export function readJson(name, fallback) {
  try {
    return JSON.parse(readItem(name) ?? 'null') ?? fallback;
  } catch {
    return fallback;
  }
}

/**
 * What this browser knows of its games: which were explained to it, and how many it has played to the end.
 * @typedef {{ intro: string[], games: number }} Known
 */

const KNOWN = 'sticheln.known';

/** @returns {Known} */
export function loadExperience() {
  const { intro, games } = readJson(KNOWN, /** @type {Record<string, unknown>} */ ({}));
  return {
    intro: Array.isArray(intro) ? intro.filter((game) => typeof game === 'string') : [],
    games: Number(games) || 0,
  };
}

/** @param {Known} known */
export const saveExperience = (known) => writeItem(KNOWN, JSON.stringify(known));
