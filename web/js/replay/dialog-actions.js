// The actions of the dialogs of a replay. One saves the record of the game as a file, another opens a room in which the game goes
// on.

import { keepSeat } from '../kept-seat.js';
import { shownRound } from './play-state.js';

/** @import { Seat } from '../protocol.js' */
/** @import { Requests } from './requests.js' */
/** @import { Browser } from './session.js' */
/** @import { ReplayState } from './types.js' */

/** The errors of these requests that have a text of their own in a replay. @type {readonly string[]} */
const OWN_TEXTS = ['no_such_game', 'replay_forbidden', 'round_unavailable', 'game_not_over', 'not_connected'];

/**
 * The key of the text for an error of a request.
 * @param {string} code
 */
export const errorKey = (code) => (OWN_TEXTS.includes(code) ? `replay.error.${code}` : `refused.${code}`);

/**
 * The actions of the dialogs that export a game and play on.
 * @param {Pick<Requests, 'record' | 'playOn'>} requests
 * @param {() => ReplayState} state
 * @param {(part: Partial<ReplayState>) => void} change
 * @param {Pick<Browser, 'save' | 'goToRoom'>} browser
 */
export function createDialogActions(requests, state, change, { save, goToRoom }) {
  return {
    /** @param {Seat} seat */
    chooseSeat: (seat) => change({ playOnSeat: seat }),

    /** Saves the record of the game. @param {boolean} names whether it has the names of people */
    exportRecord: async (names) => {
      if (state().isBusy) return;
      change({ isBusy: true, refusal: null });
      const answer = await requests.record(names);
      if ('error' in answer) return change({ isBusy: false, refusal: errorKey(answer.error) });
      save(JSON.stringify(answer.body), `${state().overview?.game}-record.json`);
      change({ isBusy: false, dialog: null });
    },

    /** Opens a room in which the game goes on from the step that is shown, and goes there. */
    playOn: async () => {
      const { overview, place, playOnSeat, isBusy } = state();
      const shown = shownRound(state());
      if (isBusy || !overview || !shown) return;
      change({ isBusy: true, refusal: null });
      const { round, stop } = shown;
      const seats = round.players.length;
      const { rev } = round.steps[stop.step];
      const answer = await requests.playOn({ game: overview.game, seats, round: place.round, rev });
      if ('error' in answer) return change({ isBusy: false, refusal: errorKey(answer.error) });
      keepSeat(answer.body.room, playOnSeat);
      goToRoom(answer.body.room);
    },
  };
}
