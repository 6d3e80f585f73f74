import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createLogReader, REFRESH_MS } from './log-reader.js';

/** @import { Answer, Command, State, Update } from './types.js' */

/**
 * A reader whose server gives this answer, and whose timers the test calls.
 * @param {Partial<State>} state
 * @param {Answer} [answer]
 */
function setUp(state, answer = 'ok') {
  /** @type {Command[]} */
  const sent = [];
  /** @type {Update[]} */
  const updates = [];
  /** @type {(() => void)[]} */
  const timers = [];
  const store = {
    state: () => /** @type {State} */ (state),
    dispatch: (/** @type {Update} */ update) => void updates.push(update),
  };
  const send = async (/** @type {Command} */ command) => {
    sent.push(command);
    return answer;
  };
  const reader = createLogReader(store, send, (callback, ms) => {
    assert.equal(ms, REFRESH_MS);
    timers.push(callback);
  });
  return { reader, sent, updates, timers };
}

/** A state that shows the log of this round while round 2 is played. @param {number} round @returns {Partial<State>} */
const showing = (round) => ({
  dialog: 'log',
  roundLog: { round, log: null, isBusy: false, error: null },
  game: /** @type {State['game']} */ ({ view: { table: { round: 2 } } }),
});

test('a refusal is shown, and a log is not announced by its answer', async () => {
  const done = setUp({});
  await done.reader.readLog(3);
  assert.deepEqual(done.sent, [{ type: 'round_log', round: 3 }]);
  assert.deepEqual(done.updates, [{ type: 'log_asked', round: 3 }]);
  const refused = setUp({}, 'round_unavailable');
  await refused.reader.readLog(3);
  assert.deepEqual(refused.updates.at(-1), {
    type: 'log_refused',
    round: 3,
    error: { key: 'refused.round_unavailable' },
  });
});

test('the running round is read again once for many events', () => {
  const { reader, sent, timers } = setUp(showing(2));
  for (let event = 0; event < 5; event += 1) reader.onEvents();
  assert.equal(timers.length, 1);
  timers[0]();
  assert.deepEqual(sent, [{ type: 'round_log', round: 2 }]);
  reader.onEvents();
  assert.equal(timers.length, 2);
});

test('a finished round is not read again, and neither is a log that is closed', () => {
  const finished = setUp(showing(1));
  finished.reader.onEvents();
  for (const callback of finished.timers) callback();
  assert.deepEqual(finished.sent, []);
  const closed = setUp({ ...showing(2), dialog: null });
  closed.reader.onEvents();
  assert.deepEqual(closed.timers, []);
});
