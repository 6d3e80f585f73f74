// Clients of the real server that play over WebSockets, without a browser.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';

import WebSocket from 'ws';

/** @import { Action, Chair, Game, Ok, Refused, ServerMessage, Sheet, TableState, View, You } from '../../js/protocol.js' */

/**
 * The names of the fields of all members of a union.
 * @template T
 * @typedef {T extends unknown ? keyof T : never} NamesOf
 */
/**
 * The fields of all members of a union, as if a value had all of them: a test knows which ones it has.
 * @template T
 * @typedef {{ [Name in NamesOf<T>]: T extends { [_ in Name]?: infer Value } ? Exclude<Value, undefined> : never }} FieldsOf
 */

/** @typedef {Exclude<ServerMessage, Ok | Refused>} Received a message that is no answer */
/** @typedef {FieldsOf<Action>} AnyAction an action of any type */
/** @typedef {FieldsOf<NonNullable<View['table']>>} AnyTable the table of a round in any phase of any game */
/** @typedef {FieldsOf<View> & { table: AnyTable }} AnyView the view of any game */
/** @typedef {Omit<TableState, 'chairs'> & { chairs: FieldsOf<Chair>[], you: You }} ReceivedRoom */
/** @typedef {Omit<Game, 'legal' | 'view'> & { legal: AnyAction[], view: AnyView }} ReceivedGame */

/**
 * Opens a room over HTTP.
 * @param {string} url of the server
 * @param {{ game: string, seats: number, title?: string, options?: object, password?: string }} settings
 * @returns {Promise<string>} its room code
 */
export async function createRoom(url, settings) {
  const answer = await fetch(new URL('api/rooms', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(settings),
  });
  assert.equal(answer.status, 201);
  return (await answer.json()).room;
}

/** A client in a room. */
export class Client {
  /** All messages so far, except answers. @type {Received[]} */
  received = [];
  /** The time when each of them came. @type {number[]} */
  receivedAt = [];
  /** @type {ReceivedRoom | null} */
  #room = null;
  /** @type {Sheet | null} */
  #sheet = null;
  /** @type {ReceivedGame | null} */
  #game = null;
  /** @type {Map<string, (answer: string) => void>} */
  #unanswered = new Map();
  /** @type {Set<() => void>} */
  #waiting = new Set();
  #count = 0;
  #token = randomBytes(32).toString('base64url');

  /**
   * @param {string} url of the server
   * @param {string} code of the room
   */
  constructor(url, code) {
    this.address = `${url.replace('http', 'ws')}api/rooms/${code}/socket`;
  }

  /**
   * Connects to a room, and sits down if there is a name.
   * @param {string} url
   * @param {string} code
   * @param {string} [name]
   * @param {string} [password]
   */
  static async join(url, code, name, password) {
    const client = new Client(url, code);
    await client.connect(password);
    if (name !== undefined) await client.send('sit', { name });
    return client;
  }

  /** @param {string} [password] */
  async connect(password) {
    const socket = new WebSocket(this.address, 'trick.v1');
    this.socket = socket;
    socket.on('message', (text) => this.#onMessage(JSON.parse(String(text))));
    await new Promise((open, fail) => socket.on('open', open).on('error', fail));
    await this.send('hello', { token: this.#token, ...(password && { password }) });
    await this.waitFor(() => this.#room !== null);
  }

  /** Closes the connection. The chair stays taken. */
  disconnect() {
    this.socket?.terminate();
  }

  /**
   * Sends a message, and waits for its answer. It is an error if the message is refused.
   * @param {string} type
   * @param {object} [fields]
   */
  async send(type, fields = {}) {
    this.#count += 1;
    const id = String(this.#count);
    const answer = new Promise((done) => this.#unanswered.set(id, done));
    this.socket?.send(JSON.stringify({ id, type, ...fields }));
    const code = await answer;
    if (code !== 'ok') throw new Error(`${type}: ${code}`);
  }

  /**
   * Waits until a condition holds. It is checked after each message.
   * @param {() => boolean} condition
   */
  async waitFor(condition) {
    while (!condition()) await new Promise((next) => this.#waiting.add(() => next(undefined)));
  }

  /** Forgets the room, the sheet and the game, as if no message had come. */
  forget() {
    this.#room = null;
    this.#sheet = null;
    this.#game = null;
  }

  /** The newest state of the room. */
  get room() {
    assert.ok(this.#room, 'there was a message `room`');
    return this.#room;
  }

  /** The newest sheet of a game. */
  get sheet() {
    assert.ok(this.#sheet, 'there was a message `sheet`');
    return this.#sheet;
  }

  get hasGame() {
    return this.#game !== null;
  }

  /** The newest view of the game, with its events and legal actions. */
  get game() {
    assert.ok(this.#game, 'there was a message `game`');
    return this.#game;
  }

  get seat() {
    return this.room.you.seat;
  }

  get table() {
    return this.game.view.table;
  }

  get isOnTurn() {
    return this.hasGame && this.game.legal.length > 0;
  }

  /** @param {ServerMessage} message */
  #onMessage(message) {
    if (message.type === 'ok' || message.type === 'refused') {
      const id = message.id ?? '';
      this.#unanswered.get(id)?.(message.type === 'ok' ? 'ok' : message.code);
      this.#unanswered.delete(id);
      return;
    }
    this.received.push(message);
    this.receivedAt.push(Date.now());
    if (message.type === 'room') {
      this.#room = /** @type {ReceivedRoom} */ (/** @type {unknown} */ ({ ...message.table, you: message.you }));
    }
    if (message.type === 'sheet') this.#sheet = message;
    if (message.type === 'game') this.#game = /** @type {ReceivedGame} */ (/** @type {unknown} */ (message));
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const next of waiting) next();
  }
}

/** A source of numbers from 0 to 1 for {@link GamePlay}. They are spread evenly, and each run has the same ones. */
export function evenSequence() {
  let last = 0;
  return () => (last = (last + 0.37) % 1);
}

/** A game whose clients all play. */
export class GamePlay {
  /**
   * @param {Client[]} clients all with a chair, host first
   * @param {() => number} random returns a number from 0 to 1, which chooses an action
   */
  constructor(clients, random) {
    this.clients = clients;
    this.random = random;
  }

  /** Waits until all clients have the newest view. Returns the first client that is on turn. */
  async next() {
    const [host] = this.clients;
    await Promise.all(this.clients.map((client) => client.waitFor(() => client.hasGame)));
    const { rev } = host.game;
    for (const client of this.clients) await client.waitFor(() => client.game.rev >= rev);
    return this.clients.find((client) => client.isOnTurn);
  }

  /**
   * Plays random actions, until a condition holds or no client is on turn.
   * @param {() => boolean} [condition]
   * @param {(client: Client, legal: AnyAction[]) => AnyAction} [choose]
   */
  async play(condition = () => false, choose = (_, legal) => legal[Math.floor(this.random() * legal.length)]) {
    for (let client = await this.next(); client && !condition(); client = await this.next()) {
      await this.act(client, choose(client, client.game.legal));
    }
  }

  /**
   * Sends an action of a client, and waits until all clients have its effect.
   * @param {Client} client
   * @param {AnyAction} action
   */
  async act(client, action) {
    const before = client.game.rev;
    await client.send('act', { action });
    for (const other of this.clients) await other.waitFor(() => other.game.rev > before);
  }

  /** Plays whole rounds with random actions, and starts the next one each time. */
  async playRounds(rounds = 1) {
    for (let round = 0; round < rounds; round += 1) {
      await this.play();
      await this.ready();
    }
  }

  /** All clients are ready for the next round. Waits until it is dealt. */
  async ready() {
    const { round } = this.clients[0].table;
    for (const client of this.clients) await client.send('ready', { ready: true });
    for (const client of this.clients) await client.waitFor(() => client.table.round > round);
  }
}
