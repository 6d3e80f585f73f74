// The reader of the logs of rounds and of the list of games: it asks the server for them, and for the log again while the running
// round is shown.

/** @import { Store } from './store.js' */
/** @import { Answer, Command } from './types.js' */

/** The delay before the log of the running round is read again after new events. The server allows one log in 2 s. */
export const REFRESH_MS = 3000;

/**
 * The reader of a session.
 * @param {Pick<Store, 'state' | 'dispatch'>} store
 * @param {(command: Command) => Promise<Answer>} send
 * @param {(callback: () => void, ms: number) => unknown} later
 */
export function createLogReader({ state, dispatch }, send, later) {
  let isPlanned = false;
  return {
    /**
     * Reads the log of a round.
     * @param {number} round
     */
    async readLog(round) {
      dispatch({ type: 'log_asked', round });
      const answer = await send({ type: 'round_log', round });
      if (answer !== 'ok') dispatch({ type: 'log_refused', round, error: { key: `refused.${answer}` } });
    },
    /** Reads the list of games. */
    async readGames() {
      dispatch({ type: 'games_asked' });
      const answer = await send({ type: 'games' });
      if (answer !== 'ok') dispatch({ type: 'games_refused', error: { key: `refused.${answer}` } });
    },
    /** Reads the log that is shown again after a while, because the game has new events. */
    onEvents() {
      if (isPlanned || state().dialog !== 'log') return;
      isPlanned = true;
      later(() => {
        isPlanned = false;
        const { dialog, roundLog, game } = state();
        const isRunning = roundLog?.round === game?.view.table.round;
        if (dialog === 'log' && roundLog && isRunning && !roundLog.isBusy) void this.readLog(roundLog.round);
      }, REFRESH_MS);
    },
  };
}
