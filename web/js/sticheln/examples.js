// The worked examples of the rule texts of Sticheln, with the players of the page.

import { cardPile, exampleSum, exampleTrick, PLAYERS, sumCard } from '../example-drawing.js';
import { t } from '../i18n.js';
import { cardName } from '../table/card-text.js';
import { signed } from '../table/format.js';

/** @import { HelpExample } from '../game.js' */
/** @import { AllZeroTrick, Card, Edition } from '../protocol.js' */

/** A trick of an example. @typedef {{ id: string, leader: number, cards: Card[], winner: number | null }} TrickExample */

/**
 * The score of an example: the picked card, the taken cards of its colour, and how many others were taken.
 * @typedef {{ picked: Card, own: Card[], others: number }} ScoreExample
 */

/** The tricks of each edition. @type {Readonly<Record<Edition, readonly TrickExample[]>>} */
export const TRICKS = {
  nsv: [
    { id: 'same', leader: 0, cards: ['blue-3', 'blue-10', 'yellow-0', 'blue-7'], winner: 1 },
    { id: 'other', leader: 1, cards: ['yellow-9', 'green-5', 'red-6', 'blue-4'], winner: 3 },
    { id: 'tie', leader: 3, cards: ['green-11', 'red-5', 'yellow-5', 'green-8'], winner: 0 },
  ],
  'amigo-1993': [
    { id: 'lead', leader: 0, cards: ['yellow-6', 'yellow-5', 'yellow-2', 'yellow-14'], winner: 3 },
    { id: 'zero', leader: 3, cards: ['red-3', 'red-2', 'blue-0', 'red-4'], winner: 2 },
    { id: 'first', leader: 2, cards: ['blue-14', 'purple-6', 'green-6', 'green-4'], winner: 3 },
    { id: 'zeros', leader: 3, cards: ['green-3', 'green-0', 'green-2', 'orange-0'], winner: 3 },
  ],
};

/** The trick of zeros only, by its rule. @type {Readonly<Record<AllZeroTrick, TrickExample>>} */
export const ZEROS_TRICK = {
  nobody: { id: 'nobody', leader: 2, cards: ['blue-0', 'red-0', 'yellow-0', 'green-0'], winner: null },
  leader: { id: 'leader', leader: 2, cards: ['blue-0', 'red-0', 'yellow-0', 'green-0'], winner: 2 },
};

/** The scores of each edition, by player. @type {Readonly<Record<Edition, readonly ScoreExample[]>>} */
export const SCORES = {
  nsv: [
    { picked: 'yellow-2', own: ['yellow-5', 'yellow-4'], others: 6 },
    { picked: 'red-0', own: ['red-2', 'red-4', 'red-1'], others: 9 },
  ],
  'amigo-1993': [
    { picked: 'red-4', own: ['red-2', 'red-5'], others: 14 },
    { picked: 'blue-1', own: [], others: 0 },
    { picked: 'red-0', own: ['red-1', 'red-3', 'red-14'], others: 5 },
    { picked: 'green-4', own: [], others: 4 },
  ],
};

/** @param {Card} card */
const numberOf = (card) => Number(card.split('-')[1]);

/** The points of an example. @param {ScoreExample} example */
export const scoreOf = ({ picked, own, others }) =>
  others - [picked, ...own].reduce((sum, card) => sum + numberOf(card), 0);

/**
 * The examples of an edition.
 * @param {Edition} edition
 * @param {AllZeroTrick} zerosRule
 * @returns {HelpExample[]}
 */
export const examples = (edition, zerosRule) => [
  ...[...TRICKS[edition], ZEROS_TRICK[zerosRule]].map(trickExample),
  ...SCORES[edition].map(scoreExample),
];

/**
 * @param {TrickExample} example
 * @returns {HelpExample}
 */
const trickExample = (example) => ({
  title: t(`sticheln.example.${example.id}`),
  drawing: exampleTrick(example),
  text: t(`sticheln.example.${example.id}.text`, {
    leader: PLAYERS[example.leader],
    name: PLAYERS[example.winner ?? example.leader],
  }),
});

/**
 * @param {ScoreExample} example
 * @param {number} seat
 * @returns {HelpExample}
 */
function scoreExample(example, seat) {
  const { picked, own, others } = example;
  const points = scoreOf(example);
  const costs = [picked, ...own].flatMap((card) => [sumCard(card), signed(-numberOf(card))]);
  const brings = others === 0 ? [] : [cardPile(), t('sticheln.example.others', { n: others })];
  return {
    title: t('sticheln.example.score', { name: PLAYERS[seat], points: signed(points) }),
    drawing: exampleSum([...costs, ...brings, `= ${signed(points)}`]),
    text: t('sticheln.example.score.text', { name: PLAYERS[seat], card: cardName(picked, t) }),
  };
}
