// The status line: the sentence above the hand that tells the state. It is announced to screen readers too.

import { nameOf } from '../state.js';
import { cardName, cardOf } from './card-text.js';
import { gameTableOf } from './display.js';
import { capital } from './format.js';

/** @import { Display, StatusLine } from '../game.js' */
/** @import { Translate } from '../i18n.js' */
/** @import { PlayState, RoomState, State } from '../types.js' */

/** @typedef {{ room: Pick<RoomState, 'chairs'> } & Pick<State, 'pendingMove'>} LineState the part of a state for lines of tricks */
/** @typedef {Pick<Display, 'yours' | 'toAct' | 'trick' | 'seats' | 'ownSeat'>} LineDisplay */

/**
 * The status line: the seat to act, the winning seat and card, and the effect of the lifted card.
 * @param {Display} display
 * @param {PlayState} state
 * @param {Translate} t
 * @returns {StatusLine}
 */
export function statusLine(display, state, t) {
  const isResting = display.isPaused && !state.hold;
  const { strong, text } = isResting
    ? { strong: t('refused.paused'), text: '' }
    : gameTableOf(state.room).statusLine(display, state, t);
  return display.ownSeat === null ? { strong: t('watch.title'), text: joinSentences(strong, text) } : { strong, text };
}

/**
 * The line about a trick while a card is on its way or another seat must play; null if it is the own turn.
 * @param {LineDisplay} display
 * @param {LineState} state
 * @param {Translate} t
 * @returns {StatusLine | null}
 */
export function waitingLine(display, state, t) {
  if (state.pendingMove?.card) {
    return { strong: t('trick.sending', { card: capital(cardName(state.pendingMove.card, t)) }), text: '' };
  }
  if (display.yours) return null;
  const seat = display.toAct[0];
  const isNew = (display.trick?.cards.length ?? 0) === 0;
  const strong =
    seat === undefined ? '' : t(isNew ? 'play.leads' : 'turn.other', { name: nameOf(state.room, seat, t) });
  return { strong, text: winningText(display, state, t) };
}

/**
 * The winning seat of the trick on the table, with its card.
 * @param {LineDisplay} display
 * @param {LineState} state
 * @param {Translate} t
 * @returns {string}
 */
export function winningText({ trick, seats, ownSeat }, state, t) {
  if (!trick || trick.cards.length === 0) return '';
  const seat = trick.winning;
  const card = seat === undefined ? undefined : cardOf(trick, seat, seats);
  if (seat === undefined || card === undefined) return t('play.nobodyWins');
  const args = { name: nameOf(state.room, seat, t), card: cardName(card, t) };
  return t(seat === ownSeat ? 'play.winning.you' : 'trick.winning', args);
}

/**
 * Sentences one after the other, without those that are empty.
 * @param {string[]} texts
 */
export const joinSentences = (...texts) => texts.filter(Boolean).join(' ');
