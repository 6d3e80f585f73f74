// The link to the replay of the game.

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { icon } from '../icons.js';
import { replayUrl } from '../urls.js';

/** @import { RoomState } from '../types.js' */

/**
 * The link to the replay, which opens beside the table; nothing as long as no round is finished, and where nobody may see it.
 * @param {Pick<RoomState, 'replay'>} room
 * @param {number} [round] the round that it shows first
 */
export function replayLink({ replay }, round = 1) {
  if (replay === undefined) return nothing;
  return html`<a class="btn ghost compact" href=${`${replayUrl(replay)}#r${round}`} target="_blank" rel="noopener">
    ${icon('play')} ${t('replay.open')}
  </a>`;
}
