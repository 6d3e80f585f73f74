// The banners under the header, such as that of a lost connection or of a planned restart.

import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { gameOf } from './games.js';
import { minutesAndSeconds, nameList, t } from './i18n.js';
import { icon } from './icons.js';
import {
  chairToTake,
  hostPassesAt,
  idleOf,
  isAway,
  isHere,
  isQueueNeeded,
  isReconnecting,
  isSoundOffered,
  isWarned,
  LOSS_GRACE_MS,
  mayAskForMoreTime,
  nameOf,
  noticeEnd,
  offerEnd,
  restartAt,
  seesAllHands,
  spectatorName,
  standInFrom,
} from './state.js';
import { cardName } from './table/card-text.js';

/** @import { Actions } from './actions.js' */
/** @import { Icon } from './icons.js' */
/** @import { Chair, Seat } from './protocol.js' */
/** @import { State } from './types.js' */

/** @typedef {{ label: string, shortcut?: string, onClick: (actions: Actions) => void }} BannerButton a button, and the key that does the same */
/**
 * @typedef {object} Banner
 * @property {Icon} icon
 * @property {string} text
 * @property {string} [spoken] the text for screen readers, if it changes less often
 * @property {BannerButton} [button]
 * @property {BannerButton} [other] a second button
 * @property {(actions: Actions) => void} [dismiss] removes the banner, if people may do so
 * @property {boolean} [isSoft] whether it is less important than the others
 */

/** For this long after the announcement of a restart the banner says that the server restarts, in milliseconds. */
const RESTART_SHOWN_MS = 20_000;
/** Screen readers speak a countdown in steps of this many seconds. */
const SPOKEN_STEP_SECONDS = 10;
/** The host sees for this long that the others wait before another person becomes the host, in milliseconds. */
export const HOST_WARNED_MS = 120_000;
const MINUTE_MS = 60_000;
/** The most lost moves that are named. */
const MAX_LOST_MOVES = 6;
/** Screen readers speak a planned restart in steps of this many minutes, if it is farther away. */
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
  lostBanner(state),
  noticeBanner(state),
  ...awayBanners(state),
  ownIdleBanner(state),
  hostBanner(state),
  agreementBanner(state),
  standInBanner(state),
  guestsBanner(state),
  ...claimBanners(state),
  ...watchRequestBanners(state),
  watchersBanner(state),
  offerBanner(state),
  watchingBanner(state),
  introBanner(state) ?? soundBanner(state),
];

/**
 * @param {State} state
 * @returns {Banner | null}
 */
function connectionBanner({ route, connection, clock, room }) {
  if (route !== 'room') return null;
  const { status, retryAt, since } = connection;
  if (!isReconnecting(status)) return null;
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
 * A failover of the database has lost changes that the page has shown.
 * @param {State} state
 * @returns {Banner | null}
 */
function lostBanner({ lost }) {
  if (lost === null) return null;
  const named = lost.moves.slice(0, MAX_LOST_MOVES).map(({ name, card }) => {
    const who = name ?? t('play.you');
    return card === null ? who : t('lost.card', { name: who, card: cardName(card, t) });
  });
  const others = lost.moves.length - MAX_LOST_MOVES;
  const more = others > 0 ? [t('lost.more', { n: others })] : [];
  const text =
    named.length > 0
      ? t('lost.moves', { n: lost.moves.length, moves: [...named, ...more].join(', ') })
      : t('lost.changes', { n: lost.changes });
  const button = { label: t('common.close'), onClick: (/** @type {Actions} */ actions) => actions.closeLost() };
  return { icon: 'info', text, button };
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
 * A banner for each other person for whom the room waits and who is away or idle.
 * @param {State} state
 * @returns {(Banner | null)[]}
 */
function awayBanners(state) {
  const { room, game } = state;
  if (!room || !game || (room.phase !== 'playing' && room.phase !== 'over')) return [];
  return room.chairs.map((chair, seat) => {
    if (chair.kind !== 'person') return null;
    return isAway(chair) ? awayBanner(chair, seat, state) : idleBanner(chair, seat, state);
  });
}

/**
 * @param {Extract<Chair, { kind: 'person' }>} chair
 * @param {Seat} seat
 * @param {State} state
 * @returns {Banner | null}
 */
function awayBanner(chair, seat, state) {
  const from = standInFrom(chair, state);
  if (from === null || !state.game?.view.to_act.includes(seat)) return null;
  const seconds = Math.ceil((from - state.clock) / 1000);
  const { name } = chair;
  if (seconds > 0) return { icon: 'plug', ...countdown(seconds, (n) => t('absent.wait', { name, n })) };
  return { icon: 'plug', text: t('absent.long', { name }), ...standInButton(seat, state) };
}

/**
 * @param {Extract<Chair, { kind: 'person' }>} chair
 * @param {Seat} seat
 * @param {State} state
 * @returns {Banner | null}
 */
function idleBanner(chair, seat, state) {
  const idle = idleOf(chair, state);
  if (idle === null || seat === state.you.seat) return null;
  const { name } = chair;
  const n = minutesSince(idle.since, state);
  if (idle.warnAt === null) return { icon: 'time', text: t('idle.ready', { name, n }), isSoft: true };
  const from = standInFrom(chair, state);
  const mayStandIn = from !== null && from <= state.clock;
  return { icon: 'time', text: t('idle.turn', { name, n }), ...(mayStandIn && standInButton(seat, state)) };
}

/**
 * The button that lets a bot stand in; none for people who may not ask for it.
 * @param {Seat} seat
 * @param {State} state
 * @returns {Pick<Banner, 'button'>}
 */
function standInButton(seat, { room, you }) {
  const mayAsk = you.seat !== null || !room?.chairs.some(isHere);
  const onClick = (/** @type {Actions} */ actions) => void actions.standIn(seat);
  return mayAsk ? { button: { label: t('absent.bot'), onClick } } : {};
}

/**
 * @param {number} since
 * @param {State} state
 */
const minutesSince = (since, { clock }) => Math.max(1, Math.floor((clock - since) / MINUTE_MS));

/**
 * The others wait for you. You are warned before a bot may stand in.
 * @param {State} state
 * @returns {Banner | null}
 */
function ownIdleBanner(state) {
  const chair = state.you.seat === null ? undefined : state.room?.chairs[state.you.seat];
  const idle = idleOf(chair, state);
  if (idle === null || chair?.kind !== 'person') return null;
  if (!isWarned(state)) return { icon: 'time', text: t('idle.you', { n: minutesSince(idle.since, state) }) };
  const from = standInFrom(chair, state) ?? state.clock;
  const seconds = Math.max(0, Math.ceil((from - state.clock) / 1000));
  const words = seconds > 0 ? countdown(seconds, (n) => t('idle.warn', { n })) : { text: t('idle.warnNow') };
  const onClick = (/** @type {Actions} */ actions) => void actions.askForMoreTime();
  const button = { label: t('idle.more'), ...(state.settings.letterKeys && { shortcut: 'W' }), onClick };
  return { icon: 'time', ...words, ...(mayAskForMoreTime(state) && { button }) };
}

/**
 * The others wait for a host who is connected and idle. The host is told later than the others, who may have asked.
 * @param {State} state
 * @returns {Banner | null}
 */
function hostBanner(state) {
  const { room, clock } = state;
  const at = hostPassesAt(state);
  if (!room || at === null || (room.you.host && at - clock > HOST_WARNED_MS)) return null;
  const seconds = Math.max(0, Math.ceil((at - clock) / 1000));
  const key = room.you.host ? 'host.awaited.you' : 'host.awaited';
  const text = (/** @type {string} */ time) => t(key, { name: nameOf(room, room.host), time });
  const words = { text: text(minutesAndSeconds(seconds)), spoken: text(spokenTime(seconds)) };
  if (!room.you.host) return { icon: 'crown', ...words };
  const onClick = (/** @type {Actions} */ actions) => void actions.showPresence();
  const button = { label: t('host.awaited.here'), onClick };
  return { icon: 'crown', ...words, button };
}

/**
 * Some people agree to end the game early.
 * @param {State} state
 * @returns {Banner | null}
 */
function agreementBanner({ room, you }) {
  const max = room?.agreements_needed;
  if (!room || max === undefined) return null;
  const agreeing = room.chairs.flatMap((chair, seat) => (chair.kind === 'person' && chair.agrees_to_end ? [seat] : []));
  const others = agreeing.filter((seat) => seat !== you.seat).map((seat) => nameOf(room, seat, t));
  const agrees = others.length < agreeing.length;
  const names = nameList(agrees ? [...others, t('play.youToo')] : others, t);
  const form = !agrees ? 'agree.banner' : others.length > 0 ? 'agree.banner.youToo' : 'agree.banner.you';
  const onClick = (/** @type {Actions} */ actions) => void actions.agreeToEnd(!agrees);
  const button = { label: t(agrees ? 'agree.withdraw' : 'agree.go'), onClick };
  const text = t(form, { names, n: agreeing.length, max });
  return { icon: 'stop', text, ...(you.seat !== null && { button }) };
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
  return (room?.claims ?? []).map(({ claim, seat, agreed }) => {
    const name = nameOf(room, seat);
    if (you.claims === seat) return { icon: 'people', text: t('claim.own', { name }) };
    if (you.seat === null) return null;
    const answer = (/** @type {boolean} */ agree) => (/** @type {Actions} */ actions) =>
      void actions.answerClaim(claim, agree);
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
 * A free seat is kept for you for a while.
 * @param {State} state
 * @returns {Banner | null}
 */
function offerBanner(state) {
  const end = offerEnd(state);
  if (end === null || state.connection.status !== 'open') return null;
  const seconds = Math.max(0, Math.ceil((end - state.clock) / 1000));
  return {
    icon: 'people',
    ...countdown(seconds, (n) => t('queue.offer', { n })),
    button: { label: t('watch.sit'), onClick: (actions) => actions.prompt({ kind: 'sit', seat: chairToTake(state) }) },
    other: {
      label: t('queue.decline'),
      onClick: (actions) => void actions.command({ type: 'queue', queue: false }),
    },
  };
}

/**
 * A banner for each spectator who asks to see all hands: for the people who answer, and for the spectator.
 * @param {State} state
 * @returns {(Banner | null)[]}
 */
function watchRequestBanners({ room, you }) {
  const max = room?.chairs.filter(({ kind }) => kind === 'person').length ?? 0;
  return (room?.spectators ?? []).map(({ spectator, name = '', request, allowed_by }) => {
    if (allowed_by === undefined) return null;
    const n = allowed_by.length;
    const end = (/** @type {Actions} */ actions) => void actions.command({ type: 'watch_hands', watch: false });
    if (you.seat === null) {
      if (spectator !== you.spectator) return null;
      return {
        icon: 'eye',
        text: t('watchers.own', { n, max }),
        button: { label: t('watchers.askNoMore'), onClick: end },
      };
    }
    const answer = (/** @type {boolean} */ allow) => (/** @type {Actions} */ actions) =>
      void actions.command({ type: 'allow_watching', request: request ?? 0, allow });
    if (allowed_by.includes(you.seat)) {
      const button = { label: t('agree.withdraw'), onClick: answer(false) };
      return { icon: 'eye', text: t('watchers.allowed', { name, n, max }), button };
    }
    return {
      icon: 'eye',
      text: t('watchers.request', { name, n, max }),
      button: { label: t('watchers.allow'), onClick: answer(true) },
      other: { label: t('watchers.refuse'), onClick: answer(false) },
    };
  });
}

/**
 * The sign that spectators see all hands.
 * @param {State} state
 * @returns {Banner | null}
 */
function watchersBanner(state) {
  const { room, you } = state;
  if (seesAllHands(state)) return { icon: 'eye', text: t('watchers.you'), isSoft: true };
  const watchers = room?.spectators.filter(({ sees_hands }) => sees_hands) ?? [];
  if (watchers.length === 0) return null;
  const names = nameList(
    watchers.map((watcher) => spectatorName(watcher, t)),
    t,
  );
  const key = you.seat === null ? 'watchers.sign.others' : 'watchers.sign';
  return { icon: 'eye', text: t(key, { names, n: watchers.length }), isSoft: true };
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
  if (seat === null || offerEnd(state) !== null || isQueueNeeded(state) || seesAllHands(state)) return null;
  const name = nameOf(room, seat);
  const text = name === '' ? t('watch.free') : t('watch.bot', { name });
  const onClick = (/** @type {Actions} */ actions) => actions.prompt({ kind: 'sit', seat });
  return { icon: 'eye', text, button: { label: t('watch.sit'), onClick }, isSoft: true };
}

/**
 * The host of a new room is offered the intro, which is not shown over their lobby by itself.
 * @param {State} state
 * @returns {Banner | null}
 */
function introBanner({ room, introCard, experience, isCaughtUp }) {
  if (!room?.you.host || room.phase !== 'lobby' || !isCaughtUp) return null;
  if (introCard !== null || experience.explainedGames.includes(room.game)) return null;
  const { name } = gameOf(room);
  return {
    icon: 'bulb',
    text: t('intro.offer', { game: name }),
    button: { label: t('intro.show'), onClick: (actions) => actions.showIntroCard(0) },
    dismiss: (actions) => actions.finishIntro(),
    isSoft: true,
  };
}

/**
 * At the first table of a browser: the offer of the sound.
 * @param {State} state
 * @returns {Banner | null}
 */
function soundBanner(state) {
  if (state.route !== 'room' || !state.isCaughtUp || !isSoundOffered(state)) return null;
  return {
    icon: 'sound',
    text: t('sound.offer'),
    button: { label: t('sound.on'), onClick: (actions) => actions.answerSoundOffer(true) },
    dismiss: (actions) => actions.answerSoundOffer(false),
    isSoft: true,
  };
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
 * A time for screen readers: in whole minutes, and the last minute in steps of several seconds.
 * @param {number} seconds
 */
function spokenTime(seconds) {
  if (seconds > MINUTE_MS / 1000) return t('restart.minutes', { n: Math.ceil(seconds / 60) });
  return t('time.seconds', { n: Math.ceil(seconds / SPOKEN_STEP_SECONDS) * SPOKEN_STEP_SECONDS });
}

/**
 * @param {Banner} banner
 * @param {Actions} actions
 */
function bannerTemplate({ icon: name, text, spoken, button, other, dismiss, isSoft = false }, actions) {
  const words =
    spoken === undefined
      ? text
      : html`<span aria-hidden="true">${text}</span><span class="visually-hidden">${spoken}</span>`;
  return html`<div class="banner ${isSoft ? 'soft' : ''}" role="status">
    ${icon(name)}<span class="grow">${words}</span>${[button, other].map((each) =>
      each
        ? html`<button class="btn compact" type="button" aria-keyshortcuts=${each.shortcut ?? nothing} @click=${() => each.onClick(actions)}>
            ${each.label}${each.shortcut ? html` <kbd aria-hidden="true">${each.shortcut}</kbd>` : nothing}
          </button>`
        : nothing,
    )}${
      dismiss
        ? html`<button class="icon-button" type="button" aria-label=${t('common.close')} @click=${() => dismiss(actions)}>
            ${icon('close')}
          </button>`
        : nothing
    }
  </div>`;
}
