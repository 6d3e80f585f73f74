// The keys of a replay, and the swipe over the felt.

/** @import { State } from '../types.js' */
/** @import { Actions } from '../actions.js' */
/** @import { ReplaySession } from './session.js' */

/** A swipe is at least this long, in CSS pixels, and at least this many times as wide as high. */
const SWIPE_LENGTH = 40;
const SWIPE_SLOPE = 2;
/** The fields in which keys type or choose something. */
const FIELDS = 'input:not([type=range]), select, textarea, [contenteditable]';
/** The elements that the space bar presses. */
const PRESSED_BY_SPACE = 'button, a, summary';

/** @type {{ session: ReplaySession, state: State, actions: Actions } | null} */
let latest = null;
/** Where a swipe has begun. @type {{ x: number, y: number, pointer: number } | null} */
let swipe = null;

/**
 * Makes the keys and swipes act on this replay.
 * @param {ReplaySession} session
 * @param {State} state
 * @param {Actions} actions
 */
export function enableKeyboard(session, state, actions) {
  if (!latest) {
    document.addEventListener('keydown', onKey);
    document.addEventListener('pointerdown', beginSwipe);
    document.addEventListener('pointerup', endSwipe);
    document.addEventListener('pointercancel', () => (swipe = null));
  }
  latest = { session, state, actions };
}

/** Whether the replay is still shown. */
const isShown = () => document.querySelector('.tray[data-replay]') !== null;

/** @param {KeyboardEvent} event */
function onKey(event) {
  const { target } = event;
  if (!latest || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || !isShown()) return;
  if (document.querySelector('dialog[open]')) return;
  const element = target instanceof Element ? target : null;
  if (element?.closest(FIELDS)) return;
  if (event.key === ' ' && element?.closest(PRESSED_BY_SPACE)) return;
  const step = stepOf(event, latest.session) ?? letterStep(event.key, latest);
  if (!step) return;
  event.preventDefault();
  step();
}

/**
 * The step of a key; undefined for another key.
 * @param {Pick<KeyboardEvent, 'key' | 'shiftKey'>} event
 * @param {ReplaySession} session
 * @returns {(() => void) | undefined}
 */
export function stepOf({ key, shiftKey }, session) {
  const step = shiftKey ? session.stepByTrick : session.stepByStop;
  switch (key) {
    case 'ArrowRight':
      return () => step(1);
    case 'ArrowLeft':
      return () => step(-1);
    case 'PageDown':
      return () => session.stepByTrick(1);
    case 'PageUp':
      return () => session.stepByTrick(-1);
    case 'Home':
      return session.toBeginning;
    case 'End':
      return session.toEnd;
    case ' ':
      return session.togglePlay;
    default:
      return undefined;
  }
}

/**
 * The step of a key of one character; undefined for another key, and if the settings forbid such keys.
 * @param {string} key
 * @param {{ session: ReplaySession, state: State, actions: Actions }} page
 * @returns {(() => void) | undefined}
 */
export function letterStep(key, { session, state, actions }) {
  if (!state.settings.letterKeys) return undefined;
  if (/^[1-9]$/.test(key)) return () => session.goToRound(Number(key));
  switch (key.toLowerCase()) {
    case '[':
      return () => session.stepByRound(-1);
    case ']':
      return () => session.stepByRound(1);
    case 'l':
      return () => session.open('log');
    case '?':
      return () => actions.open('keys');
    default:
      return undefined;
  }
}

/** @param {PointerEvent} event */
function beginSwipe({ target, isPrimary, pointerType, pointerId, clientX, clientY }) {
  const isOnFelt = target instanceof Element && target.closest('.felt') !== null;
  swipe = isPrimary && isOnFelt && pointerType !== 'mouse' ? { x: clientX, y: clientY, pointer: pointerId } : null;
}

/** @param {PointerEvent} event */
function endSwipe({ pointerId, clientX, clientY }) {
  if (!latest || swipe?.pointer !== pointerId || !isShown()) return;
  const [x, y] = [clientX - swipe.x, clientY - swipe.y];
  swipe = null;
  if (Math.abs(x) >= SWIPE_LENGTH && Math.abs(x) >= SWIPE_SLOPE * Math.abs(y))
    latest.session.stepByStop(x < 0 ? 1 : -1);
}
