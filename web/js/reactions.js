// The reactions, which people show without words, and the drawing of each.

import { html, nothing, svg } from '../vendor/lit-html/lit-html.js';
import { enumValues } from './exhaustive.js';

/** @import { Reaction, Seat } from './protocol.js' */
/** @import { State } from './types.js' */

const ring = svg`<circle class="reaction-stitch" cx="16" cy="16" r="13" />`;

/** The drawings of the reactions. @type {Readonly<Record<Reaction, unknown>>} */
const DRAWINGS = {
  laugh: svg`${ring}<path class="reaction-line" d="M9 13.5q2-3 4 0M19 13.5q2-3 4 0" />
    <path class="reaction-full" d="M9.5 18h13a6.5 6.5 0 0 1-13 0Z" />`,
  ouch: svg`${ring}<path class="reaction-line" d="M9 10.5l4 3-4 2.500M23 10.5l-4 3 4 2.500" />
    <path class="reaction-thread" d="M9.5 22l2.600-2.600 2.600 2.600 2.600-2.600 2.600 2.600 2.600-2.600" />`,
  applause: svg`<path class="reaction-line" d="M3.500 20.500 8 11.800c1-1.900 3.800-.9 3.200 1.200l-1 3.500 3.600-5c1.300-1.700 3.900 0 2.900 1.900L14 21.500c-1.500 3.500-4.500 6-8 6.500" />
    <path class="reaction-line" d="M28.500 20.500 24 11.800c-1-1.900-3.800-.9-3.200 1.200l1 3.500-3.600-5c-.4-.6-1-.8-1.500-.8M18 21.500c1.500 3.500 4.500 6 8 6.500" />
    <path class="reaction-stitch" d="M16 19.500v8" /><path class="reaction-thread" d="M16 7V3.500M10.500 8 9 5M21.500 8 23 5" />`,
  thinking: svg`${ring}<path class="reaction-line" d="M9 12.500h4M19 11l4 1.500M12 21.500h7" />
    <circle class="reaction-full" cx="11" cy="15.500" r="1.300" /><circle class="reaction-full" cx="21" cy="15.500" r="1.300" />
    <path class="reaction-thread" d="M22 25.500v.01M25.500 28v.01M29 30v.01" />`,
  hurry: svg`<path class="reaction-line" d="M8 4.500h16M8 27.500h16" />
    <path class="reaction-stitch" d="M10 5c0 7 4.500 8 5 11-.5 3-5 4-5 11M22 5c0 7-4.500 8-5 11 .5 3 5 4 5 11" />
    <path class="reaction-full" d="M12.500 26.500c.5-3 2.500-4 3.500-5 1 1 3 2 3.500 5Z" /><path class="reaction-thread" d="M16 16.500v3" />`,
  sorry: svg`${ring}<path class="reaction-line" d="M9 13l3.500-1.500M23 13l-3.500-1.500M12 22.500q4-4 8 0" />
    <circle class="reaction-full" cx="11.500" cy="15.800" r="1.300" /><circle class="reaction-full" cx="20.500" cy="15.800" r="1.300" />
    <path class="reaction-drop" d="M23.500 17.500c1.300 2 2 3 2 4.200a2 2 0 0 1-4 0c0-1.200.7-2.200 2-4.200Z" />`,
  thanks: svg`<path class="reaction-heart" d="M16 27C8 21 4.500 16.500 4.500 11.800A6.300 6.300 0 0 1 16 8.300a6.300 6.300 0 0 1 11.500 3.500C27.500 16.500 24 21 16 27Z" />
    <path class="reaction-seam" d="M16 23.200C10.500 19 7.700 15.500 7.700 12.200a3.400 3.400 0 0 1 6-2.200" />`,
  good_game: svg`<path class="reaction-thread" d="M11.500 18.500 8.500 29l4-2 2.500 3 2-8M20.500 18.500l3 10.500-4-2-2.500 3" />
    <circle class="reaction-paper" cx="16" cy="12" r="9" /><circle class="reaction-stitch" cx="16" cy="12" r="9" />
    <path class="reaction-full" d="M16 6.500l1.700 3.500 3.800.5-2.800 2.700.7 3.800-3.400-1.800-3.400 1.800.7-3.800-2.800-2.700 3.800-.5Z" />`,
};

/** The reactions in the order in which they are offered. @type {readonly Reaction[]} */
export const REACTIONS = enumValues(DRAWINGS);

/**
 * The drawing of a reaction.
 * @param {Reaction} name
 */
export const reactionIcon = (name) =>
  html`<svg class="reaction" viewBox="0 0 32 32" aria-hidden="true">${DRAWINGS[name]}</svg>`;

/**
 * The reaction that a seat shows now; nothing if it shows none.
 * @param {Seat} seat
 * @param {Pick<State, 'reactions'>} state
 */
export function reaction(seat, { reactions }) {
  const shown = reactions.findLast((reaction) => reaction.seat === seat);
  return shown ? html`<span class="reacted">${reactionIcon(shown.reaction)}</span>` : nothing;
}
