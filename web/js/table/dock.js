/** The rail of the pages between rounds and after the game, and who has said yes there. */

import { html } from '../../vendor/lit-html/lit-html.js';

/** @import { State } from './types.js' */

/**
 * The rail at the bottom of a page.
 * @param {unknown} words
 * @param {unknown} buttons
 * @param {boolean} [isOut] whether a note lies over the page, and the rail is out of reach
 */
export const dock = (words, buttons, isOut = false) =>
  html`<div class="dock" ?inert=${isOut}><div class="in"><p role="status">${words}</p>${buttons}</div></div>`;

/**
 * The seats of people who are here, those of them who are ready, and whether the own seat is.
 * @param {State} state
 * @returns {{ present: number[], ready: number[], isReady: boolean }}
 */
export function people(state) {
  const chairs = /** @type {import('./types.js').Chair[]} */ (state.room.chairs);
  const present = chairs.flatMap((chair, seat) => (chair.kind === 'person' && chair.presence !== 'away' ? [seat] : []));
  const ready = present.filter((seat) => chairs[seat].ready);
  return { present, ready, isReady: state.you.seat !== null && ready.includes(state.you.seat) };
}
