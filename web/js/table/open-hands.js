// The hands of all seats, with the cards that lie in the trick, for an observer who knows them. Cards that the other seats do not
// know at this time are marked.

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { nameOf } from '../state.js';
import { cardOf, sortCards } from './card-text.js';
import { cardsOfSeat } from './display.js';
import { signed } from './format.js';
import { hiddenCards, hiddenNote, markedCards } from './hidden-cards.js';
import { fromSouth } from './seating.js';

/** @import { Display } from '../game.js' */
/** @import { Seat } from '../protocol.js' */
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
      ${markedCards(cards, played === null ? [] : [played], hidden)}
    </ol>
    ${hidden ? hiddenNote(hidden) : nothing}
  </li>`;
}
