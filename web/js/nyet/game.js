/** Nyet!, as the table needs to know it. */

import { nothing } from '../../vendor/lit-html/lit-html.js';
import { nyet as facts } from '../games.js';
import { t } from '../i18n.js';
import { seats } from '../table/seats.js';
import { board } from './board.js';
import { button } from './button.js';
import { calculation, summary } from './calculation.js';
import { tell } from './event-text.js';
import { hub } from './hub.js';
import { marker } from './marker.js';
import { badge, beside, loot, marks, refuses, says, slot, spoken, sub, tricksOf, waits } from './plate.js';
import { shown } from './scene.js';
import { sentence } from './status-line.js';
import { team } from './team.js';

/** @import { Actions, Game, State } from '../table/types.js' */
/** @import { Shown } from './scene.js' */

/** @type {Game} */
export const nyet = {
  ...facts,
  // In the order of the hand.
  colours: () => ['red', 'yellow', 'green', 'blue'],
  shown,
  felt,
  heading,
  where,
  sentence,
  hub,
  badge,
  beside,
  sub,
  more: loot,
  says,
  slot,
  spoken,
  waits,
  tricksOf,
  refuses,
  marks,
  button,
  above: () => nothing,
  summary,
  calculation,
  trophy: marker,
  tell,
};

/**
 * The board until the rules of the round stand, then the teams, then the table.
 * @param {Shown & { game: Game }} now
 * @param {State} state
 * @param {Actions} actions
 */
function felt(now, state, actions) {
  switch (now.kind) {
    case 'board':
    case 'settled':
      return board(now, state, actions);
    case 'team':
      return team(now, state, actions);
    default:
      return seats(now, state, actions);
  }
}

/** @param {Shown} now */
function heading(now) {
  const n = now.table.round;
  return now.kind === 'trick' || now.kind === 'taken'
    ? t('play.heading.trick', { n, trick: now.number })
    : t('nyet.heading', { n, what: t(`nyet.where.${now.kind}`) });
}

/**
 * Where the round is: at its board, its teams, its cards to lay aside, or at which trick.
 * @param {State} state
 */
function where(state) {
  const now = shown(state);
  if (!now || now.kind === 'over') {
    return '';
  }
  if (now.kind !== 'trick' && now.kind !== 'taken') {
    return t(`nyet.where.${now.kind}`);
  }
  const isTaken = now.kind === 'taken';
  return t('bar.trick', { n: now.number, max: now.number - (isTaken ? 0 : 1) + Math.max(...now.table.hand_counts) });
}
