// Texts with more in them than words: `*so*` is emphasised, `{blue}` is the chip of a colour, `{blue-14}` one with a
// number.

import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { t } from './i18n.js';
import { chip } from './table/card.js';

/** @param {string} text */
export const rich = (text) =>
  text.split(/(\*[^*]+\*|\{[a-z]+(?:-\d+)?\})/).map((part) => {
    if (part.startsWith('*')) return html`<b>${part.slice(1, -1)}</b>`;
    if (!part.startsWith('{')) return part;
    const [colour, value] = part.slice(1, -1).split('-');
    return html`<span class="nowrap"
      >${chip(colour)}<span class="sr">${t(`suit.${colour}`)}</span>${value ? html` <b>${value}</b>` : nothing}</span
    >`;
  });
