// The people whom somebody has muted: this page shows neither their lines nor their reactions. Nobody else is told.

import { followSeat } from './follow-seat.js';
import { nameOf } from './state.js';

/** @import { RoomState, State } from './types.js' */

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

/**
 * The muted names after a room has changed: muted people stay so under another name.
 * @param {Pick<State, 'muted' | 'room'>} state
 * @param {RoomState} room
 * @returns {string[]}
 */
export function mutedAfter({ muted, room: before }, room) {
  if (before === null || muted.length === 0) return muted;
  const renamed = before.chairs.flatMap((chair, seat) => {
    if (chair.kind !== 'person' || !muted.includes(chair.name)) return [];
    const now = followSeat(seat, before, room);
    const name = now === null ? chair.name : nameOf(room, now);
    return muted.includes(name) ? [] : [name];
  });
  return renamed.length === 0 ? muted : [...muted, ...renamed].slice(-MAX_MUTED);
}
