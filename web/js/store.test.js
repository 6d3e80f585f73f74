import assert from 'node:assert/strict';
import { test } from 'node:test';

import { defaultSettings } from './settings.js';
import { initialState } from './state.js';
import { createStore } from './store.js';

test('each update passes through the reducer, at the time of the clock', (context) => {
  context.mock.timers.enable({ apis: ['Date'], now: 5000 });
  const store = createStore(initialState(defaultSettings(['en']), 0));
  store.dispatch({ type: 'settings', settings: { hints: false } });
  assert.equal(store.state().settings.hints, false);
  assert.equal(store.state().clock, 5000);
});

test('listeners get the state after an update and the one before', () => {
  const first = initialState(defaultSettings(['en']), 0);
  const store = createStore(first);
  /** @type {[boolean, boolean][]} */
  const changes = [];
  store.subscribe((state, before) => changes.push([state === store.state(), before === first]));
  store.dispatch({ type: 'tick' });
  assert.deepEqual(changes, [[true, true]]);
});
