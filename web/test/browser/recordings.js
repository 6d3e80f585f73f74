// What the real server has said at tables; `record.js` records it.

import { readFileSync } from 'node:fs';

/**
 * What somebody hears who comes to a table (`arrival`), what happens from then on (`news`), and after how much of it
 * a scene is reached (`marks`).
 * @typedef {{ at: number, arrival: any[], news: any[], marks: Record<string, number> }} Recording
 */

export const FOLDER = new URL('recordings/', import.meta.url);
/** The code that every table has in the recordings. */
export const CODE = 'k7qm2x4p';

/**
 * @param {string} name
 * @returns {Recording}
 */
export const recordingOf = (name) => JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), 'utf8'));
