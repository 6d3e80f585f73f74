// The game as a room of Colyseus. Each seat has a `StateView` with its own hand; each move broadcasts a patch.

import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { Room, Server } from '@colyseus/core';
import { StateView, schema, t } from '@colyseus/schema';
import { WebSocketTransport } from '@colyseus/ws-transport';
import { CARDS, hands, SEATS } from './game.mjs';

const Seat = schema({ hand: t.array('uint8').view(), count: t.uint8().default(0) }, 'Seat');
const Table = schema(
  { round: t.uint16().default(0), turn: t.uint8().default(0), trick: t.array('uint8'), seats: t.array(Seat) },
  'Table',
);

function shuffled(cards) {
  const deck = [...cards];
  for (let last = deck.length - 1; last > 0; last--) {
    const other = randomInt(last + 1);
    [deck[last], deck[other]] = [deck[other], deck[last]];
  }
  return deck;
}

class TrickRoom extends Room {
  maxClients = SEATS;
  // Each move broadcasts its patch at once. The interval finds no changes and is long, so that it costs little.
  patchRate = 1000;
  messages = {
    ready: (client) => this.ready(client),
    play: (client, place) => this.play(client, place),
  };

  onCreate() {
    const state = new Table();
    for (let seat = 0; seat < SEATS; seat++) {
      state.seats.push(new Seat());
    }
    this.state = state;
    // Nobody has joined, so nothing is sent. Otherwise the first patch would repeat the full state.
    this.broadcastPatch();
  }

  onJoin(client) {
    client.userData = { seat: this.clients.indexOf(client), isReady: false };
  }

  /** The client has received the state. The first round begins when all four have. */
  ready(client) {
    client.userData.isReady = true;
    if (this.state.round === 0 && this.clients.filter((each) => each.userData.isReady).length === SEATS) {
      for (const each of this.clients) {
        each.view = new StateView();
        each.view.add(this.state.seats[each.userData.seat]);
      }
      this.deal();
      this.broadcastPatch();
    }
  }

  /** Plays the card at this place of the client's hand. */
  play(client, place) {
    const { state } = this;
    const seat = state.seats[state.turn];
    if (client.userData.seat !== state.turn || !Number.isInteger(place) || place < 0 || place >= seat.count) {
      client.error(4000, 'This is not a legal move.');
      return;
    }
    seat.count -= 1;
    state.turn = (state.turn + 1) % SEATS;
    if (state.seats.every((each) => each.count === 0)) {
      // The last card is not taken out of its hand first. With both in one patch, the decoder of the client would get a hand
      // with a card twice.
      this.deal();
    } else {
      if (state.trick.length === SEATS) {
        state.trick.clear();
      }
      const [card] = seat.hand.splice(place, 1);
      state.trick.push(card);
    }
    this.broadcastPatch();
  }

  deal() {
    this.state.round += 1;
    this.state.trick.clear();
    for (const [seat, hand] of hands(shuffled(CARDS)).entries()) {
      this.state.seats[seat].hand.clear();
      this.state.seats[seat].hand.push(...hand);
      this.state.seats[seat].count = hand.length;
    }
  }
}

const { values } = parseArgs({ options: { host: { type: 'string' }, port: { type: 'string' } }, strict: false });
const server = new Server({
  greet: false,
  transport: new WebSocketTransport(),
  express: (app) => app.get('/readyz', (_, response) => response.sendStatus(200)),
});
server.define('trick', TrickRoom);
await server.listen(Number(values.port), values.host);
