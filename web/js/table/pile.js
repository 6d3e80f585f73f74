/** A small pile of cards: tricks taken. */

import { html } from '../../vendor/lit-html/lit-html.js';

export const pile = html`<svg class="ic" viewBox="0 0 24 24" aria-hidden="true"><path d="M7 7.5h10.5v13H7ZM4.5 17V4.500h10" /></svg>`;
