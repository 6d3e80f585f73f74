// The timer of the page: it draws the page again when something on it ends or counts down.

import { hostPassesAt, idleOf, LOSS_GRACE_MS, noticeEnd, offerEnd, restartAt, standInFrom } from './state.js';

/** @import { State } from './types.js' */

/** The timer fires this much too late rather than too early, in milliseconds. */
const MARGIN_MS = 5;

/**
 * When the page must be drawn again; undefined if nothing on it changes by itself.
 * @param {State} state
 * @param {number} now
 * @returns {number | undefined}
 */
export function nextTick(state, now) {
  const times = [...state.reactions, ...state.toasts].map(({ until }) => until);
  if (state.hold) times.push(state.hold.until);
  if (isCountingDown(state, now)) times.push(now - (now % 1000) + 1000);
  if (state.connection.since !== null) times.push(state.connection.since + LOSS_GRACE_MS);
  const end = noticeEnd(state);
  if (end !== null) times.push(end);
  const future = times.filter((time) => time > now);
  return future.length > 0 ? Math.min(...future) : undefined;
}

/**
 * Whether the page shows a number of seconds.
 * @param {State} state
 * @param {number} now
 */
function isCountingDown(state, now) {
  const { route, connection, game, hold, prompt, room } = state;
  if (route !== 'room') return false;
  const hasDeadline = game !== null && game.deadline !== null;
  const isHoldCounting = hold !== null && hold.kind !== 'taken';
  const isWaiting = (room?.chairs ?? []).some((chair) => (standInFrom(chair, state) ?? now) > now);
  const isIdle = (room?.chairs ?? []).some((chair) => idleOf(chair, state) !== null);
  const isRestartPlanned = (restartAt(state) ?? now) > now;
  return (
    isRestartPlanned ||
    connection.retryAt !== null ||
    hasDeadline ||
    isHoldCounting ||
    prompt?.kind === 'offer_handover' ||
    isWaiting ||
    isIdle ||
    room?.pause !== undefined ||
    offerEnd(state) !== null ||
    hostPassesAt(state) !== null
  );
}

/**
 * A timer with at most one tick to come.
 * @param {() => void} tick
 */
export function createTimer(tick) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  return {
    /**
     * Replaces the tick to come by the next one that this state needs.
     * @param {State} state
     */
    schedule(state) {
      clearTimeout(timer);
      const now = Date.now();
      const next = nextTick(state, now);
      if (next !== undefined) timer = setTimeout(tick, next - now + MARGIN_MS);
    },
  };
}
