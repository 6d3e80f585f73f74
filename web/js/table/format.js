/** Names and numbers as words; everything takes the translation as an argument. */

/** @import { Room, Translate } from './types.js' */

/**
 * The text with a capital at its beginning.
 * @param {string} text
 */
export function capital(text) {
  return text.charAt(0).toLocaleUpperCase() + text.slice(1);
}

/**
 * A change of points: with its sign, and a real minus.
 * @param {number} points
 */
export function signed(points) {
  if (points === 0) {
    return '±0';
  }
  return points > 0 ? `+${points}` : `−${-points}`;
}

/**
 * A number of points: only a minus is written.
 * @param {number} points
 */
export function plain(points) {
  return points < 0 ? `−${-points}` : String(points);
}

/**
 * The class that colours a change of points.
 * @param {number} points
 */
export function tone(points) {
  if (points === 0) {
    return '';
  }
  return points > 0 ? 'pos' : 'neg';
}

/**
 * Who sits on a chair.
 * @param {Pick<Room, 'chairs'> | null} room
 * @param {number} seat
 * @param {Translate} t
 * @returns {string}
 */
export function nameOf(room, seat, t) {
  return room?.chairs[seat]?.name ?? t('play.somebody', { n: seat + 1 });
}

/**
 * Names in one phrase: `Ann, Bob and Cem`.
 * @param {readonly string[]} names
 * @param {Translate} t
 * @returns {string}
 */
export function listed(names, t) {
  if (names.length < 2) {
    return names.join('');
  }
  const last = names[names.length - 1];
  return t('play.and', { a: names.slice(0, -1).join(', '), b: last });
}

/**
 * The rest of a time as minutes and seconds: `0:41`.
 * @param {number} seconds
 */
export function minutes(seconds) {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
