// The finished tricks of the round, as far as they may be looked at.

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { nameOrYou } from '../state.js';
import { face } from './card-drawing.js';
import { replaceOnChange } from './replace-on-change.js';

/** @import { Display } from '../game.js' */
/** @import { Card, FinishedTrick } from '../protocol.js' */
/** @import { PlayState } from '../types.js' */

/**
 * The title of the list of tricks: all of them, or only the last.
 * @param {Display} display
 * @returns {string}
 */
export const pastTricksTitle = ({ pastTricks }) => t(pastTricks.shown === 'all' ? 'play.history' : 'play.lastTrick');

/**
 * The tricks as rows of small cards, in the order in which they were played. The first card of a row led.
 * @param {Display} display
 * @param {PlayState} state
 * @param {object} [options]
 * @param {number} [options.max] how many at most
 * @param {boolean} [options.hasNames] whether the name of the player is under each card; otherwise only screen readers get it
 */
export function pastTricks(display, state, { max = Infinity, hasNames = false } = {}) {
  const { shown, tricks } = display.pastTricks;
  const classes = ['past-tricks', shown === 'all' ? 'all' : '', hasNames ? 'named' : ''].filter(Boolean).join(' ');
  if (tricks.length === 0) {
    return html`<p class=${`small muted ${classes}`}>${t(shown === 'none' ? 'play.history.off' : 'play.history.none')}</p>`;
  }
  return html`<ol class=${classes} reversed>
    ${tricks.slice(0, max).map(({ number, trick }) => replaceOnChange(`${display.round} ${number} ${hasNames}`, row(number, trick, display, state, hasNames)))}
  </ol>`;
}

/**
 * @param {number} number
 * @param {FinishedTrick} trick
 * @param {Display} display
 * @param {PlayState} state
 * @param {boolean} hasNames
 */
function row(number, trick, display, state, hasNames) {
  const taker = trick.taker ?? null;
  const index = taker === null ? -1 : (taker - trick.leader + display.seats) % display.seats;
  const nameAt = (/** @type {number} */ seat) => nameOrYou(state.room, seat, display.ownSeat, t);
  const name = taker === null ? t('play.nobody') : nameAt(taker);
  const play = (/** @type {Card} */ card, /** @type {number} */ at) => {
    const player = nameAt((trick.leader + at) % display.seats);
    const leads = at === 0 ? t('play.led', { name: player }) : player;
    return html`<span class="trick-card" title=${leads}
      ><span class="visually-hidden">${leads}: </span>${face(card, { compact: true, isWinning: at === index })}${
        hasNames
          ? html`<small aria-hidden="true">${player}${at === 0 ? html`<br />${t('tag.lead')}` : nothing}</small>`
          : nothing
      }</span
    >`;
  };
  return html`<li>
    <span class="number">${number}</span>${trick.cards.map(play)}<span class="taker"
      ><span class="visually-hidden">${taker === null ? nothing : `${t('play.takenBy')} `}</span>${name}</span
    >
  </li>`;
}
