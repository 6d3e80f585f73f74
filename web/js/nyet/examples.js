// The worked examples of Nyet!: a board, what may be played, tricks with loot, and scores.

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { cardPile, exampleCards, exampleSum, exampleTrick, PLAYERS, sumCard } from '../example-drawing.js';
import { playersOf } from '../games.js';
import { t } from '../i18n.js';
import { icon } from '../icons.js';
import { chip } from '../table/card-drawing.js';
import { signed } from '../table/format.js';
import { CHARACTERS } from './phrases.js';
import { silhouette } from './silhouette.js';
import { ROWS, SPACES } from './spaces.js';

/** @import { HelpExample } from '../game.js' */
/** @import { Card, Character } from '../protocol.js' */
/** @import { RoomState } from '../types.js' */
/** @import { Nyet, Row, Space } from './types.js' */

/** The free space of each row of the board. @type {Readonly<Record<Row, Space>>} */
export const BOARD = { start: 'wolf', discard: 'none', trump: 'yellow', supertrump: 'blue', points: '2' };

/**
 * A card that is led, and a hand: the cards that may be played are marked.
 * @typedef {{ led: Card, hand: Card[], legal: Card[], trump: string, supertrump: string }} FollowExample
 */
/** @type {FollowExample} */
export const FOLLOW = {
  led: 'red-7',
  hand: ['red-5', 'red-1', 'green-3'],
  legal: ['red-5'],
  trump: 'blue',
  supertrump: 'red',
};

/**
 * A trick with the teams of its players.
 * @typedef {{ id: string, leader: number, cards: Card[], winner: number, teams: number[], trump: string, supertrump: string }} TrickExample
 */
/** The loot depends on the option for supertrumps only in the last one. @type {readonly TrickExample[]} */
export const TRICKS = [
  {
    id: 'loot',
    leader: 0,
    cards: ['green-9', 'green-1', 'green-4', 'yellow-1', 'yellow-7'],
    winner: 4,
    teams: [0, 0, 1, 1, 0],
    trump: 'yellow',
    supertrump: 'blue',
  },
  {
    id: 'supertrumps',
    leader: 0,
    cards: ['red-1', 'red-1', 'yellow-13', 'blue-2'],
    winner: 1,
    teams: [0, 1, 0, 1],
    trump: 'yellow',
    supertrump: 'red',
  },
];

/** The result of a team: its tricks, its loot, and whether it is that of the holder of x2. @typedef {{ tricks: number, loot: number, doubled?: boolean }} TeamResult */

/** The results of both teams with the points of row 5, by the number of players. @type {Readonly<Record<number, { points: number, teams: [TeamResult, TeamResult] }>>} */
export const RESULTS = {
  2: {
    points: 1,
    teams: [
      { tricks: 9, loot: 2 },
      { tricks: 6, loot: 3 },
    ],
  },
  3: {
    points: 4,
    teams: [
      { tricks: 6, loot: 3, doubled: true },
      { tricks: 10, loot: 0 },
    ],
  },
  4: {
    points: 3,
    teams: [
      { tricks: 7, loot: 1 },
      { tricks: 8, loot: 2 },
    ],
  },
  5: {
    points: 2,
    teams: [
      { tricks: 6, loot: 1 },
      { tricks: 6, loot: 2, doubled: true },
    ],
  },
};

/** The letters of the teams, as on the table. */
const LETTERS = ['A', 'B'];

/**
 * The examples for the players and the options of a room, or for any.
 * @param {RoomState<Nyet> | null} room
 * @returns {HelpExample[]}
 */
export function examples(room) {
  const players = room && playersOf(room);
  const isLoot = room?.options.supertrump_loot ?? true;
  return [
    boardExample(),
    followExample(),
    ...TRICKS.map((trick) => trickExample(trick, isLoot)),
    ...(players === null ? [3, 5] : [players]).map(resultExample),
  ];
}

/** @returns {HelpExample} */
const boardExample = () => ({
  title: t('nyet.example.board'),
  text: t('nyet.example.board.text', { name: PLAYERS[1] }),
  drawing: html`<div class="example-board">
    ${ROWS.map(
      (row) => html`<p class="example-row">
        <b>${t(`nyet.row.${row}`)}</b>
        ${(row === 'start' ? CHARACTERS : SPACES[row]).map((space) =>
          row === 'trump' && space === 'none' ? nothing : spaceCell(row, space),
        )}
      </p>`,
    )}
  </div>`,
});

/**
 * A space of the board: free, or covered.
 * @param {Row} row
 * @param {Space} space
 */
function spaceCell(row, space) {
  const isFree = BOARD[row] === space;
  return html`<span class=${isFree ? 'example-space free' : 'example-space'}>
    ${space === 'none' ? html`<small>${t('nyet.none')}</small>` : spaceSign(row, space)}<span class="visually-hidden"
      >${t(isFree ? 'nyet.example.free' : 'nyet.example.covered')}</span
    >${isFree ? nothing : icon('close')}
  </span>`;
}

/**
 * @param {Row} row
 * @param {Space} space
 */
function spaceSign(row, space) {
  switch (row) {
    case 'start':
      return html`${silhouette(/** @type {Character} */ (space))}<small>${t(`nyet.character.${space}`)}</small>`;
    case 'discard':
      return html`<small>${t(`nyet.discard.${space}`)}</small>`;
    case 'points':
      return html`<b>${space.replace('-', '\u2212')}</b>`;
    case 'trump':
    case 'supertrump':
      return html`${chip(space)}<span class="visually-hidden">${t(`colour.${space}`)}</span>${row === 'supertrump' ? html`<b>1</b>` : nothing}`;
  }
}

/** @returns {HelpExample} */
const followExample = () => ({
  title: t('nyet.example.follow'),
  text: t('nyet.example.follow.text'),
  drawing: exampleCards([
    { card: FOLLOW.led, words: [t('tag.lead')] },
    ...FOLLOW.hand.map((card) => {
      const isMarked = FOLLOW.legal.includes(card);
      return { card, words: [t(isMarked ? 'nyet.example.may' : 'nyet.example.mayNot')], isMarked };
    }),
  ]),
});

/**
 * @param {TrickExample} trick
 * @param {boolean} isLoot whether supertrumps are loot
 * @returns {HelpExample}
 */
const trickExample = (trick, isLoot) => ({
  title: t(`nyet.example.${trick.id}`),
  text: [
    t(`nyet.example.${trick.id}.text`, { name: PLAYERS[trick.winner] }),
    ...(trick.id === 'supertrumps' ? [t(isLoot ? 'nyet.example.isLoot' : 'nyet.example.noLoot')] : []),
  ].join(' '),
  drawing: exampleTrick(trick, (seat) => t('nyet.team', { letter: LETTERS[trick.teams[seat]] })),
});

/**
 * The points of a team.
 * @param {TeamResult} result
 * @param {number} points
 */
export const pointsOf = ({ tricks, loot }, points) => (tricks + loot) * points;

/**
 * The results of a round with so many players.
 * @param {number} players
 * @returns {HelpExample}
 */
function resultExample(players) {
  const { points, teams } = RESULTS[players];
  return {
    title: t('nyet.example.result'),
    text: t(`nyet.example.result.${players}`),
    drawing: html`${teams.map((result, team) => {
      const each = pointsOf(result, points);
      return exampleSum([
        players === 2 ? PLAYERS[team] : t('nyet.team', { letter: LETTERS[team] }),
        html`(${cardPile()} ${result.tricks}<span class="visually-hidden">${t('nyet.calc.tricks')}</span>`,
        html`+ ${sumCard('green-1')} ${result.loot}<span class="visually-hidden">${t('nyet.calc.loot')}</span>)`,
        `\u00d7 ${points} = ${signed(each)}`,
        result.doubled ? html`<b>\u00d72</b> ${signed(2 * each)}` : nothing,
      ]);
    })}`,
  };
}
