// The store: it holds the state of the page, and each update passes through the reducer.

import { reduce } from './reduce.js';

/** @import { State, Update } from './types.js' */

/**
 * @typedef {object} Store
 * @property {() => State} state the state now
 * @property {(update: Update) => void} dispatch applies an update, at the time of the device's clock
 * @property {(listener: (state: State, before: State) => void) => void} subscribe calls `listener` after each update
 */

/**
 * A store that begins with this state.
 * @param {State} initial
 * @returns {Store}
 */
export function createStore(initial) {
  let state = initial;
  /** @type {((state: State, before: State) => void)[]} */
  const listeners = [];
  return {
    state: () => state,
    dispatch: (update) => {
      const before = state;
      state = reduce(state, { now: Date.now(), ...update });
      for (const listener of listeners) listener(state, before);
    },
    subscribe: (listener) => void listeners.push(listener),
  };
}
