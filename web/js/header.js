// The bar at the top: on pages that scroll, and over the felt.

import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { gameOf } from './games.js';
import { icon, logo } from './icons.js';
import { t } from './i18n.js';
import { part } from './parts.js';
import { isGameOn, shownView } from './state.js';
import { rounds } from './table/order.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./actions.js').Actions} Actions */

const THEMES = /** @type {const} */ (['auto', 'light', 'dark']);
const THEME_ICONS = /** @type {const} */ ({ auto: 'halfMoon', light: 'sun', dark: 'moon' });

/**
 * The bar of a page that scrolls.
 * @param {State} state
 * @param {Actions} actions
 */
export function top(state, actions) {
  const isHome = state.page === 'home';
  const isTable = !isHome && state.room !== null;
  return html`<header class="top">
    <a class="logo" href=${actions.hrefOf(null)} @click=${homeward(actions)}>${logo()}<span>${t('app.name')}</span></a>
    <span class="grow"></span>
    ${isHome
      ? html`<button class="btn ghost sm" type="button" @click=${() => actions.open('help')}>
          ${icon('help')} ${t('menu.help')}
        </button>`
      : nothing}
    ${isTable && !isGameOn(state)
      ? html`<button class="btn ghost sm" type="button" @click=${() => leave(state, actions)}>
          ${icon('door')} ${t('menu.leaveShort')}
        </button>`
      : nothing}
    ${isTable ? chatButton(state, actions) : nothing}
    <span class=${isTable ? 'wide' : ''}>${languageButton(state, actions)}${themeButton(state, actions)}</span>
    ${isTable ? menuButton(actions) : nothing}
  </header>`;
}

/**
 * The bar over the felt.
 * @param {State} state
 * @param {Actions} actions
 */
export function bar(state, actions) {
  const { settings, room } = state;
  const watching = room?.spectators ?? 0;
  return html`<header class="bar">
    <a class="logo" href=${actions.hrefOf(null)} aria-label=${`${t('app.name')}: ${t('menu.home')}`} @click=${homeward(actions)}
      >${logo()}<span>${t('app.name')}</span></a
    >
    <div class="ttl"><b>${room?.title ?? t(`game.${room?.game ?? 'sticheln'}`)}</b><span>${where(state)}</span></div>
    ${watching > 0
      ? html`<span class="tag wide-s" title=${t('role.spectators', { n: watching })}
          >${icon('eye')}<span class="nowrap">${watching}</span></span
        >`
      : nothing}
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
 * @param {State} state
 */
function where(state) {
  const { room } = state;
  const table = shownView(state)?.table;
  if (!room || !table) return '';
  const game = gameOf(room);
  const max = rounds(room, game);
  const round = max === null ? t('bar.roundOpen', { n: table.round }) : t('bar.round', { n: table.round, max });
  const played = part('table')?.gameOf(room);
  return played ? `${round} · ${played.where(/** @type {any} */ (state))}` : round;
}

/**
 * @param {State} state
 * @param {Actions} actions
 */
function chatButton({ chat, settings }, actions) {
  const hasNews = chat.unread > 0 && !settings.hideChat;
  const label = hasNews ? t('chat.unread', { n: chat.unread }) : t('chat.title');
  return html`<button class="icb chat-button" type="button" aria-label=${label} @click=${() => actions.open('chat')}>
    ${icon('chat')}${hasNews ? html`<span class="dot"></span>` : nothing}
  </button>`;
}

/** @param {Actions} actions */
const menuButton = (actions) => html`<button
  class="icb"
  type="button"
  aria-label=${t('menu.title')}
  @click=${() => actions.open('menu')}
>
  ${icon('menu')}
</button>`;

/**
 * @param {State} state
 * @param {Actions} actions
 */
function languageButton({ settings }, actions) {
  const isEnglish = settings.language === 'en';
  return html`<button
    class="icb lang"
    type="button"
    lang=${isEnglish ? 'de' : 'en'}
    aria-label=${isEnglish ? 'Deutsch' : 'English'}
    @click=${() => actions.set({ language: isEnglish ? 'de' : 'en' })}
  >
    ${icon('globe')}
  </button>`;
}

/**
 * @param {State} state
 * @param {Actions} actions
 */
function themeButton({ settings }, actions) {
  const next = THEMES[(THEMES.indexOf(settings.theme) + 1) % THEMES.length];
  const label = t('set.themeIs', { theme: t(`set.theme.${settings.theme}`) });
  return html`<button class="icb" type="button" aria-label=${label} title=${label} @click=${() => actions.set({ theme: next })}>
    ${icon(THEME_ICONS[settings.theme])}
  </button>`;
}

/**
 * Leaving asks only where something would be lost.
 * @param {State} state
 * @param {Actions} actions
 */
export function leave(state, actions) {
  if (isGameOn(state) && state.you.seat !== null) actions.ask({ kind: 'leave' });
  else void actions.leave();
}

/** @param {Actions} actions */
export const homeward = (actions) => (/** @type {MouseEvent} */ event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  actions.go(null);
};
