/** The sums of a round count up to what they are, once. */

import { signed } from './format.js';
import { isStill } from './reduced-motion.js';

/** How long that takes, in milliseconds. */
const COUNTING = 700;

/** The round whose sums have last been counted. */
let counted = 0;

/**
 * Lets the sums on the page count up; not where less motion is wanted.
 * @param {number} round
 */
export function countUp(round) {
  if (round === counted) {
    return;
  }
  counted = round;
  if (!isStill()) {
    queueMicrotask(begin);
  }
}

function begin() {
  const sums = [...document.querySelectorAll('.calc .sum')].flatMap((sum) => {
    const text = [...sum.childNodes].find((node) => node instanceof Text && node.data.trim() !== '');
    return text instanceof Text
      ? [{ text, end: text.data, points: Number(text.data.replace('−', '-').replace('±', '')) }]
      : [];
  });
  const start = performance.now();
  const step = () => {
    const part = Math.min(1, (performance.now() - start) / COUNTING);
    const eased = 1 - (1 - part) ** 3;
    for (const { text, end, points } of sums) {
      text.data = part < 1 ? signed(Math.round(points * eased)) : end;
    }
    if (part < 1 && sums.some(({ text }) => text.isConnected)) {
      requestAnimationFrame(step);
    }
  };
  step();
}
