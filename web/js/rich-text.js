// Texts with markup: `*word*` is emphasised, `{blue}` is the chip of a colour, `{blue-14}` a chip with a number.

import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { t } from './i18n.js';
import { part } from './parts.js';

/** @param {string} text */
export const richText = (text) =>
  text.split(/(\*[^*]+\*|\{[a-z]+(?:-\d+)?\})/).map((piece) => {
    if (piece.startsWith('*')) return html`<b>${piece.slice(1, -1)}</b>`;
    if (!piece.startsWith('{')) return piece;
    const [colour, value] = piece.slice(1, -1).split('-');
    return html`<span class="nowrap"
      >${part('cardDrawing')?.chip(colour)}<span class="visually-hidden">${t(`colour.${colour}`)}</span>${value ? html` <b>${value}</b>` : nothing}</span
    >`;
  });
