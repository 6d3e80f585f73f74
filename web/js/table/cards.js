/** Cards as text and by name, their order in the hand, and the order of the seats. */

/** @import { Game, Translate } from './types.js' */

/** All colours in the order in which hands are sorted. */
export const COLOURS = ['red', 'orange', 'yellow', 'green', 'blue', 'purple', 'grey'];

/**
 * The two halves of a card's text.
 * @param {string} card
 * @returns {{ colour: string, value: number }}
 */
export function parts(card) {
  const cut = card.lastIndexOf('-');
  return { colour: card.slice(0, cut), value: Number(card.slice(cut + 1)) };
}

/**
 * A card by name, in one piece: `red 7`.
 * @param {string} card
 * @param {Translate} t
 */
export function cardName(card, t) {
  const { colour, value } = parts(card);
  return t('card.name', { suit: t(`suit.${colour}`), n: String(value) }).replaceAll(' ', '\u00a0');
}

/**
 * The cards by colour, then by number.
 * @param {readonly string[]} cards
 * @returns {string[]}
 */
export function sorted(cards) {
  const place = (/** @type {string} */ card) => {
    const { colour, value } = parts(card);
    return COLOURS.indexOf(colour) * 100 + value;
  };
  return [...cards].sort((a, b) => place(a) - place(b));
}

/**
 * How many cards of each colour there are, in the order of the colours; colours without a card
 * are left out.
 * @param {readonly string[]} cards
 * @returns {{ colour: string, count: number }[]}
 */
export function tally(cards) {
  return COLOURS.map((colour) => ({
    colour,
    count: cards.filter((card) => parts(card).colour === colour).length,
  })).filter(({ count }) => count > 0);
}

/**
 * The seats clockwise, beginning with the left neighbour of `south`, which comes last.
 * @param {number} seats
 * @param {number} south
 * @returns {number[]}
 */
export function clockwise(seats, south) {
  return Array.from({ length: seats }, (_, step) => (south + 1 + step) % seats);
}

/**
 * Where the seats sit that are not in the south, in the order of {@link clockwise}.
 * @param {number} seats
 * @returns {string[]}
 */
export function places(seats) {
  const all = /** @type {Record<number, string[]>} */ ({
    2: ['n'],
    3: ['w', 'e'],
    4: ['w', 'n', 'e'],
    5: ['w', 'nw', 'ne', 'e'],
    6: ['w', 'nw', 'n', 'ne', 'e'],
  });
  return all[seats] ?? [];
}

/**
 * The card that `seat` has played to a trick, if it has.
 * @param {{ leader: number, cards: string[] }} trick
 * @param {number} seat
 * @param {number} seats
 * @returns {string | undefined}
 */
export function cardOf(trick, seat, seats) {
  return trick.cards[(seat - trick.leader + seats) % seats];
}

/**
 * How many rounds the game has, if that is known before.
 * @param {{ options?: any, chairs: unknown[] }} room
 * @param {Pick<Game, 'rounds'>} game
 * @returns {number | null}
 */
export function rounds(room, game) {
  const end = room.options?.end;
  return end ? (end.rounds ?? null) : game.rounds(room);
}
