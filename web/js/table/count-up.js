// The sums of a round count up once, when they are first shown.

import { signed } from './format.js';
import { prefersReducedMotion } from './reduced-motion.js';

/** For how long they count, in milliseconds. */
const COUNTING_MS = 700;

/** The round whose sums have counted last. */
let lastCounted = 0;

/**
 * Lets the sums on the page count up, unless less motion is wanted.
 * @param {number} round
 */
export function countUp(round) {
  if (round === lastCounted) {
    return;
  }
  lastCounted = round;
  if (!prefersReducedMotion()) {
    queueMicrotask(begin);
  }
}

function begin() {
  const sums = [...document.querySelectorAll('.calculation .sum')].flatMap((sum) => {
    const text = [...sum.childNodes].find((node) => node instanceof Text && node.data.trim() !== '');
    return text instanceof Text
      ? [{ text, end: text.data, points: Number(text.data.replace('−', '-').replace('±', '')) }]
      : [];
  });
  const start = performance.now();
  const step = () => {
    const progress = Math.min(1, (performance.now() - start) / COUNTING_MS);
    const eased = 1 - (1 - progress) ** 3;
    for (const { text, end, points } of sums) {
      text.data = progress < 1 ? signed(Math.round(points * eased)) : end;
    }
    if (progress < 1 && sums.some(({ text }) => text.isConnected)) {
      requestAnimationFrame(step);
    }
  };
  step();
}
