// Sticheln at the table.

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { chip } from '../table/card-drawing.js';
import { cardName, countByColour } from '../table/card-text.js';
import { continueLabel } from '../table/display.js';
import { capital } from '../table/format.js';
import { seats } from '../table/seats.js';
import { announcement, dealtHands, logText } from './announcements.js';
import { calculation, summary } from './calculation.js';
import { displayOf } from './display.js';
import { hub } from './hub.js';
import { badge, hiddenCards, plateDetails, plateTag, plateWords, slot, slotText, tricksOf, trophy } from './plate.js';
import { statusLine } from './status-line.js';

/** @import { GameTable, TrayButton } from '../game.js' */
/** @import { PlayState } from '../types.js' */
/** @import { Sticheln, StichelnDisplay } from './types.js' */

/** How many tricks a round has. */
const TRICKS = 14;

/** @type {GameTable<Sticheln>} */
export const table = {
  display: displayOf,
  felt: seats,
  heading: ({ kind, round, trickNumber }) =>
    kind === 'pick' || kind === 'reveal'
      ? t('sticheln.heading.colours', { n: round })
      : t('play.heading.trick', { n: round, trick: trickNumber }),
  progress: ({ kind, trickNumber }) =>
    kind === 'pick' || kind === 'reveal'
      ? t('sticheln.bar.pick')
      : t('bar.trick', { n: Math.min(TRICKS, trickNumber), max: TRICKS }),
  statusLine,
  hub,
  badge,
  besideName: () => nothing,
  plateDetails,
  ownPlateDetails: () => nothing,
  plateTag,
  plateWords,
  slot,
  slotText,
  hiddenCards,
  tricksOf,
  whyNotLifted: () => null,
  marks: () => ({ drawn: nothing, words: [] }),
  trayButton,
  aboveHand: colourCounts,
  summary,
  calculation,
  trophy,
  announcement,
  dealtHands,
  logText,
  // The line of the log has the points.
  trickEffects: (tricks, seat) =>
    tricks.map(({ event }) => ({
      cost: seat === null || seat === event.seat ? Math.max(0, -event.points) : 0,
      note: null,
    })),
};

/**
 * The button in the tray.
 * @param {StichelnDisplay} display
 * @param {PlayState<Sticheln>} state
 * @returns {TrayButton<Sticheln>}
 */
function trayButton({ kind, yours, mayChange, legal }, state) {
  if (kind === 'reveal') {
    return { label: continueLabel(state), endsHold: true };
  }
  if (state.pendingMove?.card) {
    const sending = kind === 'pick' ? 'sticheln.pick.sending' : 'trick.sending';
    return { label: t(sending, { card: capital(cardName(state.pendingMove.card, t)) }) };
  }
  if (!yours && !mayChange) return {};
  const lifted = state.lifted[0];
  const action = lifted ? legal.get(lifted) : undefined;
  if (!lifted || !action) return mayChange ? {} : { label: t('trick.choose') };
  const choice = mayChange ? 'sticheln.pick.change' : 'sticheln.pick.confirm';
  const key = kind === 'pick' ? choice : 'trick.play';
  return { label: capital(t(key, { card: cardName(lifted, t) })), action };
}

/**
 * How many cards of each colour the hand has, while a colour is picked.
 * @param {StichelnDisplay} display
 */
function colourCounts({ kind, yours, mayChange, hand }) {
  if (kind !== 'pick' || !(yours || mayChange)) return nothing;
  return html`<ul class="tally" aria-label=${t('sticheln.tally')}>
    ${countByColour(hand).map(
      ({ colour, count }) =>
        html`<li>${chip(colour)}<span>${count}<span class="visually-hidden"> ${t(`colour.${colour}`)}</span></span></li>`,
    )}
  </ul>`;
}
