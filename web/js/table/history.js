/** The finished tricks of this round, as far as they lie open. */

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { face } from './card.js';
import { nameOf } from './format.js';
import { anew } from './replace-on-change.js';

/** @import { FinishedTrick, Shown, State } from './types.js' */

/**
 * The tricks that may be looked at, with their numbers, the newest first.
 * @param {Shown} now
 * @returns {{ number: number, trick: FinishedTrick }[]}
 */
export function openTricks(now) {
  const { history = [], last_trick } = now.table;
  if (history.length > 0) {
    return history.map((trick, place) => ({ number: place + 1, trick })).reverse();
  }
  return last_trick ? [{ number: now.kind === 'taken' ? now.number : now.number - 1, trick: last_trick }] : [];
}

/**
 * What the list of tricks is called: all of them, or only the last.
 * @param {State} state
 * @returns {string}
 */
export function historyTitle(state) {
  return t(state.room.options?.show_history === 'all' ? 'play.history' : 'play.lastTrick');
}

/**
 * The tricks as rows of small cards in playing order.
 * @param {Shown} now
 * @param {State} state
 * @param {number} [most] How many at most.
 */
export function history(now, state, most = Infinity) {
  const tricks = openTricks(now).slice(0, most);
  const shows = state.room.options?.show_history;
  const classes = shows === 'all' ? 'hist all' : 'hist';
  if (tricks.length === 0) {
    const isOff = shows === 'off' || (shows !== 'all' && state.room.options?.show_last_trick === false);
    return html`<p class=${`small muted ${classes}`}>${t(isOff ? 'play.history.off' : 'play.history.none')}</p>`;
  }
  return html`<ol class=${classes} reversed>
    ${tricks.map(({ number, trick }) => anew(`${now.table.round} ${number}`, row(number, trick, now, state)))}
  </ol>`;
}

/**
 * @param {number} number
 * @param {FinishedTrick} trick
 * @param {Shown} now
 * @param {State} state
 */
function row(number, trick, now, state) {
  const taker = trick.taker ?? null;
  const place = taker === null ? -1 : (taker - trick.leader + now.seats) % now.seats;
  const name = taker === now.you ? t('play.you') : taker === null ? t('play.nobody') : nameOf(state.room, taker, t);
  return html`<li>
    <span class="no">${number}</span>${trick.cards.map((card, at) =>
      face(card, { compact: true, win: at === place }),
    )}<span class="to"><span class="sr">${taker === null ? nothing : `${t('play.takenBy')} `}</span>${name}</span>
  </li>`;
}
