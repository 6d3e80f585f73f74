// News: toasts about what happens in the room. Other toasts of the state are made here too.

import { roundsLeftNearLimit } from './games.js';
import { isAway, isGameOn, isHere, nameOf } from './state.js';

/** @import { Args } from './i18n.js' */
/** @import { Actor, GameEvent, Seat } from './protocol.js' */
/** @import { RoomState, State, Toast, ToastKind } from './types.js' */

/** For how long toasts and reactions are shown, in milliseconds. */
export const TOAST_MS = 4000;
/** How much longer warnings are shown. */
const WARNING_EXTRA_MS = 2000;
const MAX_TOASTS = 4;

/**
 * The state with toasts about changes among the people of a room.
 * @param {State} state
 * @param {RoomState} before
 * @param {RoomState} room
 * @returns {State}
 */
export function withRoomNews(state, before, room) {
  const isResumed = before.phase === 'paused' && room.phase === 'playing';
  const now = isResumed ? withToast(state, 'news.resumed') : state;
  const next = withSeatNews(withHostNews(now, before, room), before, room);
  if (room.phase !== before.phase || !isGameOn(state)) return next;
  return room.chairs.reduce((state, _, seat) => withChairNews(state, before, room, seat), next);
}

/**
 * @param {State} state
 * @param {RoomState} before
 * @param {RoomState} room
 * @returns {State}
 */
function withHostNews(state, before, room) {
  if (before.host === null) return state;
  if (room.host !== null && room.host !== before.host && room.phase !== 'lobby') {
    const key = room.you.host ? 'news.hostYou' : 'news.host';
    return withNewsOf(state, room.host, key, { name: nameOf(room, room.host) });
  }
  const isNewHost = room.you.host && !before.you.host && before.you.seat !== null;
  return isNewHost ? withToast(state, 'news.hostYou') : state;
}

/**
 * The host reads that the waiting room has begun, and a claimant that the old browser has the seat again.
 * @param {State} state
 * @param {RoomState} before
 * @param {RoomState} room
 * @returns {State}
 */
function withSeatNews(state, before, room) {
  const hasBegun = room.waiting_room && !before.waiting_room && room.you.host;
  const next = hasBegun ? withToast(state, 'news.waitingRoom') : state;
  const seat = room.you.seat === null ? before.you.seat : null;
  const [old, chair] = seat === null ? [] : [before.chairs[seat], room.chairs[seat]];
  const isSame = old?.kind === 'person' && chair?.kind === 'person' && old.name === chair.name;
  return isSame ? withToast(next, 'news.seatRestored') : next;
}

/**
 * @param {State} state
 * @param {RoomState} before
 * @param {RoomState} room
 * @param {Seat} seat
 * @returns {State}
 */
function withChairNews(state, before, room, seat) {
  const [old, chair] = [before.chairs[seat], room.chairs[seat]];
  if (!old || !chair || seat === room.you.seat) return state;
  if (chair.kind === 'bot') {
    if (old.kind === 'person') return withNewsOf(state, seat, 'news.stoodUp', { name: old.name, bot: chair.name });
    const isChanged = old.kind === 'bot' && old.name === chair.name && old.level !== chair.level;
    return isChanged ? withNewsOf(state, seat, `news.level.${chair.level}`, { name: chair.name }) : state;
  }
  if (chair.kind !== 'person') return state;
  const { name } = chair;
  if (old.kind === 'bot') return withNewsOf(state, seat, 'news.sat', { name });
  if (old.kind !== 'person' || old.name !== name) return state;
  let next = state;
  if (!isAway(old) && isAway(chair)) next = withNewsOf(next, seat, 'news.left', { name });
  if (isAway(old) && isHere(chair)) next = withNewsOf(next, seat, 'news.back', { name });
  if (!old.stood_in && chair.stood_in) next = withNewsOf(next, seat, 'news.bot', { name });
  if (!old.holds && chair.holds) next = withNewsOf(next, seat, 'news.hold', { name });
  if (!old.has_more_time && chair.has_more_time) next = withNewsOf(next, seat, 'news.moreTime', { name });
  return next;
}

/** For each actor: whether there is a toast for a move that it made for a seat. @type {Readonly<Record<Actor, boolean>>} */
const HAS_TOAST = { bot: false, clock: true };

/**
 * The state with a toast for each seat for which a bot has moved because its time was over. Where a bot stands in, the
 * plate of the seat shows it.
 * @param {State} state
 * @param {readonly GameEvent[]} events
 * @returns {State}
 */
export function withTimeUpNews(state, events) {
  let next = state;
  for (const event of events) {
    if (event.type !== 'acted_for' || !HAS_TOAST[event.by]) continue;
    const key = event.seat === state.you.seat ? 'news.timeUp.you' : 'news.timeUp';
    next = withNewsOf(next, event.seat, key, { name: nameOf(state.room, event.seat) });
  }
  return next;
}

/**
 * The state with a toast at the start of a round after which the limit of rounds allows few others or none.
 * @param {State} state
 * @param {readonly GameEvent[]} events
 * @returns {State}
 */
export function withRoundLimitNews(state, events) {
  const dealt = events.findLast((event) => event.type === 'dealt');
  const left = dealt && state.room ? roundsLeftNearLimit(state.room, dealt.round) : null;
  if (left === null) return state;
  return left === 0 ? withToast(state, 'news.lastRound') : withToast(state, 'news.roundsLeft', { n: left });
}

/**
 * The state with a toast about the person or bot at a seat.
 * @param {State} state
 * @param {Seat} seat
 * @param {string} key
 * @param {Args} args
 * @returns {State}
 */
export const withNewsOf = (state, seat, key, args) => withToast(state, key, args, 'news', seat);

/**
 * The state with one more toast. It replaces one that says the same of the same person. Several people can have the same
 * name, so the seat counts too.
 * @param {State} state
 * @param {string} key
 * @param {Args} [args]
 * @param {ToastKind} [kind]
 * @param {Seat | null} [seat]
 * @returns {State}
 */
export function withToast(state, key, args, kind = 'news', seat = null) {
  const id = state.toastCount + 1;
  const until = state.clock + TOAST_MS + (kind === 'warn' ? WARNING_EXTRA_MS : 0);
  const isSame = (/** @type {Toast} */ other) =>
    other.key === key && other.args?.name === args?.name && other.seat === seat;
  const others = state.toasts.filter((other) => !isSame(other));
  return { ...state, toastCount: id, toasts: [...others, { id, key, args, kind, seat, until }].slice(-MAX_TOASTS) };
}
