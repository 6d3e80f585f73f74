// The place in a replay that an address names: `#r2.t7.c3` is round 2, trick 7, stop 3, which is mostly the third card. A suffix
// names the perspective: `.s1` is that of seat 1. `.w`, for *watching*, is that of a spectator, who knows no hand.

/** @import { Place, Perspective } from './types.js' */

/** The largest number in a fragment, which has at most three digits. */
const LARGEST = 999;
/** The first stop of a round. */
export const FIRST_STOP = { trick: 0, number: 1 };
/** A stop that is later than every other one: the last one is shown. */
export const LAST_STOP = { trick: LARGEST, number: LARGEST };

/** The place without a fragment: the beginning of the first round, with all hands open. @type {Place} */
export const BEGINNING = { round: 1, ...FIRST_STOP, perspective: { kind: 'open' } };

/**
 * The place that a fragment names. A fragment that is not valid names the beginning.
 * @param {string} fragment with or without its `#`
 * @returns {Place}
 */
export function placeOf(fragment) {
  const found = /^#?r(\d{1,3})(?:\.t(\d{1,3})(?:\.c(\d{1,3}))?)?(?:\.s(\d)|\.(w))?$/.exec(fragment);
  if (!found) return BEGINNING;
  const [, round, trick = '0', number = '1', seat, spectator] = found;
  /** @type {Perspective} */
  let perspective = { kind: 'open' };
  if (seat !== undefined) perspective = { kind: 'seat', seat: Number(seat) };
  else if (spectator) perspective = { kind: 'spectator' };
  return { round: Number(round), trick: Number(trick), number: Number(number), perspective };
}

/**
 * The fragment that names a place.
 * @param {Place} place
 */
export const fragmentOf = ({ round, trick, number, perspective }) =>
  `#r${round}.t${trick}.c${number}${suffixOf(perspective)}`;

/** @param {Perspective} perspective */
function suffixOf(perspective) {
  if (perspective.kind === 'seat') return `.s${perspective.seat}`;
  return perspective.kind === 'spectator' ? '.w' : '';
}
