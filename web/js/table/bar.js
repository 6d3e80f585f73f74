/** The bar over the felt. */

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { chatButton, homeLink, menuButton } from '../header.js';
import { t } from '../i18n.js';
import { icon, logo } from '../icons.js';
import { shownView } from '../state.js';
import { rounds } from './cards.js';
import { gameOf } from './games.js';

/**
 * Title, round and trick, and the buttons that lead away from the felt.
 * @param {import('../state.js').State} state
 * @param {import('../actions.js').Actions} actions
 */
export function bar(state, actions) {
  const { settings, room } = state;
  const watching = room?.spectators ?? 0;
  return html`<header class="bar">
    <a class="logo" href=${actions.hrefOf(null)} aria-label=${`${t('app.name')}: ${t('menu.home')}`} @click=${homeLink(actions)}
      >${logo()}<span>${t('app.name')}</span></a
    >
    <div class="ttl"><b>${room?.title ?? t(`game.${room?.game ?? 'sticheln'}`)}</b><span>${where(state)}</span></div>
    ${
      watching > 0
        ? html`<span class="tag wide-s" title=${t('role.spectators', { n: watching })}
            >${icon('eye')}<span class="nowrap">${watching}</span></span
          >`
        : nothing
    }
    <button class="icb only-s" type="button" aria-label=${t('bar.scores')} @click=${() => actions.open('scores')}>
      ${icon('scores')}
    </button>
    <button class="icb only-s" type="button" aria-label=${t('bar.history')} @click=${() => actions.open('history')}>
      ${icon('history')}
    </button>
    ${chatButton(state, actions)}
    <button
      class="icb wide-s"
      type="button"
      aria-label=${t('set.hints')}
      aria-pressed=${String(settings.hints)}
      @click=${() => actions.set({ hints: !settings.hints })}
    >
      ${icon('bulb')}
    </button>
    ${menuButton(actions)}
  </header>`;
}

/**
 * Which round and trick it is.
 * @param {import('../state.js').State} state
 */
function where(state) {
  const { room } = state;
  const table = shownView(state)?.table;
  if (!room || !table) return '';
  const game = gameOf(room);
  const max = rounds(room, game);
  const round = max === null ? t('bar.roundOpen', { n: table.round }) : t('bar.round', { n: table.round, max });
  return `${round} · ${game.where(/** @type {any} */ (state))}`;
}
