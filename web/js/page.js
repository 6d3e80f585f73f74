// The whole page: header, content, and dialogs and toasts over them.

import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { header, onLinkClick } from './header.js';
import { t } from './i18n.js';
import { icon } from './icons.js';
import { part } from './parts.js';
import { isTableScreen } from './state.js';
import { pageUrl } from './urls.js';

/** @import { Actions } from './actions.js' */
/** @import { Icon } from './icons.js' */
/** @import { ConnectionStatus, State } from './types.js' */

/**
 * Why a room cannot be shown: an icon, and the keys of a title and a text.
 * @typedef {{ icon: Icon, title: string, text: string }} Unavailable
 */

/** The statuses of the connection in which there is no room to show. @type {Partial<Record<ConnectionStatus, Unavailable>>} */
export const UNAVAILABLE = {
  gone: { icon: 'door', title: 'state.gone.title', text: 'state.gone.text' },
  damaged: { icon: 'door', title: 'state.damaged.title', text: 'state.damaged.text' },
  closed: { icon: 'door', title: 'state.closed.title', text: 'state.closed.text' },
  full: { icon: 'people', title: 'state.full.title', text: 'refused.too_many_spectators' },
};

/**
 * The page in a state.
 * @param {State} state
 * @param {Actions} actions
 */
export function page(state, actions) {
  const deferred = part('deferred');
  const isReplay = state.route === 'replay';
  const ofTable = part(isReplay ? 'replay' : 'table');
  const bar = isTableScreen(state) ? ofTable?.bar(state, actions) : header(state, actions);
  return html`<a class="skip" href="#main" @click=${skipToMain}>${t('common.skipLink')}</a>
    <div class="header-area">${bar}${deferred?.banners(state, actions)}</div>
    ${content(state, actions)}${isReplay ? part('replay')?.replayDialog(state, actions) : nothing}${deferred?.dialogs(state, actions)}${deferred?.toasts(state)}${deferred?.announcementRegions(state)}`;
}

/**
 * @param {State} state
 * @param {Actions} actions
 */
function content(state, actions) {
  if (state.route === 'home') return part('home')?.home(state, actions);
  if (state.route === 'replay') return part('replay')?.replay(state, actions) ?? waiting(state);
  if (!state.room) {
    const unavailable = UNAVAILABLE[state.connection.status];
    return unavailable ? message(unavailable, actions) : waiting(state);
  }
  const screen = state.room.phase === 'lobby' ? part('lobby')?.lobby : part('table')?.table;
  return screen?.(state, actions) ?? waiting(state);
}

/** @param {State} state */
function waiting({ connection }) {
  const hasDialog = ['password', 'guest_name', 'guest', 'turned_away'].includes(connection.status);
  const text = hasDialog ? '' : t('state.opening');
  return html`<main class="content stack" id="main" tabindex="-1"><p class="muted opening" role="status">${text}</p></main>`;
}

/**
 * @param {Unavailable} reason
 * @param {Actions} actions
 */
function message({ icon: name, title, text }, actions) {
  return html`<main class="content stack single-panel" id="main" tabindex="-1">
    <section class="panel stitched stack">
      <span>${icon(name)}</span>
      <h1>${t(title)}</h1>
      <p>${t(text)}</p>
      <div class="row">
        <a class="btn primary" href=${pageUrl(null)} @click=${onLinkClick(actions, null)}>${t('common.home')}</a>
      </div>
    </section>
  </main>`;
}

/** @param {Event} event */
function skipToMain(event) {
  event.preventDefault();
  const main = document.querySelector('main');
  if (!main) return;
  main.tabIndex = -1;
  main.focus();
}
