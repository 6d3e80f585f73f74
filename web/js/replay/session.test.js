import assert from 'node:assert/strict';
import { test } from 'node:test';

import { replaySample } from '../../test/replays.js';
import { pageState } from '../../test/unit/builders.js';
import { createStore } from '../store.js';
import { POLL_MS } from './round-poll.js';
import { fragmentNow, openReplay, STOP_MS } from './session.js';

/** @import { GameReplay } from '../protocol.js' */
/** @import { Requests } from './requests.js' */
/** @import { ReplayState } from './types.js' */

const { overview, rounds } = replaySample('sticheln4');

/**
 * A session with a browser and a server of the test.
 * @param {string} [fragment]
 * @param {Partial<Requests>} [answers]
 */
async function open(fragment = '', answers = {}) {
  const store = createStore(pageState({ route: 'replay', code: null }));
  /** @type {{ callback: () => void, ms: number }[]} */
  let timers = [];
  /** @type {string[]} */
  const fragments = [];
  /** @type {[text: string, name: string][]} */
  const files = [];
  /** @type {string[]} */
  const rooms = [];
  let isVisible = true;
  const browser = {
    setFragment: (/** @type {string} */ fragment) => void fragments.push(fragment),
    isVisible: () => isVisible,
    later: (/** @type {() => void} */ callback, /** @type {number} */ ms) => timers.push({ callback, ms }),
    save: (/** @type {string} */ text, /** @type {string} */ name) => void files.push([text, name]),
    goToRoom: (/** @type {string} */ code) => void rooms.push(code),
  };
  /** @type {Requests} */
  const requests = {
    overview: async () => ({ body: overview }),
    round: async (round) => ({ body: rounds[round - 1] }),
    record: async () => ({ error: 'game_not_over' }),
    playOn: async () => ({ error: 'too_many_rooms' }),
    ...answers,
  };
  const session = openReplay(overview.id, fragment, store, browser, requests);
  const settle = () => new Promise((done) => setImmediate(done));
  await settle();
  return {
    session,
    settle,
    fragments,
    files,
    rooms,
    state: () => /** @type {ReplayState} */ (store.state().replay),
    toasts: () => store.state().toasts.map(({ key, args }) => [key, args?.n]),
    setVisible: (/** @type {boolean} */ visible) => (isVisible = visible),
    place: () => fragmentNow(/** @type {ReplayState} */ (store.state().replay)),
    /** Runs the timers with this delay. @param {number} ms */
    async pass(ms) {
      const due = timers.filter((timer) => timer.ms === ms);
      timers = timers.filter((timer) => timer.ms !== ms);
      for (const { callback } of due) callback();
      await settle();
      return due.length;
    },
  };
}

test('a link opens at its place', async () => {
  for (const fragment of ['#r2.t7.c3', '#r1.t14.c5', '#r2.t3.c1.s2', '#r1.t0.c4.w']) {
    const { place, state } = await open(fragment);
    assert.equal(place(), fragment);
    assert.equal(state().error, null);
  }
});

test('a place that the game does not have is the beginning, or the last one before it', async () => {
  for (const [fragment, expected] of [
    ['#nonsense', '#r1.t0.c1'],
    ['#r9.t3.c1', '#r1.t0.c1'],
    ['#r9.t3.c1.s1', '#r1.t0.c1.s1'],
    ['#r9.s7', '#r1.t0.c1'],
    ['#r2.t3.c1.s7', '#r2.t3.c1'],
    ['#r2.t3.c9', '#r2.t3.c4'],
    ['#r2.t99', '#r2.t14.c5'],
  ]) {
    assert.equal((await open(fragment)).place(), expected, fragment);
  }
});

test('a round that the game does not have is named in a toast, and the address is corrected', async () => {
  const { toasts, fragments, pass } = await open('#r9.t3.c1');
  assert.deepEqual(toasts(), [['news.noSuchRound', 9]]);
  await pass(300);
  assert.deepEqual(fragments, ['#r1.t0.c1']);
  const whole = await open('');
  await whole.pass(300);
  assert.deepEqual([whole.toasts(), whole.fragments], [[], []], 'a link without a place is kept');
  const continued = { ...overview, rounds: overview.rounds.slice(1) };
  for (const [fragment, named] of /** @type {[string, unknown[]][]} */ ([
    ['', []],
    ['#r1', [['news.noSuchRound', 1]]],
  ])) {
    const page = await open(fragment, { overview: async () => ({ body: continued }) });
    assert.deepEqual(
      [page.place(), page.toasts()],
      ['#r2.t0.c1', named],
      'a game that continues another one begins later',
    );
  }
});

test('a game that goes on gets its new rounds, and a step from the end asks for them', async () => {
  const running = { ...overview, status: /** @type {const} */ ('playing'), rounds: overview.rounds.slice(0, 1) };
  const over = { ...overview };
  /** @type {GameReplay} */
  let current = running;
  let asked = 0;
  const answer = async () => {
    asked += 1;
    return { body: current };
  };
  const page = await open('#r1.t14.c5', { overview: answer });
  await page.pass(POLL_MS);
  assert.deepEqual([asked, page.toasts()], [2, []]);
  page.setVisible(false);
  await page.pass(POLL_MS);
  assert.equal(asked, 2, 'a page in the background does not poll');
  page.setVisible(true);
  page.session.stepByStop(1);
  await page.settle();
  assert.deepEqual([asked, page.place()], [3, '#r1.t14.c5'], 'there is no new round yet');
  current = { ...running, rounds: overview.rounds };
  page.session.stepByStop(1);
  await page.settle();
  assert.deepEqual([page.place(), page.toasts()], ['#r2.t0.c1', [['news.newRound', 2]]]);
  current = over;
  await page.pass(POLL_MS);
  assert.equal(page.state().overview?.status, over.status);
  assert.equal(await page.pass(POLL_MS), 0, 'a game that is over is not polled');

  current = running;
  const other = await open('#r1.t2.c1', { overview: answer });
  current = { ...running, rounds: overview.rounds };
  await other.pass(POLL_MS);
  assert.equal(other.state().overview?.rounds.length, 2);
  assert.equal(other.place(), '#r1.t2.c1', 'the place is kept');
});

test('steps go by stop, trick and round, and to the ends', async () => {
  const { session, place, settle } = await open('#r1.t2.c4');
  session.stepByStop(1);
  assert.equal(place(), '#r1.t3.c1');
  session.stepByStop(-1);
  assert.equal(place(), '#r1.t2.c4');
  session.stepByTrick(-1);
  assert.equal(place(), '#r1.t2.c1');
  session.stepByTrick(1);
  assert.equal(place(), '#r1.t3.c1');
  session.toEnd();
  assert.equal(place(), '#r1.t14.c5');
  session.toBeginning();
  assert.equal(place(), '#r1.t0.c1');
  session.stepByStop(-1);
  assert.equal(place(), '#r1.t0.c1', 'there is nothing before the first round');
  session.stepByRound(1);
  await settle();
  assert.equal(place(), '#r2.t0.c1');
  session.goToRound(7);
  assert.equal(place(), '#r2.t0.c1', 'there is no such round');
});

test('a step over the end of a round goes to the nearest stop of the other one', async () => {
  const { session, place, settle } = await open('#r1.t14.c4');
  session.stepByTrick(1);
  assert.equal(place(), '#r1.t14.c5', 'the result comes after the last trick');
  session.stepByStop(1);
  await settle();
  assert.equal(place(), '#r2.t0.c1');
  session.stepByStop(-1);
  await settle();
  assert.equal(place(), '#r1.t14.c5');
});

test('while a round is loaded, its end and its beginning can be chosen', async () => {
  for (const [end, expected] of /** @type {const} */ ([
    ['toEnd', '#r2.t14.c5'],
    ['toBeginning', '#r2.t0.c1'],
  ])) {
    let answer = () => {};
    /** @type {Promise<void>} */
    const isAnswered = new Promise((done) => (answer = done));
    const { session, state, place, settle } = await open('#r2.t3.c1', {
      round: (round) => isAnswered.then(() => ({ body: rounds[round - 1] })),
    });
    assert.deepEqual(state().rounds, {});
    session[end]();
    answer();
    await settle();
    assert.equal(place(), expected);
  }
});

test('the address follows the steps, once for those in a short time', async () => {
  const { session, fragments, pass } = await open('#r1.t1.c1');
  session.stepByStop(1);
  session.stepByStop(1);
  assert.deepEqual(fragments, []);
  await pass(300);
  assert.deepEqual(fragments, ['#r1.t1.c3']);
  session.setPerspective({ kind: 'seat', seat: 1 });
  await pass(300);
  assert.deepEqual(fragments.slice(1), ['#r1.t1.c3.s1']);
  session.stepByStop(1);
  session.end();
  await pass(300);
  assert.equal(fragments.length, 2, 'another page has the address now');
});

test('the autoplay goes on to the last result, at the chosen speed, and a step ends it', async () => {
  const { session, state, place, pass } = await open('#r1.t14.c4');
  session.togglePlay();
  assert.equal(state().isAutoplaying, true);
  session.setSpeed('fast');
  await pass(STOP_MS.normal);
  assert.equal(place(), '#r1.t14.c5');
  await pass(STOP_MS.fast);
  assert.equal(place(), '#r2.t0.c1', 'the next round follows');
  session.stepByStop(1);
  assert.equal(state().isAutoplaying, false);
  await pass(STOP_MS.fast);
  assert.equal(place(), '#r2.t0.c2', 'the step of the ended autoplay is dropped');
  session.toEnd();
  session.togglePlay();
  assert.equal(place(), '#r2.t0.c1', 'at the end the round begins again');
  session.togglePlay();
  session.stepByTrick(1);
  session.toEnd();
  session.stepByStop(-1);
  session.togglePlay();
  await pass(STOP_MS.fast);
  await pass(STOP_MS.fast);
  assert.deepEqual([state().isAutoplaying, place()], [false, '#r2.t14.c5']);
});

test('a game or a round that cannot be loaded has an error, and can be loaded again', async () => {
  let error = 'not_connected';
  const answer = async () => (error ? { error } : { body: overview });
  const { session, state, settle } = await open('', { overview: answer });
  assert.deepEqual([state().error, state().overview], ['not_connected', null]);
  error = '';
  session.loadAgain();
  await settle();
  assert.deepEqual([state().error, state().rounds[1].round], [null, 1]);

  const gone = await open('#r2.t1.c1', {
    round: async (round) => (round === 2 ? { error: 'round_unavailable' } : { body: rounds[0] }),
  });
  assert.equal(gone.state().error, 'round_unavailable');
  gone.session.goToRound(1);
  await gone.settle();
  assert.deepEqual([gone.state().error, gone.place()], [null, '#r1.t0.c1']);
});

test('a body of another format is not shown', async () => {
  const { state } = await open('', {
    overview: async () => JSON.parse(JSON.stringify({ body: { ...overview, format: 'sticheln/replay/2' } })),
  });
  assert.equal(state().error, 'unknown');
});

test('the record is saved as a file, or the dialog says why not', async () => {
  const refused = await open();
  refused.session.open('export');
  await refused.session.exportRecord(true);
  assert.deepEqual([refused.state().refusal, refused.state().isBusy], ['replay.error.game_not_over', false]);

  /** @type {boolean[]} */
  const names = [];
  const record = async (/** @type {boolean} */ hasNames) => {
    names.push(hasNames);
    return { body: { format: 'sticheln/record/1' } };
  };
  const { session, files, state } = await open('', { record });
  session.open('export');
  await session.exportRecord(false);
  assert.deepEqual([names, state().dialog], [[false], null]);
  assert.deepEqual(files, [['{"format":"sticheln/record/1"}', 'sticheln-record.json']]);
});

test('a game goes on in a new room from the step that is shown', async () => {
  /** @type {object[]} */
  const forms = [];
  const { session, rooms, settle } = await open('#r2.t1.c2', {
    playOn: async (form) => {
      forms.push(form);
      return { body: { room: 'k7qm2x4p', url: '../t/k7qm2x4p' } };
    },
  });
  session.open('play_on');
  session.chooseSeat(3);
  await session.playOn();
  await settle();
  assert.deepEqual(forms, [{ game: 'sticheln', seats: 4, round: 2, rev: rounds[1].steps[6].rev }]);
  assert.deepEqual(rooms, ['k7qm2x4p']);
});

test('another address of the same replay moves to its place', async () => {
  const { session, place, settle } = await open('#r1.t1.c1');
  session.onAddress('#r2.t5.c2.w');
  await settle();
  assert.equal(place(), '#r2.t5.c2.w');
});
