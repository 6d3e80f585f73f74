// The dialogs over the page: of the connection, prompts, those that buttons open, the intro.

import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { chatBody, hideButton, nudgeButton } from './chat.js';
import { connectionCheckDialog } from './connection-check-dialog.js';
import { choice } from './controls.js';
import { dialog } from './dialog.js';
import { ignoreUnknown } from './exhaustive.js';
import { fieldForm } from './field-form.js';
import { handoverOffer, handoverRedemption, seatMoved } from './handover.js';
import { askToLeave, onLinkClick } from './header.js';
import { help, keys } from './help.js';
import { t } from './i18n.js';
import { icon } from './icons.js';
import { savedName } from './identity.js';
import { intro } from './intro.js';
import { menu, settings } from './menu.js';
import { isMuted } from './mutes.js';
import { UNAVAILABLE } from './page.js';
import { isAway, isGameOn, LEVELS, nameOf, standInFrom } from './state.js';
import { minutesAndSeconds } from './table/format.js';
import { pageUrl } from './urls.js';

/** @import { Actions } from './actions.js' */
/** @import { Icon } from './icons.js' */
/** @import { BotChair, Level, Seat } from './protocol.js' */
/** @import { Command, RoomForm, RoomState, State, TakenChair } from './types.js' */

/**
 * The dialog that is open, and the dialog of a paused room. The connection comes first, then prompts, then the
 * dialogs of buttons, and the intro last. A function that returns null has no dialog, and the next one is asked. One that
 * returns `nothing` has a dialog that another module draws, so the next one is not asked.
 * @param {State} state
 * @param {Actions} actions
 */
export function dialogs(state, actions) {
  return html`${pausedNote(state, actions)}${connectionDialog(state, actions) ?? promptDialog(state, actions) ?? openDialog(state, actions) ?? intro(state, actions)}`;
}

/**
 * The dialog of a connection that does not come back by itself.
 * @param {State} state
 * @param {Actions} actions
 */
function connectionDialog(state, actions) {
  const { connection, room } = state;
  if (state.route !== 'room') return null;
  const home = html`<a class="btn" href=${pageUrl(null)} @click=${onLinkClick(actions, null)}>${t('common.home')}</a>`;
  const again = (/** @type {string} */ key) =>
    html`<button class="btn primary" type="button" @click=${actions.reconnect}>${t(key)}</button>`;
  if (connection.status === 'elsewhere' && state.you.seat === null) {
    return messageDialog(
      state,
      'copy',
      t('state.elsewhere.watching'),
      t('state.elsewhere.watching.text'),
      html`${again('home.watch')}${home}`,
    );
  }
  if (connection.status === 'elsewhere') {
    return messageDialog(
      state,
      'copy',
      t('state.elsewhere.title'),
      t('state.elsewhere.text'),
      html`${again('state.elsewhere.here')}${home}`,
    );
  }
  if (connection.status === 'removed') {
    return messageDialog(
      state,
      'removed',
      t('state.removed.title'),
      t('state.removed.text'),
      html`${again('state.removed.watch')}${home}`,
    );
  }
  const unavailable = UNAVAILABLE[connection.status];
  if (unavailable && room) {
    return messageDialog(state, unavailable.icon, t(unavailable.title), t(unavailable.text), home);
  }
  if (connection.status === 'password') return passwordDialog(state, actions, home);
  if (connection.status === 'guest_name') return guestNameDialog(state, actions, home);
  if (connection.status === 'guest') {
    return messageDialog(state, 'time', t('guest.waiting.title'), t('guest.waiting.text'), home);
  }
  if (connection.status === 'turned_away') {
    const buttons = html`${again('guest.again')}${home}`;
    return messageDialog(state, 'door', t('guest.turnedAway.title'), t('guest.turnedAway.text'), buttons);
  }
  return null;
}

/**
 * @param {State} state
 * @param {Icon} iconName
 * @param {string} title
 * @param {string} text
 * @param {unknown} buttons
 */
const messageDialog = (state, iconName, title, text, buttons) =>
  dialog(state, { title, icon: iconName, body: html`<p>${text}</p><div class="row">${buttons}</div>` });

/**
 * @param {State} state
 * @param {Actions} actions
 * @param {unknown} home
 */
function passwordDialog(state, actions, home) {
  const { errors, busy } = state;
  return dialog(state, {
    title: t('password.title'),
    icon: 'lock',
    body: html`<p>${t('password.text')}</p>
      ${fieldForm({
        form: 'password',
        label: t('opt.password'),
        value: '',
        error: errors.password,
        submit: actions.enterPassword,
        buttons: html`<button class="btn primary" ?disabled=${busy.password}>${t('password.go')}</button> ${home}`,
      })}`,
  });
}

/**
 * The form with which a newcomer asks the host to be let in.
 * @param {State} state
 * @param {Actions} actions
 * @param {unknown} home
 */
function guestNameDialog(state, actions, home) {
  const { errors, busy } = state;
  return dialog(state, {
    title: t('guest.title'),
    icon: 'door',
    body: html`<p>${t('guest.text')}</p>
      ${fieldForm({
        form: 'guest_name',
        label: t('home.name'),
        value: savedName(),
        error: errors.guest_name,
        submit: actions.enterGuestName,
        buttons: html`<button class="btn primary" ?disabled=${busy.guest_name}>${t('guest.go')}</button> ${home}`,
      })}`,
  });
}

/**
 * The people in the waiting room, for the host to let in or to turn away.
 * @param {State} state
 * @param {Actions} actions
 * @param {() => void} close
 */
const guestsDialog = (state, actions, close) =>
  dialog(state, {
    title: t('guests.title'),
    icon: 'door',
    close,
    body: html`<ul class="people">
      ${state.room?.guests.map(
        ({ guest, name }) =>
          html`<li>
            <b class="grow">${name}</b>
            <button class="btn compact primary" type="button" aria-label=${t('guests.admit.name', { name })} @click=${() => void actions.admit(guest, true)}>
              ${t('guests.admit')}
            </button>
            <button class="btn compact" type="button" aria-label=${t('guests.refuse.name', { name })} @click=${() => void actions.admit(guest, false)}>
              ${t('guests.refuse')}
            </button>
          </li>`,
      )}
    </ul>`,
  });

/**
 * The form in which a person whose browser has forgotten their seat asks the others for it.
 * @param {State} state
 * @param {Actions} actions
 * @param {() => void} close
 */
const claimDialog = (state, actions, close) =>
  dialog(state, {
    title: t('claim.title'),
    icon: 'people',
    close,
    body: html`<p>${t('claim.text')}</p>
      ${fieldForm({
        form: 'claim',
        label: t('claim.name'),
        value: savedName(),
        error: state.errors.claim,
        submit: (name) => void actions.claimSeat(name),
        buttons: html`<button class="btn primary" ?disabled=${state.busy.claim}>${t('claim.go')}</button>
          <button class="btn" type="button" @click=${close}>${t('common.cancel')}</button>`,
      })}`,
  });

/**
 * The dialog of a question or a small form.
 * @param {State} state
 * @param {Actions} actions
 */
function promptDialog(state, actions) {
  const { prompt } = state;
  const close = () => actions.prompt(null);
  switch (prompt?.kind) {
    case undefined:
      return null;
    case 'sit':
      return sitDialog(state, actions, prompt.seat, close);
    case 'chair':
      return chairDialog(state, actions, prompt.seat, close);
    case 'leave':
      return confirmationDialog(
        state,
        t('leave.title'),
        t('leave.text'),
        t('leave.go'),
        () => void actions.leave(),
        close,
      );
    case 'end':
      return endDialog(state, actions, close);
    case 'offer_handover':
      return handoverOffer(state, actions);
    case 'redeem_handover':
      return handoverRedemption(state, actions, prompt.offered);
    case 'seat_moved':
      return seatMoved(state, actions);
    case 'open_password':
      return openPasswordDialog(state, actions, prompt.form, close);
    case 'claim':
      return claimDialog(state, actions, close);
    case 'guests':
      return guestsDialog(state, actions, close);
    default:
      return ignoreUnknown(prompt, null);
  }
}

/**
 * The question whether to end the game early. The host ends it, other people propose it.
 * @param {State} state
 * @param {Actions} actions
 * @param {() => void} close
 */
function endDialog(state, actions, close) {
  const isHost = state.you.host;
  const rounds = state.sheet?.rounds.length ?? 0;
  const result = rounds > 0 ? t('abort.text', { n: rounds }) : t('abort.none');
  const onConfirm = () => {
    close();
    actions.open(null);
    void (isHost ? actions.command({ type: 'end' }) : actions.agreeToEnd(true));
  };
  return isHost
    ? confirmationDialog(state, t('abort.title'), result, t('abort.go'), onConfirm, close)
    : confirmationDialog(state, t('agree.title'), `${t('agree.text')} ${result}`, t('agree.propose'), onConfirm, close);
}

/**
 * The dialog that asks for the password for opening rooms.
 * @param {State} state
 * @param {Actions} actions
 * @param {RoomForm} form the form of the room
 * @param {() => void} close
 */
function openPasswordDialog(state, actions, form, close) {
  const { errors, busy } = state;
  return dialog(state, {
    title: t('openPassword.title'),
    icon: 'lock',
    close,
    body: html`<p>${t('openPassword.text')}</p>
      ${fieldForm({
        form: 'open_password',
        label: t('opt.password'),
        value: '',
        error: errors.open_password,
        submit: (password) => void actions.createRoomWith(form, password),
        buttons: html`<button class="btn primary" ?disabled=${busy.open_password}>${t('home.create')}</button>
          <button class="btn" type="button" @click=${close}>${t('common.cancel')}</button>`,
      })}`,
  });
}

/**
 * A question with a button that confirms and one that cancels.
 * @param {State} state
 * @param {string} title
 * @param {string} text
 * @param {string} confirmLabel
 * @param {() => void} onConfirm
 * @param {() => void} close
 */
const confirmationDialog = (state, title, text, confirmLabel, onConfirm, close) =>
  dialog(state, {
    title,
    close,
    body: html`<p>${text}</p>
      <div class="row">
        <button class="btn primary" type="button" @click=${onConfirm}>${confirmLabel}</button>
        <button class="btn" type="button" @click=${close}>${t('common.cancel')}</button>
      </div>`,
  });

/**
 * The dialog in which a spectator sits down.
 * @param {State} state
 * @param {Actions} actions
 * @param {Seat | null} seat
 * @param {() => void} close
 */
function sitDialog(state, actions, seat, close) {
  const { room, errors, busy } = state;
  const bot = nameOf(room, seat);
  return dialog(state, {
    title: t('sit.title', { table: room?.title ?? t('lobby.untitled') }),
    close,
    body: html`${bot ? html`<p>${t('sit.bot', { name: bot })}</p>` : nothing}
    ${fieldForm({
      form: 'sit',
      label: t('home.name'),
      value: savedName(),
      error: errors.sit,
      submit: (name) => void actions.sit(name, seat),
      buttons: html`<button class="btn primary" ?disabled=${busy.sit}>${t('sit.down')}</button>
        <button class="btn" type="button" @click=${close}>${t('sit.watch')}</button>`,
    })}`,
  });
}

/**
 * The dialog of a chair, with the actions on the person or bot there.
 * @param {State} state
 * @param {Actions} actions
 * @param {Seat} seat
 * @param {() => void} close
 */
function chairDialog(state, actions, seat, close) {
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
        ${nudgeButton(state, actions, seat)} ${muteButton(state, actions, seat)} ${substituteButtons(state, actions, seat, chair, send)}
        ${room.you.host ? hostButtons(state, room, seat, chair, send) : nothing}
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
  const isOff = isMuted(state, name);
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
    state.room?.you.seat === null && chair.kind === 'bot'
      ? html`<button class="btn primary" type="button" @click=${sit}>${t('sit.here')}</button>`
      : nothing
  }`;
}

/**
 * The buttons of the host: to make this person the host, to move the chair, to remove the person or bot on it.
 * @param {State} state
 * @param {RoomState} room
 * @param {Seat} seat
 * @param {TakenChair} chair
 * @param {SendAndClose} send
 */
function hostButtons(state, room, seat, { kind, name }, send) {
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
  ${canRemove ? button('removed', t('menu.remove', { name }), { type: 'remove', seat }) : nothing}`;
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

/**
 * The dialog that a button has opened; nothing for one that the table draws.
 * @param {State} state
 * @param {Actions} actions
 */
function openDialog(state, actions) {
  const name = state.dialog;
  const close = () => actions.open(null);
  switch (name) {
    case 'chat':
      return dialog(state, {
        name: 'chat',
        title: t('chat.title'),
        isBottomSheet: true,
        close,
        body: html`${chatBody(state, actions)}<div class="row">${hideButton(state, actions)}</div>`,
      });
    case 'menu':
      return state.room ? menu(state, actions) : null;
    case 'settings':
      return settings(state, actions);
    case 'help':
      return help(state, actions);
    case 'keys':
      return keys(state, actions);
    case 'check':
      return connectionCheckDialog(state, actions);
    case null:
      return null;
    case 'scores':
    case 'past_tricks':
      return nothing;
    default:
      return ignoreUnknown(name, nothing);
  }
}

/**
 * The text of a pause: the person who began it.
 * @param {RoomState} room
 */
function pauseText(room) {
  const by = room.pause?.by;
  if (by === undefined) return t('refused.paused');
  return by === room.you.seat ? t('state.paused.you') : t('state.paused.text', { name: nameOf(room, by, t) });
}

/**
 * The time that is left of a pause, as minutes and seconds.
 * @param {State} state
 */
function pauseLeft({ room, clock, clockSkew }) {
  const ends = room?.pause?.ends_at;
  if (ends === undefined) return '';
  return minutesAndSeconds(Math.max(0, Math.ceil((ends - clockSkew - clock) / 1000)));
}

/**
 * The button by which a person is ready to go on after the pause, with the number of people who are.
 * @param {RoomState} room
 * @param {Actions} actions
 */
function readyInPause(room, actions) {
  const people = room.chairs.flatMap((chair) => (chair.kind === 'person' && !isAway(chair) ? [chair] : []));
  const ready = people.filter((chair) => chair.ready).length;
  const own = room.you.seat === null ? undefined : room.chairs[room.you.seat];
  const isReady = own?.kind === 'person' && own.ready;
  return html`<button class="btn" type="button" aria-pressed=${String(isReady)} @click=${() => void actions.setReady(!isReady)}>
    ${isReady ? icon('check') : nothing} ${t('lobby.readyAsk')} (${ready}/${people.length})
  </button>`;
}

/**
 * The dialog that the game is paused. It leaves the header usable.
 * @param {State} state
 * @param {Actions} actions
 */
function pausedNote(state, actions) {
  const { room } = state;
  if (room?.phase !== 'paused' || state.route !== 'room') return nothing;
  return html`<div class="pause-note">
    <section class="dialog-panel stitched" role="dialog" aria-labelledby="paused-title">
      <span>${icon('cup')}</span>
      <h3 id="paused-title">${t('state.paused.title')}</h3>
      <p>${pauseText(room)}</p>
      <p class="small muted" role="timer">${t('state.paused.left', { time: pauseLeft(state) })}</p>
      <div class="row">
        ${
          room.you.seat === null
            ? nothing
            : html`<button class="btn primary" type="button" @click=${() => void actions.command({ type: 'resume' })}>${t('menu.resume')}</button>
                ${readyInPause(room, actions)}`
        }
        <button class="btn" type="button" @click=${() => askToLeave(state, actions)}>${t('menu.leave')}</button>
      </div>
    </section>
  </div>`;
}
