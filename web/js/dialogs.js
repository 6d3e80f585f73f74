// Everything that lies over the page and wants an answer.

import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { chatBody, hideButton, nudgeButton } from './chat.js';
import { connectionCheckSheet } from './connection-check-sheet.js';
import { fieldForm } from './field-form.js';
import { handover, moved, takeover } from './handover.js';
import { homeLink, leave } from './header.js';
import { help, keys } from './help.js';
import { choice } from './house-rules.js';
import { t } from './i18n.js';
import { icon } from './icons.js';
import { savedName } from './identity.js';
import { intro } from './intro.js';
import { menu, settings } from './menu.js';
import { dialog } from './modal.js';
import { isGameOn, LEVELS, nameAt, seatToTake } from './state.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./state.js').Room} Room */
/** @typedef {import('./actions.js').Actions} Actions */

/**
 * The dialog that is open, and the note of a paused table. The connection comes first, then what was asked, and what
 * explains the game comes last.
 * @param {State} state
 * @param {Actions} actions
 */
export function dialogs(state, actions) {
  return html`${paused(state, actions)}${ofLink(state, actions) ?? ofAsk(state, actions) ?? ofSheet(state, actions) ?? intro(state, actions)}`;
}

/**
 * What the connection has to say.
 * @param {State} state
 * @param {Actions} actions
 */
function ofLink(state, actions) {
  const { link, room } = state;
  if (state.page !== 'table') return null;
  const home = html`<a class="btn" href=${actions.hrefOf(null)} @click=${homeLink(actions)}>${t('common.home')}</a>`;
  const again = (/** @type {string} */ key) =>
    html`<button class="btn pri" type="button" @click=${actions.reconnect}>${t(key)}</button>`;
  if (link.status === 'elsewhere') {
    return note('copy', t('state.other.title'), t('state.other.text'), html`${again('state.other.here')}${home}`);
  }
  if (link.status === 'removed') {
    return note(
      'removed',
      t('state.kicked.title'),
      t('state.kicked.text'),
      html`${again('state.kicked.watch')}${home}`,
    );
  }
  if (link.status === 'gone' && room) return note('door', t('state.closed.title'), t('state.closed.text'), home);
  if (link.status === 'damaged' && room) return note('door', t('state.damaged.title'), t('state.damaged.text'), home);
  if (link.status === 'full' && room) return note('people', t('state.crowded.title'), t('refused.room_full'), home);
  if (link.status === 'password') return password(state, actions, home);
  return null;
}

/**
 * @param {import('./icons.js').Icon} drawn
 * @param {string} title
 * @param {string} text
 * @param {unknown} buttons
 */
const note = (drawn, title, text, buttons) =>
  dialog({ title, icon: drawn, body: html`<p>${text}</p><div class="row">${buttons}</div>` });

/**
 * @param {State} state
 * @param {Actions} actions
 * @param {unknown} home
 */
function password({ errors, busy }, actions, home) {
  const error = errors.password;
  const submit = (/** @type {string} */ value) => actions.enter(value);
  return dialog({
    title: t('password.title'),
    icon: 'lock',
    body: html`<p>${t('password.text')}</p>
      ${fieldForm({ form: 'password', label: t('opt.password'), value: '', error, submit })(html`<button
          class="btn pri"
          ?disabled=${busy.password}
        >
          ${t('password.go')}
        </button>
        ${home}`)}`,
  });
}

/**
 * What somebody has asked for.
 * @param {State} state
 * @param {Actions} actions
 */
function ofAsk(state, actions) {
  const { ask } = state;
  const close = () => actions.ask(null);
  switch (ask?.kind) {
    case 'sit':
      return sit(state, actions, ask.seat, close);
    case 'chair':
      return chair(state, actions, ask.seat, close);
    case 'leave':
      return confirm(t('leave.title'), t('leave.text'), t('leave.go'), () => void actions.leave(), close);
    case 'end':
      return confirm(
        t('end.title'),
        t('end.text'),
        t('end.go'),
        () => {
          close();
          actions.open(null);
          void actions.tell('end');
        },
        close,
      );
    case 'handover':
      return handover(state, actions);
    case 'takeover':
      return takeover(state, actions, ask.offer);
    case 'moved':
      return moved(actions);
    default:
      return null;
  }
}

/**
 * @param {string} title
 * @param {string} text
 * @param {string} yes
 * @param {() => void} go
 * @param {() => void} close
 */
const confirm = (title, text, yes, go, close) =>
  dialog({
    title,
    close,
    body: html`<p>${text}</p>
      <div class="row">
        <button class="btn pri" type="button" @click=${go}>${yes}</button>
        <button class="btn" type="button" @click=${close}>${t('common.cancel')}</button>
      </div>`,
  });

/**
 * @param {State} state
 * @param {Actions} actions
 * @param {number | null} seat
 * @param {() => void} close
 */
function sit(state, actions, seat, close) {
  const { room, errors, busy } = state;
  const bot = nameAt(room, seat);
  return dialog({
    title: t('sit.title', { table: room?.title ?? t('lobby.untitled') }),
    close,
    body: html`${bot ? html`<p>${t('sit.bot', { name: bot })}</p>` : nothing}
    ${fieldForm({
      form: 'sit',
      label: t('home.name'),
      value: savedName(),
      error: errors.sit,
      submit: (name) => void actions.sit(name, seat),
    })(html`<button class="btn pri" ?disabled=${busy.sit}>${t('sit.down')}</button>
      <button class="btn" type="button" @click=${close}>${t('sit.watch')}</button>`)}`,
  });
}

/**
 * What can be done about somebody at the table.
 * @param {State} state
 * @param {Actions} actions
 * @param {number} seat
 * @param {() => void} close
 */
function chair(state, actions, seat, close) {
  const room = /** @type {Room} */ (state.room);
  const { you } = room;
  const sitter = room.chairs[seat];
  if (!sitter || sitter.kind === 'free') return null;
  const { name } = sitter;
  const inLobby = room.phase === 'lobby';
  const tell = (/** @type {string} */ type, /** @type {object} */ fields) => async () => {
    if ((await actions.tell(type, fields)) === 'ok') close();
  };
  const swap = (/** @type {number} */ other) => tell('swap', { a: seat, b: other });
  const isPerson = sitter.kind === 'person';
  const canRemove = you.host && seat !== you.seat && (isPerson || !isGameOn(state));
  const canStand = isPerson && sitter.presence === 'away' && !sitter.stood_in && isGameOn(state);
  return dialog({
    title: name,
    close,
    body: html`<p class="muted standing">${sitter.kind === 'bot' ? icon('robot') : nothing} ${standing(state, seat)}</p>
      ${sitter.kind === 'bot' && you.host ? botLevel(sitter, (level) => void actions.tell('set_bot', { seat, level })) : nothing}
      ${seat === you.seat ? rename(state, actions, name) : nothing}
      <div class="stack tight choices">
        ${nudgeButton(state, actions, seat)}
        ${
          canStand
            ? html`<button class="btn" type="button" @click=${tell('stand_in', { seat })}>${icon('robot')} ${t('absent.bot')}</button>`
            : nothing
        }
        ${
          you.seat === null && sitter.kind === 'bot'
            ? html`<button class="btn pri" type="button" @click=${() => actions.ask({ kind: 'sit', seat })}>${t('sit.here')}</button>`
            : nothing
        }
        ${
          you.host && isPerson && seat !== room.host
            ? html`<button class="btn" type="button" @click=${tell('give_host', { seat })}>
                ${icon('crown')} ${t('menu.host', { name })}
              </button>`
            : nothing
        }
        ${
          you.host && inLobby && seat > 0
            ? html`<button class="btn" type="button" @click=${swap(seat - 1)}>${icon('up')} ${t('chair.up')}</button>`
            : nothing
        }
        ${
          you.host && inLobby && seat < room.chairs.length - 1
            ? html`<button class="btn" type="button" @click=${swap(seat + 1)}>${icon('down')} ${t('chair.down')}</button>`
            : nothing
        }
        ${
          canRemove
            ? html`<button class="btn" type="button" @click=${tell('remove', { seat })}>
                ${icon('removed')} ${t('menu.kick', { name })}
              </button>`
            : nothing
        }
        ${
          seat === you.seat
            ? html`<button
                class="btn"
                type="button"
                @click=${() => {
                  close();
                  if (inLobby) void actions.tell('stand');
                  else leave(state, actions);
                }}
              >
                ${icon('door')} ${t(inLobby ? 'chair.stand' : 'menu.leave')}
              </button>`
            : nothing
        }
      </div>`,
  });
}

/**
 * How well a bot plays, for the host to change.
 * @param {import('./state.js').BotChair} bot
 * @param {(level: string) => void} set
 */
const botLevel = ({ level }, set) => html`<div class="opts">
  ${choice('level', t('bot.level'), [...LEVELS], level, set, (each) => t(`bot.${each}`))}
</div>`;

/**
 * Who somebody is: in words.
 * @param {State} state
 * @param {number} seat
 */
function standing({ room }, seat) {
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
  })(html`<button class="btn" ?disabled=${busy.chair}>${t('chair.rename')}</button>`);

/**
 * The sheets that are not the table's.
 * @param {State} state
 * @param {Actions} actions
 */
function ofSheet(state, actions) {
  const sheet = /** @type {any} */ (state.sheet);
  const close = () => actions.open(null);
  switch (sheet) {
    case 'chat':
      return dialog({
        name: 'chat',
        title: t('chat.title'),
        sheet: true,
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
      return connectionCheckSheet(state, actions);
    case null:
      return null;
    default:
      // The table draws its own sheets.
      return typeof sheet?.player === 'number' ? chair(state, actions, sheet.player, close) : nothing;
  }
}

/**
 * The table is paused: the header stays usable.
 * @param {State} state
 * @param {Actions} actions
 */
function paused(state, actions) {
  const { room } = state;
  if (room?.phase !== 'paused' || state.page !== 'table') return nothing;
  const name = nameAt(room, room.host);
  const seat = room.you.seat === null ? seatToTake(state) : null;
  return html`<div class="scrim rest">
    <section class="dlg stitched" role="dialog" aria-labelledby="paused-title">
      <span>${icon('cup')}</span>
      <h3 id="paused-title">${t('state.paused.title')}</h3>
      <p>${room.you.host ? t('state.paused.you') : t('state.paused.text', { name })}</p>
      <div class="row">
        ${
          room.you.host
            ? html`<button class="btn pri" type="button" @click=${() => void actions.tell('resume')}>${t('menu.resume')}</button>`
            : nothing
        }
        ${
          seat === null
            ? html`<button class="btn" type="button" @click=${() => leave(state, actions)}>${t('menu.leave')}</button>`
            : nothing
        }
      </div>
    </section>
  </div>`;
}
