// Numbers as texts. The translation is an argument.

/** @import { Translate } from '../i18n.js' */

/**
 * A text with a capital at its beginning.
 * @param {string} text
 */
export const capital = (text) => text.charAt(0).toLocaleUpperCase() + text.slice(1);

/**
 * A change of points, with its sign.
 * @param {number} points
 */
export function signed(points) {
  if (points === 0) return '±0';
  return points > 0 ? `+${points}` : `−${-points}`;
}

/**
 * A number of points, with a sign only if it is negative.
 * @param {number} points
 */
export const pointsText = (points) => (points < 0 ? `−${-points}` : String(points));

/**
 * The class that colours a change of points.
 * @param {number} points
 */
export function pointsClass(points) {
  if (points === 0) return '';
  return points > 0 ? 'positive' : 'negative';
}

/**
 * The points of the own seat in a round, as a text.
 * @param {number} points
 * @param {Translate} t
 */
export const ownResultText = (points, t) =>
  t(points < 0 ? 'play.round.lost' : 'play.round.won', { n: Math.abs(points) });
