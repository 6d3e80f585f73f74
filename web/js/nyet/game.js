// The game Nyet! for the page.

import { ignoreUnknown } from '../exhaustive.js';
import { idleView, lazy, viewOfTrick } from '../game-kit.js';

/** @import { Game } from '../game.js' */
/** @import { Card, Conditions, NyetTrickTable, NyetTrickTakenEvent, Seat, Suit } from '../protocol.js' */
/** @import { DealtView } from '../types.js' */
/** @import { Nyet, Space } from './types.js' */

/** For how long something stays on the table, in milliseconds: the rules of the round, teams, chosen cards, a trick. */
const BOARD_MS = 5000;
const TEAMS_MS = 3000;
const CHOSEN_MS = 3000;
const TRICK_MS = 1200;

/** How many rounds a game has with so many seats: each seat deals equally often. @type {Record<number, number>} */
const ROUNDS = { 2: 8, 3: 9, 4: 8, 5: 10 };
/**
 * By how many points the highest total grows in a round, by the number of players: 100 points, divided by the mean number of
 * rounds of 300 games of normal bots.
 * @type {Record<number, number>}
 */
const POINTS_PER_ROUND = { 2: 22, 3: 30, 4: 22, 5: 24 };

/** @type {Game<Nyet>} */
export const nyet = {
  id: 'nyet',
  name: 'Nyet!',
  card: 'blue-1',
  seats: [2, 3, 4, 5],
  usualSeats: 4,
  minutesPerSeat: 2.2,
  rounds: (_, players) => ROUNDS[players] ?? 8,
  pointsPerRound: (players) => POINTS_PER_ROUND[players] ?? 15,
  colours: () => ['red', 'yellow', 'green', 'blue'],
  holds: {
    board_settled: { kind: 'settled', ms: BOARD_MS },
    teams_formed: { kind: 'teams_formed', ms: TEAMS_MS },
    discards_done: { kind: 'chosen', ms: CHOSEN_MS },
    trick_taken: { kind: 'taken', ms: TRICK_MS },
    dealt: null,
  },
  heldView: (event, view, before) =>
    event.type === 'trick_taken'
      ? viewOfTrick(view, before, (table) => withTrick(event, table))
      : idleView(view, view.table),
  remember: (_, events) => ({ covered: events.findLast((event) => event.type === 'covered') ?? null }),
  canStayLifted: (key, { table }) => {
    const [group, member] = key.split(':');
    if (group === 'seat' || group === 'x2') return table.phase === 'team';
    /** @type {Partial<Record<string, Partial<Record<Space, Seat | null>>>>} */
    const board = { ...table.board };
    return table.phase === 'cover' && board[group]?.[/** @type {Space} */ (member)] === null;
  },
  sound: (event) => {
    switch (event.type) {
      case 'trick_taken':
        return 'trick';
      case 'covered':
      case 'played':
        return 'card';
      case 'dealt':
      case 'board_settled':
      case 'teams_formed':
      case 'discarded':
      case 'discards_done':
      case 'cards_revealed':
      case 'round_scored':
      case 'game_over':
      case 'acted_for':
        return null;
      default:
        return ignoreUnknown(event, null);
    }
  },
  texts: { main: 'js/nyet/i18n/', help: 'js/nyet/i18n/help.' },
  styles: ['js/nyet/board.css', 'js/nyet/teams.css', 'js/nyet/nyet.css'],
  lobby: lazy(async () => (await Promise.all([import('./lobby.js'), import('./symbols.js')]))[0].lobby),
  table: lazy(async () => (await import('./table.js')).table),
};

/**
 * The suit of a card: cards of the trump colour and supertrumps are trump.
 * @param {Card} card
 * @param {Conditions} conditions
 * @returns {Suit}
 */
function suitOf(card, { trump, supertrump }) {
  const [colour, value] = card.split('-');
  const isTrump = colour === trump || (colour === supertrump && value === '1');
  return isTrump ? 'trump' : /** @type {Suit} */ (colour);
}

/**
 * Adds a finished trick to a table; null if the table is from before the tricks.
 * @param {NyetTrickTakenEvent} event
 * @param {DealtView<Nyet['view']>['table']} table
 * @returns {NyetTrickTable | null}
 */
function withTrick({ cards, leader, seat }, table) {
  if (table.phase !== 'trick' && table.phase !== 'round_end') return null;
  const trick = { cards, leader, lead: suitOf(cards[0], table.conditions), winning: seat };
  return { ...table, phase: 'trick', trick };
}
