// Cards: their text, their names, their order in the hand.

import { enumValues } from '../exhaustive.js';
import { nameList } from '../i18n.js';

/** @import { Translate } from '../i18n.js' */
/** @import { Card, Colour, Seat } from '../protocol.js' */

/** All colours in the order in which hands are sorted. @type {readonly Colour[]} */
export const COLOURS = enumValues({
  red: true,
  orange: true,
  yellow: true,
  green: true,
  blue: true,
  purple: true,
  grey: true,
});

/**
 * The colour and the value of a card.
 * @param {Card} card
 * @returns {{ colour: string, value: number }}
 */
export function parseCard(card) {
  const cut = card.lastIndexOf('-');
  return { colour: card.slice(0, cut), value: Number(card.slice(cut + 1)) };
}

/**
 * The name of a card, which no line break divides: `red 7`.
 * @param {Card} card
 * @param {Translate} t
 */
export function cardName(card, t) {
  const { colour, value } = parseCard(card);
  return t('card.name', { colour: t(`colour.${colour}`), value: String(value) }).replaceAll(' ', '\u00a0');
}

/**
 * The names of cards in one phrase.
 * @param {readonly Card[]} cards
 * @param {Translate} t
 */
export const cardList = (cards, t) =>
  nameList(
    cards.map((card) => cardName(card, t)),
    t,
  );

/**
 * Cards sorted by colour, then by value.
 * @param {readonly Card[]} cards
 * @returns {Card[]}
 */
export function sortCards(cards) {
  const rank = (/** @type {Card} */ card) => {
    const { colour, value } = parseCard(card);
    return /** @type {readonly string[]} */ (COLOURS).indexOf(colour) * 100 + value;
  };
  return [...cards].sort((a, b) => rank(a) - rank(b));
}

/**
 * How many cards of each colour there are, in the order of the colours, without colours that have none.
 * @param {readonly Card[]} cards
 * @returns {{ colour: string, count: number }[]}
 */
export function countByColour(cards) {
  const count = (/** @type {string} */ colour) => cards.filter((card) => parseCard(card).colour === colour).length;
  return COLOURS.map((colour) => ({ colour, count: count(colour) })).filter(({ count }) => count > 0);
}

/**
 * The card that a seat has played to a trick; undefined if it has not.
 * @param {{ leader: Seat, cards: readonly Card[] }} trick
 * @param {Seat} seat
 * @param {number} seats
 * @returns {Card | undefined}
 */
export const cardOf = ({ leader, cards }, seat, seats) => cards[(seat - leader + seats) % seats];
