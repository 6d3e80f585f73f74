// The navigation of a replay: by card, trick and round, and to the ends of a round.

import { trickFrom } from './stops.js';
import { shownRound } from './view.js';

/** @import { Place, ReplayState } from './types.js' */

/** @typedef {1 | -1} Direction forwards or backwards */

/** A stop that is later than every other one: the last one is shown. */
const LAST = { trick: 999, card: 999 };
const FIRST = { trick: 0, card: 1 };

/**
 * The ways from the stop that is shown to other ones. Each returns whether there was such a stop.
 * @param {() => ReplayState} state
 * @param {(stop: number) => void} goToStop
 * @param {(round: number, place: Pick<Place, 'trick' | 'card'>) => void} goToRound
 */
export function createNavigation(state, goToStop, goToRound) {
  /** @param {number | undefined} stop */
  const goTo = (stop) => {
    if (stop !== undefined) goToStop(stop);
    return stop !== undefined;
  };

  /**
   * Goes to the round before or after.
   * @param {Direction} direction
   * @param {Pick<Place, 'trick' | 'card'>} [place]
   */
  function round(direction, place = FIRST) {
    const next = roundBeside(state(), direction);
    if (next !== undefined) goToRound(next, place);
    return next !== undefined;
  }

  return {
    round: (/** @type {Direction} */ direction) => round(direction),
    /** Goes to the stop before or after; at the end of a round to the next round. @param {Direction} direction */
    card(direction) {
      const shown = shownRound(state());
      const next = (shown?.at ?? 0) + direction;
      if (shown && next >= 0 && next < shown.stops.length) return goTo(next);
      return round(direction, direction > 0 ? FIRST : LAST);
    },
    /** Goes to the beginning of the trick, of the one before, or of the next one. @param {Direction} direction */
    trick(direction) {
      const shown = shownRound(state());
      if (!shown) return round(direction);
      const { stops, at } = shown;
      const next = trickFrom(stops, at, direction);
      if (next !== undefined) return goTo(next);
      // After the last trick comes the result of the round.
      if (direction > 0 && at < stops.length - 1) return goTo(stops.length - 1);
      return round(direction, direction > 0 ? FIRST : LAST);
    },
    /** Goes to the first stop of the round. */
    toBeginning: () => goTo(shownRound(state()) ? 0 : undefined),
    /** Goes to the last stop of the round. */
    toEnd: () => goTo(lastStop(state())),
    /** Whether the last stop of the last round is shown. */
    isAtEnd() {
      const shown = shownRound(state());
      return shown !== null && shown.at === lastStop(state()) && roundBeside(state(), 1) === undefined;
    },
  };
}

/**
 * The number of the round before or after the one that is shown; undefined if there is none.
 * @param {ReplayState} replay
 * @param {Direction} direction
 */
function roundBeside({ overview, place }, direction) {
  const numbers = overview?.rounds.map(({ round }) => round) ?? [];
  return numbers[numbers.indexOf(place.round) + direction];
}

/**
 * The index of the last stop of the round that is shown; undefined if it is not read.
 * @param {ReplayState} replay
 */
function lastStop(replay) {
  const shown = shownRound(replay);
  return shown ? shown.stops.length - 1 : undefined;
}
