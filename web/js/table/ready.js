// The button and the seats that are ready, between rounds and after the game.

import { html } from '../../vendor/lit-html/lit-html.js';
import { isAway } from '../state.js';

/** @import { Actions } from '../actions.js' */
/** @import { Seat } from '../protocol.js' */
/** @import { PlayState } from '../types.js' */

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
    chair.kind === 'person' && !isAway(chair) ? [{ seat, isReady: chair.ready }] : [],
  );
  const present = people.map(({ seat }) => seat);
  const ready = people.filter(({ isReady }) => isReady).map(({ seat }) => seat);
  return { present, ready, isReady: you.seat !== null && ready.includes(you.seat) };
}
