// Building blocks for the objects of games: parts that are loaded later, and views for holds.

/** @import { Card, Seat } from './protocol.js' */

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

/**
 * The colour that was led to a finished trick, or the suit if the trick was seen before.
 * @template {string} Lead
 * @param {readonly Card[]} cards
 * @param {{ cards: readonly Card[], lead?: Lead } | null} seen
 * @returns {Lead}
 */
export function leadOf(cards, seen) {
  const known = seen?.cards[0] === cards[0] ? seen?.lead : undefined;
  return known ?? /** @type {Lead} */ (cards[0]?.split('-')[0]);
}
