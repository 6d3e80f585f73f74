// The poll for new rounds: while a game goes on, its replay gets each round once that is finished.

import { errorOf } from './loader.js';

/** @import { Requests } from './requests.js' */
/** @import { Browser } from './session.js' */
/** @import { ReplayState } from './types.js' */

/** The time between two requests for new rounds, in milliseconds. */
export const POLL_MS = 30_000;

/**
 * Polls until the game is over or the session has ended. A page in the background sends no request.
 * @param {Pick<Requests, 'overview'>} requests
 * @param {() => ReplayState} state
 * @param {(part: Partial<ReplayState>) => void} change
 * @param {(key: string, round: number) => void} notify shows a short text about a round
 * @param {Pick<Browser, 'later' | 'isVisible'>} browser
 * @param {() => boolean} isEnded
 */
export function createRoundPoll(requests, state, change, notify, { later, isVisible }, isEnded) {
  let isPolling = false;

  /** Whether the game can have more rounds than the page knows. */
  const isRunning = () => !isEnded() && state().overview?.status === 'playing';

  /** Asks for new rounds now, unless the game is over. Returns whether there are some. */
  async function poll() {
    if (isPolling || !isRunning()) return false;
    isPolling = true;
    const answer = await requests.overview();
    isPolling = false;
    // After an error the page keeps the rounds that it has.
    if (errorOf(answer) !== null || 'error' in answer) return false;
    const [first] = answer.body.rounds.slice(state().overview?.rounds.length);
    change({ overview: answer.body });
    if (first) notify('news.newRound', first.round);
    return first !== undefined;
  }

  /** Polls after each delay. */
  function start() {
    if (!isRunning()) return;
    later(() => {
      if (isVisible()) void poll().then(start);
      else start();
    }, POLL_MS);
  }

  return { poll, start };
}
