// The menu of a room, and the settings of this browser.

import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { choice, toggle } from './controls.js';
import { dialog } from './dialog.js';
import { askToLeave } from './header.js';
import { rulesAtAnyTime } from './house-rules.js';
import { t } from './i18n.js';
import { icon } from './icons.js';
import { legalLinks } from './legal-links.js';
import { linkBox } from './link-box.js';
import { askHostButton } from './lobby.js';
import { isMuted, SPECTATORS } from './mutes.js';
import { canNotify, canVibrate } from './notifications.js';
import { LANGUAGE_NAMES, LANGUAGES, MAX_VOLUME, THEMES } from './settings.js';
import { spectatorList } from './spectators.js';
import { isHere, mayPause } from './state.js';
import { formatCode, roomUrl } from './urls.js';

/** @import { Actions } from './actions.js' */
/** @import { Seat } from './protocol.js' */
/** @import { Settings, Switch } from './settings.js' */
/** @import { RoomState, State } from './types.js' */

/**
 * The menu as a dialog.
 * @param {State} state
 * @param {Actions} actions
 */
export function menu(state, actions) {
  const room = /** @type {RoomState} */ (state.room);
  const code = /** @type {string} */ (state.code);
  const links = legalLinks();
  return dialog(state, {
    name: 'menu',
    title: t('menu.title'),
    isBottomSheet: true,
    close: () => actions.open(null),
    body: html`<div class="stack menu">
      ${room.you.seat !== null ? gameSection(room, actions) : nothing} ${state.game ? logButton(actions) : nothing} ${room.replays === 'nobody' ? nothing : gamesButton(actions)}
      <section class="stack tight">
        <h4>${t('menu.people')}</h4>
        <ul class="people">
          ${room.chairs.map((_, seat) => person(seat, state, actions))}
        </ul>
        ${room.spectators.length > 0 ? html`<p class="small muted">${t('role.spectators', { n: room.spectators.length })}</p>` : nothing}
        ${spectatorList(state, actions)}
        ${muteSpectators(state, actions)}
      </section>
      <section class="stack tight">
        <h4>${t('home.code')} ${state.settings.streamer ? nothing : formatCode(code)}</h4>
        ${linkBox(roomUrl(code), state, actions)}
      </section>
      <section class="stack tight">
        <h4>${t('menu.settings')}</h4>
        ${settingsForm(state, actions)}
      </section>
      ${
        room.you.host
          ? html`<details class="more">
              <summary>${t('lobby.rules')}</summary>
              ${rulesAtAnyTime(state, actions)}
            </details>`
          : nothing
      }
      <section class="stack tight">
        <button class="btn" type="button" @click=${() => actions.open('help')}>${icon('help')} ${t('menu.help')}</button>
        <button class="btn" type="button" @click=${() => actions.open('keys')}>${icon('info')} ${t('menu.keys')}</button>
        ${handoverButton(state, actions)}
        <button
          class="btn"
          type="button"
          @click=${() => {
            actions.open(null);
            askToLeave(state, actions);
          }}
        >
          ${icon('door')} ${t(state.you.seat === null ? 'common.home' : 'menu.leave')}
        </button>
      </section>
      ${links.length > 0 ? html`<p class="page-footer">${links}</p>` : nothing}
    </div>`,
  });
}

/**
 * The button that opens the log of the newest round.
 * @param {Actions} actions
 */
const logButton = (actions) =>
  html`<button class="btn" type="button" @click=${() => actions.openLog()}>${icon('history')} ${t('log.title')}</button>`;

/**
 * The button that opens the list of games.
 * @param {Actions} actions
 */
const gamesButton = (actions) =>
  html`<button class="btn" type="button" @click=${() => actions.openGames()}>${icon('play')} ${t('games.title')}</button>`;

/**
 * The switch that mutes all spectators.
 * @param {State} state
 * @param {Actions} actions
 */
function muteSpectators(state, actions) {
  const { room, you, chat, muted } = state;
  const isOff = muted.includes(SPECTATORS);
  const others = room?.spectators.filter(({ spectator }) => spectator !== you.spectator) ?? [];
  const areThere = others.length > 0 || chat.lines.some(({ spectator }) => spectator !== null);
  if (!areThere && !isOff) return nothing;
  return html`<div class="options">
    ${toggle(t('mute.for', { name: t('mute.spectators') }), t('mute.text'), isOff, (isOn) => actions.mute(SPECTATORS, isOn))}
  </div>`;
}

/**
 * The part about the game for a person with a seat: the buttons of the game, and the one that asks the host.
 * @param {RoomState} room
 * @param {Actions} actions
 */
const gameSection = (room, actions) => html`${room.phase === 'lobby' ? nothing : gameButtons(room, actions)}
  ${askHostButton(room, actions, () => actions.open(null))}`;

/**
 * The buttons about the game of a person with a seat.
 * @param {RoomState} room
 * @param {Actions} actions
 */
function gameButtons(room, actions) {
  const { phase, you } = room;
  if (phase === 'over') {
    if (!you.host) return nothing;
    return html`<button class="btn" type="button" @click=${() => void actions.command({ type: 'return_to_lobby' }).then(() => actions.open(null))}>
      ${icon('door')} ${t('play.toLobby')}
    </button>`;
  }
  const isPaused = phase === 'paused';
  const togglePause = async () => {
    if ((await actions.command({ type: isPaused ? 'resume' : 'pause' })) === 'ok') actions.open(null);
  };
  return html`<div class="row">
      ${
        isPaused || mayPause(room)
          ? html`<button class="btn" type="button" @click=${togglePause}>
              ${icon(isPaused ? 'play' : 'cup')} ${t(isPaused ? 'menu.resume' : 'menu.pause')}
            </button>`
          : nothing
      }
      <button class="btn" type="button" @click=${() => actions.prompt({ kind: 'end', isHost: you.host })}>
        ${icon('stop')} ${t(you.host ? 'menu.end' : 'menu.proposeEnd')}
      </button>
    </div>
    ${isPaused || mayPause(room) ? nothing : html`<p class="small muted">${t('menu.noPause')}</p>`}`;
}

/**
 * @param {Seat} seat
 * @param {State} state
 * @param {Actions} actions
 */
function person(seat, { room, you, muted }, actions) {
  const chair = room?.chairs[seat];
  if (!chair || chair.kind === 'free') return nothing;
  const isMissing = chair.kind === 'person' && !isHere(chair);
  return html`<li>
    <span class="grow"
      ><b>${chair.name}</b> ${seat === you.seat ? html`<span class="tag">${t('role.you')}</span>` : nothing}
      ${seat === room?.host ? html`<span class="tag">${icon('crown')}${t('role.host')}</span>` : nothing}
      ${chair.kind === 'bot' ? html`<span class="tag">${icon('robot')}${t('role.bot')} · ${t(`bot.${chair.level}`)}</span>` : nothing}
      ${isMuted({ muted }, { name: chair.name }) && chair.kind === 'person' ? html`<span class="tag">${icon('mute')}${t('mute.isMuted')}</span>` : nothing}
      ${isMissing ? html`<span class="tag">${icon('plug')}${t(`presence.${chair.presence}`)}</span>` : nothing}</span
    >
    <button
      class="icon-button"
      type="button"
      aria-label=${t('lobby.more', { name: chair.name })}
      @click=${() => {
        actions.open(null);
        actions.prompt({ kind: 'chair', seat });
      }}
    >
      ${icon('menu')}
    </button>
  </li>`;
}

/**
 * The button that moves the own seat to another device; or those that take a seat from one, or from a browser that is lost.
 * @param {State} state
 * @param {Actions} actions
 */
function handoverButton({ you }, actions) {
  const take = () => {
    actions.open(null);
    actions.prompt({ kind: 'redeem_handover' });
  };
  const claim = () => {
    actions.open(null);
    actions.prompt({ kind: 'claim' });
  };
  return you.seat === null
    ? html`<button class="btn" type="button" @click=${take}>${icon('phone')} ${t('handover.have')}</button>
        <button class="btn" type="button" @click=${claim}>${icon('people')} ${t('claim.title')}</button>`
    : html`<button class="btn" type="button" @click=${actions.offerHandover}>${icon('phone')} ${t('handover.move')}</button>`;
}

/**
 * The settings as a dialog.
 * @param {State} state
 * @param {Actions} actions
 */
export function settings(state, actions) {
  return dialog(state, {
    name: 'settings',
    title: t('menu.settings'),
    isBottomSheet: true,
    close: () => actions.open(null),
    body: settingsForm(state, actions),
  });
}

/**
 * @param {State} state
 * @param {Actions} actions
 */
function settingsForm({ settings }, actions) {
  const toggleOf = (/** @type {Switch} */ name, /** @type {string | null} */ text = null) =>
    toggle(t(`set.${name}`), text, settings[name], (isOn) => actions.changeSettings({ [name]: isOn }));
  const explained = (/** @type {Switch} */ name) => toggleOf(name, t(`set.${name}.text`));
  return html`<div class="options">
    ${choice({
      name: 'language',
      label: t('set.lang'),
      values: LANGUAGES,
      chosen: settings.language,
      choose: (language) => actions.changeSettings({ language }),
      text: (language) => LANGUAGE_NAMES[language],
    })}
    ${choice({
      name: 'theme',
      label: t('set.theme'),
      values: THEMES,
      chosen: settings.theme,
      choose: (theme) => actions.changeSettings({ theme }),
      text: (theme) => t(`set.theme.${theme}`),
    })}
    ${explained('oneTap')} ${explained('hints')} ${toggleOf('bigCards')} ${toggleOf('reducedMotion')} ${toggleOf('sound')} ${settings.sound ? volume(settings, actions) : nothing}
    ${
      canNotify()
        ? toggle(
            t('set.notification'),
            t('set.notification.text'),
            settings.notification,
            (isOn) => void actions.setNotifications(isOn),
          )
        : globalThis.isSecureContext
          ? html`<p class="small muted">${t('set.notification.none')}</p>`
          : html`<p class="small muted">${t('set.notification.insecure')}</p>`
    }
    ${canVibrate() ? explained('vibration') : nothing} ${explained('letterKeys')}
    ${explained('speakChat')} ${explained('hideChat')} ${explained('streamer')}
  </div>`;
}

/**
 * @param {Settings} settings
 * @param {Actions} actions
 */
const volume = ({ volume }, actions) => html`<label class="option-line range"
  ><span>${t('set.volume')}</span
  ><input
    type="range"
    min="1"
    max=${MAX_VOLUME}
    .value=${String(volume)}
    @change=${(/** @type {Event} */ event) =>
      actions.changeSettings({ volume: Number(/** @type {HTMLInputElement} */ (event.currentTarget).value) })}
/></label>`;
