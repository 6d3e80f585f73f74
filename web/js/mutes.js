// The people whom somebody has muted: this page shows neither their lines nor their reactions. Nobody else is told.

/** How many names of a room are kept; the oldest are dropped. */
export const MAX_MUTED = 40;

/** Stands for all spectators, whose lines have no name. No name is empty. */
export const SPECTATORS = '';

/**
 * Whether lines by this name are muted; null is the name of a spectator.
 * @param {{ muted: readonly string[] }} state
 * @param {string | null} name
 */
export const isMuted = ({ muted }, name) => muted.includes(name ?? SPECTATORS);
