// Banners under the header: the connection, people who are away, the bot that stands in, watching.

import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { t } from './i18n.js';
import { icon } from './icons.js';
import { chairToTake, isAway, isHere, LOSS_GRACE_MS, nameOf, standInFrom } from './state.js';

/** @import { Actions } from './actions.js' */
/** @import { Icon } from './icons.js' */
/** @import { State } from './types.js' */

/** @typedef {{ label: string, onClick: (actions: Actions) => void }} BannerButton */
/**
 * @typedef {object} Banner
 * @property {Icon} icon
 * @property {string} text
 * @property {string} [spoken] the text for screen readers, if it changes less often
 * @property {BannerButton} [button]
 * @property {BannerButton} [other] a second button
 * @property {boolean} [isSoft] whether it is less important than the others
 */

/** The statuses in which the page reconnects by itself. */
const RECONNECTING = ['waiting', 'connecting', 'restarting', 'unsaved'];
/** For this long after the announcement of a restart the banner says that the server restarts, in milliseconds. */
const RESTART_SHOWN_MS = 20_000;
/** Screen readers speak a countdown in steps of this many seconds. */
const SPOKEN_STEP_SECONDS = 10;

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
  ...awayBanners(state),
  standInBanner(state),
  guestsBanner(state),
  ...claimBanners(state),
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
 * Newcomers ask the host to be let in.
 * @param {State} state
 * @returns {Banner | null}
 */
function guestsBanner({ room }) {
  const guests = room?.guests ?? [];
  if (guests.length === 0) return null;
  if (guests.length > 1) {
    const onClick = (/** @type {Actions} */ actions) => actions.prompt({ kind: 'guests' });
    return { icon: 'door', text: t('guests.many', { n: guests.length }), button: { label: t('guests.show'), onClick } };
  }
  const [{ guest, name }] = guests;
  const admit = (/** @type {boolean} */ isAdmitted) => (/** @type {Actions} */ actions) =>
    void actions.admit(guest, isAdmitted);
  return {
    icon: 'door',
    text: t('guests.one', { name }),
    button: { label: t('guests.admit'), onClick: admit(true) },
    other: { label: t('guests.refuse'), onClick: admit(false) },
  };
}

/**
 * A banner for each seat that is claimed: for the claimant, and for the people who have to agree.
 * @param {State} state
 * @returns {(Banner | null)[]}
 */
function claimBanners({ room, you }) {
  return (room?.claims ?? []).map(({ seat, agreed }) => {
    const name = nameOf(room, seat);
    if (you.claims === seat) return { icon: 'people', text: t('claim.own', { name }) };
    if (you.seat === null) return null;
    const answer = (/** @type {boolean} */ agree) => (/** @type {Actions} */ actions) =>
      void actions.answerClaim(seat, agree);
    // Somebody who has agreed can agree again: people who have left since need not.
    return {
      icon: 'people',
      text: t(agreed.includes(you.seat) ? 'claim.agreed' : 'claim.ask', { name }),
      button: { label: t('claim.agree'), onClick: answer(true) },
      other: { label: t('claim.reject'), onClick: answer(false) },
    };
  });
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
function bannerTemplate({ icon: name, text, spoken, button, other, isSoft = false }, actions) {
  const words =
    spoken === undefined
      ? text
      : html`<span aria-hidden="true">${text}</span><span class="visually-hidden">${spoken}</span>`;
  return html`<div class="banner ${isSoft ? 'soft' : ''}" role="status">
    ${icon(name)}<span class="grow">${words}</span>${[button, other].map((each) =>
      each
        ? html`<button class="btn compact" type="button" @click=${() => each.onClick(actions)}>${each.label}</button>`
        : nothing,
    )}
  </div>`;
}
