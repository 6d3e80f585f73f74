// What is needed once cards are dealt: the table and its games. It is no part of the first view, and comes after it.

/** @type {typeof import('./table/table.js') | null} */
let part = null;

/** The table and its games; null until they have come. */
export const dealt = () => part;

/** Lets them come; fails if the server cannot be asked, or has others by now. */
export async function fetchDealt() {
  part ??= await import('./table/table.js');
}
