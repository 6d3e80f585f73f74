// Exhaustive switches over what comes over the wire.

/**
 * The default branch of a switch that has a case for every value. A missing case is an error for tsc, since the value is
 * not `never` then. At run time a value that only a newer server knows is ignored.
 * @template T
 * @param {never} _value
 * @param {T} result
 * @returns {T}
 */
export const ignoreUnknown = (_value, result) => result;
