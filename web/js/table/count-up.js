// The sums of a round count up once, when they are first shown.

import { prefersReducedMotion } from '../settings.js';
import { signed } from './format.js';

/** @import { PlayState } from '../types.js' */

/** For how long they count, in milliseconds. */
const COUNTING_MS = 700;

/** The finished round whose sums have counted last: its room, and its table as a text. */
let lastCounted = '';

/**
 * Lets the sums of a finished round count up, unless less motion is wanted.
 * @param {Pick<PlayState, 'code' | 'game'>} state
 */
export function countUp({ code, game }) {
  const finished = `${code} ${JSON.stringify(game.view.table)}`;
  if (finished === lastCounted) {
    return;
  }
  lastCounted = finished;
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
