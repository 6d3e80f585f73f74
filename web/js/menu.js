// The game menu, and the settings of this browser.

import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { leave } from './header.js';
import { choice, runningRules, toggle } from './house-rules.js';
import { t } from './i18n.js';
import { icon } from './icons.js';
import { copyByHand } from './invite.js';
import { dialog } from './modal.js';
import { canNotify, canVibrate } from './notifications.js';
import { LOUDEST } from './settings.js';
import { formatCode, tableUrl } from './urls.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./state.js').Room} Room */
/** @typedef {import('./actions.js').Actions} Actions */

/**
 * @param {State} state
 * @param {Actions} actions
 */
export function menu(state, actions) {
  const room = /** @type {Room} */ (state.room);
  const code = /** @type {string} */ (state.code);
  return dialog({
    name: 'menu',
    title: t('menu.title'),
    sheet: true,
    close: () => actions.open(null),
    body: html`<div class="stack menu">
      ${room.you.host && room.phase !== 'lobby' ? hosting(room, actions) : nothing}
      <section class="stack tight">
        <h4>${t('menu.people')}</h4>
        <ul class="people">
          ${room.chairs.map((_, seat) => person(seat, state, actions))}
        </ul>
        ${room.spectators > 0 ? html`<p class="small muted">${t('role.spectators', { n: room.spectators })}</p>` : nothing}
      </section>
      <section class="stack tight">
        <h4>${t('home.code')} ${formatCode(code)}</h4>
        <div class="linkbox">
          <span class="link" tabindex="-1">${tableUrl(code)}</span>
          <button class="btn sm" type="button" @click=${actions.copyLink}>${icon('copy')} ${t('lobby.copy')}</button>
        </div>
        ${state.selectLink ? copyByHand() : nothing}
      </section>
      <section class="stack tight">
        <h4>${t('menu.settings')}</h4>
        ${settingsForm(state, actions)}
      </section>
      ${
        room.you.host
          ? html`<details class="more">
              <summary>${t('menu.rules')}</summary>
              ${runningRules(state, actions)}
            </details>`
          : nothing
      }
      <section class="stack tight">
        <button class="btn" type="button" @click=${() => actions.open('help')}>${icon('help')} ${t('menu.help')}</button>
        <button class="btn" type="button" @click=${() => actions.open('keys')}>${icon('info')} ${t('menu.keys')}</button>
        ${moving(state, actions)}
        <button
          class="btn"
          type="button"
          @click=${() => {
            actions.open(null);
            leave(state, actions);
          }}
        >
          ${icon('door')} ${t(state.you.seat === null ? 'menu.home' : 'menu.leave')}
        </button>
      </section>
    </div>`,
  });
}

/**
 * @param {Room} room
 * @param {Actions} actions
 */
function hosting({ phase }, actions) {
  if (phase === 'over') {
    return html`<button class="btn" type="button" @click=${() => void actions.tell('end').then(() => actions.open(null))}>
      ${icon('door')} ${t('menu.lobby')}
    </button>`;
  }
  const isPaused = phase === 'paused';
  const toggled = async () => {
    if ((await actions.tell(isPaused ? 'resume' : 'pause')) === 'ok') actions.open(null);
  };
  return html`<div class="row">
    <button class="btn" type="button" @click=${toggled}>
      ${icon(isPaused ? 'play' : 'cup')} ${t(isPaused ? 'menu.resume' : 'menu.pause')}
    </button>
    <button class="btn" type="button" @click=${() => actions.ask({ kind: 'end' })}>${icon('stop')} ${t('menu.end')}</button>
  </div>`;
}

/**
 * @param {number} seat
 * @param {State} state
 * @param {Actions} actions
 */
function person(seat, { room, you }, actions) {
  const chair = room?.chairs[seat];
  if (!chair || chair.kind === 'free') return nothing;
  const isAway = chair.kind === 'person' && chair.presence !== 'here';
  return html`<li>
    <span class="grow"
      ><b>${chair.name}</b> ${seat === you.seat ? html`<span class="tag">${t('role.you')}</span>` : nothing}
      ${seat === room?.host ? html`<span class="tag">${icon('crown')}${t('role.host')}</span>` : nothing}
      ${chair.kind === 'bot' ? html`<span class="tag">${icon('robot')}${t('role.bot')} · ${t(`bot.${chair.level}`)}</span>` : nothing}
      ${isAway ? html`<span class="tag">${icon('plug')}${t(`presence.${chair.presence}`)}</span>` : nothing}</span
    >
    <button
      class="icb"
      type="button"
      aria-label=${t('lobby.options', { name: chair.name })}
      @click=${() => {
        actions.open(null);
        actions.ask({ kind: 'chair', seat });
      }}
    >
      ${icon('menu')}
    </button>
  </li>`;
}

/**
 * Moving a seat to another device.
 * @param {State} state
 * @param {Actions} actions
 */
function moving({ you }, actions) {
  const take = () => {
    actions.open(null);
    actions.ask({ kind: 'takeover' });
  };
  return you.seat === null
    ? html`<button class="btn" type="button" @click=${take}>${icon('phone')} ${t('handover.have')}</button>`
    : html`<button class="btn" type="button" @click=${actions.handover}>${icon('phone')} ${t('handover.move')}</button>`;
}

/**
 * @param {State} state
 * @param {Actions} actions
 */
export function settings(state, actions) {
  return dialog({
    name: 'settings',
    title: t('menu.settings'),
    sheet: true,
    close: () => actions.open(null),
    body: settingsForm(state, actions),
  });
}

/**
 * @param {State} state
 * @param {Actions} actions
 */
function settingsForm({ settings }, actions) {
  const change = (/** @type {string} */ name, /** @type {unknown} */ value) => actions.set({ [name]: value });
  const on = (/** @type {import('./settings.js').Switch} */ name) =>
    toggle(t(`set.${name}`), t(`set.${name}.text`), settings[name], (value) => change(name, value));
  return html`<div class="opts">
    ${choice(
      'language',
      t('set.lang'),
      ['en', 'de'],
      settings.language,
      (value) => change('language', value),
      (value) => (value === 'en' ? 'English' : 'Deutsch'),
    )}
    ${choice(
      'theme',
      t('set.theme'),
      ['auto', 'light', 'dark'],
      settings.theme,
      (value) => change('theme', value),
      (value) => t(`set.theme.${value}`),
    )}
    ${on('oneTap')} ${on('hints')} ${on('bigCards')} ${on('motion')} ${on('sound')} ${settings.sound ? volume(settings, actions) : nothing}
    ${
      canNotify()
        ? toggle(
            t('set.notification'),
            t('set.notification.text'),
            settings.notification,
            (value) => void actions.notify(value),
          )
        : globalThis.isSecureContext
          ? nothing
          : html`<p class="small muted">${t('set.notification.insecure')}</p>`
    }
    ${canVibrate() ? on('vibration') : nothing} ${on('letterKeys')} ${on('hideChat')}
  </div>`;
}

/**
 * @param {import('./settings.js').Settings} settings
 * @param {Actions} actions
 */
const volume = ({ volume }, actions) => html`<label class="line range"
  ><span>${t('set.volume')}</span
  ><input
    type="range"
    min="1"
    max=${LOUDEST}
    .value=${String(volume)}
    @change=${(/** @type {Event} */ event) =>
      actions.set({ volume: Number(/** @type {HTMLInputElement} */ (event.currentTarget).value) })}
/></label>`;
