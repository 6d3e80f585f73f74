// The drawings of the spaces of the board.

import { html } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { nameOrYou } from '../state.js';
import { chip } from '../table/card-drawing.js';
import { silhouette } from './silhouette.js';

/** @import { Character } from '../protocol.js' */
/** @import { PlayState } from '../types.js' */
/** @import { Nyet, NyetDisplay, Row, Space } from './types.js' */

/**
 * The drawing of a space.
 * @param {Row} row
 * @param {Space} space
 * @param {NyetDisplay} display
 * @param {PlayState<Nyet>} state
 */
export function spaceDrawing(row, space, display, state) {
  switch (row) {
    case 'start': {
      const character = /** @type {Character} */ (space);
      const seat = display.characters.indexOf(character);
      const name = nameOrYou(state.room, seat, display.ownSeat, t);
      return seat < 0
        ? html`<span class="character">${silhouette(character)}</span>`
        : html`<span class="character">${silhouette(character)}</span><small>${name}</small>`;
    }
    case 'discard':
      return html`<small>${t(`nyet.discard.${space}`)}</small>`;
    case 'points':
      return html`<span class=${space === '-2' ? 'value minus' : 'value'}>${space.replace('-', '−')}</span>`;
    case 'trump':
    case 'supertrump':
      return space === 'none'
        ? html`<small>${t('nyet.none')}</small>`
        : html`<span class="pair">${chip(space)}${row === 'supertrump' ? html`<span class="value">1</span>` : ''}</span>`;
  }
}
