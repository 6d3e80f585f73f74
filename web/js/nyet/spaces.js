/** The spaces of the board: their order, what is drawn on them, and what they are called. */

import { html } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { chip } from '../table/card.js';
import { nameOf } from '../table/format.js';
import { animal } from './marker.js';
import { spaceName } from './phrases.js';

/** @import { State } from '../table/types.js' */
/** @import { Shown } from './scene.js' */

/** The rows from above. */
export const ROWS = /** @type {const} */ (['start', 'discard', 'trump', 'supertrump', 'points']);

const COLOURS = ['red', 'yellow', 'green', 'blue', 'none'];
const ORDER = /** @type {Record<string, string[]>} */ ({
  discard: ['none', 'one', 'two', 'one_not_1', 'pass_left'],
  trump: COLOURS,
  supertrump: COLOURS,
  points: ['1', '2', '3', '4', '-2'],
});
const ANIMALS = ['bear', 'wolf', 'tiger', 'crane', 'eagle'];

/**
 * The spaces of a row from the left. Characters nobody plays come last.
 * @param {string} row
 * @param {Shown} now
 * @returns {string[]}
 */
export function spacesOf(row, now) {
  if (row === 'start') {
    return [...now.characters, ...ANIMALS.filter((one) => !now.characters.includes(one))];
  }
  return ORDER[row].filter((space) => space in now.board[row]);
}

/**
 * The seat that has covered a space; `null` if it is free, `undefined` if nobody plays it.
 * @param {string} row
 * @param {string} space
 * @param {Shown} now
 * @returns {number | null | undefined}
 */
export const coveredBy = (row, space, now) => now.board[row][space];

/**
 * How many spaces of a row are free.
 * @param {string} row
 * @param {Shown} now
 */
export const freeIn = (row, now) => Object.values(now.board[row]).filter((seat) => seat === null).length;

/**
 * What is drawn on a space.
 * @param {string} row
 * @param {string} space
 * @param {Shown} now
 * @param {State} state
 */
export function drawn(row, space, now, state) {
  switch (row) {
    case 'start': {
      const seat = now.characters.indexOf(space);
      return seat < 0
        ? html`<span class="an">${animal(space)}</span>`
        : html`<span class="an">${animal(space)}</span><small>${seat === now.you ? t('play.you') : nameOf(state.room, seat, t)}</small>`;
    }
    case 'discard':
      return html`<small>${t(`nyet.discard.${space}`)}</small>`;
    case 'points':
      return html`<span class=${space === '-2' ? 'v vt' : 'v'}>${space.replace('-', '−')}</span>`;
    default:
      return space === 'none'
        ? html`<small>${t('nyet.none')}</small>`
        : html`<span class="two">${chip(space)}${row === 'supertrump' ? html`<span class="v">1</span>` : ''}</span>`;
  }
}

/**
 * A space by its whole name.
 * @param {string} row
 * @param {string} space
 * @param {Shown} now
 * @param {State} state
 */
export const named = (row, space, now, state) => spaceName(row, space, now.characters, now.you, state.room, t);
