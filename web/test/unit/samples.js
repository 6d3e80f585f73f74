// Reads docs/wire/samples.json, the recorded messages of the protocol.

import { readFileSync } from 'node:fs';

/** @import { ClientMessage, ServerMessage } from '../../js/protocol.js' */

/**
 * A message in its scene. `who`: the person whose client sends or receives it; `request`: the HTTP request to which the
 * message belongs, if it went over no socket.
 * @typedef {{ title: string, scene: string, who: string } & (
 *   | { from: 'server', request?: undefined, message: ServerMessage }
 *   | { from: 'client', request?: undefined, message: ClientMessage }
 *   | { from: 'client' | 'server', request: string, message: unknown }
 * )} Sample
 */

/** @typedef {Extract<Sample, { message: ServerMessage }>} ServerSample */

const FILE = new URL('../../../docs/wire/samples.json', import.meta.url);

/** @type {Sample[]} */
const samples = JSON.parse(readFileSync(FILE, 'utf8'));

/** The messages that a server has sent to a table. */
export const serverSamples = samples.filter(
  /** @returns {sample is ServerSample} */ (sample) => sample.from === 'server' && sample.request === undefined,
);
