// Building blocks for the objects of games: parts that are loaded later, and views for holds.

/** @import { Seat } from './protocol.js' */

/**
 * A value that is loaded later than the object it belongs to.
 * @template T
 * @typedef {object} Lazy
 * @property {T | null} value null until it is loaded
 * @property {(others?: Promise<unknown>) => Promise<void>} load loads it, and sets `value` once `others` are loaded too;
 *   fails if one of them fails
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
    load: async (others) => {
      if (lazy.value !== null) return;
      const [value] = await Promise.all([load(), others]);
      lazy.value = value;
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
 * The view in which a finished trick lies on the table. It is the table during the trick, with the hands after it. The page
 * may have no view from during the trick; then it is the table after it.
 * @template {{ table: { phase: string, hand_counts: number[] }, hints?: unknown, to_act: Seat[] }} V
 * @param {V} view after the trick
 * @param {V | null} before
 * @param {(table: V['table']) => V['table'] | null} withTrick adds the trick; null if the table can have none
 * @returns {V}
 */
export function viewOfTrick(view, before, withTrick) {
  const table = withTrick(before?.table.phase === 'trick' ? before.table : view.table);
  return table === null ? view : idleView(view, { ...table, hand_counts: view.table.hand_counts });
}
