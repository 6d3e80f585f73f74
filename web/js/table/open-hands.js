// The hands of all seats, with the cards that lie in the trick, for an observer who knows them. Cards that the other seats do not
// know at this time are marked.

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { icon } from '../icons.js';
import { nameOf } from '../state.js';
import { face } from './card-drawing.js';
import { cardOf, sortCards } from './card-text.js';
import { cardsOfSeat, gameTableOf } from './display.js';
import { signed } from './format.js';
import { fromSouth } from './seating.js';

/** @import { Display, HiddenCards } from '../game.js' */
/** @import { Card, Seat } from '../protocol.js' */
/** @import { PlayState } from '../types.js' */

/**
 * The hands of all seats; nothing for an observer who does not know them.
 * @param {Display} display
 * @param {PlayState} state
 */
export function allHands(display, state) {
  if (cardsOfSeat(display.south, state) === null) return nothing;
  return html`<ul class="open-hands">
    ${fromSouth(display).map((seat) => handOf(seat, display, state))}
  </ul>`;
}

/**
 * @param {Seat} seat
 * @param {Display} display
 * @param {PlayState} state
 */
function handOf(seat, display, state) {
  const name = nameOf(state.room, seat, t);
  const hand = cardsOfSeat(seat, state) ?? [];
  const played = display.trick ? (cardOf(display.trick, seat, display.seats) ?? null) : null;
  const hidden = hiddenCards(seat, display, state);
  const cards = sortCards(played === null ? hand : [...hand, played]);
  const points = display.running?.points[seat];
  return html`<li>
    <p class="row space-between"><b>${name}</b>${points === undefined ? nothing : html`<span class="muted">${signed(points)}</span>`}</p>
    <ol aria-label=${t('watchers.handOf', { name, n: hand.length })}>
      ${marked(cards, played === null ? [] : [played], hidden)}
    </ol>
    ${hidden ? hiddenNote(hidden) : nothing}
  </li>`;
}

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
export function marked(cards, played, hidden) {
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
