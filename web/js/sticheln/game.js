// The game Sticheln for the page.

import { ignoreUnknown } from '../exhaustive.js';
import { idleView, lazy, viewOfTrick } from '../game-kit.js';

/** @import { Game } from '../game.js' */
/** @import { Colour, StichelnSetAsideEvent, StichelnTrickTable, StichelnTrickTakenEvent } from '../protocol.js' */
/** @import { DealtView } from '../types.js' */
/** @import { Sticheln } from './types.js' */

/** For how long something stays on the table, in milliseconds. A trick that nobody takes stays longer: its text is long. */
const REVEAL_MS = 5000;
const TRICK_MS = 1200;
const SET_ASIDE_MS = 3000;
/** How many rounds the edition of 1993 has. */
const ROUNDS_1993 = 10;
/**
 * By how many points the highest total grows in a round, by the number of players: 100 points, divided by the mean number of
 * rounds of 300 games of normal bots.
 * @type {Record<number, number>}
 */
const POINTS_PER_ROUND = { 3: 9.1, 4: 8.5, 5: 7.2, 6: 8 };

/** @type {Game<Sticheln>} */
export const sticheln = {
  id: 'sticheln',
  name: 'Sticheln',
  card: 'red-7',
  seats: [3, 4, 5, 6],
  usualSeats: 4,
  minutesPerSeat: 2.2,
  rounds: ({ edition }, players) => (edition === 'amigo-1993' ? ROUNDS_1993 : players),
  pointsPerRound: (players) => POINTS_PER_ROUND[players] ?? 8,
  colours: (options) => [
    'red',
    ...(options?.edition === 'amigo-1993' ? /** @type {const} */ (['orange']) : []),
    'yellow',
    'green',
    'blue',
    'purple',
    ...(options?.edition === 'amigo-1993' ? [] : /** @type {const} */ (['grey'])),
  ],
  holds: {
    revealed: { kind: 'reveal', ms: REVEAL_MS, interrupts: true },
    trick_taken: { kind: 'taken', ms: TRICK_MS },
    set_aside: { kind: 'taken', ms: SET_ASIDE_MS },
    dealt: null,
  },
  heldView: (event, view, before) => {
    if (event.type === 'revealed') {
      const { picks, leader } = event;
      return idleView(view, { ...view.table, phase: 'trick', picks, trick: { cards: [], leader } });
    }
    const isTrick = event.type === 'trick_taken' || event.type === 'set_aside';
    return isTrick ? viewOfTrick(view, before, (table) => withTrick(event, table)) : view;
  },
  remember: (memory, events) => {
    let lastTrick = memory?.lastTrick ?? null;
    for (const event of events) {
      if (event.type === 'dealt' || event.type === 'set_aside') lastTrick = null;
      if (event.type === 'trick_taken') lastTrick = { cards: event.cards, points: event.points };
    }
    return { lastTrick };
  },
  canStayLifted: () => false,
  sound: (event) => {
    switch (event.type) {
      case 'trick_taken':
        return event.points < 0 ? 'pluck' : 'trick';
      case 'played':
        return 'card';
      case 'dealt':
      case 'picked':
      case 'revealed':
      case 'set_aside':
      case 'round_scored':
      case 'game_over':
      case 'acted_for':
        return null;
      default:
        return ignoreUnknown(event, null);
    }
  },
  texts: { main: 'js/sticheln/i18n/', help: 'js/sticheln/i18n/help.' },
  styles: [],
  lobby: lazy(async () => (await import('./lobby.js')).lobby),
  table: lazy(async () => (await import('./table.js')).table),
};

/**
 * Adds a finished trick to a table; null if the table is from before the tricks.
 * @param {StichelnTrickTakenEvent | StichelnSetAsideEvent} event
 * @param {DealtView<Sticheln['view']>['table']} table
 * @returns {StichelnTrickTable | null}
 */
function withTrick(event, table) {
  if (table.phase === 'pick') return null;
  const { cards, leader } = event;
  const lead = /** @type {Colour} */ (cards[0].split('-')[0]);
  const trick = { cards, leader, lead, ...(event.type === 'trick_taken' && { winning: event.seat }) };
  return { ...table, phase: 'trick', trick };
}
