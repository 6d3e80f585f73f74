// The dock of the pages between rounds and after the game, and the seats that are ready there.

import { html } from '../../vendor/lit-html/lit-html.js';

/** @import { Actions } from '../actions.js' */
/** @import { Seat } from '../protocol.js' */
/** @import { PlayState } from '../types.js' */

/**
 * The dock at the lower edge of a screen.
 * @param {unknown} words
 * @param {unknown} buttons
 * @param {boolean} [isInert] whether a note lies over the screen
 */
export const dock = (words, buttons, isInert = false) =>
  html`<div class="dock" ?inert=${isInert}><div class="dock-content"><p role="status">${words}</p>${buttons}</div></div>`;

/**
 * The button by which the own seat says that it is ready, or no longer.
 * @param {boolean} isReady
 * @param {unknown} content
 * @param {Actions} actions
 */
export const readyButton = (isReady, content, actions) =>
  html`<button
    class="btn primary"
    type="button"
    aria-pressed=${isReady ? 'true' : 'false'}
    @click=${() => void actions.setReady(!isReady)}
  >
    ${content}
  </button>`;

/**
 * The seats of people who are not away, those of them who are ready, and whether the own seat is.
 * @param {PlayState} state
 * @returns {{ present: Seat[], ready: Seat[], isReady: boolean }}
 */
export function readiness({ room, you }) {
  const people = room.chairs.flatMap((chair, seat) =>
    chair.kind === 'person' && chair.presence !== 'away' ? [{ seat, isReady: chair.ready }] : [],
  );
  const present = people.map(({ seat }) => seat);
  const ready = people.filter(({ isReady }) => isReady).map(({ seat }) => seat);
  return { present, ready, isReady: you.seat !== null && ready.includes(you.seat) };
}
