/** The colours of Sticheln. */

import { COLOURS } from '../table/cards.js';

/**
 * The colours that the digit keys stand for: six, with orange or with grey.
 * @param {{ edition?: string } | null | undefined} options
 * @returns {string[]}
 */
export function colours(options) {
  const missing = options?.edition === 'amigo-1993' ? 'grey' : 'orange';
  return COLOURS.filter((colour) => colour !== missing);
}
