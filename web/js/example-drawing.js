// The drawings of worked examples in the help, made of the cards of the page.

import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { t } from './i18n.js';
import { icon } from './icons.js';
import { part } from './parts.js';

/** @import { Card } from './protocol.js' */

/** The players of the examples, by seat. */
export const PLAYERS = ['Ada', 'Ben', 'Cleo', 'Dan', 'Eve'];

/** A card of an example, the words below it, and whether it is marked. @typedef {{ card: Card, words: string[], isMarked?: boolean }} ExampleCard */

/**
 * Cards with words below them.
 * @param {readonly ExampleCard[]} cards
 */
export const exampleCards = (cards) => html`<ol class="example-cards">
  ${cards.map(
    ({ card, words, isMarked = false }) => html`<li class=${isMarked ? 'marked' : ''}>
      ${part('cardDrawing')?.face(card, { compact: true })}
      ${words.filter(Boolean).map((word) => html`<small>${word}</small>`)}
    </li>`,
  )}
</ol>`;

/**
 * A trick, in the order of its cards. Below each card are its player, the words about them, and the effect.
 * @param {object} trick
 * @param {number} trick.leader the seat that led it
 * @param {readonly Card[]} trick.cards
 * @param {number | null} trick.winner
 * @param {(seat: number) => string} [details] the words about a player
 */
export function exampleTrick({ leader, cards, winner }, details = () => '') {
  return exampleCards(
    cards.map((card, step) => {
      const seat = (leader + step) % cards.length;
      const effect = seat === winner ? t('tag.takes') : step === 0 ? t('tag.lead') : '';
      return { card, words: [PLAYERS[seat], details(seat), effect], isMarked: seat === winner };
    }),
  );
}

/**
 * A sum: cards and words between which signs stand.
 * @param {readonly unknown[]} terms
 */
export const exampleSum = (terms) =>
  html`<p class="example-sum">${terms.map((term) => html`<span>${term}</span>`)}</p>`;

/**
 * A small card inside a sum.
 * @param {Card} card
 */
export const sumCard = (card) => part('cardDrawing')?.face(card, { compact: true }) ?? nothing;

/** A pile of cards whose faces do not matter. */
export const cardPile = () => icon('copy');
