// The navigation of a replay: by stop, trick and round, and to the ends of a round.

import { FIRST_STOP, LAST_STOP } from './place.js';
import { shownRound } from './play-state.js';
import { stopAt, trickFrom } from './stops.js';

/** @import { Place, ReplayState } from './types.js' */

/** @typedef {1 | -1} Direction forwards or backwards */

/**
 * The steps from the stop that is shown to other stops. Each returns whether there was a stop to go to.
 * @param {() => ReplayState} state
 * @param {(stop: number) => void} goToStop
 * @param {(round: number, place: Pick<Place, 'trick' | 'number'>) => void} goToRound
 * @param {(place: Pick<Place, 'trick' | 'number'>) => void} setPlace changes the place of the round that is loaded
 */
export function createNavigation(state, goToStop, goToRound, setPlace) {
  /** @param {number | undefined} stop */
  const goTo = (stop) => {
    if (stop !== undefined) goToStop(stop);
    return stop !== undefined;
  };

  /**
   * Goes to a stop of the round of the place. While this round is loaded, the place waits for it.
   * @param {Pick<Place, 'trick' | 'number'>} place
   */
  function goToPlace(place) {
    const shown = shownRound(state());
    if (shown) goToStop(stopAt(shown.stops, place));
    else setPlace(place);
  }

  /**
   * Goes to the round before or after.
   * @param {Direction} direction
   * @param {Pick<Place, 'trick' | 'number'>} [place]
   */
  function stepByRound(direction, place = FIRST_STOP) {
    const next = roundBeside(state(), direction);
    if (next !== undefined) goToRound(next, place);
    return next !== undefined;
  }

  return {
    stepByRound: (/** @type {Direction} */ direction) => stepByRound(direction),
    /** Goes to the stop before or after; at the end of a round to the next round. @param {Direction} direction */
    stepByStop(direction) {
      const shown = shownRound(state());
      const next = (shown?.index ?? 0) + direction;
      if (shown && next >= 0 && next < shown.stops.length) return goTo(next);
      return stepByRound(direction, direction > 0 ? FIRST_STOP : LAST_STOP);
    },
    /** Goes to the beginning of the trick, of the one before, or of the next one. @param {Direction} direction */
    stepByTrick(direction) {
      const shown = shownRound(state());
      if (!shown) return stepByRound(direction);
      const { stops, index } = shown;
      const next = trickFrom(stops, index, direction);
      if (next !== undefined) return goTo(next);
      // After the last trick comes the result of the round.
      if (direction > 0 && index < stops.length - 1) return goTo(stops.length - 1);
      return stepByRound(direction, direction > 0 ? FIRST_STOP : LAST_STOP);
    },
    /** Goes to the first stop of the round. */
    toBeginning: () => goToPlace(FIRST_STOP),
    /** Goes to the last stop of the round. */
    toEnd: () => goToPlace(LAST_STOP),
    /** Whether the last stop of the last round is shown. */
    isAtEnd() {
      const shown = shownRound(state());
      return shown !== null && shown.index === shown.stops.length - 1 && roundBeside(state(), 1) === undefined;
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
