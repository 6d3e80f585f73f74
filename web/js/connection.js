// The connection to a room. It reconnects by itself with exponential back-off and jitter. It keeps each command until
// the server answers it, and sends it again on each new connection, once the page has caught up; the server applies a command
// with the same id once. Commands that are valid on one connection only are dropped with it, and moves whose decision is over.
// Sockets, clock and random numbers are arguments, so that tests can replace them.

import { randomId } from './identity.js';

/** @import { Closing, Code, Ok, ReconnectReason, Refused, ServerMessage } from './protocol.js' */
/** @import { Answer, Command, ConnectionStatus } from './types.js' */

/**
 * A WebSocket, as far as it is used.
 * @typedef {object} Socket
 * @property {number} readyState
 * @property {(text: string) => void} send
 * @property {(code?: number) => void} close
 * @property {((event: unknown) => void) | null} onopen
 * @property {((event: { data: string }) => void) | null} onmessage
 * @property {((event: { code: number }) => void) | null} onclose
 * @property {((event: unknown) => void) | null} onerror
 */
/**
 * @typedef {object} Clock
 * @property {() => number} now
 * @property {(ms: number, callback: () => void) => () => void} later calls back, unless the function that it returns
 *   is called before
 */
/**
 * @typedef {object} Options
 * @property {() => Socket} open opens a socket
 * @property {string} token the token for this room
 * @property {(message: ServerMessage) => void} onMessage
 * @property {(status: ConnectionStatus, retryAt: number | null) => void} onStatus
 * @property {() => void} onCaughtUp is called when a ping is answered: the state of the room has arrived
 * @property {(code: Code) => void} onRefused is called when `hello` is refused, except with `too_many_spectators` and
 *   `not_admitted`
 * @property {() => Promise<boolean | null>} roomExists whether the server has the room; null if it cannot be reached
 * @property {Clock} clock
 * @property {() => { rev: number | null, generation: number }} seen the revision that the page has seen, or null if it has seen
 *   nothing of the room, and the generation of the revision
 * @property {string} [password]
 * @property {() => number} [random] a number from 0 to 1
 */

/**
 * Opens a WebSocket of the browser.
 * @param {string} url
 * @param {string[]} [subprotocols]
 * @returns {Socket}
 */
export const openSocket = (url, subprotocols) => {
  const socket = /** @type {unknown} */ (new WebSocket(url, subprotocols));
  return /** @type {Socket} */ (socket);
};

/** The first and the longest back-off, in milliseconds. */
const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 10_000;
/** The shortest back-off of a client that was too fast or too slow, or that came to a full server. */
const MIN_RETRY_AFTER_LIMIT_MS = 2000;
/**
 * The server is pinged when it has sent nothing for this long. The server sends a WebSocket ping to a client that was silent
 * for 15 s, so a shorter time saves that ping. The margin of one second allows for network delay.
 */
export const PING_AFTER_MS = 14_000;
/** The connection is closed when a message is not answered, and nothing else comes either, within this time. */
export const ANSWER_TIMEOUT_MS = 10_000;
/** The number of sockets in a row that did not open, after which the page asks whether the room exists. */
const MAX_FAILED_OPENINGS = 3;
/**
 * The page connects again if the host has not decided by then. By default the server ends the wait earlier, and a dead line
 * would not show.
 */
const GUEST_TIMEOUT_MS = 150_000;
/** The time over which clients spread their first attempts to reach a server that has restarted. */
const RESTART_JITTER_MS = 500;

/** The jitter of the back-off: a delay is multiplied by a random number from 0.75 to 1.25. */
const MIN_JITTER = 0.75;
const JITTER_RANGE = 0.5;

/** The largest message that a server takes by default, in bytes of UTF-8. It closes the socket after a larger one. */
const MAX_MESSAGE_BYTES = 8192;

/** The close code of a socket that was cut off; no server sends it. */
const ABNORMAL_CLOSURE = 1006;
/** The close codes of the server that matter to the page; `docs/protocol.md` has all. */
const CLOSE_CODES = Object.freeze({
  tooManyMessages: 1008,
  messageTooLarge: 1009,
  tryAgainLater: 1013,
  reconnect: 4000,
  takenUpElsewhere: 4001,
  removed: 4003,
  noSuchRoom: 4004,
  damaged: 4005,
  roomClosed: 4006,
});
/** The statuses in which a timer runs until the next attempt. @type {readonly ConnectionStatus[]} */
const WAITING = ['waiting', 'restarting', 'unsaved'];
/**
 * The commands that are sent again on a later connection. The others are valid on one connection only: later they could
 * concern another person or another game. @type {readonly Command['type'][]}
 */
const REPEATED = [
  'act',
  'back',
  'chat',
  'choose_character',
  'claim',
  'configure',
  'games',
  'handover',
  'queue',
  'rename',
  'round_log',
  'sit',
  'stand',
];
/** The refusals after which a password is asked for. @type {readonly Code[]} */
const PASSWORD_CODES = ['password_needed', 'wrong_password', 'too_many_attempts'];
/** The refusals after which the name for the waiting room is asked for. @type {readonly Code[]} */
const GUEST_NAME_CODES = ['name_needed', 'name_empty', 'name_too_long', 'name_not_allowed'];

/** The clock of this device. @type {Clock} */
export const DEVICE_CLOCK = {
  now: () => Date.now(),
  later: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

/**
 * The outcome of the close of a socket.
 * @typedef {{ next: 'end', status: ConnectionStatus }
 *   | { next: 'retry_when_told', status: 'restarting' | 'unsaved', delay: number }
 *   | { next: 'reconnect' }
 *   | { next: 'look_for_room' }
 *   | { next: 'back_off', minDelay: number }} CloseOutcome
 */

/** The final statuses by close code. Only `reconnect` leaves them. @type {Record<number, ConnectionStatus>} */
const FINAL_STATUSES = {
  [CLOSE_CODES.takenUpElsewhere]: 'elsewhere',
  [CLOSE_CODES.removed]: 'removed',
  [CLOSE_CODES.noSuchRoom]: 'gone',
  [CLOSE_CODES.damaged]: 'damaged',
  [CLOSE_CODES.roomClosed]: 'closed',
};

/** The close codes after which no password helps. @type {readonly number[]} */
const ROOM_ENDS = [CLOSE_CODES.noSuchRoom, CLOSE_CODES.damaged, CLOSE_CODES.roomClosed];

/**
 * The statuses until the next attempt, by the reason that the server has announced.
 * @type {Readonly<Record<Exclude<ReconnectReason, 'moving'>, 'restarting' | 'unsaved'>>}
 */
const ANNOUNCED_STATUSES = { restarting: 'restarting', storage: 'unsaved' };

/**
 * The outcome of the close of a socket.
 * @param {number} code the close code
 * @param {Closing | null} closing the message with which the server has announced the end
 * @param {number} failedOpenings how many sockets in a row did not open
 * @returns {CloseOutcome}
 */
export function outcomeOfClose(code, closing, failedOpenings) {
  const final = FINAL_STATUSES[code];
  if (final) return { next: 'end', status: final };
  // Another server goes on with the room.
  if (closing?.reason === 'moving') return { next: 'reconnect' };
  if (code === CLOSE_CODES.reconnect || closing) {
    const status = ANNOUNCED_STATUSES[closing?.reason ?? 'restarting'] ?? 'restarting';
    return { next: 'retry_when_told', status, delay: closing?.retry_after_ms ?? FIRST_RETRY_MS };
  }
  if (failedOpenings >= MAX_FAILED_OPENINGS) return { next: 'look_for_room' };
  return {
    next: 'back_off',
    minDelay: code === CLOSE_CODES.tooManyMessages || code === CLOSE_CODES.tryAgainLater ? MIN_RETRY_AFTER_LIMIT_MS : 0,
  };
}

/** The length of a text in bytes of UTF-8. @param {string} text */
const byteLength = (text) => new TextEncoder().encode(text).length;

/** The exponential back-off without jitter: each delay is twice as long as the one before. */
class BackOff {
  #attempts = 0;

  /** The next delay, in milliseconds. */
  next() {
    const delay = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** this.#attempts);
    this.#attempts += 1;
    return delay;
  }

  reset() {
    this.#attempts = 0;
  }
}

/**
 * A command that is not answered.
 * @typedef {object} UnansweredCommand
 * @property {string} text the message
 * @property {boolean} isRepeated whether it is sent again on a later connection
 * @property {() => boolean} isCurrent whether it still fits the state of the room
 * @property {boolean} isSent whether it was sent on this connection
 * @property {(answer: Answer) => void} answer
 */

/** The commands that are not answered, in the order in which they were sent. */
export class UnansweredCommands {
  /** @type {Map<string, UnansweredCommand>} */
  #commands = new Map();

  /** How many there are. */
  get size() {
    return this.#commands.size;
  }

  /**
   * Keeps a command until it is answered.
   * @param {string} id
   * @param {Pick<UnansweredCommand, 'text' | 'isRepeated' | 'isCurrent'>} command
   * @returns {Promise<Answer>}
   */
  add(id, command) {
    return new Promise((answer) => this.#commands.set(id, { ...command, isSent: false, answer }));
  }

  /**
   * Takes the messages that are to be sent on this connection. Commands that do not fit the state of the room any more
   * are dropped.
   * @returns {string[]}
   */
  takeUnsent() {
    const texts = [];
    for (const [id, command] of [...this.#commands]) {
      if (command.isSent) continue;
      if (command.isCurrent()) texts.push(command.text);
      else this.answer(id, 'not_connected');
      command.isSent = true;
    }
    return texts;
  }

  /**
   * @param {string} id
   * @param {Answer} answer
   */
  answer(id, answer) {
    const command = this.#commands.get(id);
    this.#commands.delete(id);
    command?.answer(answer);
  }

  /** @param {Answer} answer */
  answerAll(answer) {
    for (const id of [...this.#commands.keys()]) this.answer(id, answer);
  }

  /** The connection is lost: drops the commands that are valid on one connection only, and keeps the others for the next one. */
  endConnection() {
    for (const [id, command] of [...this.#commands]) {
      command.isSent = false;
      if (!command.isRepeated) this.answer(id, 'not_connected');
    }
  }

  /** @param {Answer} answer */
  refuseLongest(answer) {
    const [longest] = [...this.#commands].sort(([, a], [, b]) => byteLength(b.text) - byteLength(a.text));
    if (longest) this.answer(longest[0], answer);
  }
}

/**
 * Opens a connection, which connects at once.
 * @param {Options} options
 */
export function openConnection(options) {
  const connection = new Connection(options);
  connection.reconnect();
  return {
    send: connection.send.bind(connection),
    wake: connection.wake.bind(connection),
    tryPassword: connection.tryPassword.bind(connection),
    tryGuestName: connection.tryGuestName.bind(connection),
    setName: connection.setName.bind(connection),
    reconnect: connection.reconnect.bind(connection),
    end: connection.end.bind(connection),
  };
}

/**
 * The state machine of a connection. Its state is the status that people see (`ConnectionStatus`):
 * - `connecting`: a socket is opening, or `hello` is not answered;
 * - `open`: commands are sent at once, or after those of an earlier connection; pings find out whether the server is still there;
 * - `password`, `guest_name`: the server requires a password, or a name for the waiting room; the socket may be closed;
 * - `guest`: the host has to let this client in;
 * - `waiting`, `restarting`, `unsaved`: a timer runs until the next attempt;
 * - the others are final: only `reconnect` leaves them.
 */
class Connection {
  #options;
  #random;
  #idPrefix = randomId();
  #idCount = 0;
  #password;
  /** The name for the waiting room. @type {string | undefined} */
  #guestName;
  #unanswered = new UnansweredCommands();
  #backOff = new BackOff();
  /** @type {Socket | null} */
  #socket = null;
  /** @type {ConnectionStatus} */
  #status = 'connecting';
  /** How many sockets in a row did not open. */
  #failedOpenings = 0;
  /**
   * The ids of the `hello` and of the ping that are not answered.
   * @type {{ hello: string | null, ping: string | null }}
   */
  #awaited = { hello: null, ping: null };
  /** The id of the last `hello`. @type {string | null} */
  #helloId = null;
  /** Whether commands of an earlier connection wait for the state of the room. */
  #isCatchingUp = false;
  /** The message with which the server has announced the end of the socket. @type {Closing | null} */
  #closing = null;
  #cancelTimer = () => {};
  #isEnded = false;

  /** @param {Options} options */
  constructor(options) {
    this.#options = options;
    this.#random = options.random ?? Math.random;
    this.#password = options.password;
  }

  /**
   * Sends a command and waits for its answer. Until it is answered, it is sent again on each new connection, unless it is
   * valid on one connection only. A message that is too large for the server is refused here.
   * @param {Command} command
   * @param {(id: string) => void} [onId] is called with the id of the message, before it is sent
   * @param {() => boolean} [isCurrent] whether the command still fits the state of the room: otherwise a new connection
   *   drops it
   * @returns {Promise<Answer>}
   */
  send(command, onId = () => {}, isCurrent = () => true) {
    const id = this.#nextId();
    onId(id);
    const isRepeated = REPEATED.includes(command.type);
    const isDropped = this.#isEnded || (!isRepeated && this.#status !== 'open');
    if (isDropped) return Promise.resolve('not_connected');
    const text = JSON.stringify({ id, ...command });
    if (byteLength(text) > MAX_MESSAGE_BYTES) return Promise.resolve('too_large');
    const answer = this.#unanswered.add(id, { text, isRepeated, isCurrent });
    if (this.#status === 'open' && !this.#isCatchingUp) {
      this.#sendUnsent();
      // Further commands do not put the time limit of the first one off.
      if (this.#awaited.ping === null && this.#unanswered.size === 1) this.#expectAnswer();
    }
    return answer;
  }

  /** Connects at once instead of waiting: the device has woken up, or the network is back. */
  wake() {
    if (WAITING.includes(this.#status)) this.reconnect();
    else if (this.#status === 'open') this.#ping();
  }

  /**
   * Tries a password.
   * @param {string} password
   */
  tryPassword(password) {
    this.#password = password;
    if (this.#status !== 'password') return;
    if (this.#socket?.readyState === 1) this.#sayHello();
    else this.reconnect();
  }

  /**
   * Asks the host to be let in under a name.
   * @param {string} name
   */
  tryGuestName(name) {
    this.#guestName = name;
    if (this.#status !== 'guest_name') return;
    if (this.#socket?.readyState === 1) this.#sayHello();
    else this.reconnect();
  }

  /**
   * Sets the name as a spectator, which each later `hello` has. The server knows it already.
   * @param {string} name
   */
  setName(name) {
    this.#guestName = name;
  }

  /** Connects again, in any status. */
  reconnect() {
    this.#backOff.reset();
    this.#connect();
  }

  /** Ends the connection for good. */
  end() {
    this.#isEnded = true;
    this.#dropSocket();
    this.#unanswered.answerAll('not_connected');
  }

  #connect() {
    this.#dropSocket();
    this.#closing = null;
    this.#setStatus('connecting');
    const socket = this.#options.open();
    this.#socket = socket;
    let hasOpened = false;
    socket.onopen = () => {
      hasOpened = true;
      this.#failedOpenings = 0;
      this.#sayHello();
    };
    socket.onmessage = ({ data }) => this.#receive(data);
    socket.onerror = () => {};
    socket.onclose = ({ code }) => {
      if (!hasOpened) this.#failedOpenings += 1;
      this.#onClosed(code);
    };
    this.#expectAnswer();
  }

  /** Closes the socket, and ignores everything that it still receives. */
  #dropSocket() {
    this.#cancelTimer();
    const old = this.#socket;
    this.#socket = null;
    this.#awaited = { hello: null, ping: null };
    this.#unanswered.endConnection();
    if (!old) return;
    old.onopen = old.onmessage = old.onclose = null;
    try {
      old.close(1000);
    } catch {
      // Some browsers refuse to close a socket that has not opened.
    }
  }

  #sayHello() {
    const id = this.#nextId();
    const { token, seen } = this.#options;
    const [password, name] = [this.#password, this.#guestName];
    const { rev, generation } = seen();
    this.#awaited.hello = id;
    this.#helloId = id;
    const optional = {
      ...(password !== undefined && { password }),
      ...(name !== undefined && { name }),
      ...(rev !== null && { rev, ...(generation > 0 && { generation }) }),
    };
    this.#socket?.send(JSON.stringify({ id, type: 'hello', token, ...optional }));
    this.#expectAnswer();
  }

  /** Asks whether the server is still there. */
  #ping() {
    const id = this.#nextId();
    this.#awaited.ping = id;
    this.#socket?.send(JSON.stringify({ id, type: 'ping' }));
    this.#expectAnswer();
  }

  /** @param {string} data */
  #receive(data) {
    const message = parse(data);
    if (!message) return;
    if (message.type === 'ok' || message.type === 'refused') this.#onAnswer(message);
    else if (message.type === 'closing') this.#onClosing(message);
    else if (message.type === 'waiting') this.#onWaiting();
    else this.#options.onMessage(message);
    if (this.#status !== 'open' || !this.#socket) return;
    // While a command is not answered, its answer is awaited and no later ping: the server answers pings also while the room
    // waits for the disk.
    if (this.#awaited.ping !== null || this.#unanswered.size > 0) this.#expectAnswer();
    else this.#setTimer(PING_AFTER_MS, () => this.#ping());
  }

  /** @param {Ok | Refused} message */
  #onAnswer(message) {
    const { id } = message;
    const answer = message.type === 'ok' ? 'ok' : message.code;
    if (id === null) return;
    if (id === this.#awaited.hello) this.#onHelloAnswer(answer);
    else if (id === this.#awaited.ping) {
      this.#awaited.ping = null;
      this.#options.onCaughtUp();
      this.#isCatchingUp = false;
      this.#sendUnsent();
    } else this.#unanswered.answer(id, answer);
  }

  /** @param {'ok' | Code} answer */
  #onHelloAnswer(answer) {
    this.#awaited.hello = null;
    this.#cancelTimer();
    if (answer === 'ok') this.#onAdmitted();
    else if (PASSWORD_CODES.includes(answer)) {
      this.#setStatus('password');
      this.#options.onRefused(answer);
    } else if (GUEST_NAME_CODES.includes(answer)) {
      this.#setStatus('guest_name');
      this.#options.onRefused(answer);
    } else if (answer === 'too_many_spectators' || answer === 'not_admitted' || answer === 'watches_hands') {
      this.#dropSocket();
      this.#setStatus(answer === 'too_many_spectators' ? 'full' : 'turned_away');
    } else {
      this.#options.onRefused(answer);
      this.#onClosed(ABNORMAL_CLOSURE);
    }
  }

  /** @param {Closing} closing */
  #onClosing(closing) {
    this.#closing = closing;
    // The close of the socket need not be awaited.
    if (closing.reason === 'moving') this.#onClosed(CLOSE_CODES.reconnect);
  }

  /**
   * The answer to `hello` comes when the host has decided. A client that was admitted may have to wait too, when another server
   * runs the room: then its `hello` is answered again.
   */
  #onWaiting() {
    this.#awaited = { hello: this.#helloId, ping: null };
    this.#setStatus('guest');
    this.#setTimer(GUEST_TIMEOUT_MS, () => this.#onClosed(ABNORMAL_CLOSURE));
  }

  #onAdmitted() {
    this.#backOff.reset();
    // Earlier commands wait until the page knows whether they still fit the state of the room.
    this.#isCatchingUp = this.#unanswered.size > 0;
    this.#setStatus('open');
    this.#ping();
  }

  /** Sends the commands that were not sent on this connection. */
  #sendUnsent() {
    for (const text of this.#unanswered.takeUnsent()) this.#socket?.send(text);
  }

  /**
   * The socket is closed, or does not answer.
   * @param {number} code the close code
   */
  #onClosed(code) {
    if (this.#isEnded) return;
    // The operator can lower the bound of a message. The longest one is not sent again, or the socket would never stay open.
    if (code === CLOSE_CODES.messageTooLarge && this.#status === 'open') this.#unanswered.refuseLongest('too_large');
    // A password or a name that is not answered is sent again on the next connection.
    const isAsking = ['password', 'guest_name'].includes(this.#status) && this.#awaited.hello === null;
    this.#dropSocket();
    if (isAsking && !ROOM_ENDS.includes(code)) return;
    const outcome = outcomeOfClose(code, this.#closing, this.#failedOpenings);
    switch (outcome.next) {
      case 'end':
        return this.#setStatus(outcome.status);
      case 'retry_when_told':
        return this.#retryAfter(outcome.delay + this.#random() * RESTART_JITTER_MS, outcome.status);
      case 'reconnect':
        return this.#connect();
      case 'look_for_room':
        return void this.#lookForRoom();
      case 'back_off': {
        return this.#retryAfter(Math.max(outcome.minDelay, this.#nextDelay()), 'waiting');
      }
    }
  }

  /** The next delay of the back-off with jitter, in milliseconds. */
  #nextDelay() {
    const delay = this.#backOff.next() * (MIN_JITTER + JITTER_RANGE * this.#random());
    return Math.min(MAX_RETRY_MS, delay);
  }

  /** Asks whether the room exists at all, and meanwhile waits to connect again. */
  async #lookForRoom() {
    this.#failedOpenings = 0;
    this.#retryAfter(this.#nextDelay(), 'waiting');
    const exists = await this.#options.roomExists();
    if (exists !== false || this.#isEnded || this.#status === 'open') return;
    this.#dropSocket();
    this.#setStatus('gone');
  }

  /**
   * @param {number} delay
   * @param {'waiting' | 'restarting' | 'unsaved'} status
   */
  #retryAfter(delay, status) {
    this.#setStatus(status, this.#options.clock.now() + delay);
    this.#setTimer(delay, () => this.#connect());
  }

  /** Gives the socket up if nothing comes in time. */
  #expectAnswer() {
    this.#setTimer(ANSWER_TIMEOUT_MS, () => this.#onClosed(ABNORMAL_CLOSURE));
  }

  /**
   * Sets the timer, of which there is one.
   * @param {number} ms
   * @param {() => void} callback
   */
  #setTimer(ms, callback) {
    this.#cancelTimer();
    this.#cancelTimer = this.#options.clock.later(ms, callback);
  }

  /**
   * @param {ConnectionStatus} status
   * @param {number | null} [retryAt]
   */
  #setStatus(status, retryAt = null) {
    this.#status = status;
    if (!this.#isEnded) this.#options.onStatus(status, retryAt);
  }

  #nextId() {
    this.#idCount += 1;
    return `${this.#idPrefix}-${this.#idCount}`;
  }
}

/**
 * The message in a text; null if it is no JSON.
 * @param {string} text
 * @returns {ServerMessage | null}
 */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
