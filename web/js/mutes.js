// The people whom somebody has muted: this page shows neither their lines nor their reactions. Nobody else is told.

import { followSeat } from './follow-seat.js';
import { nameOf } from './state.js';

/** @import { RoomState, State } from './types.js' */

/**
 * Somebody who has said something: their name if they have one, and their number as a spectator.
 * @typedef {{ name?: string | null, spectator?: number | null }} Sender
 */

/** The most keys of a room that are kept; the oldest are dropped. A key is a name, the number of a spectator, or `SPECTATORS`. */
export const MAX_MUTED = 40;

/** Stands for all spectators. No name is empty. */
export const SPECTATORS = '';

/** Begins the key of a spectator without a name. No name has a line break. */
const NUMBER_PREFIX = '\n';

/**
 * The key under which somebody is muted: the name, or the number of a spectator without one.
 * @param {Sender} sender
 */
export const muteKey = ({ name, spectator }) => name ?? `${NUMBER_PREFIX}${spectator ?? 0}`;

/** The number of a spectator in a key; null if it is a name. @param {string} key */
export const numberOfKey = (key) => (key.startsWith(NUMBER_PREFIX) ? Number(key.slice(1)) : null);

/**
 * Whether somebody is muted.
 * @param {{ muted: readonly string[] }} state
 * @param {Sender} sender
 */
export const isMuted = ({ muted }, sender) =>
  muted.includes(muteKey(sender)) || ((sender.spectator ?? null) !== null && muted.includes(SPECTATORS));

/**
 * The keys that hold longer than the memory of the server for the numbers of spectators.
 * @param {readonly string[]} muted
 */
export const withoutNumbers = (muted) => muted.filter((key) => numberOfKey(key) === null);

/**
 * The muted people after a room has changed: they stay muted under another name. Spectators are followed by their numbers,
 * which the server never gives to others.
 * @param {Pick<State, 'muted' | 'room'>} state
 * @param {RoomState} room
 * @returns {string[]}
 */
export function mutedAfter({ muted, room: before }, room) {
  if (before === null || muted.length === 0) return muted;
  const seated = before.chairs.flatMap((chair, seat) => {
    if (chair.kind !== 'person' || !muted.includes(chair.name)) return [];
    const now = followSeat(seat, before, room);
    return [now === null ? chair.name : nameOf(room, now)];
  });
  const watching = before.spectators.flatMap((spectator) => {
    const now = room.spectators.find((other) => other.spectator === spectator.spectator);
    return now && muted.includes(muteKey(spectator)) ? [muteKey(now)] : [];
  });
  const renamed = [...seated, ...watching].filter((key) => !muted.includes(key));
  return renamed.length === 0 ? muted : [...muted, ...renamed].slice(-MAX_MUTED);
}
