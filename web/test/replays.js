// Reads the samples of replays. `browser/record-replay.js` makes them.

import { readFileSync } from 'node:fs';

/** @import { ReplayOverview, ReplayRound } from '../js/replay/types.js' */

/** @typedef {{ overview: ReplayOverview, rounds: ReplayRound[] }} ReplaySample */

/**
 * The sample with this name.
 * @param {'sticheln4' | 'sticheln6' | 'nyet4'} name
 * @returns {ReplaySample}
 */
export const replaySample = (name) =>
  JSON.parse(readFileSync(new URL(`replays/${name}.json`, import.meta.url), 'utf8'));
