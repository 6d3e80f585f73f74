// The signs of Nyet!: markers, teams, the x2 card, supertrumps.

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { silhouette } from './silhouette.js';

/** @import { Card, Seat } from '../protocol.js' */
/** @import { NyetDisplay } from './types.js' */

/** The letters of the teams: the first has a square sign, the second a round one. */
const LETTERS = ['A', 'B'];

/**
 * The marker of a seat, which lies on the spaces that it has covered.
 * @param {Seat} seat
 * @param {NyetDisplay} display
 */
export const marker = (seat, { characters }) =>
  html`<span class=${`player-marker marker-${seat}`} aria-hidden="true">${silhouette(characters[seat])}</span>`;

/**
 * The sign of the team of a seat; nothing if two play against each other.
 * @param {Seat} seat
 * @param {NyetDisplay} display
 */
export function teamSign(seat, { teams, seats }) {
  if (teams === null || seats === 2) return nothing;
  const team = teams.of[seat];
  return html`<span class=${team === 0 ? 'team-sign square' : 'team-sign'} aria-hidden="true">${LETTERS[team]}</span>`;
}

/**
 * The team of a seat in words; empty if two play against each other.
 * @param {Seat} seat
 * @param {NyetDisplay} display
 * @returns {string}
 */
export function teamWords(seat, { teams, seats, ownSeat }) {
  if (teams === null || seats === 2) return '';
  const team = t('nyet.team', { letter: LETTERS[teams.of[seat]] });
  const isMate = ownSeat !== null && seat !== ownSeat && teams.of[seat] === teams.of[ownSeat];
  return isMate ? `${team}, ${t('nyet.withYou')}` : team;
}

/** The card that doubles points. */
export const x2 = html`<span class="times-two">×2</span>`;

/** The sign of a supertrump. */
export const star = html`<svg class="star" aria-hidden="true" viewBox="0 0 24 24"><path d="m12 2.500 2.900 6.300 6.900.8-5.100 4.700 1.400 6.800L12 17.700l-6.100 3.400 1.400-6.800L2.200 9.600l6.900-.8Z" /></svg>`;

/**
 * Whether a card is a supertrump in this round.
 * @param {Card} card
 * @param {NyetDisplay} display
 */
export const isSupertrump = (card, { conditions }) => conditions !== null && card === `${conditions.supertrump}-1`;
