// The hands in a replay: those of all seats, with the cards that lie in the trick, or the one that a seat knew.

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { nameOf } from '../state.js';
import { face } from '../table/card-drawing.js';
import { cardOf, sortCards } from '../table/card-text.js';
import { cardsOfSeat } from '../table/display.js';
import { signed } from '../table/format.js';
import { fromSouth } from '../table/seating.js';

/** @import { Display } from '../game.js' */
/** @import { Card, Seat } from '../protocol.js' */
/** @import { PlayState } from '../types.js' */

/**
 * The hands of all seats; nothing for a perspective that does not know them.
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
  const cards = sortCards(played === null ? hand : [...hand, played]);
  const marked = played === null ? -1 : cards.indexOf(played);
  const points = display.running?.points[seat];
  return html`<li>
    <p class="row space-between"><b>${name}</b>${points === undefined ? nothing : html`<span class="muted">${signed(points)}</span>`}</p>
    <ol aria-label=${t('watchers.handOf', { name, n: hand.length })}>
      ${cards.map((card, at) => smallCard(card, at === marked))}
    </ol>
  </li>`;
}

/**
 * @param {Card} card
 * @param {boolean} isPlayed whether it lies in the trick
 */
const smallCard = (card, isPlayed) =>
  html`<li class=${isPlayed ? 'in-trick' : ''}>${face(card, { compact: true })}${
    isPlayed ? html`<span class="visually-hidden"> ${t('replay.inTrick')}</span>` : nothing
  }</li>`;

/**
 * The hand of the seat from which the table is seen; nothing where all hands are open, and for a spectator.
 * @param {Display} display
 */
export function ownHand({ ownSeat, hand }) {
  if (ownSeat === null) return nothing;
  return html`<ol class="replay-hand" aria-label=${t('play.hand', { n: hand.length })}>
    ${hand.map((card) => html`<li>${face(card, { compact: true })}</li>`)}
  </ol>`;
}
