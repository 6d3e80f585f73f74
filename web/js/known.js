// What this browser knows of its games: which were explained to it, and how many it has played to the end.

import { readJson, write } from './store.js';

/** @typedef {{ intro: string[], games: number }} Known `intro`: the games that were explained */

const NAME = 'sticheln.known';

/** @returns {Known} */
export function loadKnown() {
  const { intro, games } = readJson(NAME, /** @type {Record<string, unknown>} */ ({}));
  return { intro: Array.isArray(intro) ? intro.filter((game) => typeof game === 'string') : [], games: Number(games) || 0 };
}

/** @param {Known} known */
export const keepKnown = (known) => write(NAME, JSON.stringify(known));
