// The hands of all seats, for a spectator whom all seats allow to see them: that of the seat at the bottom in the tray, and all of
// them in a dialog.

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { dialog } from '../dialog.js';
import { t } from '../i18n.js';
import { icon } from '../icons.js';
import { nameOf } from '../state.js';
import { face } from './card-drawing.js';
import { sortCards } from './card-text.js';
import { fromSouth } from './seating.js';

/** @import { Actions } from '../actions.js' */
/** @import { Display } from '../game.js' */
/** @import { Card, Seat } from '../protocol.js' */
/** @import { PlayState } from '../types.js' */

/** A hand with at most this many cards has space between them on a wide screen. */
const MAX_FEW = 8;

/**
 * The hand of a seat, sorted; null if this page is not shown it.
 * @param {Seat} seat
 * @param {PlayState} state
 * @returns {Card[] | null}
 */
function handOf(seat, { game }) {
  const own = game.view.hands?.[seat];
  return own ? sortCards([...own.hand]) : null;
}

/**
 * The hand of the seat at the bottom; nothing for other spectators.
 * @param {Display} display
 * @param {PlayState} state
 */
export function shownHand(display, state) {
  const cards = handOf(display.south, state);
  if (cards === null) return nothing;
  return html`<div class="hand">
    <ol
      aria-label=${t('watchers.handOf', { name: nameOf(state.room, display.south, t), n: cards.length })}
      data-count=${cards.length}
      ?data-few=${cards.length <= MAX_FEW}
    >
      ${cards.map((card) => html`<li>${face(card)}</li>`)}
    </ol>
  </div>`;
}

/**
 * The button that opens the dialog with all hands; nothing for other spectators.
 * @param {Display} display
 * @param {PlayState} state
 * @param {Actions} actions
 */
export function allHandsButton(display, state, actions) {
  if (handOf(display.south, state) === null) return nothing;
  return html`<button class="btn compact" type="button" @click=${() => actions.open('hands')}>
    ${icon('people')} ${t('watchers.hands')}
  </button>`;
}

/**
 * The dialog with the hands of all seats.
 * @param {Display} display
 * @param {PlayState} state
 * @param {() => void} close
 */
export function allHands(display, state, close) {
  const hands = fromSouth(display).map((seat) => ({
    name: nameOf(state.room, seat, t),
    cards: handOf(seat, state) ?? [],
  }));
  return dialog(state, {
    title: t('watchers.hands'),
    close,
    isBottomSheet: true,
    name: 'hands',
    body: html`${hands.map(
      ({ name, cards }) =>
        html`<section class="all-hands">
          <h4>${name}</h4>
          <ol aria-label=${t('watchers.handOf', { name, n: cards.length })}>
            ${cards.map((card) => html`<li>${face(card, { compact: true })}</li>`)}
          </ol>
        </section>`,
    )}`,
  });
}
