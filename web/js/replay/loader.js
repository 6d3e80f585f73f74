// The loader of a replay: it loads the game, the round that is shown, and the one after it.

import { BEGINNING } from './place.js';
import { stopAt, stopsOf } from './stops.js';

/** @import { GameReplay } from '../protocol.js' */
/** @import { Answer, Requests } from './requests.js' */
/** @import { Place, ReplayState, RoundReplay } from './types.js' */

/** The format that this page can show, after the name of the program. */
const FORMAT = /^\w+\/replay\/1$/;

/**
 * A loader that writes the game and its rounds into the state.
 * @param {Pick<Requests, 'overview' | 'round'>} requests
 * @param {() => ReplayState} state
 * @param {(part: Partial<ReplayState>) => void} change
 * @param {(key: string, round: number) => void} notify shows a short text about a round
 */
export function createLoader(requests, state, change, notify) {
  return { loadGame, showPlace };

  /** Loads the game, and then shows the stop of the place. */
  async function loadGame() {
    change({ error: null });
    // The address names no replay.
    if (state().id === '') return change({ error: 'no_such_game' });
    const answer = await requests.overview();
    const error = errorOf(answer) ?? ('body' in answer && answer.body.rounds.length === 0 ? 'no_such_game' : null);
    if (error !== null || 'error' in answer) return change({ error });
    change({ overview: answer.body });
    await showPlace();
  }

  /** Shows the stop of the place, after its round is loaded. Then the next round is loaded ahead. */
  async function showPlace() {
    const { overview } = state();
    if (!overview) return;
    const round = correctPlace(overview);
    change({ error: null });
    if (!(await loadRound(round))) return;
    // Meanwhile another round may have been chosen.
    if (state().place.round !== round) return;
    change({ stopIndex: stopAt(stopsOf(state().rounds[round]), state().place) });
    const numbers = overview.rounds.map((each) => each.round);
    const next = numbers[numbers.indexOf(round) + 1];
    if (next !== undefined) await loadRound(next, false);
  }

  /**
   * Replaces a place that the game does not have, and returns its round. A toast names a missing round of a link.
   * @param {GameReplay} overview
   */
  function correctPlace(overview) {
    const { place } = state();
    const known = placeIn(overview, place);
    if (known.round !== place.round && place !== BEGINNING) notify('news.noSuchRound', place.round);
    if (known !== place) change({ place: known });
    return known.round;
  }

  /**
   * Loads a round, unless it was loaded before. Returns whether it is loaded now.
   * @param {number} round
   * @param {boolean} [isShown]
   */
  async function loadRound(round, isShown = true) {
    if (state().rounds[round]) return true;
    const answer = await requests.round(round);
    const error =
      errorOf(answer) ?? ('body' in answer && stopsOf(answer.body).length === 0 ? 'round_unavailable' : null);
    if (error === null && 'body' in answer) {
      change({ rounds: { ...state().rounds, [round]: answer.body } });
      return true;
    }
    if (isShown && state().place.round === round) change({ error });
    return false;
  }
}

/**
 * The code of the error of an answer; null if it can be shown.
 * @param {Answer<GameReplay | RoundReplay>} answer
 */
export function errorOf(answer) {
  if ('error' in answer) return answer.error;
  return FORMAT.test(answer.body.format) ? null : 'unknown';
}

/**
 * A place as far as the game has it. For a round that the game does not have, it is the beginning: that of a later round if the
 * game continues another one. For a seat that it does not have, all hands are open.
 * @param {GameReplay} overview
 * @param {Place} place
 * @returns {Place}
 */
function placeIn({ rounds, players }, place) {
  const { round, perspective } = place;
  const hasRound = rounds.some((each) => each.round === round);
  const hasSeat = perspective.kind !== 'seat' || perspective.seat < players.length;
  if (hasRound && hasSeat) return place;
  return {
    ...(hasRound ? place : { ...BEGINNING, round: rounds[0].round }),
    perspective: hasSeat ? perspective : BEGINNING.perspective,
  };
}
