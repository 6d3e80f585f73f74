// Dragging a card of the hand onto the felt. It is never the only way to play.

import { gameTableOf } from './display.js';
import { canLift } from './hand.js';

/** @import { Actions } from '../actions.js' */
/** @import { Display } from '../game.js' */
/** @import { PlayState } from '../types.js' */

/** A pointer that moves less than this taps, in CSS pixels. */
const DRAG_DISTANCE = 10;

/** @type {{ display: Display, state: PlayState, actions: Actions } | null} */
let latest = null;
/** @type {{ button: HTMLElement, pointer: number, x: number, y: number, isMoving: boolean } | null} */
let drag = null;

/**
 * Makes the cards of this table draggable.
 * @param {Display} display
 * @param {PlayState} state
 * @param {Actions} actions
 */
export function enableDrag(display, state, actions) {
  if (!latest) {
    document.addEventListener('pointerdown', begin);
    document.addEventListener('pointermove', move);
    document.addEventListener('pointerup', drop);
    document.addEventListener('pointercancel', end);
  }
  latest = { display, state, actions };
}

/** @param {PointerEvent} event */
function begin({ target, button: mouseButton, isPrimary, pointerId, clientX, clientY }) {
  const button = target instanceof Element ? target.closest('.hand .card-button:not([aria-disabled])') : null;
  if (button instanceof HTMLElement && isPrimary && mouseButton === 0) {
    drag = { button, pointer: pointerId, x: clientX, y: clientY, isMoving: false };
  }
}

/** @param {PointerEvent} event */
function move({ pointerId, clientX, clientY }) {
  if (!drag || !latest || pointerId !== drag.pointer) {
    return;
  }
  const { button } = drag;
  const [x, y] = [clientX - drag.x, clientY - drag.y];
  if (!drag.isMoving) {
    if (Math.hypot(x, y) < DRAG_DISTANCE) {
      return;
    }
    if (!canLift(latest.display, latest.state) || latest.state.pendingMove) {
      drag = null;
      return;
    }
    drag.isMoving = true;
    button.setPointerCapture(pointerId);
    button.toggleAttribute('data-dragged', true);
    latest.actions.lift(liftedWith(button, latest));
  }
  button.style.transform = `translate(${x}px, ${y}px)`;
}

/** @param {PointerEvent} event */
function drop(event) {
  const wasMoving = drag?.isMoving && event.pointerId === drag.pointer;
  const button = drag?.button;
  end(event);
  if (!wasMoving || !button || !latest) {
    return;
  }
  addEventListener('click', ignore, { capture: true, once: true });
  setTimeout(() => removeEventListener('click', ignore, { capture: true }));
  const { display, state, actions } = latest;
  if (!isOverFelt(event)) {
    actions.lift(state.lifted.filter((key) => key !== button.dataset.key));
    return;
  }
  const { action } = gameTableOf(state.room).trayButton(display, { ...state, lifted: liftedWith(button, latest) });
  // Other moves than plays are for the whole round, so they have to be confirmed.
  if (action?.type === 'play' && canLift(display, state) && !state.pendingMove) {
    void actions.act(action);
  }
}

/** @param {PointerEvent} event */
function end({ pointerId }) {
  if (pointerId === drag?.pointer) {
    drag.button.toggleAttribute('data-dragged', false);
    drag.button.style.removeProperty('transform');
    drag = null;
  }
}

/**
 * The keys that are lifted with a card: other cards too if several must be lifted together.
 * @param {HTMLElement} button
 * @param {{ display: Display, state: PlayState }} table
 * @returns {string[]}
 */
function liftedWith({ dataset: { key = '' } }, { display, state }) {
  return [...state.lifted.filter((other) => other !== key), key].slice(-display.maxLifted);
}

/**
 * Whether a pointer is over the felt.
 * @param {PointerEvent} event
 */
function isOverFelt({ clientX, clientY }) {
  const felt = document.querySelector('.felt')?.getBoundingClientRect();
  return (
    felt !== undefined && clientX > felt.left && clientX < felt.right && clientY > felt.top && clientY < felt.bottom
  );
}

/**
 * Ignores the click that follows when a dragged card is dropped.
 * @param {Event} event
 */
const ignore = (event) => event.stopPropagation();
