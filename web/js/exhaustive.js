// Exhaustive switches over values from the wire, and exhaustive lists of them.

/**
 * The default branch of a switch that has a case for every value. If a case is missing, the value is not `never`, and
 * tsc reports an error. At run time a value that only a newer server has is ignored.
 * @template T
 * @param {never} _value
 * @param {T} result
 * @returns {T}
 */
export const ignoreUnknown = (_value, result) => result;

/**
 * All values of an enum of the wire, in the order in which `table` has them as keys (whole numbers come first). The
 * declared type of the list names the enum: `@type {readonly Level[]}`. If the table lacks a value, tsc reports an error.
 * @template {string} Value
 * @param {Readonly<Record<NoInfer<Value>, unknown>>} table
 * @returns {readonly Value[]}
 */
export const enumValues = (table) => /** @type {Value[]} */ (Object.keys(table));
