/** Sticheln, as the table needs to know it. */

import { sticheln as facts } from '../games.js';
import { t } from '../i18n.js';
import { seats } from '../table/seats.js';
import { button, counts } from './button.js';
import { calculation, summary } from './calculation.js';
import { colours } from './colours.js';
import { tell } from './event-text.js';
import { hub } from './hub.js';
import { badge, says, slot, spoken, sub, tricksOf, trophy, waits } from './plate.js';
import { shown } from './scene.js';
import { sentence } from './status-line.js';

/** @import { Game } from '../table/types.js' */

/** @type {Game} */
export const sticheln = {
  ...facts,
  colours,
  shown,
  felt: seats,
  heading,
  where,
  sentence,
  hub,
  badge,
  beside: () => null,
  more: () => null,
  sub,
  says,
  slot,
  waits,
  spoken,
  tricksOf,
  refuses: () => null,
  marks: () => ({ drawn: null, words: [] }),
  button,
  above: counts,
  summary,
  calculation,
  trophy,
  tell,
};

/** @param {import('./scene.js').Shown} now */
function heading(now) {
  const n = now.table.round;
  return now.kind === 'pick' || now.kind === 'reveal'
    ? t('play.heading.colours', { n })
    : t('play.heading.trick', { n, trick: now.number });
}

/**
 * Where the round is: at its colours, or at which trick.
 * @param {import('../table/types.js').State} state
 */
function where(state) {
  const table = (state.pause?.view ?? state.game?.view)?.table;
  if (!table) return '';
  if (table.phase === 'pick' || state.pause?.kind === 'reveal') return t('bar.pick');
  const isLying = table.trick?.cards.length === table.hand_counts.length && state.pause?.kind === 'trick';
  const n = Math.min(14, table.tricks_played + (isLying || table.phase === 'trick' ? 1 : 0));
  return t('bar.trick', { n, max: 14 });
}
