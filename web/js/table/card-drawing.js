// The drawings of cards: faces, backs, pinned cards, the chips of colours, a pile.

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { cardName, parseCard } from './card-text.js';

/** @import { Card } from '../protocol.js' */

/**
 * The face of a card.
 * @param {Card} card
 * @param {object} [options]
 * @param {boolean} [options.compact] a small face
 * @param {boolean} [options.isDecorative] without a label, since something around it has one
 * @param {boolean} [options.isWinning] whether it wins its trick
 */
export function face(card, { compact = false, isDecorative = false, isWinning = false } = {}) {
  const { colour, value } = parseCard(card);
  const { index, emblem } = symbolIds(colour, value);
  const classes = [
    'card',
    colour,
    value === 0 ? 'zero' : '',
    compact ? 'compact mini' : '',
    isWinning ? 'winning' : '',
  ];
  return html`<span
    class=${classes.filter(Boolean).join(' ')}
    role=${isDecorative ? nothing : 'img'}
    aria-label=${isDecorative ? nothing : cardName(card, t)}
    aria-hidden=${isDecorative ? 'true' : nothing}
    ><svg class="card-art" aria-hidden="true" viewBox="0 0 100 140"><use href="#face"></use></svg
    >${corner('index', value, index)}<svg class="emblem" aria-hidden="true" viewBox="0 0 100 100"><use href=${emblem}></use></svg
    ><span class="large-number" aria-hidden="true">${value}</span>${corner('index opposite-index', value, index)}</span
  >`;
}

/**
 * The back of a card.
 * @param {{ compact?: boolean, label?: string | undefined }} [options]
 */
export function back({ compact = false, label = t('card.faceDown') } = {}) {
  return html`<span class=${compact ? 'card back mini' : 'card back'} role="img" aria-label=${label}
    ><svg class="card-art" aria-hidden="true" viewBox="0 0 100 140"><use href="#backside"></use></svg
  ></span>`;
}

/**
 * A card held by a pin.
 * @param {Card} card
 * @param {{ isDecorative?: boolean }} [options]
 */
export function pinned(card, { isDecorative = false } = {}) {
  return html`<span class="pinned"
    >${face(card, { compact: true, isDecorative })}<svg class="pin" aria-hidden="true" viewBox="0 0 22 26"><use href="#pin"></use></svg
  ></span>`;
}

/**
 * The chip of a colour. Its name stands beside it.
 * @param {string} colour
 */
export function chip(colour) {
  return html`<span class=${`chip ${colour}`} aria-hidden="true"
    ><svg aria-hidden="true" viewBox="0 0 100 100"><use href=${symbolIds(colour, 1).index}></use></svg
  ></span>`;
}

/** A small pile of cards: the tricks that a seat has taken. */
export const pile = html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="M7 7.5h10.5v13H7ZM4.5 17V4.500h10" /></svg>`;

/**
 * The ids of the symbols of a colour: in the corner and in the middle. The symbol of grey has holes, which do not go with a number
 * in the middle or with the outline of a zero.
 * @param {string} colour
 * @param {number} value
 */
function symbolIds(colour, value) {
  if (colour !== 'grey') {
    return { index: `#symbol-${colour}`, emblem: `#symbol-${colour}` };
  }
  return value === 0
    ? { index: '#symbol-ring', emblem: '#symbol-ring' }
    : { index: '#symbol-grey-index', emblem: '#symbol-grey' };
}

/**
 * @param {string} className
 * @param {number} value
 * @param {string} symbol
 */
const corner = (className, value, symbol) =>
  html`<span class=${className} aria-hidden="true"
    ><i>${value}</i><svg aria-hidden="true" viewBox="0 0 100 100"><use href=${symbol}></use></svg
  ></span>`;
