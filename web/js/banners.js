// Banners under the header: the connection, people who are away, the bot that stands in, watching.

import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { t } from './i18n.js';
import { icon } from './icons.js';
import { nameAt, seatToTake } from './state.js';

/** @import { Actions } from './actions.js' */
/** @import { Icon } from './icons.js' */
/** @import { State } from './types.js' */

/** A connection that has been lost for this long gets a banner, in milliseconds. */
const BANNER_DELAY = 2000;
/** A bot may stand in for somebody who has been away for this long, in milliseconds. */
const GRACE = 30_000;
/** The statuses in which the page reconnects by itself. */
const RECONNECTING = ['waiting', 'connecting', 'restarting', 'unsaved'];
/** For this long after the announcement of a restart the banner says that the server restarts, in milliseconds. */
const RESTART_SHOWN = 20_000;

/**
 * The banners in a state.
 * @param {State} state
 * @param {Actions} actions
 */
export function banners(state, actions) {
  return [
    linkBanner(state, actions),
    ...awayBanners(state, actions),
    standInBanner(state, actions),
    watchingBanner(state, actions),
  ];
}

/**
 * @param {State} state
 * @param {Actions} actions
 */
function linkBanner({ page, link, clock, room }, actions) {
  if (page !== 'table') return nothing;
  const { status, retryAt, since } = link;
  const seconds = retryAt === null ? 0 : Math.max(0, Math.ceil((retryAt - clock) / 1000));
  if (!RECONNECTING.includes(status)) return nothing;
  if (link.isUnsaved) return banner('time', t('state.unsaved'));
  if (link.isRestart && since !== null && clock - since < RESTART_SHOWN) return banner('time', t('state.restart'));
  if (since === null || clock - since < BANNER_DELAY) return nothing;
  const safe = room?.you.seat === null || !room ? 'state.reconnectPlain' : 'state.reconnect';
  const text = status === 'connecting' ? t('state.connecting') : countdown(seconds, (s) => t(safe, { s }));
  const now = html`<button class="btn sm" type="button" @click=${actions.reconnect}>${t('common.now')}</button>`;
  return banner('plug', text, status === 'waiting' ? now : nothing);
}

/**
 * A banner for each person whom the table waits for and who is away.
 * @param {State} state
 * @param {Actions} actions
 */
function awayBanners(state, actions) {
  const { room, game, awaySince, clock, you } = state;
  if (room?.phase !== 'playing' || !game) return [];
  const isAnybodyHere = room.chairs.some((chair) => chair.kind === 'person' && chair.presence === 'here');
  return room.chairs.map((chair, seat) => {
    const isWaitedFor = game.view.to_act.includes(seat);
    if (chair.kind !== 'person' || chair.presence !== 'away' || chair.stood_in || !isWaitedFor) return nothing;
    const seconds = Math.ceil(((awaySince[seat] ?? clock) + GRACE - clock) / 1000);
    const { name } = chair;
    const wait = (/** @type {number} */ s) => t('absent.wait', { name, s });
    if (seconds > 0) return banner('plug', countdown(seconds, wait));
    const mayAsk = you.seat !== null || !isAnybodyHere;
    const ask = html`<button class="btn sm" type="button" @click=${() => actions.standIn(seat)}>${t('absent.bot')}</button>`;
    return banner('plug', t('absent.long', { name }), mayAsk ? ask : nothing);
  });
}

/**
 * A bot stands in for you.
 * @param {State} state
 * @param {Actions} actions
 */
function standInBanner({ room, you }, actions) {
  const chair = you.seat === null ? undefined : room?.chairs[you.seat];
  if (chair?.kind !== 'person' || !chair.stood_in) return nothing;
  if (chair.waits_for_deal) return banner('robot', t('absent.waitsForDeal'), nothing);
  const back = html`<button class="btn sm" type="button" @click=${actions.takeOverFromBot}>${t('absent.back')}</button>`;
  return banner('robot', t('absent.you'), back);
}

/**
 * You watch, and can take a seat.
 * @param {State} state
 * @param {Actions} actions
 */
function watchingBanner(state, actions) {
  const { room, you } = state;
  if (!room || you.seat !== null || room.phase === 'lobby' || state.link.status !== 'open') return nothing;
  const seat = seatToTake(state);
  if (seat === null) return nothing;
  const name = nameAt(room, seat);
  const text = name === '' ? t('watch.free') : t('watch.bot', { name });
  const sit = html`<button class="btn sm" type="button" @click=${() => actions.prompt({ kind: 'sit', seat })}>
    ${t('watch.sit')}
  </button>`;
  return banner('eye', text, sit, 'soft');
}

/**
 * A text that counts down. Screen readers read it out every ten seconds only.
 * @param {number} seconds
 * @param {(seconds: number) => string} words
 */
const countdown = (seconds, words) =>
  html`<span aria-hidden="true">${words(seconds)}</span><span class="sr">${words(Math.ceil(seconds / 10) * 10)}</span>`;

/**
 * @param {Icon} drawing
 * @param {unknown} text
 * @param {unknown} [button]
 * @param {string} [kind]
 */
function banner(drawing, text, button = nothing, kind = '') {
  return html`<div class="banner ${kind}" role="status">${icon(drawing)}<span class="grow">${text}</span>${button}</div>`;
}
