// The cards of a seat that the other seats do not know: their marks in a hand, and the line about them.

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { icon } from '../icons.js';
import { face } from './card-drawing.js';
import { gameTableOf } from './display.js';

/** @import { Display, HiddenCards } from '../game.js' */
/** @import { Card, Seat } from '../protocol.js' */
/** @import { PlayState } from '../types.js' */

/**
 * The cards that the other seats do not know, by the game.
 * @param {Seat} seat
 * @param {Display} display
 * @param {PlayState} state
 */
export const hiddenCards = (seat, display, state) =>
  gameTableOf(state.room).hiddenCards?.(seat, display, state) ?? null;

/**
 * The cards of a hand, with marks for the card that lies in the trick and for hidden ones. Of equal cards one is marked.
 * @param {readonly Card[]} cards
 * @param {Card[]} played
 * @param {HiddenCards | null} hidden
 */
export function markedCards(cards, played, hidden) {
  const left = { played: [...played], hidden: hidden?.isInHand ? [...hidden.cards] : [] };
  const take = (/** @type {Card[]} */ from, /** @type {Card} */ card) =>
    from.includes(card) && from.splice(from.indexOf(card), 1).length > 0;
  return cards.map((card) => {
    if (take(left.played, card)) return smallCard(card, 'in-trick', t('watchers.inTrick'));
    return take(left.hidden, card) ? smallCard(card, 'hidden-card', hidden?.text ?? '') : smallCard(card);
  });
}

/**
 * @param {Card} card
 * @param {string} [mark] the class of its mark
 * @param {string} [text] the mark in words
 */
const smallCard = (card, mark = '', text = '') =>
  html`<li class=${mark}>${face(card, { compact: true })}${
    text ? html`<span class="visually-hidden"> ${text}</span>` : nothing
  }</li>`;

/**
 * A line about the cards that the other seats do not know.
 * @param {HiddenCards} hidden
 */
export const hiddenNote = ({ cards, isInHand, text }) =>
  html`<p class="hidden-note">
    ${icon('hidden')}${isInHand ? nothing : cards.map((card) => html`<span class="hidden-card">${face(card, { compact: true })}</span>`)}
    <span>${text}</span>
  </p>`;
