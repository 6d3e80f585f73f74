// The messages of the real server at tables; `record.js` records them.

import { readFileSync } from 'node:fs';

/**
 * The messages to a person who comes to a table (`arrival`), the later ones (`news`), and the number of the latter
 * after which a scene is reached (`marks`).
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
