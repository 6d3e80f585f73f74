// The dialog of a chair: its person or bot, and the actions on them.

import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { nudgeButton } from './chat.js';
import { choice } from './controls.js';
import { dialog } from './dialog.js';
import { fieldForm } from './field-form.js';
import { askToLeave } from './header.js';
import { t } from './i18n.js';
import { icon } from './icons.js';
import { askHostButton } from './lobby.js';
import { isMuted } from './mutes.js';
import { isGameOn, LEVELS, seesAllHands, standInFrom } from './state.js';

/** @import { Actions } from './actions.js' */
/** @import { Icon } from './icons.js' */
/** @import { BotChair, Level, Seat } from './protocol.js' */
/** @import { Command, RoomState, State, TakenChair } from './types.js' */

/**
 * The dialog of a chair, with the actions on the person or bot there.
 * @param {State} state
 * @param {Actions} actions
 * @param {Seat} seat
 * @param {() => void} close
 */
export function chairDialog(state, actions, seat, close) {
  const room = /** @type {RoomState} */ (state.room);
  const chair = room.chairs[seat];
  if (!chair || chair.kind === 'free') return null;
  const setLevel = (/** @type {Level} */ level) => void actions.command({ type: 'set_bot', seat, level });
  const send = (/** @type {Command} */ command) => async () => {
    if ((await actions.command(command)) === 'ok') close();
  };
  return dialog(state, {
    title: chair.name,
    close,
    body: html`<p class="muted chair-state">${chair.kind === 'bot' ? icon('robot') : nothing} ${chairStatus(state, seat)}</p>
      ${chair.kind === 'bot' && room.you.host ? botLevel(chair, setLevel) : nothing}
      ${seat === room.you.seat ? rename(state, actions, chair.name) : nothing}
      <div class="stack tight choices">
        ${nudgeButton(state, actions, seat)} ${seat === room.host ? askHostButton(room, actions, close) : nothing}
        ${muteButton(state, actions, seat)} ${substituteButtons(state, actions, seat, chair, send)}
        ${room.you.host ? hostButtons(state, actions, seat, chair, send) : nothing}
        ${seat === room.you.seat ? standUpButton(state, actions, close) : nothing}
      </div>`,
  });
}

/**
 * Makes a listener that sends a command and then closes the dialog.
 * @typedef {(command: Command) => () => Promise<void>} SendAndClose
 */

/**
 * The button that mutes the person on a chair for this browser, or ends that. Bots say nothing.
 * @param {State} state
 * @param {Actions} actions
 * @param {Seat} seat
 */
function muteButton(state, actions, seat) {
  const chair = state.room?.chairs[seat];
  if (chair?.kind !== 'person' || seat === state.you.seat) return nothing;
  const { name } = chair;
  const isOff = isMuted(state, { name });
  return html`<button class="btn" type="button" aria-pressed=${String(isOff)} @click=${() => actions.mute(name, !isOff)}>
      ${icon(isOff ? 'sound' : 'mute')} ${t(isOff ? 'mute.endFor' : 'mute.for', { name })}
    </button>
    <p class="small muted">${t('mute.text')}</p>`;
}

/**
 * The buttons for a substitute: a bot for an absent person, or a spectator in the place of a bot.
 * @param {State} state
 * @param {Actions} actions
 * @param {Seat} seat
 * @param {TakenChair} chair
 * @param {SendAndClose} send
 */
function substituteButtons(state, actions, seat, chair, send) {
  const from = standInFrom(chair, state);
  const sit = () => actions.prompt({ kind: 'sit', seat });
  return html`${
    from !== null && from <= state.clock
      ? html`<button class="btn" type="button" @click=${send({ type: 'stand_in', seat })}>${icon('robot')} ${t('absent.bot')}</button>`
      : nothing
  }
  ${
    state.room?.you.seat === null && chair.kind === 'bot' && !seesAllHands(state)
      ? html`<button class="btn primary" type="button" @click=${sit}>${t('sit.here')}</button>`
      : nothing
  }`;
}

/**
 * The buttons of the host: to make this person the host, to move the chair, to remove the person or bot on it.
 * @param {State} state
 * @param {Actions} actions
 * @param {Seat} seat
 * @param {TakenChair} chair
 * @param {SendAndClose} send
 */
function hostButtons(state, actions, seat, { kind, name }, send) {
  const room = /** @type {RoomState} */ (state.room);
  // A removed person may have another tab, in which they watch.
  const remove = async () => {
    await send({ type: 'remove', seat })();
    if (kind === 'person' && room.spectators.length > 0) actions.prompt({ kind: 'spectators' });
  };
  const inLobby = room.phase === 'lobby';
  const canRemove = seat !== room.you.seat && (kind === 'person' || !isGameOn(state));
  const button = (/** @type {Icon} */ iconName, /** @type {string} */ text, /** @type {Command} */ command) =>
    html`<button class="btn" type="button" @click=${send(command)}>${icon(iconName)} ${text}</button>`;
  return html`${
    kind === 'person' && seat !== room.host
      ? button('crown', t('menu.host', { name }), { type: 'give_host', seat })
      : nothing
  }
  ${inLobby && seat > 0 ? button('up', t('chair.up'), { type: 'swap', a: seat, b: seat - 1 }) : nothing}
  ${
    inLobby && seat < room.chairs.length - 1
      ? button('down', t('chair.down'), { type: 'swap', a: seat, b: seat + 1 })
      : nothing
  }
  ${
    canRemove
      ? html`<button class="btn" type="button" @click=${remove}>${icon('removed')} ${t('menu.remove', { name })}</button>`
      : nothing
  }`;
}

/**
 * The button to leave the own chair: before the game to stand up, later to leave the room.
 * @param {State} state
 * @param {Actions} actions
 * @param {() => void} close
 */
function standUpButton(state, actions, close) {
  const inLobby = state.room?.phase === 'lobby';
  const onClick = () => {
    close();
    if (inLobby) void actions.command({ type: 'stand' });
    else askToLeave(state, actions);
  };
  return html`<button class="btn" type="button" @click=${onClick}>
    ${icon('door')} ${t(inLobby ? 'chair.stand' : 'menu.leave')}
  </button>`;
}

/**
 * The level of a bot, for the host to change.
 * @param {BotChair} bot
 * @param {(level: Level) => void} set
 */
const botLevel = ({ level }, set) => html`<div class="options">
  ${choice({
    name: 'level',
    label: t('bot.level'),
    values: LEVELS,
    chosen: level,
    choose: set,
    text: (each) => t(`bot.${each}`),
  })}
</div>`;

/**
 * The state of the person or bot on a chair, in words.
 * @param {State} state
 * @param {Seat} seat
 */
function chairStatus({ room }, seat) {
  const sitter = room?.chairs[seat];
  if (!sitter || sitter.kind === 'free') return '';
  if (sitter.kind === 'bot') return `${t('role.bot')} · ${t(`bot.${sitter.level}`)} · ${t(`bot.${sitter.level}.text`)}`;
  const parts = [t(`presence.${sitter.presence}`)];
  if (seat === room?.host) parts.push(t('role.host'));
  if (sitter.stood_in) parts.push(t(sitter.waits_for_deal ? 'presence.waitsForDeal' : 'presence.stoodIn'));
  return parts.join(' · ');
}

/**
 * @param {State} state
 * @param {Actions} actions
 * @param {string} name
 */
const rename = ({ errors, busy }, actions, name) =>
  fieldForm({
    form: 'chair',
    label: t('home.name'),
    value: name,
    error: errors.chair,
    submit: (value) => void actions.rename(value),
    buttons: html`<button class="btn" ?disabled=${busy.chair}>${t('chair.rename')}</button>`,
  });
