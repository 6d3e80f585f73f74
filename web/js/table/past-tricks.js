// The finished tricks of the round, as far as they may be looked at.

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { nameOrYou } from '../state.js';
import { face } from './card-drawing.js';
import { replaceOnChange } from './replace-on-change.js';

/** @import { Display } from '../game.js' */
/** @import { FinishedTrick } from '../protocol.js' */
/** @import { PlayState } from '../types.js' */

/**
 * The title of the list of tricks: all of them, or only the last.
 * @param {Display} display
 * @returns {string}
 */
export const pastTricksTitle = ({ pastTricks }) => t(pastTricks.shown === 'all' ? 'play.history' : 'play.lastTrick');

/**
 * The tricks as rows of small cards, in the order in which they were played.
 * @param {Display} display
 * @param {PlayState} state
 * @param {number} [max] how many at most
 */
export function pastTricks(display, state, max = Infinity) {
  const { shown, tricks } = display.pastTricks;
  const classes = shown === 'all' ? 'past-tricks all' : 'past-tricks';
  if (tricks.length === 0) {
    return html`<p class=${`small muted ${classes}`}>${t(shown === 'none' ? 'play.history.off' : 'play.history.none')}</p>`;
  }
  return html`<ol class=${classes} reversed>
    ${tricks.slice(0, max).map(({ number, trick }) => replaceOnChange(`${display.round} ${number}`, row(number, trick, display, state)))}
  </ol>`;
}

/**
 * @param {number} number
 * @param {FinishedTrick} trick
 * @param {Display} display
 * @param {PlayState} state
 */
function row(number, trick, display, state) {
  const taker = trick.taker ?? null;
  const index = taker === null ? -1 : (taker - trick.leader + display.seats) % display.seats;
  const name = taker === null ? t('play.nobody') : nameOrYou(state.room, taker, display.ownSeat, t);
  return html`<li>
    <span class="number">${number}</span>${trick.cards.map((card, at) =>
      face(card, { compact: true, isWinning: at === index }),
    )}<span class="taker"><span class="visually-hidden">${taker === null ? nothing : `${t('play.takenBy')} `}</span>${name}</span>
  </li>`;
}
