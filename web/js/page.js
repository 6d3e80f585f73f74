// Chooses what is on the page.

import { html } from '../vendor/lit-html/lit-html.js';
import { header, homeLink } from './header.js';
import { t } from './i18n.js';
import { icon } from './icons.js';
import { part } from './parts.js';
import { isTableScreen } from './state.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./actions.js').Actions} Actions */

/**
 * The whole page.
 * @param {State} state
 * @param {Actions} actions
 */
export function page(state, actions) {
  const deferred = part('deferred');
  return html`<a class="skip" href="#main" @click=${skip}>${t('common.skipLink')}</a>
    <div class="head">${isTableScreen(state) ? part('table')?.bar(state, actions) : header(state, actions)}${deferred?.banners(state, actions)}</div>
    ${content(state, actions)}${deferred?.dialogs(state, actions)}${deferred?.toasts(state)}${deferred?.log(state)}`;
}

/**
 * @param {State} state
 * @param {Actions} actions
 */
function content(state, actions) {
  if (state.page === 'home') return part('home')?.home(state, actions);
  if (state.link.status === 'gone' && !state.room) return gone(actions);
  if (state.link.status === 'damaged' && !state.room) return damaged(actions);
  if (state.link.status === 'full' && !state.room) return full(actions);
  if (!state.room) return waiting(state);
  if (state.room.phase === 'lobby') return part('lobby')?.lobby(state, actions) ?? waiting(state);
  return part('table')?.table(/** @type {any} */ (state), /** @type {any} */ (actions)) ?? waiting(state);
}

/** @param {State} state */
function waiting({ link }) {
  const text = link.status === 'password' ? '' : t('state.opening');
  return html`<main class="wrap stack" id="main" tabindex="-1"><p class="muted opening" role="status">${text}</p></main>`;
}

/** @param {Actions} actions */
const gone = (actions) => message('door', t('state.closed.title'), t('state.closed.text'), actions);

/** @param {Actions} actions */
const damaged = (actions) => message('door', t('state.damaged.title'), t('state.damaged.text'), actions);

/** @param {Actions} actions */
const full = (actions) => message('people', t('state.crowded.title'), t('refused.room_full'), actions);

/**
 * @param {import('./icons.js').Icon} drawn
 * @param {string} title
 * @param {string} text
 * @param {Actions} actions
 */
function message(drawn, title, text, actions) {
  return html`<main class="wrap stack lone" id="main" tabindex="-1">
    <section class="panel stitch stack">
      <span>${icon(drawn)}</span>
      <h1>${title}</h1>
      <p>${text}</p>
      <div class="row">
        <a class="btn pri" href=${actions.hrefOf(null)} @click=${homeLink(actions)}>${t('common.home')}</a>
      </div>
    </section>
  </main>`;
}

/** @param {Event} event */
function skip(event) {
  event.preventDefault();
  const main = document.querySelector('main');
  if (!main) return;
  main.tabIndex = -1;
  main.focus();
}
