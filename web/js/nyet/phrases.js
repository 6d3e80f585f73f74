/** What the spaces of the board and the teams are called; everything takes the translation as an argument. */

import { listed, nameOf } from '../table/format.js';

/** @import { Room, Translate } from '../table/types.js' */
/** @import { Conditions, Teams } from './scene.js' */

/**
 * A space in words, as something that is or is not so in this round.
 * @param {string} row
 * @param {string} space
 * @param {readonly string[]} characters
 * @param {number | null} you
 * @param {Pick<Room, 'chairs'> | null} room
 * @param {Translate} t
 * @returns {string}
 */
export function spaceName(row, space, characters, you, room, t) {
  switch (row) {
    case 'start': {
      const seat = characters.indexOf(space);
      if (seat < 0) return t(`nyet.animal.${space}`);
      return seat === you ? t('nyet.space.start.you') : t('nyet.space.start', { name: nameOf(room, seat, t) });
    }
    case 'discard':
      return t(`nyet.space.discard.${space}`);
    case 'points':
      return t('nyet.space.points', { n: Number(space) });
    default:
      return space === 'none' ? t(`nyet.space.${row}.none`) : t(`nyet.space.${row}`, { suit: t(`suit.${space}`) });
  }
}

/**
 * The rules of a round in one sentence.
 * @param {Conditions} conditions
 * @param {number | null} you
 * @param {Pick<Room, 'chairs'> | null} room
 * @param {Translate} t
 * @returns {string}
 */
export function rules(conditions, you, room, t) {
  const name = nameOf(room, conditions.start_seat, t);
  const start = conditions.start_seat === you ? t('nyet.rules.leads.you') : t('nyet.rules.leads', { name });
  const rest = /** @type {const} */ (['discard', 'trump', 'supertrump', 'points']).map((row) =>
    spaceName(row, conditions[row], [], you, room, t),
  );
  return `${[start, ...rest].join(', ')}.`;
}

/**
 * The members of a team as a list; whoever is asked about is "you".
 * @param {readonly number[]} seats
 * @param {number | null} you
 * @param {Pick<Room, 'chairs'> | null} room
 * @param {Translate} t
 * @param {string} [own] How "you" is written.
 * @returns {string}
 */
export function people(seats, you, room, t, own = t('play.youToo')) {
  const order = [...seats].sort((a, b) => Number(b === you) - Number(a === you));
  return listed(
    order.map((seat) => (seat === you ? own : nameOf(room, seat, t))),
    t,
  );
}

/**
 * Who plays against whom: `Ann and Bob against Cem and Dora`.
 * @param {Teams} teams
 * @param {number | null} you
 * @param {Pick<Room, 'chairs'> | null} room
 * @param {Translate} t
 * @returns {string}
 */
export function sides(teams, you, room, t) {
  const team = (/** @type {number} */ number) => teams.of.flatMap((other, seat) => (other === number ? [seat] : []));
  const [first, second] = you !== null && teams.of[you] === 1 ? [team(1), team(0)] : [team(0), team(1)];
  return t('nyet.sides', { us: people(first, you, room, t, t('play.you')), them: people(second, you, room, t) });
}
