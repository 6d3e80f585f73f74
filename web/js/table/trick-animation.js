/** A finished trick goes to whoever takes it: the one movement that no transition can describe. */

import { isStill } from './reduced-motion.js';

/** @import { Shown } from './types.js' */

/** A trick lies still for this long before it goes. */
const STILL = 800;
/** How long it takes to go. */
const GOING = 380;

/** The trick that has last been seen going. */
let gone = '';
/** The timer that lets it go, unless the next trick comes first. @type {ReturnType<typeof setTimeout> | undefined} */
let departure;

/**
 * Lets the finished trick go to its taker, once; not where less motion is wanted.
 * @param {Shown} now
 */
export function collect(now) {
  const { kind, trick } = now;
  const name = kind === 'taken' ? `${now.table.round} ${now.number} ${trick?.cards.join()}` : '';
  if (name === gone) {
    return;
  }
  gone = name;
  clearTimeout(departure);
  const taker = trick?.taker ?? null;
  if (kind !== 'taken' || taker === null || isStill()) {
    return;
  }
  const plate = taker === now.you ? '.me-plate' : `[data-seat="${taker}"] .plate`;
  departure = setTimeout(() => go(plate), STILL);
}

/** @param {string} selector The plate of the taker. */
function go(selector) {
  const plate = document.querySelector(selector)?.getBoundingClientRect();
  for (const card of document.querySelectorAll('[data-kind="taken"] .slot.laid .card')) {
    const from = card.getBoundingClientRect();
    if (plate) {
      const x = plate.x + plate.width / 2 - from.x - from.width / 2;
      const y = plate.y + plate.height / 2 - from.y - from.height / 2;
      const end = { translate: `${x}px ${y}px`, scale: '.4', opacity: '0' };
      card.animate([{}, end], { duration: GOING, easing: 'cubic-bezier(.5,0,.8,.4)', fill: 'forwards' });
    }
  }
}
