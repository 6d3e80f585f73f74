// Where a person or bot sits after a room has changed. Messages have no ids of people.

/** @import { Seat } from './protocol.js' */
/** @import { RoomState, TakenChair } from './types.js' */

/**
 * The chair on which the person or bot of a chair sits after a change; null if they have left. Messages have no ids of
 * people. If the old name is gone and the chair has a person with a name that nobody had before, it is a rename.
 * @param {Seat} seat
 * @param {RoomState} before
 * @param {RoomState} room
 * @returns {Seat | null}
 */
export function followSeat(seat, before, room) {
  if (seat === before.you.seat) return room.you.seat;
  const sitter = before.chairs[seat];
  if (!sitter || sitter.kind === 'free') return null;
  const found = seatByName(sitter, seat, before, room);
  // Only somebody who is connected can rename themselves; others may take the chair of a person who is away.
  if (found !== null || sitter.kind === 'bot' || sitter.presence === 'away') return found;
  const chair = room.chairs[seat];
  return chair?.kind === 'person' && seatsNamed(chair, before).length === 0 ? seat : null;
}

/**
 * The seat of a person or bot after a change, by their name. Several people can have the name `?`: then a seat that has it
 * before and after the change has the same person. It is null if they are not in the room, or if it cannot be told.
 * @param {TakenChair} sitter
 * @param {Seat} seat their seat before the change
 * @param {RoomState} before
 * @param {RoomState} room
 * @returns {Seat | null}
 */
function seatByName(sitter, seat, before, room) {
  const [old, seats] = [seatsNamed(sitter, before), seatsNamed(sitter, room)];
  if (seats.includes(seat)) return seat;
  const moved = seats.filter((other) => !old.includes(other));
  return moved.length === 1 ? moved[0] : null;
}

/**
 * The seats of the people or bots with a name.
 * @param {TakenChair} sitter
 * @param {RoomState} room
 * @returns {Seat[]}
 */
const seatsNamed = ({ kind, name }, room) =>
  room.chairs.flatMap((chair, seat) => (chair.kind === kind && chair.name === name ? [seat] : []));
