// A table before the game: chairs, invitation, house rules, and the dock with Ready and Start.

import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { invitation, shownCode } from './base.js';
import { gameOf } from './games.js';
import { homeward } from './header.js';
import { icon } from './icons.js';
import { list, t } from './i18n.js';
import { houseRules, length } from './option.js';
import { part } from './parts.js';
import { rich } from './rich.js';
import { keptName } from './secret.js';
import { nameAt, openSeat } from './state.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./state.js').Room} Room */
/** @typedef {import('./state.js').Chair} Chair */
/** @typedef {import('./actions.js').Actions} Actions */

/**
 * @param {State} state
 * @param {Actions} actions
 */
export function lobby(state, actions) {
  const room = /** @type {Room} */ (state.room);
  return html`<main class="wrap stack" id="main">
      <div class="row sb">
        <div>
          <h1>${room.title ?? t('lobby.untitled')}</h1>
          <p class="muted">${t(`game.${room.game}`)} · ${length(room)}</p>
        </div>
        ${room.spectators > 0
          ? html`<span class="tag">${icon('eye')} ${t('role.spectators', { n: room.spectators })}</span>`
          : nothing}
      </div>
      <div class="cols lob">
        <div class="stack lobgap">
          ${chairs(state, actions)}
          <section class="panel" aria-labelledby="op">
            <div class="row sb">
              <h2 id="op">${t('lobby.rules')}</h2>
              ${room.you.host ? html`<span class="small muted">${t('lobby.rules.host')}</span>` : nothing}
            </div>
            ${houseRules(state, actions)}
          </section>
        </div>
        <div class="stack lobgap">
          ${invite(state, actions)}
          <div class="panel lobby-chat">${part('later')?.chatPanel(state, actions)}</div>
          <section class="panel" aria-labelledby="how">
            <h2 id="how">${t('help.short')}</h2>
            ${fourLines(room)}
          </section>
        </div>
      </div>
    </main>
    ${dock(state, actions)}`;
}

/**
 * The game in four lines.
 * @param {Room} room
 */
const fourLines = ({ game }) => html`<ol class="stack tight">
  ${[1, 2, 3, 4].map((n) => html`<li><b>${n}.</b> ${rich(t(`help.${game}.line${n}`))}</li>`)}
</ol>`;

/**
 * @param {State} state
 * @param {Actions} actions
 */
function chairs(state, actions) {
  const room = /** @type {Room} */ (state.room);
  const taken = room.chairs.filter(({ kind }) => kind !== 'free').length;
  const count = room.chairs.length;
  const last = room.chairs.at(-1);
  const { seats } = gameOf(room);
  const resize = (/** @type {number} */ seats) => void actions.tell('configure', { seats });
  return html`<section class="panel" aria-labelledby="sl">
    <div class="row sb">
      <h2 id="sl">${t('lobby.seats')}</h2>
      <span class="small muted">${t('lobby.taken', { n: taken, max: count })}</span>
    </div>
    ${room.you.seat === null ? sitDown(state, actions) : nothing}
    <ol class="seatlist">
      ${room.chairs.map((chair, seat) => chairRow(chair, seat, state, actions))}
    </ol>
    ${room.you.host
      ? html`<div class="row">
          ${count < seats[seats.length - 1]
            ? html`<button class="btn ghost sm" type="button" @click=${() => resize(count + 1)}>
                ${icon('plus')} ${t('lobby.moreSeats')}
              </button>`
            : nothing}
          ${count > seats[0] && last?.kind === 'free'
            ? html`<button class="btn ghost sm" type="button" @click=${() => resize(count - 1)}>
                ${icon('minus')} ${t('lobby.fewerSeats')}
              </button>`
            : nothing}
          ${taken > 1
            ? html`<button class="btn ghost sm" type="button" @click=${() => void actions.shuffle()}>
                ${icon('swap')} ${t('lobby.shuffle')}
              </button>`
            : nothing}
        </div>`
      : nothing}
  </section>`;
}

/**
 * One field, and the chairs below can be chosen.
 * @param {State} state
 * @param {Actions} actions
 */
function sitDown(state, actions) {
  const move = html`<button class="btn ghost sm" type="button" @click=${() => actions.ask({ kind: 'takeover' })}>
    ${icon('phone')} ${t('handover.have')}
  </button>`;
  if (isFull(state)) return html`<div class="sitform">${move}</div>`;
  const error = state.errors.sit;
  const submit = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    void actions.sit(nameField(), null);
  };
  return html`<form class="sitform" @submit=${submit}>
    <label class="field"
      ><span>${t('home.name')}</span
      ><input
        class="input"
        id="sit-name"
        .value=${keptName()}
        maxlength="40"
        autocomplete="nickname"
        aria-invalid=${error ? 'true' : 'false'}
        aria-describedby="sit-error"
    /></label>
    <button class="btn pri" ?disabled=${state.busy.sit}>${t('sit.down')}</button>
    <p class="neg small" id="sit-error" role="alert">${error ? t(error.key, error.args) : nothing}</p>
    ${move}
  </form>`;
}

/**
 * Whether nobody can sit down here: no chair is free, kept by a bot, or left.
 * @param {State} state
 */
const isFull = (state) =>
  openSeat(state) === null &&
  !state.room?.chairs.some((chair) => chair.kind === 'person' && chair.presence === 'away');

function nameField() {
  const field = document.querySelector('#sit-name');
  return field instanceof HTMLInputElement ? field.value : '';
}

/**
 * @param {Chair} chair
 * @param {number} seat
 * @param {State} state
 * @param {Actions} actions
 */
function chairRow(chair, seat, state, actions) {
  const { you } = state;
  if (chair.kind === 'free') return freeRow(seat, state, actions);
  const isYou = seat === you.seat;
  const isHost = seat === state.room?.host;
  const isBot = chair.kind === 'bot';
  const menu = () => actions.ask({ kind: 'chair', seat });
  const canSit = you.seat === null && (isBot || (chair.kind === 'person' && chair.presence === 'away'));
  return html`<li data-seat=${seat}>
    ${isBot
      ? html`<span class="av bot" aria-hidden="true">${icon('robot')}</span>`
      : html`<span class="av" aria-hidden="true">${initialOf(chair.name)}${part('later')?.reaction(seat, state)}</span>`}
    <div class="grow">
      <div class="nm">
        ${chair.name} ${isYou ? html`<span class="tag">${t('role.you')}</span>` : nothing}
        ${isHost ? html`<span class="tag">${icon('crown')}${t('role.host')}</span>` : nothing}
        ${isBot ? html`<span class="tag">${t('role.bot')}</span>` : nothing}
      </div>
      ${status(chair)}
    </div>
    ${chair.kind === 'person' && chair.ready
      ? html`<span class="tag ok">${icon('check')}${t('lobby.isReady')}</span>`
      : nothing}
    ${canSit
      ? html`<button class="btn sm" type="button" @click=${() => void actions.sit(nameField(), seat)}>${t('sit.here')}</button>`
      : nothing}
    ${isYou || you.host
      ? html`<button class="icb" type="button" aria-label=${t('lobby.options', { name: chair.name })} @click=${menu}>
          ${icon(isYou ? 'edit' : 'menu')}
        </button>`
      : nothing}
    ${isBot && you.host
      ? html`<button
          class="icb"
          type="button"
          aria-label=${t('lobby.removeBot', { name: chair.name })}
          @click=${() => void actions.tell('remove', { seat })}
        >
          ${icon('close')}
        </button>`
      : nothing}
  </li>`;
}

/**
 * @param {number} seat
 * @param {State} state
 * @param {Actions} actions
 */
function freeRow(seat, { you }, actions) {
  const bot = () => void actions.tell('add_bot', { level: 'beginner', seat });
  return html`<li class="free" data-seat=${seat}>
    <div class="grow">
      <div class="nm">${t('lobby.free')}</div>
      <div class="st">${t('lobby.free.text')}</div>
    </div>
    ${you.seat === null
      ? html`<button class="btn sm" type="button" @click=${() => void actions.sit(nameField(), seat)}>${t('sit.here')}</button>`
      : nothing}
    ${you.host
      ? html`<button class="btn sm" type="button" @click=${bot}>${icon('robot')} ${t('lobby.addBot')}</button>`
      : nothing}
  </li>`;
}

/** @param {Chair} chair */
function status(chair) {
  if (chair.kind === 'bot') return html`<div class="st">${t(`bot.${chair.level}`)}</div>`;
  if (chair.kind !== 'person' || chair.presence === 'here') return nothing;
  return html`<div class="st">${icon('plug')} ${t(`presence.${chair.presence}`)}</div>`;
}

/** @param {string} name */
export const initialOf = (name) => [...new Intl.Segmenter().segment(name)][0]?.segment.toUpperCase() ?? '';

/** How a link that is selected is copied on this device. */
export const copyByHand = () =>
  html`<p class="small" role="status">${t(matchMedia('(pointer: coarse)').matches ? 'lobby.copyTouch' : 'lobby.copyKeys')}</p>`;

/**
 * @param {State} state
 * @param {Actions} actions
 */
export function invite(state, actions) {
  const code = /** @type {string} */ (state.code);
  const link = invitation(code);
  const canShare = typeof navigator.share === 'function';
  const isInsecure = !globalThis.isSecureContext;
  return html`<section class="panel stitch" aria-labelledby="inv">
    <h2 id="inv">${t('lobby.invite')}</h2>
    <div class="stack tight">
      <div class="invite">
        ${part('later')?.qr(link, t('lobby.qr'), actions.redraw) ?? html`<div class="qr"></div>`}
        <div>
          <span class="small muted">${t('home.code')}</span>
          <p class="code">${shownCode(code)}</p>
          <p class="small muted">${t('lobby.invite.text')}</p>
        </div>
      </div>
      <div class="linkbox">
        <span class="link" tabindex="-1">${link}</span>
        <button class="btn sm" type="button" @click=${actions.copyLink}>${icon('copy')} ${t('lobby.copy')}</button>
      </div>
      ${state.selectLink ? copyByHand() : nothing}
      ${canShare
        ? html`<button class="btn wide" type="button" @click=${actions.shareLink}>${icon('share')} ${t('lobby.share')}</button>`
        : isInsecure
          ? html`<p class="small muted">${t('lobby.noShare')}</p>`
          : nothing}
      ${state.room?.locked ? html`<p class="small muted">${icon('lock')} ${t('lobby.locked')}</p>` : nothing}
    </div>
  </section>`;
}

/**
 * @param {State} state
 * @param {Actions} actions
 */
function dock(state, actions) {
  const room = /** @type {Room} */ (state.room);
  const { you, chairs } = room;
  if (you.seat === null) return watching(state, actions);
  const own = chairs[you.seat];
  const isReady = own.kind === 'person' && own.ready;
  const sitters = chairs.filter(({ kind }) => kind !== 'free').length;
  const missing = Math.max(0, gameOf(room).seats[0] - sitters);
  // Whoever is host is ready by starting.
  const others = chairs.flatMap((chair, seat) => {
    const isAsked = chair.kind === 'person' && chair.presence === 'here' && seat !== you.seat && seat !== room.host;
    const isWaited = isAsked && !chair.ready;
    return isWaited ? [chair.name] : [];
  });
  const start = () => void actions.tell('start');
  return html`<div class="dock">
    <div class="in">
      <p role="status">${dockText(room, missing, others, isReady)}</p>
      <button class="btn" type="button" aria-pressed=${String(isReady)} @click=${() => void actions.ready(!isReady)}>
        ${isReady ? html`${icon('check')} ${t('lobby.ready')}` : t('lobby.readyAsk')}
      </button>
      ${you.host
        ? missing > 0
          ? html`<button class="btn pri" type="button" @click=${actions.fillAndStart}>${t('lobby.fillStart')}</button>`
          : html`<button class="btn ${others.length === 0 ? 'pri' : ''}" type="button" @click=${start}>
              ${others.length === 0 ? t('lobby.start') : t('lobby.startAnyway')}
            </button>`
        : nothing}
    </div>
  </div>`;
}

/**
 * Somebody who has no seat, and perhaps cannot have one.
 * @param {State} state
 * @param {Actions} actions
 */
function watching(state, actions) {
  return html`<div class="dock">
    <div class="in">
      <p role="status">${t(isFull(state) ? 'lobby.full' : 'lobby.watching')}</p>
      ${isFull(state)
        ? html`<a class="btn" href=${actions.hrefOf(null)} @click=${homeward(actions)}>${t('lobby.otherTables')}</a>`
        : nothing}
    </div>
  </div>`;
}

/**
 * Who or what is missing.
 * @param {Room} room
 * @param {number} missing
 * @param {string[]} others
 * @param {boolean} isReady
 */
function dockText(room, missing, others, isReady) {
  if (missing > 0) return t('lobby.needPlayers', { n: missing });
  if (others.length > 0) return t('lobby.waitFor', { names: list(others), n: others.length });
  if (!room.you.host && !isReady) return t('lobby.waitYou');
  const free = room.chairs.filter(({ kind }) => kind === 'free').length;
  if (room.you.host) return free > 0 ? t('lobby.allReadyFree', { n: free }) : t('lobby.allReady');
  return t('lobby.waitHost', { name: nameAt(room, room.host) });
}
