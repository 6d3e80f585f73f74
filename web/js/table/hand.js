/** The own hand: lift, then play. */

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { repeat } from '../../vendor/lit-html/directives/repeat.js';
import { t } from '../i18n.js';
import { face } from './card.js';
import { icon } from '../icons.js';
import { cardName } from './words.js';

/** @import { Actions, State } from './types.js' */
/** @import { Shown } from './shown.js' */

/** A card cannot be played for this long after it was lifted, so that a double tap plays none. */
const STILL = 250;

/** The card that the keys have reached, and its place should it go. */
let current = { card: '', place: 0 };
/** When a card was lifted last. */
let liftedAt = -Infinity;

/**
 * The cards of the own hand as buttons in one line of keys.
 * @param {Shown} now
 * @param {State} state
 * @param {Actions} actions
 */
export function hand(now, state, actions) {
  const cards = now.hand;
  const reached = cards.indexOf(current.card);
  const stop = Math.min(reached < 0 ? current.place : reached, cards.length - 1);
  keepFocus(cards);
  return html`<div class="hand">
    <ol aria-label=${t('play.hand', { n: cards.length })}>
      ${repeat(
        cards,
        (card) => card,
        (card, place) => one(card, place, place === stop, now, state, actions),
      )}
    </ol>
  </div>`;
}

/**
 * Plays or lays down the lifted card, if that may be done and it was not lifted only now.
 * @param {Shown} now
 * @param {State} state
 * @param {Actions} actions
 */
export function play(now, state, actions) {
  const action = state.lifted ? now.legal.get(state.lifted) : undefined;
  if (action && !state.sending && isOpen(now, state) && performance.now() - liftedAt >= STILL) {
    actions.act(action);
  }
}

/**
 * Whether a card of the hand can be lifted.
 * @param {Shown} now
 * @param {State} state
 */
export function isOpen(now, state) {
  return state.link.status === 'open' && now.kind !== 'reveal' && !now.paused;
}

/**
 * Moves the focus to a card of the hand.
 * @param {number} place
 */
export function focusCard(place) {
  const buttons = [...document.querySelectorAll('.hand .cb')];
  const button = buttons[Math.min(Math.max(0, place), buttons.length - 1)];
  if (button instanceof HTMLElement) {
    for (const other of buttons) {
      other.setAttribute('tabindex', other === button ? '0' : '-1');
    }
    current = { card: button.dataset.card ?? '', place: buttons.indexOf(button) };
    button.focus();
  }
}

/** The place of the card that the keys have reached; -1 if the focus is elsewhere. */
export function focusedPlace() {
  return [...document.querySelectorAll('.hand .cb')].indexOf(/** @type {Element} */ (document.activeElement));
}

/**
 * @param {string} card
 * @param {number} place
 * @param {boolean} isStop
 * @param {Shown} now
 * @param {State} state
 * @param {Actions} actions
 */
function one(card, place, isStop, now, state, actions) {
  const isSent = state.sending?.card === card;
  const isLifted = isSent || state.lifted === card;
  const hints = state.settings?.hints !== false && now.kind === 'trick' && now.yours;
  const wouldWin = hints && (now.trick?.cards.length ?? 0) > 0 && now.hints.get(card)?.winning;
  const name = cardName(card, t);
  return html`<li>
    <button
      type="button"
      class=${isSent ? 'cb sent' : 'cb'}
      data-card=${card}
      aria-pressed=${isLifted ? 'true' : 'false'}
      aria-disabled=${isOpen(now, state) && !state.sending ? nothing : 'true'}
      aria-label=${wouldWin ? t('play.wouldLead', { card: name }) : name}
      tabindex=${isStop ? '0' : '-1'}
      @click=${() => tap(card, place, now, state, actions)}
      @keydown=${noRepeat}
    >
      ${face(card, { quiet: true })}${wouldWin ? html`<span class="hint up">${icon('up')}</span>` : nothing}
    </button>
  </li>`;
}

/**
 * @param {string} card
 * @param {number} place
 * @param {Shown} now
 * @param {State} state
 * @param {Actions} actions
 */
function tap(card, place, now, state, actions) {
  current = { card, place };
  if (!isOpen(now, state) || state.sending) {
    return;
  }
  const action = now.legal.get(card);
  if (state.lifted === card) {
    if (action) {
      play(now, state, actions);
    } else if (performance.now() - liftedAt >= STILL) {
      actions.lift(null);
    }
    return;
  }
  liftedAt = performance.now();
  if (state.pause) {
    actions.goOn();
  }
  actions.lift(card);
  // What is laid face down is for the whole round: that is always confirmed.
  if (state.settings?.oneTap && action?.type === 'play') {
    actions.act(action);
  }
}

/**
 * A key that is held down lifts, and does not play.
 * @param {KeyboardEvent} event
 */
function noRepeat(event) {
  if (event.repeat && (event.key === 'Enter' || event.key === ' ')) {
    event.preventDefault();
  }
}

/**
 * When the card that has the focus goes, the one that takes its place gets it.
 * @param {readonly string[]} cards
 */
function keepFocus(cards) {
  const focused = document.activeElement;
  const card = focused instanceof HTMLElement && focused.matches('.hand .cb') ? focused.dataset.card : '';
  if (card && !cards.includes(card)) {
    queueMicrotask(() => focusCard(current.place));
  }
}
