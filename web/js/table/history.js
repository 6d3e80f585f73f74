// The finished tricks of the round, as far as they may be looked at.

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { face } from './card.js';
import { nameOf } from './format.js';
import { replaceOnChange } from './replace-on-change.js';

/** @import { Scene } from '../game.js' */
/** @import { FinishedTrick } from '../protocol.js' */
/** @import { PlayState } from '../types.js' */

/**
 * The title of the list of tricks: all of them, or only the last.
 * @param {Scene} scene
 * @returns {string}
 */
export const historyTitle = ({ pastTricks }) => t(pastTricks.shown === 'all' ? 'play.history' : 'play.lastTrick');

/**
 * The tricks as rows of small cards, in the order in which they were played.
 * @param {Scene} scene
 * @param {PlayState} state
 * @param {number} [max] how many at most
 */
export function history(scene, state, max = Infinity) {
  const { shown, tricks } = scene.pastTricks;
  const classes = shown === 'all' ? 'hist all' : 'hist';
  if (tricks.length === 0) {
    return html`<p class=${`small muted ${classes}`}>${t(shown === 'none' ? 'play.history.off' : 'play.history.none')}</p>`;
  }
  return html`<ol class=${classes} reversed>
    ${tricks.slice(0, max).map(({ number, trick }) => replaceOnChange(`${scene.round} ${number}`, row(number, trick, scene, state)))}
  </ol>`;
}

/**
 * @param {number} number
 * @param {FinishedTrick} trick
 * @param {Scene} scene
 * @param {PlayState} state
 */
function row(number, trick, scene, state) {
  const taker = trick.taker ?? null;
  const place = taker === null ? -1 : (taker - trick.leader + scene.seats) % scene.seats;
  const name = taker === scene.you ? t('play.you') : taker === null ? t('play.nobody') : nameOf(state.room, taker, t);
  return html`<li>
    <span class="no">${number}</span>${trick.cards.map((card, at) =>
      face(card, { compact: true, win: at === place }),
    )}<span class="to"><span class="sr">${taker === null ? nothing : `${t('play.takenBy')} `}</span>${name}</span>
  </li>`;
}
