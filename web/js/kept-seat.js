// The seat that somebody has chosen to play on from a replay, until they sit in the new room. It is kept for the tab.

import { KEYS } from './storage.js';

/** @import { Seat } from './protocol.js' */
/** @import { State } from './types.js' */

/**
 * Keeps the seat for the room with a code.
 * @param {string} code
 * @param {Seat} seat
 */
export function keepSeat(code, seat) {
  try {
    sessionStorage.setItem(KEYS.playOnSeat, JSON.stringify({ code, seat }));
  } catch {
    // Without storage people choose the seat in the lobby.
  }
}

/**
 * The seat that is kept for this person in the room; null if there is none, or if somebody sits there.
 * @param {Pick<State, 'code' | 'room' | 'you'>} state
 * @returns {Seat | null}
 */
export function keptSeat({ code, room, you }) {
  if (you.seat !== null) return null;
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEYS.playOnSeat) ?? 'null');
    return kept?.code === code && room?.chairs[kept.seat]?.kind === 'free' ? kept.seat : null;
  } catch {
    return null;
  }
}
