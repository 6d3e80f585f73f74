import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOST, OPEN_CONNECTION, pageState, roomState } from '../test/unit/builders.js';
import { FakeStorage } from '../test/unit/fake-storage.js';
import { createActions } from './actions.js';
import { createStore } from './store.js';

/** @import { Router } from './router.js' */
/** @import { Answer, Command, State } from './types.js' */

/**
 * The actions of a page, everything that it sends, and the places where it goes.
 * @param {Partial<State>} state
 * @param {Answer} answer the answer to each command
 */
function setUp(state, answer = 'ok') {
  globalThis.localStorage = new FakeStorage();
  const store = createStore(pageState({ room: roomState(), you: HOST, prompt: { kind: 'leave' }, ...state }));
  /** @type {Command['type'][]} */
  const sent = [];
  /** @type {(string | null)[]} */
  const visited = [];
  const send = async (/** @type {Command} */ { type }) => {
    sent.push(type);
    return answer;
  };
  const session = { send };
  const router = { go: async (/** @type {string | null} */ code) => void visited.push(code), session: () => session };
  const actions = createActions(store, /** @type {Router} */ (/** @type {unknown} */ (router)));
  return { actions, store, sent, visited };
}

test('a player who leaves stands up, and goes home', async () => {
  const { actions, store, sent, visited } = setUp({});
  await actions.leave();
  assert.deepEqual([sent, visited, store.state().prompt], [['stand'], [null], null]);
});

test('without a connection a player cannot give up their seat, and reads why', async () => {
  const { actions, store, sent, visited } = setUp({ connection: { ...OPEN_CONNECTION, status: 'waiting' } });
  await actions.leave();
  assert.deepEqual([sent, visited], [[], []]);
  assert.equal(store.state().prompt?.kind, 'leave');
  assert.equal(store.state().toasts.at(-1)?.key, 'refused.not_connected');
});

test('a spectator goes home also without a connection', async () => {
  const connection = { ...OPEN_CONNECTION, status: /** @type {const} */ ('waiting') };
  const { actions, sent, visited } = setUp({ connection, you: { seat: null, host: false }, prompt: null });
  await actions.leave();
  assert.deepEqual([sent, visited], [[], [null]]);
});
