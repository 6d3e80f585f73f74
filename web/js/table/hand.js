/** The own hand: lift, then play. */

import { repeat } from '../../vendor/lit-html/directives/repeat.js';
import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { icon } from '../icons.js';
import { cardKeys, cardOfKey } from '../state.js';
import { face } from './card.js';
import { cardName } from './cards.js';

/** @import { Actions, Shown, State } from './types.js' */

/** A card cannot be played for this long after it was lifted, so that a double tap plays none. */
const STILL = 250;

/** The card that the keys have reached, by its name, and its place should it go. */
let current = { name: '', place: 0 };
/** When a card was lifted last. */
let liftedAt = -Infinity;

/**
 * The cards of the own hand as buttons in one line of keys.
 * @param {Shown} now
 * @param {State} state
 * @param {Actions} actions
 */
export function hand(now, state, actions) {
  const cards = cardKeys(now.hand);
  const reached = cards.indexOf(current.name);
  const stop = Math.min(reached < 0 ? current.place : reached, cards.length - 1);
  keepFocus(cards);
  return html`<div class="hand">
    <ol aria-label=${t('play.hand', { n: cards.length })}>
      ${repeat(
        cards,
        (name) => name,
        (name, place) => one(name, place, place === stop, now, state, actions),
      )}
    </ol>
  </div>`;
}

/**
 * Does what the button says, if that may be done and nothing was lifted only now.
 * @param {Shown} now
 * @param {State} state
 * @param {Actions} actions
 */
export function play(now, state, actions) {
  const { action } = now.game.button(now, state);
  if (action && !state.sending && mayAct(now, state) && performance.now() - liftedAt >= STILL) {
    actions.act(action);
  }
}

/**
 * Whether a card of the hand can be lifted.
 * @param {Shown} now
 * @param {State} state
 */
export function isOpen(now, state) {
  return now.most > 0 && mayAct(now, state);
}

/**
 * Whether anything can be done at the table.
 * @param {Shown} now
 * @param {State} state
 */
export const mayAct = (now, state) => state.link.status === 'open' && !now.paused;

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
    current = { name: button.dataset.name ?? '', place: buttons.indexOf(button) };
    button.focus();
  }
}

/** The place of the card that the keys have reached; -1 if the focus is elsewhere. */
export function focusedPlace() {
  return [...document.querySelectorAll('.hand .cb')].indexOf(/** @type {Element} */ (document.activeElement));
}

/**
 * @param {string} name
 * @param {number} place
 * @param {boolean} isStop
 * @param {Shown} now
 * @param {State} state
 * @param {Actions} actions
 */
function one(name, place, isStop, now, state, actions) {
  const card = cardOfKey(name);
  const isLifted = state.lifted.includes(name);
  const isSent = isLifted && state.sending !== null;
  const refusal = now.game.refuses(card, now);
  const isLocked = !isOpen(now, state) || state.sending !== null || refusal !== null;
  const hints = state.settings?.hints !== false && now.kind === 'trick' && now.yours;
  const wouldWin = hints && !refusal && (now.trick?.cards.length ?? 0) > 0 && now.hints.get(card)?.winning;
  const label = [cardName(card, t), ...now.game.marks(card, now).words].join(', ');
  return html`<li>
    <button
      type="button"
      class=${['cb', isSent ? 'sent' : '', refusal ? 'dim' : ''].filter(Boolean).join(' ')}
      data-card=${card}
      data-name=${name}
      aria-pressed=${isLifted ? 'true' : 'false'}
      aria-disabled=${isLocked ? 'true' : nothing}
      aria-label=${wouldWin ? t('play.wouldLead', { card: label }) : label}
      tabindex=${isStop ? '0' : '-1'}
      @click=${() => tap(name, place, now, state, actions)}
      @keydown=${noRepeat}
    >
      ${face(card, { quiet: true })}${now.game.marks(card, now).drawn}${wouldWin ? html`<span class="hint up">${icon('up')}</span>` : nothing}
    </button>
  </li>`;
}

/**
 * @param {string} name
 * @param {number} place
 * @param {Shown} now
 * @param {State} state
 * @param {Actions} actions
 */
function tap(name, place, now, state, actions) {
  current = { name, place };
  if (!isOpen(now, state) || state.sending) {
    return;
  }
  const refusal = now.game.refuses(cardOfKey(name), now);
  if (refusal) {
    actions.toast(refusal.key, refusal.args, 'warn');
    return;
  }
  if (state.lifted.includes(name)) {
    const { action } = now.game.button(now, state);
    if (action && now.most === 1) {
      play(now, state, actions);
    } else if (performance.now() - liftedAt >= STILL) {
      actions.lift(state.lifted.filter((other) => other !== name));
    }
    return;
  }
  liftedAt = performance.now();
  if (state.pause) {
    actions.goOn();
  }
  actions.lift([...state.lifted, name].slice(-now.most));
  const action = now.legal.get(cardOfKey(name));
  // What is laid face down is for the whole round: that is always confirmed.
  if (state.settings?.oneTap && action?.type === 'play') {
    actions.act(action);
  }
}

/**
 * A key that is held down lifts, and does not play.
 * @param {KeyboardEvent} event
 */
export function noRepeat(event) {
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
  const name = focused instanceof HTMLElement && focused.matches('.hand .cb') ? focused.dataset.name : '';
  if (name && !cards.includes(name)) {
    queueMicrotask(() => focusCard(current.place));
  }
}
