// Reads the samples of replays. `browser/record-replay.js` makes them.

import { readFileSync } from 'node:fs';

/** @import { GameReplay } from '../js/protocol.js' */
/** @import { RoundReplay } from '../js/replay/types.js' */

/** @typedef {{ overview: GameReplay, rounds: RoundReplay[] }} ReplaySample */

/**
 * The sample with this name.
 * @param {'sticheln4' | 'sticheln6' | 'nyet4'} name
 * @returns {ReplaySample}
 */
export const replaySample = (name) =>
  JSON.parse(readFileSync(new URL(`replays/${name}.json`, import.meta.url), 'utf8'));
