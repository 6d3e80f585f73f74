// The dock at the lower edge of a screen: a text and buttons.

import { html } from '../vendor/lit-html/lit-html.js';

/**
 * The dock at the lower edge of a screen.
 * @param {unknown} words
 * @param {unknown} buttons
 * @param {boolean} [isInert] whether a note lies over the screen
 */
export const dock = (words, buttons, isInert = false) =>
  html`<div class="dock" ?inert=${isInert}><div class="dock-content"><p role="status">${words}</p>${buttons}</div></div>`;
