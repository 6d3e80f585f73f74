// The hand in a replay that is shown as a seat knew it. Cards that the other seats did not know at this time are marked.

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { hiddenCards, hiddenNote, markedCards } from '../table/hidden-cards.js';

/** @import { Display } from '../game.js' */
/** @import { PlayState } from '../types.js' */

/**
 * The hand of the seat of the perspective, and the cards of it that the others do not know. Nothing where all hands are open, and
 * for a spectator.
 * @param {Display} display
 * @param {PlayState} state
 */
export function ownHand(display, state) {
  const { ownSeat, hand, hasOwnPlate } = display;
  if (ownSeat === null) return nothing;
  const hidden = hiddenCards(ownSeat, display, state);
  // The own plate has the cards that were laid aside.
  const isNoted = hidden !== null && (hidden.isInHand || !hasOwnPlate);
  return html`<div class="replay-own-cards">
    <ol class="replay-hand" aria-label=${t('play.hand', { n: hand.length })}>
      ${markedCards(hand, [], hidden)}
    </ol>
    ${isNoted ? hiddenNote(hidden) : nothing}
  </div>`;
}
