// Banners under the header: the connection, a planned restart, a notice of the operator, people who are away, the bot that
// stands in, watching.

import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { t } from './i18n.js';
import { icon } from './icons.js';
import { chairToTake, isAway, isHere, LOSS_GRACE_MS, nameOf, noticeEnd, restartAt, standInFrom } from './state.js';
import { minutesAndSeconds } from './table/format.js';

/** @import { Actions } from './actions.js' */
/** @import { Icon } from './icons.js' */
/** @import { State } from './types.js' */

/**
 * @typedef {object} Banner
 * @property {Icon} icon
 * @property {string} text
 * @property {string} [spoken] the text for screen readers, if it changes less often
 * @property {{ label: string, onClick: (actions: Actions) => void }} [button]
 * @property {boolean} [isSoft] whether it is less important than the others
 */

/** The statuses in which the page reconnects by itself. */
const RECONNECTING = ['waiting', 'connecting', 'restarting', 'unsaved'];
/** For this long after the announcement of a restart the banner says that the server restarts, in milliseconds. */
const RESTART_SHOWN_MS = 20_000;
/** Screen readers speak a countdown in steps of this many seconds. */
const SPOKEN_STEP_SECONDS = 10;
/** And that of a planned restart in steps of this many minutes, if it is farther away. */
const SPOKEN_STEP_MINUTES = 5;

/**
 * The banners in a state.
 * @param {State} state
 * @param {Actions} actions
 */
export const banners = (state, actions) =>
  bannersOf(state).map((banner) => (banner ? bannerTemplate(banner, actions) : nothing));

/**
 * The texts of the banners, as screen readers are told them.
 * @param {State} state
 * @returns {string[]}
 */
export const bannerTexts = (state) =>
  bannersOf(state).flatMap((banner) => (banner ? [banner.spoken ?? banner.text] : []));

/**
 * The banners, each in its place; null where there is none.
 * @param {State} state
 */
const bannersOf = (state) => [
  connectionBanner(state),
  restartBanner(state),
  noticeBanner(state),
  ...awayBanners(state),
  standInBanner(state),
  watchingBanner(state),
];

/**
 * @param {State} state
 * @returns {Banner | null}
 */
function connectionBanner({ route, connection, clock, room }) {
  if (route !== 'room') return null;
  const { status, retryAt, since } = connection;
  if (!RECONNECTING.includes(status)) return null;
  if (connection.isUnsaved) return { icon: 'time', text: t('state.unsaved') };
  if (connection.isRestart && since !== null && clock - since < RESTART_SHOWN_MS) {
    return { icon: 'time', text: t('state.restart') };
  }
  if (since === null || clock - since < LOSS_GRACE_MS) return null;
  if (status === 'connecting') return { icon: 'plug', text: t('state.connecting') };
  const seconds = retryAt === null ? 0 : Math.max(0, Math.ceil((retryAt - clock) / 1000));
  const key = room?.you.seat === null || !room ? 'state.reconnectPlain' : 'state.reconnect';
  const texts = countdown(seconds, (s) => t(key, { s }));
  const button = { label: t('common.now'), onClick: (/** @type {Actions} */ actions) => actions.reconnect() };
  return { icon: 'plug', ...texts, ...(status === 'waiting' && { button }) };
}

/**
 * A restart of the server is planned.
 * @param {State} state
 * @returns {Banner | null}
 */
function restartBanner(state) {
  const { connection, clock, game, room } = state;
  const at = restartAt(state);
  if (at === null || connection.status !== 'open') return null;
  const seconds = Math.ceil((at - clock) / 1000);
  if (seconds <= 0) return { icon: 'time', text: t('state.restart') };
  const isInRound = room?.phase === 'playing' && game !== null && game.view.table.phase !== 'round_end';
  const text = (/** @type {string} */ time) => t(isInRound ? 'restart.round' : 'restart.plain', { time });
  return { icon: 'time', text: text(minutesAndSeconds(seconds)), spoken: text(spokenMinutes(seconds)) };
}

/**
 * The time until a restart, for screen readers: in whole minutes, and in steps of several if it is far away.
 * @param {number} seconds
 */
function spokenMinutes(seconds) {
  const minutes = Math.ceil(seconds / 60);
  const step = minutes > SPOKEN_STEP_MINUTES ? SPOKEN_STEP_MINUTES : 1;
  return t('restart.minutes', { n: Math.ceil(minutes / step) * step });
}

/**
 * The newest notice of the operator.
 * @param {State} state
 * @returns {Banner | null}
 */
function noticeBanner(state) {
  const end = noticeEnd(state);
  if (end === null || end <= state.clock || state.notice === null) return null;
  const button = { label: t('common.close'), onClick: (/** @type {Actions} */ actions) => actions.closeNotice() };
  return { icon: 'info', text: t('notice.text', { text: state.notice.text }), button };
}

/**
 * A banner for each person whom the room waits for and who is away.
 * @param {State} state
 * @returns {(Banner | null)[]}
 */
function awayBanners(state) {
  const { room, game, clock, you } = state;
  if (room?.phase !== 'playing' || !game) return [];
  const isAnybodyHere = room.chairs.some(isHere);
  return room.chairs.map((chair, seat) => {
    const from = standInFrom(chair, state);
    const isWaitedFor = game.view.to_act.includes(seat);
    if (chair.kind !== 'person' || !isAway(chair) || from === null || !isWaitedFor) return null;
    const seconds = Math.ceil((from - clock) / 1000);
    const { name } = chair;
    if (seconds > 0) return { icon: 'plug', ...countdown(seconds, (n) => t('absent.wait', { name, n })) };
    const mayAsk = you.seat !== null || !isAnybodyHere;
    const button = { label: t('absent.bot'), onClick: (/** @type {Actions} */ actions) => void actions.standIn(seat) };
    return { icon: 'plug', text: t('absent.long', { name }), ...(mayAsk && { button }) };
  });
}

/**
 * A bot stands in for you.
 * @param {State} state
 * @returns {Banner | null}
 */
function standInBanner({ room, you }) {
  const chair = you.seat === null ? undefined : room?.chairs[you.seat];
  if (chair?.kind !== 'person' || !chair.stood_in) return null;
  if (chair.waits_for_deal) return { icon: 'robot', text: t('absent.waitsForDeal') };
  const button = {
    label: t('absent.back'),
    onClick: (/** @type {Actions} */ actions) => void actions.endStandIn(),
  };
  return { icon: 'robot', text: t('absent.you'), button };
}

/**
 * You watch, and can take a seat.
 * @param {State} state
 * @returns {Banner | null}
 */
function watchingBanner(state) {
  const { room, you } = state;
  if (!room || you.seat !== null || room.phase === 'lobby' || state.connection.status !== 'open') return null;
  const seat = chairToTake(state);
  if (seat === null) return null;
  const name = nameOf(room, seat);
  const text = name === '' ? t('watch.free') : t('watch.bot', { name });
  const onClick = (/** @type {Actions} */ actions) => actions.prompt({ kind: 'sit', seat });
  return { icon: 'eye', text, button: { label: t('watch.sit'), onClick }, isSoft: true };
}

/**
 * A text that counts down, and the one for screen readers, which counts in larger steps.
 * @param {number} seconds
 * @param {(seconds: number) => string} text
 */
const countdown = (seconds, text) => ({
  text: text(seconds),
  spoken: text(Math.ceil(seconds / SPOKEN_STEP_SECONDS) * SPOKEN_STEP_SECONDS),
});

/**
 * @param {Banner} banner
 * @param {Actions} actions
 */
function bannerTemplate({ icon: name, text, spoken, button, isSoft = false }, actions) {
  const words =
    spoken === undefined
      ? text
      : html`<span aria-hidden="true">${text}</span><span class="visually-hidden">${spoken}</span>`;
  return html`<div class="banner ${isSoft ? 'soft' : ''}" role="status">
    ${icon(name)}<span class="grow">${words}</span>${
      button
        ? html`<button class="btn compact" type="button" @click=${() => button.onClick(actions)}>${button.label}</button>`
        : nothing
    }
  </div>`;
}
