/** A card of the hand drawn onto the table: an extra for those who like it, never needed. */

import { isOpen } from './hand.js';

/** @import { Actions, Shown, State } from './types.js' */

/** So far a pointer moves before the card goes with it, in CSS pixels: less is a tap. */
const START = 10;

/** @type {{ now: Shown, state: State, actions: Actions } | null} */
let table = null;
/** @type {{ button: HTMLElement, pointer: number, x: number, y: number, isMoving: boolean } | null} */
let drag = null;

/**
 * From now on cards of this table can be drawn.
 * @param {Shown} now
 * @param {State} state
 * @param {Actions} actions
 */
export function drawable(now, state, actions) {
  if (!table) {
    document.addEventListener('pointerdown', begin);
    document.addEventListener('pointermove', move);
    document.addEventListener('pointerup', drop);
    document.addEventListener('pointercancel', end);
  }
  table = { now, state, actions };
}

/** @param {PointerEvent} event */
function begin({ target, button: key, isPrimary, pointerId, clientX, clientY }) {
  const button = target instanceof Element ? target.closest('.hand .cb:not([aria-disabled])') : null;
  if (button instanceof HTMLElement && isPrimary && key === 0) {
    drag = { button, pointer: pointerId, x: clientX, y: clientY, isMoving: false };
  }
}

/** @param {PointerEvent} event */
function move({ pointerId, clientX, clientY }) {
  if (!drag || !table || pointerId !== drag.pointer) {
    return;
  }
  const { button } = drag;
  const [x, y] = [clientX - drag.x, clientY - drag.y];
  if (!drag.isMoving) {
    if (Math.hypot(x, y) < START) {
      return;
    }
    if (!isOpen(table.now, table.state) || table.state.sending) {
      drag = null;
      return;
    }
    drag.isMoving = true;
    button.setPointerCapture(pointerId);
    button.toggleAttribute('data-drawn', true);
    table.actions.lift(lifted(button, table));
  }
  button.style.transform = `translate(${x}px, ${y}px)`;
}

/** @param {PointerEvent} event */
function drop(event) {
  const wasMoving = drag?.isMoving && event.pointerId === drag.pointer;
  const button = drag?.button;
  end(event);
  if (!wasMoving || !button || !table) {
    return;
  }
  addEventListener('click', ignore, { capture: true, once: true });
  setTimeout(() => removeEventListener('click', ignore, { capture: true }));
  const { now, state, actions } = table;
  if (!isOnTable(event)) {
    actions.lift(state.lifted.filter((name) => name !== button.dataset.name));
    return;
  }
  const { action } = now.game.button(now, { ...state, lifted: lifted(button, table) });
  // What is laid face down is for the whole round: that is always confirmed.
  if (action?.type === 'play' && isOpen(now, state) && !state.sending) {
    actions.act(action);
  }
}

/** @param {PointerEvent} event */
function end({ pointerId }) {
  if (pointerId === drag?.pointer) {
    drag.button.toggleAttribute('data-drawn', false);
    drag.button.style.removeProperty('transform');
    drag = null;
  }
}

/**
 * What is lifted with this card: where one card is asked for, it alone.
 * @param {HTMLElement} button
 * @param {{ now: Shown, state: State }} table
 * @returns {string[]}
 */
function lifted({ dataset: { name = '' } }, { now, state }) {
  return [...state.lifted.filter((other) => other !== name), name].slice(-now.most);
}

/**
 * Whether it is above the rail.
 * @param {PointerEvent} event
 */
function isOnTable({ clientX, clientY }) {
  const felt = document.querySelector('.felt')?.getBoundingClientRect();
  return (
    felt !== undefined && clientX > felt.left && clientX < felt.right && clientY > felt.top && clientY < felt.bottom
  );
}

/** @param {Event} event The click that follows when a drawn card is let go. */
const ignore = (event) => event.stopPropagation();
