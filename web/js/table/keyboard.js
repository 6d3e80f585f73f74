/** The keyboard at the table. */

import { t } from '../i18n.js';
import { cardKeys } from '../state.js';
import { COLOURS, cardName, cardOf, parts } from './cards.js';
import { nameOf } from './format.js';
import { focusCard, focusedPlace, mayAct } from './hand.js';
import { openTricks } from './history.js';
import { spoken } from './seats.js';
import { fromYou } from './side-column.js';
import { sentence } from './status-line.js';

/** @import { Actions, Shown, State } from './types.js' */

/** @type {{ now: Shown, state: State, actions: Actions } | null} */
let table = null;

/**
 * From now on keys act on this table.
 * @param {Shown} now
 * @param {State} state
 * @param {Actions} actions
 */
export function listen(now, state, actions) {
  if (!table) {
    document.addEventListener('keydown', onKey);
  }
  table = { now, state, actions };
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  const { target, key } = event;
  const isElsewhere =
    !document.querySelector('.tray, [data-screen]') || document.querySelector('dialog[open], [role="dialog"]');
  if (!table || isElsewhere || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) {
    return;
  }
  if (target instanceof Element && target.closest('input, select, textarea, [contenteditable]')) {
    return;
  }
  const scrolls = target instanceof Element && target.closest('.scroll-x, .chat-lines');
  if ((!scrolls && inHand(key, table)) || (mayUse(key, table.state) && byLetter(key, table))) {
    event.preventDefault();
  }
}

/**
 * Keys that choose a card, or put one back.
 * @param {string} key
 * @param {{ now: Shown, state: State, actions: Actions }} table
 * @returns {boolean} Whether it was one.
 */
function inHand(key, { now, state, actions }) {
  if (now.hand.length === 0 || now.kind === 'over') {
    return false;
  }
  const place = focusedPlace();
  const last = now.hand.length - 1;
  const lifted = cardKeys(now.hand).indexOf(state.lifted[0]);
  const from = place >= 0 ? place : lifted;
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
      if (state.lifted.length === 0 || state.sending || !mayAct(now, state)) {
        return false;
      }
      actions.lift([]);
      return true;
    default:
      return false;
  }
}

/**
 * Whether a key of one character may be used: the setting can forbid it where the focus is not on
 * the hand.
 * @param {string} key
 * @param {State} state
 */
function mayUse(key, state) {
  return state.settings?.letterKeys !== false || (/^[1-6]$/.test(key) && focusedPlace() >= 0);
}

/**
 * @param {string} key
 * @param {{ now: Shown, state: State, actions: Actions }} table
 * @returns {boolean} Whether it was one of the keys.
 */
function byLetter(key, { now, state, actions }) {
  if (/^[1-6]$/.test(key)) {
    return jump(now.game.colours(state.room.options)[Number(key) - 1], now);
  }
  switch (key.toLowerCase()) {
    case 'h':
      actions.open('history');
      return true;
    case 's':
      actions.open('scores');
      return true;
    case 't':
      say(aloud(now, state));
      return true;
    case 'm':
      actions.set({ sound: !state.settings.sound });
      return true;
    case '?':
      actions.open('keys');
      return true;
    default:
      return false;
  }
}

/**
 * Goes to the first card of a colour, or, from a card of it, to the next.
 * @param {string} colour
 * @param {Shown} now
 */
function jump(colour, now) {
  const places = now.hand.flatMap((card, place) => (parts(card).colour === colour ? [place] : []));
  if (!COLOURS.includes(colour) || places.length === 0) {
    return false;
  }
  const from = focusedPlace();
  focusCard(places.find((place) => place > from && places.includes(from)) ?? places[0]);
  return true;
}

/**
 * The whole table in words.
 * @param {Shown} now
 * @param {State} state
 * @returns {string}
 */
export function aloud(now, state) {
  const { strong, text } = sentence(now, state, t);
  const { trick } = now;
  const order = trick ? trick.cards.map((_, step) => (trick.leader + step) % now.seats) : [];
  const cards = order.map((seat) => {
    const card = trick ? cardOf(trick, seat, now.seats) : undefined;
    const name = seat === now.you ? t('play.you') : nameOf(state.room, seat, t);
    return card ? `${name}: ${cardName(card, t)}.` : '';
  });
  const people = fromYou(now).map((seat) => `${spoken(seat, now, state)}.`);
  const newest = openTricks(now)[0]?.trick;
  const last = newest ? t('play.lastWas', { cards: newest.cards.map((card) => cardName(card, t)).join(', ') }) : '';
  return [strong, text, ...cards, ...people, last].filter(Boolean).join(' ');
}

/** @param {string} text */
function say(text) {
  const line = document.querySelector('[data-spoken]');
  if (line) {
    line.textContent = '';
    setTimeout(() => (line.textContent = text), 50);
  }
}
