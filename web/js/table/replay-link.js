// The link to the replay of the game.

import { html } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { icon } from '../icons.js';
import { replayUrl } from '../urls.js';

/** @import { RoomState } from '../types.js' */

/**
 * A button and, beside it, the link to the replay, which opens in a tab of its own; the button alone as long as no round is
 * finished, and where nobody may see replays.
 * @param {Pick<RoomState, 'replay'>} room
 * @param {unknown} button
 * @param {number} [round] the round that the replay shows first
 */
export function withReplayLink({ replay }, button, round = 1) {
  if (replay === undefined) return button;
  return html`<span class="row">
    <a class="btn ghost compact" href=${`${replayUrl(replay)}#r${round}`} target="_blank" rel="noopener">${icon('play')} ${t('replay.open')}</a>
    ${button}
  </span>`;
}
