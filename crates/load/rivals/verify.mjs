// Plays with the official clients, and checks that every seat sees the table, its own hand and no other.
//
//   npm test --prefix crates/load/rivals

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { Client as ColyseusClient } from '@colyseus/sdk';
import { Client as BoardgameClient } from 'boardgame.io/dist/cjs/client.js';
import { SocketIO } from 'boardgame.io/dist/cjs/multiplayer.js';
import { CARDS, SEATS } from './game.mjs';

/** More moves than a round has. */
const MOVES = CARDS.length + 10;

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}

/** Starts a server, and returns its address when it answers. It ends with the test. */
async function start(context, script) {
  const port = await freePort();
  const path = new URL(script, import.meta.url).pathname;
  const child = spawn(process.execPath, [path, '--host', '127.0.0.1', '--port', `${port}`], { stdio: 'inherit' });
  context.after(() => child.kill());
  const address = `http://127.0.0.1:${port}`;
  const isReady = async () => (await fetch(`${address}/readyz`)).ok;
  while (!(await isReady().catch(() => false))) {
    assert.equal(child.exitCode, null, 'the server runs');
  }
  return address;
}

async function post(url, body) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  assert.ok(response.ok, `${url}: ${response.status}`);
  return response.json();
}

/**
 * Plays with four clients. A client has `view()`, with the round, the turn, the trick, the counts of all hands, and the
 * hands that it sees by seat; `play(place)`; and `changed()`, a promise of the next view.
 */
async function play(clients) {
  for (let move = 0; move < MOVES; move++) {
    const views = clients.map((client) => client.view());
    const { round, turn, trick, counts } = views[0];
    const dealt = views.flatMap(({ hands }, seat) => hands[seat]);
    const left = CARDS.length - (move % CARDS.length);
    assert.equal(round, 1 + Math.floor(move / CARDS.length));
    assert.equal(turn, move % SEATS);
    assert.equal(new Set(dealt).size, left, 'no card is in two hands');
    for (const [seat, view] of views.entries()) {
      assert.deepEqual({ ...view, hands: null }, { round, turn, trick, counts, hands: null });
      assert.equal(view.hands[seat].length, counts[seat]);
      const others = view.hands.filter((_, other) => other !== seat);
      assert.deepEqual(others, Array(SEATS - 1).fill(null), 'the hands of others are hidden');
    }
    const place = move % counts[turn];
    const card = views[turn].hands[turn][place];
    const changes = clients.map((client) => client.changed());
    clients[turn].play(place);
    // The same seat is not on turn again, so this changes nothing.
    clients[turn].play(0);
    await Promise.all(changes);
    if (left > 1) {
      const isSecond = trick.length === SEATS;
      assert.deepEqual(clients[0].view().trick, isSecond ? [card] : [...trick, card]);
    }
  }
}

test('Colyseus shows each seat its own hand only', { timeout: 60_000 }, async (context) => {
  const address = await start(context, 'colyseus.mjs');
  const rooms = [await new ColyseusClient(address).create('trick')];
  while (rooms.length < SEATS) {
    rooms.push(await new ColyseusClient(address).joinById(rooms[0].roomId));
  }
  context.after(() => Promise.all(rooms.map((room) => room.leave())));
  const clients = rooms.map((room, seat) => {
    let wake = () => {};
    room.onStateChange(() => wake());
    room.onError((code) => assert.equal(code, 4000));
    return {
      view() {
        const { round, turn, trick, seats } = room.state;
        const hands = [...seats].map(({ hand }, other) => (other === seat || hand?.length ? [...hand] : null));
        return { round, turn, trick: [...trick], counts: [...seats].map(({ count }) => count), hands };
      },
      changed: () => new Promise((resolve) => (wake = resolve)),
      play: (place) => room.send('play', place),
      hasState: () => room.state.seats?.length === SEATS,
    };
  });
  await Promise.all(clients.map((client) => client.hasState() || client.changed()));
  const dealt = clients.map((client) => client.changed());
  for (const room of rooms) {
    room.send('ready');
  }
  await Promise.all(dealt);
  await play(clients);
});

test('boardgame.io shows each seat its own hand only', { timeout: 60_000 }, async (context) => {
  const address = await start(context, 'boardgame.mjs');
  const { matchID } = await post(`${address}/games/trick/create`, { numPlayers: SEATS });
  const clients = [];
  for (let seat = 0; seat < SEATS; seat++) {
    const body = { playerID: `${seat}`, playerName: `${seat}` };
    const { playerCredentials } = await post(`${address}/games/trick/${matchID}/join`, body);
    const game = { name: 'trick', moves: { play: { move: () => undefined, client: false } } };
    const multiplayer = SocketIO({ server: address, socketOpts: { transports: ['websocket'] } });
    const settings = { playerID: `${seat}`, matchID, credentials: playerCredentials };
    const client = BoardgameClient({ game, numPlayers: SEATS, multiplayer, debug: false, ...settings });
    let [seen, wake] = [-1, () => {}];
    client.subscribe((state) => {
      if (state && state._stateID > seen) {
        seen = state._stateID;
        wake();
      }
    });
    client.start();
    context.after(() => client.stop());
    clients.push({
      view() {
        const { G, ctx } = client.getState();
        assert.equal(G.hands, undefined);
        const hands = G.counts.map((_, other) => (other === seat ? G.hand : null));
        return { round: G.round, turn: Number(ctx.currentPlayer), trick: G.trick, counts: G.counts, hands };
      },
      changed: () => new Promise((resolve) => (wake = resolve)),
      play: (place) => client.moves.play(place),
      hasState: () => seen >= 0,
    });
  }
  await Promise.all(clients.map((client) => client.hasState() || client.changed()));
  await play(clients);
});
