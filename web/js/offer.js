// The link that moves a seat to another device: how it is made, and how it is read.

import { invitation } from './base.js';

/**
 * The link that moves a seat. What follows the # is never sent to a server.
 * @param {string} room
 * @param {number} seat
 * @param {string} code
 */
export const handoverLink = (room, seat, code) => `${invitation(room)}#seat=${seat}.${code}`;

/**
 * The seat that the address of the page offers, and its code. Takes it out of the address, so that it is neither
 * seen nor kept.
 * @returns {{ seat: number, code: string } | null}
 */
export function takeOffer() {
  const found = /^#seat=(\d)\.(\w+)$/.exec(location.hash);
  if (!found) return null;
  history.replaceState(history.state, '', location.pathname + location.search);
  return { seat: Number(found[1]), code: found[2] };
}
