/** The button of Sticheln, and what stands between it and the hand. */

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { chip } from '../table/card.js';
import { cardName, tally } from '../table/cards.js';
import { capital } from '../table/format.js';
import { secondsUntil } from '../table/scene.js';

/** @import { Button, State } from '../table/types.js' */
/** @import { Shown } from './scene.js' */

/**
 * What the button says, and what it does.
 * @param {Shown} now
 * @param {State} state
 * @returns {Button}
 */
export function button(now, state) {
  if (now.kind === 'reveal') {
    const left = secondsUntil(state.pause?.until, state.clock);
    return { label: `${t('reveal.go')}${left ? ` (${Math.min(left, 5)})` : ''}`, goesOn: true };
  }
  if (state.sending?.card) {
    return { label: t('trick.sending', { card: capital(cardName(state.sending.card, t)) }) };
  }
  const lifted = state.lifted[0];
  const action = lifted ? now.legal.get(lifted) : undefined;
  if (now.yours && lifted && action) {
    const key = now.kind === 'pick' ? 'pick.confirm' : 'trick.play';
    return { label: capital(t(key, { card: cardName(lifted, t) })), action };
  }
  return now.yours ? { label: t('trick.choose') } : {};
}

/**
 * How many cards of each colour the hand has, while a colour is picked.
 * @param {Shown} now
 */
export function counts(now) {
  if (now.kind !== 'pick' || !now.yours) {
    return nothing;
  }
  return html`<ul class="tally" aria-label=${t('play.tally')}>
    ${tally(now.hand).map(
      ({ colour, count }) =>
        html`<li>${chip(colour)}<span>${count}<span class="sr"> ${t(`suit.${colour}`)}</span></span></li>`,
    )}
  </ul>`;
}
