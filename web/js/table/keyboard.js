// The keyboard at the table.

import { focusChat } from '../chat.js';
import { gameOf } from '../games.js';
import { t } from '../i18n.js';
import { cardKeys, mayAskForMoreTime, nameOrYou } from '../state.js';
import { cardName, cardOf, parseCard } from './card-text.js';
import { canAct, focusCard, focusedIndex } from './hand.js';
import { fromSouth } from './seating.js';
import { plateLabel } from './seats.js';
import { statusLine } from './status-line.js';

/** @import { Actions } from '../actions.js' */
/** @import { Display } from '../game.js' */
/** @import { PlayState } from '../types.js' */

/** The delay before a text is put into a live region. */
const SPEAK_DELAY_MS = 50;

/** The key that asks for more time. */
const MORE_TIME_KEY = 'w';
/** The fields in which letters are typed or choose something. */
const LETTER_FIELDS = 'input:not([type=checkbox], [type=radio], [type=range]), select, textarea, [contenteditable]';

/** @type {{ display: Display, state: PlayState, actions: Actions } | null} */
let latest = null;

/**
 * Makes the keys act on this table.
 * @param {Display} display
 * @param {PlayState} state
 * @param {Actions} actions
 */
export function enableKeyboard(display, state, actions) {
  if (!latest) {
    document.addEventListener('keydown', onKey);
  }
  latest = { display, state, actions };
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  const { target, key } = event;
  const isAtTable = document.querySelector('.tray:not([data-replay]), [data-screen]');
  if (!latest || !isAtTable || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) {
    return;
  }
  if (key.toLowerCase() === MORE_TIME_KEY) {
    if (onMoreTimeKey(target, latest)) event.preventDefault();
    return;
  }
  if (document.querySelector('dialog[open], [role="dialog"]')) {
    return;
  }
  if (target instanceof Element && target.closest('input, select, textarea, [contenteditable]')) {
    return;
  }
  const scrolls = target instanceof Element && target.closest('.scroll-x, .chat-lines');
  if ((!scrolls && onHandKey(key, latest)) || (isAllowed(key, latest.state) && onLetterKey(key, latest))) {
    event.preventDefault();
  }
}

/**
 * Handles the key that asks for more time. It acts over a dialog too: the warning can come while one is open.
 * @param {EventTarget | null} target
 * @param {{ state: PlayState, actions: Actions }} table
 * @returns {boolean} whether more time was asked for
 */
function onMoreTimeKey(target, { state, actions }) {
  const isTyping = target instanceof Element && target.closest(LETTER_FIELDS) !== null;
  if (isTyping || !state.settings.letterKeys || !mayAskForMoreTime(state)) return false;
  void actions.askForMoreTime();
  return true;
}

/**
 * Handles the keys that choose a card or put one down.
 * @param {string} key
 * @param {{ display: Display, state: PlayState, actions: Actions }} table
 * @returns {boolean} whether it was one of them
 */
function onHandKey(key, { display, state, actions }) {
  if (display.hand.length === 0 || display.kind === 'round_end') {
    return false;
  }
  const index = focusedIndex();
  const last = display.hand.length - 1;
  const lifted = cardKeys(display.hand).indexOf(state.lifted[0]);
  const from = index >= 0 ? index : lifted;
  switch (key) {
    case 'ArrowLeft':
      focusCard(from < 0 ? last : Math.max(0, from - 1));
      return true;
    case 'ArrowRight':
      focusCard(from < 0 ? 0 : Math.min(last, from + 1));
      return true;
    case 'Home':
      focusCard(0);
      return true;
    case 'End':
      focusCard(last);
      return true;
    case 'Escape':
      if (state.lifted.length === 0 || state.pendingMove || !canAct(display, state)) {
        return false;
      }
      actions.lift([]);
      return true;
    default:
      return false;
  }
}

/**
 * Whether a key of one character may be used. The setting can forbid such keys; digits work while the hand has the focus.
 * @param {string} key
 * @param {PlayState} state
 */
function isAllowed(key, state) {
  return state.settings.letterKeys || (/^[1-6]$/.test(key) && focusedIndex() >= 0);
}

/**
 * Handles the keys of one character.
 * @param {string} key
 * @param {{ display: Display, state: PlayState, actions: Actions }} table
 * @returns {boolean} whether it was one of them
 */
function onLetterKey(key, { display, state, actions }) {
  if (/^[1-6]$/.test(key)) {
    return focusColour(gameOf(state.room).colours(state.room.options)[Number(key) - 1], display);
  }
  switch (key.toLowerCase()) {
    case 'h':
      actions.open('past_tricks');
      return true;
    case 'l':
      actions.openLog();
      return true;
    case 's':
      actions.open('scores');
      return true;
    case 't':
      speak(tableText(display, state));
      return true;
    case 'c':
      if (!focusChat('line')) actions.open('chat', 'line');
      return true;
    case 'r':
      if (!focusChat('reactions')) actions.open('chat', 'reactions');
      return true;
    case 'm':
      actions.changeSettings({ sound: !state.settings.sound });
      return true;
    case '?':
      actions.open('keys');
      return true;
    default:
      return false;
  }
}

/**
 * Moves the focus to the first card of a colour; from a card of the colour to the next one.
 * @param {string | undefined} colour
 * @param {Display} display
 */
function focusColour(colour, display) {
  const indexes = display.hand.flatMap((card, index) => (parseCard(card).colour === colour ? [index] : []));
  if (indexes.length === 0) {
    return false;
  }
  const from = focusedIndex();
  focusCard(indexes.find((index) => index > from && indexes.includes(from)) ?? indexes[0]);
  return true;
}

/**
 * The whole table in words, for people who do not see it.
 * @param {Display} display
 * @param {PlayState} state
 * @returns {string}
 */
function tableText(display, state) {
  const { strong, text } = statusLine(display, state, t);
  const { trick } = display;
  const order = trick ? trick.cards.map((_, step) => (trick.leader + step) % display.seats) : [];
  const cards = order.map((seat) => {
    const card = trick ? cardOf(trick, seat, display.seats) : undefined;
    const name = nameOrYou(state.room, seat, display.ownSeat, t);
    return card ? `${name}: ${cardName(card, t)}.` : '';
  });
  const people = fromSouth(display).map((seat) => `${plateLabel(seat, display, state)}.`);
  const newest = display.pastTricks.tricks[0]?.trick;
  const last = newest ? t('play.lastWas', { cards: newest.cards.map((card) => cardName(card, t)).join(', ') }) : '';
  return [strong, text, ...cards, ...people, last].filter(Boolean).join(' ');
}

/**
 * Lets screen readers read out a text.
 * @param {string} text
 */
function speak(text) {
  const region = document.querySelector('[data-spoken]');
  if (!region) return;
  // Screen readers read the same text again only if it was removed before.
  region.textContent = '';
  setTimeout(() => {
    region.textContent = text;
  }, SPEAK_DELAY_MS);
}
