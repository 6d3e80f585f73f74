// The dialogs over the page: of the connection, prompts, those that buttons open, the intro.

import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { chairDialog } from './chair-dialog.js';
import { chatBody, hideButton } from './chat.js';
import { connectionCheckDialog } from './connection-check-dialog.js';
import { dialog } from './dialog.js';
import { ignoreUnknown } from './exhaustive.js';
import { fieldForm } from './field-form.js';
import { gameListDialog } from './game-list.js';
import { handoverOffer, handoverRedemption, seatMoved } from './handover.js';
import { onLinkClick } from './header.js';
import { help, keys } from './help.js';
import { t } from './i18n.js';
import { savedName } from './identity.js';
import { intro } from './intro.js';
import { menu, settings } from './menu.js';
import { UNAVAILABLE } from './page.js';
import { pausedNote } from './pause.js';
import { removalDialog, spectatorDialog, spectatorsDialog } from './spectators.js';
import { nameOf } from './state.js';
import { pageUrl } from './urls.js';

/** @import { Actions } from './actions.js' */
/** @import { Icon } from './icons.js' */
/** @import { Seat } from './protocol.js' */
/** @import { RoomForm, State } from './types.js' */

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
      t(state.you.seat === null ? 'state.removed.spectator' : 'state.removed.text'),
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
      return endDialog(state, actions, prompt.isHost, close);
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
    case 'spectator':
      return spectatorDialog(state, actions, prompt.spectator, close);
    case 'remove_spectator':
      return removalDialog(state, actions, prompt.spectator, close);
    case 'spectators':
      return spectatorsDialog(state, actions, close);
    default:
      return ignoreUnknown(prompt, null);
  }
}

/**
 * The question whether to end the game early. The host ends it, other people propose it.
 * @param {State} state
 * @param {Actions} actions
 * @param {boolean} isHost
 * @param {() => void} close
 */
function endDialog(state, actions, isHost, close) {
  const result = resultOfEnd(state);
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
 * The text about the result of a game that is ended now.
 * @param {Pick<State, 'sheet' | 'game'>} state
 */
export function resultOfEnd({ sheet, game }) {
  const rounds = sheet?.rounds.length ?? 0;
  if (rounds === 0) return t('abort.none');
  const isInRound = game !== null && game.view.table.phase !== 'round_end';
  return [t('abort.text', { n: rounds }), isInRound ? t('abort.running') : ''].filter(Boolean).join(' ');
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
    case 'games':
      return state.room ? gameListDialog(state, actions) : null;
    case 'check':
      return connectionCheckDialog(state, actions);
    case null:
      return null;
    case 'scores':
    case 'past_tricks':
    case 'hands':
    case 'log':
      return nothing;
    default:
      return ignoreUnknown(name, nothing);
  }
}
