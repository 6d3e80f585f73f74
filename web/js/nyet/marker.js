/** What stands for a player of Nyet!: the animal, the marker, the sign of the team, the x2 card. */

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';

/** @import { Shown } from './scene.js' */

/** The signs of the two teams: a square and a round one, each with its letter. */
const LETTERS = ['A', 'B'];

/**
 * The silhouette of a character.
 * @param {string} character
 */
export function animal(character) {
  return html`<svg class="ani" aria-hidden="true" viewBox="0 0 100 100"><use href=${`#a-${character}`}></use></svg>`;
}

/**
 * The marker of a seat, as it lies on what the seat has covered.
 * @param {number} seat
 * @param {Shown} now
 */
export const marker = (seat, now) =>
  html`<span class=${`mk m${seat}`} aria-hidden="true">${animal(now.characters[seat])}</span>`;

/**
 * The sign of the team that a seat plays in; nothing where each plays alone.
 * @param {number} seat
 * @param {Shown} now
 */
export function teamSign(seat, now) {
  if (now.teams === null || now.seats === 2) {
    return nothing;
  }
  const team = now.teams.of[seat];
  return html`<span class=${team === 0 ? 'tm square' : 'tm'} aria-hidden="true">${LETTERS[team]}</span>`;
}

/**
 * What the sign says to those who do not see it.
 * @param {number} seat
 * @param {Shown} now
 * @returns {string}
 */
export function teamWords(seat, now) {
  if (now.teams === null || now.seats === 2) {
    return '';
  }
  const team = t('nyet.team', { letter: LETTERS[now.teams.of[seat]] });
  const isMate = now.you !== null && seat !== now.you && now.teams.of[seat] === now.teams.of[now.you];
  return isMate ? `${team}, ${t('nyet.withYou')}` : team;
}

/** The card that doubles. */
export const x2 = html`<span class="x2">×2</span>`;

/** The sign of a supertrump. */
export const star = html`<svg class="star" aria-hidden="true" viewBox="0 0 24 24"><path d="m12 2.500 2.900 6.300 6.900.8-5.100 4.700 1.400 6.800L12 17.700l-6.100 3.400 1.400-6.800L2.200 9.600l6.900-.8Z" /></svg>`;
