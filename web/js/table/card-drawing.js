// The drawings of cards: faces, backs, pinned cards, the chips of colours, a pile.

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { cardList, cardName, parseCard } from './card-text.js';

/** @import { Card } from '../protocol.js' */

/**
 * The paths of the symbols by their names. Grey has one symbol for the corner and one for the middle: the holes of the first
 * would clash with the large number. A face contains its paths. With `<use>` the browser would keep a copy of a symbol and of
 * its style for each face. The inner `<svg>` of a face clips the drawing.
 */
const SYMBOLS = {
  red: 'M50 92C18 68 4 50 4 31C4 16 16 5 29 5C38 5 46 10 50 18C54 10 62 5 71 5C84 5 96 16 96 31C96 50 82 68 50 92Z',
  orange: 'M50 14Q54 14 57 18L97 78Q100 83 97 87Q95 90 90 90L10 90Q5 90 3 87Q0 83 3 78L43 18Q46 14 50 14Z',
  yellow:
    'M50.0 1.0L63.8 16.7L84.6 15.4L83.3 36.2L99.0 50.0L83.3 63.8L84.6 84.6L63.8 83.3L50.0 99.0L36.2 83.3L15.4 84.6L16.7 63.8L1.0 50.0L16.7 36.2L15.4 15.4L36.2 16.7Z',
  green:
    'M50 4a23 23 0 0 1 19.500 35.200a23 23 0 1 1-12.500 35.600c.4 8 2.500 13.700 7 20.200H36c4.500-6.500 6.600-12.200 7-20.200a23 23 0 1 1-12.500-35.600A23 23 0 0 1 50 4Z',
  blue: 'M50 2C58 16 86 42 86 63.500A36 36 0 0 1 14 63.500C14 42 42 16 50 2Z',
  purple: 'M50 2Q53 2 55 5L91 46Q94 50 91 54L55 95Q53 98 50 98Q47 98 45 95L9 54Q6 50 9 46L45 5Q47 2 50 2Z',
  grey: 'M50 2a48 48 0 1 1 0 96a48 48 0 0 1 0-96ZM50 10a40 40 0 1 0 0 80a40 40 0 1 0 0-80ZM50 13.500a36.500 36.500 0 1 1 0 73a36.500 36.500 0 1 1 0-73Z',
  greyIndex:
    'M50 2a48 48 0 1 1 0 96a48 48 0 0 1 0-96ZM35 25a10 10 0 1 0 .01 0ZM65 25a10 10 0 1 0 .01 0ZM35 55a10 10 0 1 0 .01 0ZM65 55a10 10 0 1 0 .01 0Z',
  ring: 'M95 50A45 45 0 1 1 5 50A45 45 0 1 1 95 50Z',
};

/**
 * The face of a card.
 * @param {Card} card
 * @param {object} [options]
 * @param {boolean} [options.compact] a small face
 * @param {boolean} [options.isDecorative] without a label, since something around it has one
 * @param {boolean} [options.isWinning] whether it wins its trick
 * @param {boolean} [options.isOverlapped] without the number in the lower corner, since the next card covers it
 */
export function face(card, { compact = false, isDecorative = false, isWinning = false, isOverlapped = false } = {}) {
  const { colour, value } = parseCard(card);
  const { index, emblem } = symbolPaths(colour, value);
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
    ><svg class="card-art" aria-hidden="true" viewBox="0 0 100 140"><svg viewBox="0 0 100 140"><rect class="face-stock" x=".5" y=".5" width="99" height="139" rx="8.500"/><rect class="face-panel" x="4.500" y="4.500" width="91" height="131" rx="5.500"/><path class="face-weave" d="M5 20 20 5M5 40 40 5M5 60 60 5M5 80 80 5M5 100 95 10M5 120 95 30M10 135 95 50M30 135 95 70M50 135 95 90M70 135 95 110"/><rect class="face-stitch" x="7.400" y="7.400" width="85.200" height="125.200" rx="4"/></svg></svg
    >${corner('index', value, index)}${compact ? nothing : middle(value, emblem)}${
      compact || isOverlapped ? nothing : corner('index opposite-index', value, index)
    }</span
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
 * A face-down card, or several of them, in front of another seat, for an observer who knows them: a back with small faces on it.
 * @param {readonly Card[]} cards at least one
 */
export function peeked(cards) {
  return html`${back({ label: t('card.faceDown.known', { cards: cardList(cards, t) }) })}<span class="peek" aria-hidden="true"
    >${cards.map((card) => face(card, { compact: true, isDecorative: true }))}</span
  >`;
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
    ><svg aria-hidden="true" viewBox="0 0 100 100"><path d=${symbolPaths(colour, 1).index} /></svg
  ></span>`;
}

/** A small pile of cards: the tricks that a seat has taken. */
export const pile = html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="M7 7.5h10.5v13H7ZM4.5 17V4.500h10" /></svg>`;

/**
 * The paths of the symbols of a colour: in the corner and in the middle.
 * @param {string} colour
 * @param {number} value
 */
function symbolPaths(colour, value) {
  if (colour !== 'grey') {
    const path = SYMBOLS[/** @type {keyof typeof SYMBOLS} */ (colour)];
    return { index: path, emblem: path };
  }
  return value === 0
    ? { index: SYMBOLS.ring, emblem: SYMBOLS.ring }
    : { index: SYMBOLS.greyIndex, emblem: SYMBOLS.grey };
}

/**
 * @param {string} className
 * @param {number} value
 * @param {string} path
 */
const corner = (className, value, path) =>
  html`<span class=${className} aria-hidden="true"
    ><i>${value}</i><svg aria-hidden="true" viewBox="0 0 100 100"><path d=${path} /></svg
  ></span>`;

/**
 * The emblem in the middle, with the large number.
 * @param {number} value
 * @param {string} path
 */
const middle = (value, path) =>
  html`<svg class="emblem" aria-hidden="true" viewBox="0 0 100 100"><path d=${path} /></svg
    ><span class="large-number" aria-hidden="true">${value}</span>`;
