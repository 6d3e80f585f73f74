// The animation of a finished trick, which goes to its taker. A CSS transition cannot describe it.

import { prefersReducedMotion } from '../settings.js';

/** @import { Display } from '../game.js' */

/** For how long a trick lies still before it moves, and how long it moves, in milliseconds. */
const STILL_MS = 800;
const MOVING_MS = 380;

/** The trick that was animated last. */
let lastTrick = '';
/** The animations of its cards. @type {Animation[]} */
let animations = [];
/** The timer of the animation. @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/**
 * Lets a finished trick move to its taker, once, unless less motion is wanted.
 * @param {Display} display
 */
export function animateTrick(display) {
  const { kind, trick, isStill = false } = display;
  const name = kind === 'taken' && !isStill ? `${display.round} ${display.trickNumber} ${trick?.cards.join()}` : '';
  if (name === lastTrick) return;
  lastTrick = name;
  clearTimeout(timer);
  for (const animation of animations) animation.cancel();
  animations = [];
  const taker = trick?.taker ?? null;
  if (name === '' || taker === null || prefersReducedMotion()) {
    return;
  }
  const plate = taker === display.ownSeat ? '.own-plate' : `[data-seat="${taker}"] .plate`;
  timer = setTimeout(() => moveTo(plate), STILL_MS);
}

/**
 * Moves the cards of the trick.
 * @param {string} selector of the plate of the taker
 */
function moveTo(selector) {
  const plate = document.querySelector(selector)?.getBoundingClientRect();
  for (const card of document.querySelectorAll('[data-kind="taken"] .slot.laid .card')) {
    const from = card.getBoundingClientRect();
    if (plate) {
      const x = plate.x + plate.width / 2 - from.x - from.width / 2;
      const y = plate.y + plate.height / 2 - from.y - from.height / 2;
      // Browsers animate one transform property without the main thread, but not two of them.
      const end = { transform: `translate(${x}px, ${y}px) scale(.4)`, opacity: '0' };
      const timing = /** @type {const} */ ({
        duration: MOVING_MS,
        easing: 'cubic-bezier(.5,0,.8,.4)',
        fill: 'forwards',
      });
      animations.push(card.animate([{}, end], timing));
    }
  }
}
