// The toy: what the page needs of the game.

import { idleView, lazy } from '../game-kit.js';

/** @import { Game } from '../game.js' */
/** @import { Toy } from './types.js' */

/** @type {Game<Toy>} */
export const toy = {
  id: 'toy',
  name: 'Toy',
  card: 'green-6',
  seats: [2, 3, 4],
  usualSeats: 3,
  minutesPerSeat: 0.5,
  rounds: () => 3,
  pointsPerRound: () => 2,
  colours: () => ['red', 'yellow', 'green', 'blue'],
  holds: { trick_taken: { kind: 'taken', ms: 1200 }, dealt: null },
  heldView: (_, view) => idleView(view, view.table),
  remember: () => null,
  canStayLifted: () => false,
  sound: ({ type }) => (type === 'played' ? 'card' : type === 'trick_taken' ? 'trick' : null),
  texts: { main: 'js/toy/i18n/', help: 'js/toy/i18n/help.' },
  styles: [],
  lobby: lazy(async () => (await import('./lobby.js')).lobby),
  table: lazy(async () => (await import('./table.js')).table),
};
