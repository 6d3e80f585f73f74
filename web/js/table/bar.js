// The bar over the felt.

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { gameOf, plannedRounds, roundLimit, roundsLeftNearLimit } from '../games.js';
import { chatButton, menuButton, onLinkClick } from '../header.js';
import { t } from '../i18n.js';
import { icon, logo } from '../icons.js';
import { pageUrl } from '../urls.js';
import { displayOf, gameTableOf, hasGame, isGameLoaded } from './display.js';

/** @import { Actions } from '../actions.js' */
/** @import { RoomState, State } from '../types.js' */

/**
 * The title, the round and the trick, and the buttons that lead away from the felt.
 * @param {State} state
 * @param {Actions} actions
 */
export function bar(state, actions) {
  const { settings, room } = state;
  const spectators = room?.spectators.length ?? 0;
  const title = room && (room.title ?? gameOf(room).name);
  return html`<header class="bar">
    <a class="logo" href=${pageUrl(null)} aria-label=${`${t('app.name')}: ${t('common.home')}`} @click=${onLinkClick(actions, null)}
      >${logo()}<span>${t('app.name')}</span></a
    >
    <div class="bar-title"><b>${title}</b><span>${progress(state)}</span></div>
    ${
      spectators > 0
        ? html`<span class="tag wide-only" title=${t('role.spectators', { n: spectators })}
            >${icon('eye')}<span class="nowrap">${spectators}</span></span
          >`
        : nothing
    }
    <button class="icon-button narrow-only" type="button" aria-label=${t('play.scores')} @click=${() => actions.open('scores')}>
      ${icon('scores')}
    </button>
    <button class="icon-button narrow-only" type="button" aria-label=${t('play.history')} @click=${() => actions.open('past_tricks')}>
      ${icon('history')}
    </button>
    ${chatButton(state, actions)}
    <button
      class="icon-button wide-only"
      type="button"
      aria-label=${t('set.hints')}
      aria-pressed=${String(settings.hints)}
      @click=${() => actions.changeSettings({ hints: !settings.hints })}
    >
      ${icon('bulb')}
    </button>
    ${menuButton(actions)}
  </header>`;
}

/**
 * Which round and trick it is.
 * @param {State} state
 */
function progress(state) {
  if (!hasGame(state) || !isGameLoaded(state.room)) return '';
  const display = displayOf(state);
  return `${roundText(state.room, display.round)} · ${gameTableOf(state.room).progress(display)}`;
}

/**
 * Which round it is, of how many. A limit of rounds is told once it is near.
 * @param {RoomState} room
 * @param {number} n
 */
function roundText(room, n) {
  const max = plannedRounds(room);
  if (max !== null) return t('bar.round', { n, max });
  return roundsLeftNearLimit(room, n) === null
    ? t('bar.roundOpen', { n })
    : t('bar.roundAtMost', { n, max: roundLimit(room) });
}
