// The header of a screen that scrolls, and the buttons that it shares with the bar over the felt.

import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { t } from './i18n.js';
import { icon, logo } from './icons.js';
import { LANGUAGE_NAMES, LANGUAGES, THEMES } from './settings.js';
import { isChatHidden, isGameOn } from './state.js';
import { pageUrl } from './urls.js';

/** @import { Actions } from './actions.js' */
/** @import { State } from './types.js' */

const THEME_ICONS = /** @type {const} */ ({ auto: 'halfMoon', light: 'sun', dark: 'moon' });

/**
 * The header of a screen that scrolls.
 * @param {State} state
 * @param {Actions} actions
 */
export function header(state, actions) {
  const isHome = state.route === 'home';
  const isTable = !isHome && state.room !== null;
  return html`<header class="page-header">
    <a class="logo" href=${pageUrl(null)} @click=${onLinkClick(actions, null)}>${logo()}<span>${t('app.name')}</span></a>
    <span class="grow"></span>
    ${
      isHome
        ? html`<button class="btn ghost compact" type="button" @click=${() => actions.open('help')}>
            ${icon('help')} ${t('menu.help')}
          </button>`
        : nothing
    }
    ${
      isTable && !isGameOn(state)
        ? html`<button class="btn ghost compact" type="button" @click=${() => askToLeave(state, actions)}>
            ${icon('door')} ${t('menu.leaveShort')}
          </button>`
        : nothing
    }
    ${isTable ? chatButton(state, actions) : streamerSign(state, actions)}
    <span class=${isTable ? 'wide-only' : ''}>${languageButton(state, actions)}${themeButton(state, actions)}</span>
    ${isTable ? menuButton(actions) : nothing}
  </header>`;
}

/**
 * The button that opens the chat, and shows whether there are unread lines. While the streamer switch is on it is the sign of
 * that, since the chat is hidden.
 * @param {State} state
 * @param {Actions} actions
 */
export function chatButton({ chat, settings }, actions) {
  const isUnread = chat.unread > 0 && !isChatHidden(settings);
  const title = t(settings.streamer ? 'streamer.sign' : 'chat.title');
  const label = isUnread ? t('chat.unread', { n: chat.unread }) : title;
  return html`<button class=${settings.streamer ? 'icon-button' : 'icon-button chat-button'} type="button" aria-label=${label} @click=${() => actions.open('chat')}>
    ${icon(settings.streamer ? 'hidden' : 'chat')}${isUnread ? html`<span class="unread-dot"></span>` : nothing}
  </button>`;
}

/**
 * Where there is no chat: the sign that the streamer switch is on. It opens the settings, where the switch is.
 * @param {State} state
 * @param {Actions} actions
 */
const streamerSign = ({ settings }, actions) =>
  settings.streamer
    ? html`<button
        class="icon-button"
        type="button"
        aria-label=${t('streamer.sign')}
        title=${t('streamer.sign')}
        @click=${() => actions.open('settings')}
      >
        ${icon('hidden')}
      </button>`
    : nothing;

/**
 * The button that opens the menu of a room.
 * @param {Actions} actions
 */
export const menuButton = (actions) => html`<button
  class="icon-button"
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
  const next = LANGUAGES[(LANGUAGES.indexOf(settings.language) + 1) % LANGUAGES.length];
  return html`<button
    class="icon-button"
    type="button"
    lang=${next}
    aria-label=${LANGUAGE_NAMES[next]}
    @click=${() => actions.changeSettings({ language: next })}
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
  const change = () => actions.changeSettings({ theme: next });
  return html`<button class="icon-button" type="button" aria-label=${label} title=${label} @click=${change}>
    ${icon(THEME_ICONS[settings.theme])}
  </button>`;
}

/**
 * Leaves the room. During a game a player is asked first.
 * @param {State} state
 * @param {Actions} actions
 */
export function askToLeave(state, actions) {
  if (isGameOn(state) && state.you.seat !== null) actions.prompt({ kind: 'leave' });
  else void actions.leave();
}

/**
 * The listener of a link to a room, or home. A click with a modifier key is left to the browser.
 * @param {Actions} actions
 * @param {string | null} code
 */
export const onLinkClick = (actions, code) => (/** @type {MouseEvent} */ event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  void actions.go(code);
};
