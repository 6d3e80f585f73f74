// Seats at tables of the real server, driven over their sockets instead of by clicking.

import { randomBytes } from 'node:crypto';

import WebSocket from 'ws';

/** A client at a table, which keeps everything that it is told. */
export class Seat {
  /** @type {any[]} */
  heard = [];
  /** @type {any} */
  room = null;
  /** @type {any} */
  game = null;
  /** @type {Map<string, (answer: string) => void>} */
  #unanswered = new Map();
  /** @type {Set<() => void>} */
  #waiting = new Set();
  #count = 0;
  #token = randomBytes(32).toString('base64url');

  /**
   * @param {string} url of the server
   * @param {string} code of the table
   */
  constructor(url, code) {
    this.address = `${url.replace('http', 'ws')}api/rooms/${code}/socket`;
  }

  /**
   * Comes to a table, and sits down if there is a name to do it with.
   * @param {string} url
   * @param {string} code
   * @param {string} [name]
   * @param {string} [password]
   */
  static async come(url, code, name, password) {
    const seat = new Seat(url, code);
    await seat.connect(password);
    if (name !== undefined) await seat.says('sit', { name });
    return seat;
  }

  /** @param {string} [password] */
  async connect(password) {
    const socket = new WebSocket(this.address, 'trick.v1');
    this.socket = socket;
    socket.on('message', (text) => this.#hear(JSON.parse(String(text))));
    await new Promise((open, fail) => socket.on('open', open).on('error', fail));
    await this.says('hello', { token: this.#token, ...(password && { password }) });
    await this.until(() => this.room !== null);
  }

  /** Goes, and leaves the chair to be waited for. */
  drop() {
    this.socket?.terminate();
  }

  /**
   * Says something that is not refused.
   * @param {string} type
   * @param {object} [fields]
   */
  async says(type, fields = {}) {
    this.#count += 1;
    const id = String(this.#count);
    const answer = new Promise((done) => this.#unanswered.set(id, done));
    this.socket?.send(JSON.stringify({ id, type, ...fields }));
    const code = await answer;
    if (code !== 'ok') throw new Error(`${type}: ${code}`);
  }

  /**
   * Waits until something holds of what was heard.
   * @param {() => boolean} holds
   */
  async until(holds) {
    while (!holds()) await new Promise((next) => this.#waiting.add(() => next(undefined)));
  }

  get seat() {
    return this.room.you.seat;
  }

  get table() {
    return this.game.view.table;
  }

  get isOnTurn() {
    return this.game !== null && this.game.legal.length > 0;
  }

  /** @param {any} message */
  #hear(message) {
    if (message.type === 'ok' || message.type === 'refused') {
      this.#unanswered.get(message.id)?.(message.type === 'ok' ? 'ok' : message.code);
      this.#unanswered.delete(message.id);
      return;
    }
    this.heard.push(message);
    if (message.type === 'room') this.room = { ...message.table, you: message.you };
    if (message.type === 'game') this.game = message;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const next of waiting) next();
  }
}

/** A table at which all act. */
export class Table {
  /**
   * @param {Seat[]} seats all with a chair, host first
   * @param {() => number} chance between 0 and 1
   */
  constructor(seats, chance) {
    this.seats = seats;
    this.chance = chance;
  }

  /** The seat that is to act once all seats have the newest state; the first of several. */
  async next() {
    const [host] = this.seats;
    await Promise.all(this.seats.map((seat) => seat.until(() => seat.game !== null)));
    const { rev } = host.game;
    for (const seat of this.seats) await seat.until(() => seat.game.rev >= rev);
    return this.seats.find((seat) => seat.isOnTurn);
  }

  /**
   * Plays by chance, until something holds or there is nothing to play.
   * @param {() => boolean} [holds]
   * @param {(seat: Seat, legal: any[]) => any} [choose]
   */
  async play(holds = () => false, choose = (_, legal) => legal[Math.floor(this.chance() * legal.length)]) {
    for (let seat = await this.next(); seat && !holds(); seat = await this.next()) {
      await this.act(seat, choose(seat, seat.game.legal));
    }
  }

  /**
   * Somebody acts, and everybody sees it.
   * @param {Seat} seat
   * @param {any} action
   */
  async act(seat, action) {
    const before = seat.game.rev;
    await seat.says('act', { action });
    for (const other of this.seats) await other.until(() => other.game.rev > before);
  }

  /** Plays whole rounds by chance, and goes on to the next one each time. */
  async playRounds(rounds = 1) {
    for (let round = 0; round < rounds; round += 1) {
      await this.play();
      await this.ready();
    }
  }

  /** All are ready for the next round, and it is dealt. */
  async ready() {
    const { round } = this.seats[0].table;
    for (const seat of this.seats) await seat.says('ready', { ready: true });
    for (const seat of this.seats) await seat.until(() => seat.table.round > round);
  }
}
