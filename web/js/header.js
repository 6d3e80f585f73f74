// The bar at the top of a page that scrolls, and what it has in common with that over the felt.

import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { t } from './i18n.js';
import { icon, logo } from './icons.js';
import { isGameOn } from './state.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./actions.js').Actions} Actions */

const THEMES = /** @type {const} */ (['auto', 'light', 'dark']);
const THEME_ICONS = /** @type {const} */ ({ auto: 'halfMoon', light: 'sun', dark: 'moon' });

/**
 * The bar of a page that scrolls.
 * @param {State} state
 * @param {Actions} actions
 */
export function header(state, actions) {
  const isHome = state.page === 'home';
  const isTable = !isHome && state.room !== null;
  return html`<header class="top">
    <a class="logo" href=${actions.hrefOf(null)} @click=${homeLink(actions)}>${logo()}<span>${t('app.name')}</span></a>
    <span class="grow"></span>
    ${
      isHome
        ? html`<button class="btn ghost sm" type="button" @click=${() => actions.open('help')}>
            ${icon('help')} ${t('menu.help')}
          </button>`
        : nothing
    }
    ${
      isTable && !isGameOn(state)
        ? html`<button class="btn ghost sm" type="button" @click=${() => leave(state, actions)}>
            ${icon('door')} ${t('menu.leaveShort')}
          </button>`
        : nothing
    }
    ${isTable ? chatButton(state, actions) : nothing}
    <span class=${isTable ? 'wide' : ''}>${languageButton(state, actions)}${themeButton(state, actions)}</span>
    ${isTable ? menuButton(actions) : nothing}
  </header>`;
}

/**
 * Opens the chat, and tells whether there is something new in it.
 * @param {State} state
 * @param {Actions} actions
 */
export function chatButton({ chat, settings }, actions) {
  const hasNews = chat.unread > 0 && !settings.hideChat;
  const label = hasNews ? t('chat.unread', { n: chat.unread }) : t('chat.title');
  return html`<button class="icb chat-button" type="button" aria-label=${label} @click=${() => actions.open('chat')}>
    ${icon('chat')}${hasNews ? html`<span class="dot"></span>` : nothing}
  </button>`;
}

/** Opens the menu of a table. @param {Actions} actions */
export const menuButton = (actions) => html`<button
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
export const homeLink = (actions) => (/** @type {MouseEvent} */ event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  actions.go(null);
};
