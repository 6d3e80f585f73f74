// The silhouettes of the characters of Nyet!, whose symbols are in symbols.js.

import { html } from '../../vendor/lit-html/lit-html.js';

/** @import { Character } from '../protocol.js' */

/**
 * The silhouette of a character.
 * @param {Character} character
 */
export const silhouette = (character) =>
  html`<svg class="silhouette" aria-hidden="true" viewBox="0 0 100 100"><use href=${`#character-${character}`}></use></svg>`;
