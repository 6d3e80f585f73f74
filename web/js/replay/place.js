// The place in a replay that an address names: `#r2.t7.c3` is round 2, trick 7, card 3. A suffix says from where the table is
// seen: `.s1` as seat 1 knew it, `.w` as a spectator.

/** @import { Place, Perspective } from './types.js' */

/** The place without a fragment: the beginning of the first round, with all hands open. @type {Place} */
export const BEGINNING = { round: 1, trick: 0, card: 1, perspective: { kind: 'open' } };

/**
 * The place that a fragment names. A fragment that is not valid names the beginning.
 * @param {string} fragment with or without its `#`
 * @returns {Place}
 */
export function placeOf(fragment) {
  const found = /^#?r(\d{1,3})(?:\.t(\d{1,3})(?:\.c(\d{1,3}))?)?(?:\.s(\d)|\.(w))?$/.exec(fragment);
  if (!found) return BEGINNING;
  const [, round, trick = '0', card = '1', seat, watches] = found;
  /** @type {Perspective} */
  let perspective = { kind: 'open' };
  if (seat !== undefined) perspective = { kind: 'seat', seat: Number(seat) };
  else if (watches) perspective = { kind: 'spectator' };
  return { round: Number(round), trick: Number(trick), card: Number(card), perspective };
}

/**
 * The fragment that names a place.
 * @param {Place} place
 */
export const fragmentOf = ({ round, trick, card, perspective }) =>
  `#r${round}.t${trick}.c${card}${suffixOf(perspective)}`;

/** @param {Perspective} perspective */
function suffixOf(perspective) {
  if (perspective.kind === 'seat') return `.s${perspective.seat}`;
  return perspective.kind === 'spectator' ? '.w' : '';
}
