// Banners under the header bar: the connection, absent people, your own bot, watching.

import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { t } from './i18n.js';
import { icon } from './icons.js';
import { nameAt, seatToTake } from './state.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./actions.js').Actions} Actions */

/** How long somebody may be gone before the table says more than a word about it, and how long he is waited for. */
const QUIET = 2000;
const GRACE = 30_000;
/** As long as somebody comes back by himself. */
const RETURNING = ['waiting', 'connecting', 'restarting', 'unsaved'];
/** How long a restart is believed in. */
const RESTART = 20_000;

/**
 * Everything that is out of the ordinary now.
 * @param {State} state
 * @param {Actions} actions
 */
export function banners(state, actions) {
  return [linkBanner(state, actions), ...absent(state, actions), standIn(state, actions), watching(state, actions)];
}

/**
 * @param {State} state
 * @param {Actions} actions
 */
function linkBanner({ page, link, clock, room }, actions) {
  if (page !== 'table') return nothing;
  const { status, retryAt, since } = link;
  const seconds = retryAt === null ? 0 : Math.max(0, Math.ceil((retryAt - clock) / 1000));
  if (!RETURNING.includes(status)) return nothing;
  if (link.isUnsaved) return banner('time', t('state.unsaved'));
  if (link.isRestart && since !== null && clock - since < RESTART) return banner('time', t('state.restart'));
  if (since === null || clock - since < QUIET) return nothing;
  const safe = room?.you.seat === null || !room ? 'state.reconnectPlain' : 'state.reconnect';
  const text = status === 'connecting' ? t('state.connecting') : counting(seconds, (s) => t(safe, { s }));
  const now = html`<button class="btn sm" type="button" @click=${actions.reconnect}>${t('common.now')}</button>`;
  return banner('plug', text, status === 'waiting' ? now : nothing);
}

/**
 * Those whom the table waits for and who are not here.
 * @param {State} state
 * @param {Actions} actions
 */
function absent(state, actions) {
  const { room, game, away, clock, you } = state;
  if (room?.phase !== 'playing' || !game) return [];
  const isAnybodyHere = room.chairs.some((chair) => chair.kind === 'person' && chair.presence === 'here');
  return room.chairs.map((chair, seat) => {
    const isWaited = game.view.to_act?.includes(seat);
    if (chair.kind !== 'person' || chair.presence !== 'away' || chair.stood_in || !isWaited) return nothing;
    const seconds = Math.ceil(((away[seat] ?? clock) + GRACE - clock) / 1000);
    const { name } = chair;
    if (seconds > 0)
      return banner(
        'plug',
        counting(seconds, (s) => t('absent.wait', { name, s })),
      );
    const mayAsk = you.seat !== null || !isAnybodyHere;
    const ask = html`<button class="btn sm" type="button" @click=${() => actions.standIn(seat)}>${t('absent.bot')}</button>`;
    return banner('plug', t('absent.long', { name }), mayAsk ? ask : nothing);
  });
}

/**
 * A bot plays for you.
 * @param {State} state
 * @param {Actions} actions
 */
function standIn({ room, you }, actions) {
  const chair = you.seat === null ? undefined : room?.chairs[you.seat];
  if (chair?.kind !== 'person' || !chair.stood_in) return nothing;
  if (chair.waits_for_deal) return banner('robot', t('absent.waitsForDeal'), nothing);
  const back = html`<button class="btn sm" type="button" @click=${actions.back}>${t('absent.back')}</button>`;
  return banner('robot', t('absent.you'), back);
}

/**
 * You watch, and can sit down.
 * @param {State} state
 * @param {Actions} actions
 */
function watching(state, actions) {
  const { room, you } = state;
  if (!room || you.seat !== null || room.phase === 'lobby' || state.link.status !== 'open') return nothing;
  const seat = seatToTake(state);
  if (seat === null) return nothing;
  const name = nameAt(room, seat);
  const text = name === '' ? t('watch.free') : t('watch.bot', { name });
  const sit = html`<button class="btn sm" type="button" @click=${() => actions.ask({ kind: 'sit', seat })}>
    ${t('watch.sit')}
  </button>`;
  return banner('eye', text, sit, 'soft');
}

/**
 * Words that count down. They are read out every ten seconds only.
 * @param {number} seconds
 * @param {(seconds: number) => string} words
 */
const counting = (seconds, words) =>
  html`<span aria-hidden="true">${words(seconds)}</span><span class="sr">${words(Math.ceil(seconds / 10) * 10)}</span>`;

/**
 * @param {import('./icons.js').Icon} drawn
 * @param {unknown} text
 * @param {unknown} [button]
 * @param {string} [kind]
 */
function banner(drawn, text, button = nothing, kind = '') {
  return html`<div class="banner ${kind}" role="status">${icon(drawn)}<span class="grow">${text}</span>${button}</div>`;
}
