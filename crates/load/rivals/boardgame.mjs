// The game for boardgame.io. Its `playerView` hides the hands of the other seats.

import { parseArgs } from 'node:util';
import { INVALID_MOVE } from 'boardgame.io/dist/cjs/core.js';
import boardgame from 'boardgame.io/dist/cjs/server.js';
import { CARDS, hands, SEATS } from './game.mjs';

const game = {
  name: 'trick',
  minPlayers: SEATS,
  maxPlayers: SEATS,
  // Nobody may take a card back, so no states are kept for it.
  disableUndo: true,
  setup: ({ random }) => ({ round: 1, trick: [], hands: hands(random.Shuffle(CARDS)) }),
  turn: { minMoves: 1, maxMoves: 1 },
  moves: {
    /** Plays the card at this place of the player's hand. */
    play({ G, playerID, random }, place) {
      const hand = G.hands[Number(playerID)];
      if (!Number.isInteger(place) || place < 0 || place >= hand.length) {
        return INVALID_MOVE;
      }
      if (G.trick.length === SEATS) {
        G.trick = [];
      }
      G.trick.push(...hand.splice(place, 1));
      if (G.hands.every((each) => each.length === 0)) {
        G.round += 1;
        G.trick = [];
        G.hands = hands(random.Shuffle(CARDS));
      }
    },
  },
  playerView: ({ G, playerID }) => ({
    ...G,
    hands: undefined,
    hand: G.hands[Number(playerID)],
    counts: G.hands.map((hand) => hand.length),
  }),
};

const { values } = parseArgs({ options: { host: { type: 'string' }, port: { type: 'string' } }, strict: false });
const server = boardgame.Server({ games: [game], origins: [] });
server.router.get('/readyz', (context) => {
  context.status = 200;
});
await server.run({ port: { host: values.host, port: Number(values.port) } });
