// Reads recordings of the messages of the real server. `record.js` makes them.

import { readFileSync } from 'node:fs';

/** @import { ServerMessage } from '../../js/protocol.js' */

/**
 * The messages that a client received. `at`: the time of the start, in milliseconds since the epoch. `snapshot`: the
 * messages that describe the room at the start. `messages`: all later messages. `marks`: the number of messages before
 * each scene. Times in messages are those of a replay, in which a message comes `REPLAY_STEP_MS` after the one before it.
 * @typedef {{ at: number, snapshot: ServerMessage[], messages: ServerMessage[], marks: Record<string, number> }} Recording
 */

export const RECORDINGS_FOLDER = new URL('recordings/', import.meta.url);
/** The time between two messages of a replay, after which toasts and holds are over. */
export const REPLAY_STEP_MS = 10_000;
/** The code of every room in the recordings. */
export { ROOM_CODE } from '../unit/builders.js';

/**
 * Reads the recording with this name.
 * @param {string} name
 * @returns {Recording}
 */
export const recordingOf = (name) => JSON.parse(readFileSync(new URL(`${name}.json`, RECORDINGS_FOLDER), 'utf8'));
