// The watch for new rounds: while a game goes on, its replay gets each round once that is finished.

import { errorOf } from './reader.js';

/** @import { Requests } from './requests.js' */
/** @import { Browser } from './session.js' */
/** @import { ReplayState } from './types.js' */

/** The time between two looks for new rounds, in milliseconds. */
export const LOOK_MS = 30_000;

/**
 * Watches for new rounds until the game is over or the session has ended. A page in the background does not look.
 * @param {Pick<Requests, 'overview'>} requests
 * @param {() => ReplayState} state
 * @param {(part: Partial<ReplayState>) => void} change
 * @param {(key: string, round: number) => void} notify shows a short text about a round
 * @param {Pick<Browser, 'later' | 'isVisible'>} browser
 * @param {() => boolean} isEnded
 */
export function createRoundWatch(requests, state, change, notify, { later, isVisible }, isEnded) {
  let isLooking = false;

  /** Whether the game can have more rounds than the page knows. */
  const isRunning = () => !isEnded() && state().overview?.status === 'playing';

  /** Looks for new rounds now, unless the game is over. Returns whether there are some. */
  async function look() {
    if (isLooking || !isRunning()) return false;
    isLooking = true;
    const answer = await requests.overview();
    isLooking = false;
    // After an error the page keeps what it has.
    if (errorOf(answer) !== null || 'error' in answer) return false;
    const [first] = answer.body.rounds.slice(state().overview?.rounds.length);
    change({ overview: answer.body });
    if (first) notify('news.newRound', first.round);
    return first !== undefined;
  }

  /** Looks again and again. */
  function start() {
    if (!isRunning()) return;
    later(() => {
      if (isVisible()) void look().then(start);
      else start();
    }, LOOK_MS);
  }

  return { look, start };
}
