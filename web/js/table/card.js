/** Cards and chips as they are drawn: faces, backs, the pinned card, the chip of a colour. */

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { cardName, parts } from './cards.js';

/**
 * The face of a card. It has its name as a label unless `quiet`, where something around it has.
 * @param {string} card
 * @param {{ compact?: boolean, quiet?: boolean, win?: boolean }} [how] `compact` is the small face.
 */
export function face(card, { compact = false, quiet = false, win = false } = {}) {
  const { colour, value } = parts(card);
  const { index, emblem } = symbols(colour, value);
  const classes = ['card', colour, value === 0 ? 'zero' : '', compact ? 'c mini' : '', win ? 'w' : ''];
  return html`<span
    class=${classes.filter(Boolean).join(' ')}
    role=${quiet ? nothing : 'img'}
    aria-label=${quiet ? nothing : cardName(card, t)}
    aria-hidden=${quiet ? 'true' : nothing}
    ><svg class="art" aria-hidden="true" viewBox="0 0 100 140"><use href="#face"></use></svg
    >${corner('ix', value, index)}<svg class="emb" aria-hidden="true" viewBox="0 0 100 100"><use href=${emblem}></use></svg
    ><span class="big" aria-hidden="true">${value}</span>${corner('ix ix2', value, index)}</span
  >`;
}

/**
 * The back of a card.
 * @param {{ compact?: boolean, label?: string }} [how]
 */
export function back({ compact = false, label = t('card.faceDown') } = {}) {
  return html`<span class=${compact ? 'card back mini' : 'card back'} role="img" aria-label=${label}
    ><svg class="art" aria-hidden="true" viewBox="0 0 100 140"><use href="#backside"></use></svg
  ></span>`;
}

/**
 * A card held by a pin: what somebody does not want this round.
 * @param {string} card
 * @param {{ quiet?: boolean }} [how]
 */
export function pinned(card, { quiet = false } = {}) {
  return html`<span class="pinned"
    >${face(card, { compact: true, quiet })}<svg class="pin" aria-hidden="true" viewBox="0 0 22 26"><use href="#pin"></use></svg
  ></span>`;
}

/**
 * The chip of a colour, without a name: that stands beside it.
 * @param {string} colour
 */
export function chip(colour) {
  return html`<span class=${`chip ${colour}`} aria-hidden="true"
    ><svg aria-hidden="true" viewBox="0 0 100 100"><use href=${symbols(colour, 1).index}></use></svg
  ></span>`;
}

/**
 * The symbols of a colour: in the corner and in the middle. That of grey has holes, which the
 * number in the middle and the outline of a zero could not bear.
 * @param {string} colour
 * @param {number} value
 */
function symbols(colour, value) {
  if (colour !== 'grey') {
    return { index: `#s-${colour}`, emblem: `#s-${colour}` };
  }
  return value === 0 ? { index: '#s-ring', emblem: '#s-ring' } : { index: '#p-grey', emblem: '#s-grey' };
}

/**
 * @param {string} place
 * @param {number} value
 * @param {string} symbol
 */
const corner = (place, value, symbol) =>
  html`<span class=${place} aria-hidden="true"
    ><i>${value}</i><svg aria-hidden="true" viewBox="0 0 100 100"><use href=${symbol}></use></svg
  ></span>`;
