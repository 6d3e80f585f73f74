// Exhaustive switches over values from the wire.

/**
 * The default branch of a switch that has a case for every value. If a case is missing, the value is not `never`, and
 * tsc reports an error. At run time a value that only a newer server has is ignored.
 * @template T
 * @param {never} _value
 * @param {T} result
 * @returns {T}
 */
export const ignoreUnknown = (_value, result) => result;
