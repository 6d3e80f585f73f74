// A value that is loaded later than the object it belongs to.

/**
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
