// The own hand: a tap lifts a card, another tap plays it.

import { repeat } from '../../vendor/lit-html/directives/repeat.js';
import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { icon } from '../icons.js';
import { cardKeys, cardOfKey } from '../state.js';
import { face } from './card-drawing.js';
import { cardName } from './card-text.js';
import { gameTableOf } from './display.js';

/** @import { Actions } from '../actions.js' */
/** @import { Display } from '../game.js' */
/** @import { PlayState } from '../types.js' */

/** A card cannot be played for this long after it was lifted, so that a double tap does not play it. */
const DOUBLE_TAP_MS = 250;

/** A hand with at most this many cards has space between them on a wide screen. */
export const MAX_FEW = 8;

/** The card with the tabindex 0 (roving tabindex), and its index if the card leaves the hand. */
let current = { key: '', index: 0 };
/** When a card was lifted last. */
let liftedAt = -Infinity;

/**
 * The cards of the own hand as buttons, of which the Tab key reaches one.
 * @param {Display} display
 * @param {PlayState} state
 * @param {Actions} actions
 */
export function hand(display, state, actions) {
  const keys = cardKeys(display.hand);
  const reached = keys.indexOf(current.key);
  const tabStop = Math.min(reached < 0 ? current.index : reached, keys.length - 1);
  keepFocus(keys);
  return html`<div class="hand">
    <ol aria-label=${t('play.hand', { n: keys.length })} data-count=${keys.length} ?data-few=${keys.length <= MAX_FEW}>
      ${repeat(
        keys,
        (key) => key,
        (key, index) => cardButton(key, index, index === tabStop, display, state, actions),
      )}
    </ol>
  </div>`;
}

/**
 * Makes the move of the button in the tray, unless a card was lifted only just now.
 * @param {Display} display
 * @param {PlayState} state
 * @param {Actions} actions
 */
export function pressTrayButton(display, state, actions) {
  const { action } = gameTableOf(state.room).trayButton(display, state);
  if (action && !state.pendingMove && canAct(display, state) && performance.now() - liftedAt >= DOUBLE_TAP_MS) {
    void actions.act(action);
  }
}

/**
 * Whether cards of the hand can be lifted.
 * @param {Display} display
 * @param {PlayState} state
 */
export const canLift = (display, state) => display.maxLifted > 0 && canAct(display, state);

/**
 * Whether anything can be done at the table.
 * @param {Display} display
 * @param {PlayState} state
 */
export const canAct = ({ isPaused }, { connection }) => connection.status === 'open' && !isPaused;

/**
 * Moves the focus to a card of the hand.
 * @param {number} index
 */
export function focusCard(index) {
  const buttons = [...document.querySelectorAll('.hand .card-button')];
  const button = buttons[Math.min(Math.max(0, index), buttons.length - 1)];
  if (!(button instanceof HTMLElement)) return;
  for (const other of buttons) other.setAttribute('tabindex', other === button ? '0' : '-1');
  current = { key: button.dataset.key ?? '', index: buttons.indexOf(button) };
  button.focus();
}

/** The index of the card that has the focus; -1 if none has. */
export function focusedIndex() {
  return [...document.querySelectorAll('.hand .card-button')].indexOf(/** @type {Element} */ (document.activeElement));
}

/**
 * @param {string} key
 * @param {number} index
 * @param {boolean} isTabStop whether the Tab key reaches it
 * @param {Display} display
 * @param {PlayState} state
 * @param {Actions} actions
 */
function cardButton(key, index, isTabStop, display, state, actions) {
  const card = cardOfKey(key);
  const gameTable = gameTableOf(state.room);
  const isLifted = state.lifted.includes(key);
  const isSent = isLifted && state.pendingMove !== null;
  const reason = gameTable.whyNotLifted(card, display);
  const isDisabled = !canLift(display, state) || state.pendingMove !== null || reason !== null;
  const hasHints = state.settings.hints && display.kind === 'trick' && display.yours;
  const wouldWin = hasHints && !reason && (display.trick?.cards.length ?? 0) > 0 && display.hints.get(card)?.winning;
  const marks = gameTable.marks(card, display);
  const label = [cardName(card, t), ...marks.words].join(', ');
  return html`<li>
    <button
      type="button"
      class=${['card-button', isSent ? 'sent' : '', reason ? 'unplayable' : ''].filter(Boolean).join(' ')}
      data-card=${card}
      data-key=${key}
      aria-pressed=${isLifted ? 'true' : 'false'}
      aria-disabled=${isDisabled ? 'true' : nothing}
      aria-label=${wouldWin ? t('play.wouldWin', { card: label }) : label}
      tabindex=${isTabStop ? '0' : '-1'}
      @click=${() => onTap(key, index, display, state, actions)}
      @keydown=${preventRepeat}
    >
      ${face(card, { isDecorative: true, isOverlapped: true })}${marks.drawn}${wouldWin ? html`<span class="card-sign hint up">${icon('up')}</span>` : nothing}
    </button>
  </li>`;
}

/**
 * @param {string} key
 * @param {number} index
 * @param {Display} display
 * @param {PlayState} state
 * @param {Actions} actions
 */
function onTap(key, index, display, state, actions) {
  current = { key, index };
  if (!canLift(display, state) || state.pendingMove) return;
  const gameTable = gameTableOf(state.room);
  const reason = gameTable.whyNotLifted(cardOfKey(key), display);
  if (reason) {
    actions.toast(reason.key, reason.args, 'warn');
    return;
  }
  if (state.lifted.includes(key)) {
    const { action } = gameTable.trayButton(display, state);
    if (action && display.maxLifted === 1) {
      pressTrayButton(display, state, actions);
    } else if (performance.now() - liftedAt >= DOUBLE_TAP_MS) {
      actions.lift(state.lifted.filter((other) => other !== key));
    }
    return;
  }
  liftedAt = performance.now();
  if (state.hold) actions.endHold();
  actions.lift([...state.lifted, key].slice(-display.maxLifted));
  const action = display.legal.get(cardOfKey(key));
  // Other moves than plays are for the whole round, so they have to be confirmed.
  if (state.settings.oneTap && action?.type === 'play') void actions.act(action);
}

/**
 * Ignores the repetitions of a key that is held down: it lifts a card, and does not play it.
 * @param {KeyboardEvent} event
 */
export function preventRepeat(event) {
  if (event.repeat && (event.key === 'Enter' || event.key === ' ')) event.preventDefault();
}

/**
 * When the card that has the focus leaves the hand, the card at its index gets the focus.
 * @param {readonly string[]} keys
 */
function keepFocus(keys) {
  const focused = document.activeElement;
  const key = focused instanceof HTMLElement && focused.matches('.hand .card-button') ? focused.dataset.key : '';
  if (key && !keys.includes(key)) queueMicrotask(() => focusCard(current.index));
}
