// Building blocks for the objects of games: parts that are loaded later, and views for holds.

/** @import { Seat } from './protocol.js' */

/**
 * A value that is loaded later than the object it belongs to.
 * @template T
 * @typedef {object} Lazy
 * @property {T | null} value null until it is loaded
 * @property {() => Promise<void>} load loads it, once; fails if the server cannot be reached
 */

/**
 * @template T
 * @param {() => Promise<T>} load
 * @returns {Lazy<T>}
 */
export function lazy(load) {
  /** @type {Lazy<T>} */
  const lazy = {
    value: null,
    load: async () => {
      lazy.value ??= await load();
    },
  };
  return lazy;
}

/**
 * A view of a table at which nobody is to act.
 * @template {{ table: unknown, hints?: unknown, to_act: Seat[] }} V
 * @param {V} view
 * @param {V['table']} table
 * @returns {V}
 */
export function idleView(view, table) {
  return { ...view, table, hints: undefined, to_act: [] };
}
