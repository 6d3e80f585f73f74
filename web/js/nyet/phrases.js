// The spaces of the board and the teams in words. The translation is an argument.

import { enumValues } from '../exhaustive.js';
import { nameList } from '../i18n.js';
import { nameOf } from '../state.js';

/** @import { Translate } from '../i18n.js' */
/** @import { Character, Conditions, Seat, Teams } from '../protocol.js' */
/** @import { RoomState } from '../types.js' */
/** @import { Row, Space } from './types.js' */

/** @typedef {Pick<RoomState, 'chairs'> | null} People the names of the seats */

/** All characters. @type {readonly Character[]} */
export const CHARACTERS = enumValues({ bear: true, wolf: true, tiger: true, crane: true, eagle: true });

/**
 * A space in words, as something that applies in a round or does not.
 * @param {Row} row
 * @param {Space} space
 * @param {readonly Character[]} characters the character of each seat
 * @param {Seat | null} ownSeat
 * @param {People} room
 * @param {Translate} t
 * @returns {string}
 */
export function spaceText(row, space, characters, ownSeat, room, t) {
  switch (row) {
    case 'start': {
      const seat = /** @type {readonly Space[]} */ (characters).indexOf(space);
      if (seat < 0) return t(`nyet.character.${space}`);
      return seat === ownSeat ? t('nyet.space.start.you') : t('nyet.space.start', { name: nameOf(room, seat, t) });
    }
    case 'discard':
      return t(`nyet.space.discard.${space}`);
    case 'points':
      return t('nyet.space.points', { n: Number(space) });
    case 'trump':
    case 'supertrump':
      return space === 'none' ? t(`nyet.space.${row}.none`) : t(`nyet.space.${row}`, { colour: t(`colour.${space}`) });
  }
}

/**
 * The rules of a round in a sentence.
 * @param {Conditions} conditions
 * @param {Seat | null} ownSeat
 * @param {People} room
 * @param {Translate} t
 * @returns {string}
 */
export function conditionsText(conditions, ownSeat, room, t) {
  const name = nameOf(room, conditions.start_seat, t);
  const start =
    conditions.start_seat === ownSeat ? t('nyet.conditions.leads.you') : t('nyet.conditions.leads', { name });
  const rest = /** @type {const} */ (['discard', 'trump', 'supertrump', 'points']).map((row) =>
    spaceText(row, conditions[row], [], ownSeat, room, t),
  );
  return `${[start, ...rest].join(', ')}.`;
}

/**
 * Seats as a list of names, the own one first, as “you”.
 * @param {readonly Seat[]} seats
 * @param {Seat | null} ownSeat
 * @param {People} room
 * @param {Translate} t
 * @param {string} [ownText] how “you” is written
 * @returns {string}
 */
export function namesOf(seats, ownSeat, room, t, ownText = t('play.youToo')) {
  const order = [...seats].sort((a, b) => Number(b === ownSeat) - Number(a === ownSeat));
  return nameList(
    order.map((seat) => (seat === ownSeat ? ownText : nameOf(room, seat, t))),
    t,
  );
}

/**
 * The name of the seat to the left of the own one, or of seat 0 for a spectator.
 * @param {{ ownSeat: Seat | null, seats: number }} display
 * @param {People} room
 * @param {Translate} t
 */
export const leftNeighbour = ({ ownSeat, seats }, room, t) => nameOf(room, ((ownSeat ?? 0) + 1) % seats, t);

/**
 * The teams against each other, the own team first: “Ann and Bob against Cem and Dora”.
 * @param {Teams} teams
 * @param {Seat | null} ownSeat
 * @param {People} room
 * @param {Translate} t
 * @returns {string}
 */
export function teamsText(teams, ownSeat, room, t) {
  const first = ownSeat !== null && teams.of[ownSeat] === 1 ? 1 : 0;
  const [us, them] = [membersOf(teams, first), membersOf(teams, 1 - first)];
  return t('nyet.teams.against', {
    us: namesOf(us, ownSeat, room, t, t('play.you')),
    them: namesOf(them, ownSeat, room, t),
  });
}

/**
 * The seats of a team.
 * @param {Teams} teams
 * @param {number} team
 * @returns {Seat[]}
 */
export const membersOf = (teams, team) => teams.of.flatMap((other, seat) => (other === team ? [seat] : []));
