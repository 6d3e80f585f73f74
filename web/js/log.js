// What has been said aloud, for those who listen to the page: what has happened, and then the sentence over the hand.

import { repeat } from '../vendor/lit-html/directives/repeat.js';
import { html } from '../vendor/lit-html/lit-html.js';

/** @param {import('./state.js').State} state */
export const log = (state) => html`<div class="sr" role="log" aria-live="polite" aria-relevant="additions">
  ${repeat(
    state.log,
    ({ number }) => number,
    ({ text }) => html`<p>${text}</p>`,
  )}
  </div>
  <p class="sr" role="status">${state.sentence}</p>`;
