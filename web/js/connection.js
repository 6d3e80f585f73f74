// The connection to a table. It reconnects by itself with exponential back-off, and sends each command until it is
// answered; the server applies a command with the same id once. Sockets, clock and random numbers are arguments, so
// that tests can replace them.

import { randomId } from './identity.js';

/** @import { Code, Ok, Refused, ServerMessage } from './protocol.js' */
/** @import { Answer, Command, LinkStatus } from './types.js' */

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
 * @property {string} token the token for this table
 * @property {(message: ServerMessage) => void} onMessage
 * @property {(status: LinkStatus, retryAt: number | null) => void} onStatus
 * @property {() => void} onCaughtUp is called when the server has sent everything that happened before
 * @property {(code: Code) => void} onRefused is called when the server does not let the client in
 * @property {() => Promise<boolean | null>} tableExists whether the server has the table; null if it cannot be reached
 * @property {Clock} clock
 * @property {string} [password]
 * @property {() => number} [random] a number from 0 to 1
 */

/**
 * Opens a WebSocket of the browser.
 * @param {string} url
 * @param {string} [subprotocol]
 * @returns {Socket}
 */
export const openSocket = (url, subprotocol) => {
  const socket = /** @type {unknown} */ (new WebSocket(url, subprotocol));
  return /** @type {Socket} */ (socket);
};

/** The first and the longest back-off, in milliseconds. */
const FIRST_RETRY = 500;
const LAST_RETRY = 10_000;
/** The shortest back-off of a client that was too fast or too slow. */
const CALM_RETRY = 2000;
/** The server is pinged when it has sent nothing for this long. */
const QUIET = 20_000;
/** The server is given up when it does not answer within this time. */
const PATIENCE = 10_000;
/** After so many sockets that did not open the page asks whether the table exists at all. */
const MAX_UNOPENED = 3;
/** A restarting server is not reached by all clients at once: they spread over this time. */
const RESTART_SPREAD = 500;

/** The close codes of the server. */
const CLOSED = Object.freeze({
  abnormal: 1006,
  policy: 1008,
  tryLater: 1013,
  restarting: 4000,
  elsewhere: 4001,
  removed: 4003,
  noRoom: 4004,
  damaged: 4005,
});
/** The refusals after which a password is asked for. @type {readonly Code[]} */
const PASSWORD_CODES = ['password_needed', 'wrong_password', 'too_many_tries'];

/**
 * Opens a connection, which connects at once.
 * @param {Options} options
 */
export function openConnection(options) {
  const { open, token, onMessage, onStatus, onCaughtUp, onRefused, tableExists, clock, random = Math.random } = options;
  const idPrefix = randomId();
  let idCount = 0;
  let { password } = options;
  /** @type {Map<string, { text: string, answer: (answer: Answer) => void }>} */
  const unanswered = new Map();
  /** @type {Socket | null} */
  let socket = null;
  /** @type {LinkStatus} */
  let status = 'connecting';
  let tries = 0;
  let unopened = 0;
  /** The id of the hello that is not answered. @type {string | null} */
  let helloId = null;
  /** The id of the ping that is not answered. @type {string | null} */
  let pingId = null;
  /** @type {number | null} */
  let restartAfter = null;
  let isUnsaved = false;
  let cancelTimer = () => {};
  let isEnded = false;

  connect();
  return { send, wake, enter, reconnect, end };

  /**
   * Sends a command and waits for its answer. It is sent again on each new connection until it is answered.
   * @param {Command} command
   * @param {(id: string) => void} [onId] is told the id of the message, before it is sent
   * @returns {Promise<Answer>}
   */
  function send(command, onId = () => {}) {
    const id = nextId();
    onId(id);
    if (isEnded) return Promise.resolve('not_connected');
    const text = JSON.stringify({ id, ...command });
    return new Promise((answer) => {
      unanswered.set(id, { text, answer });
      if (status === 'open') socket?.send(text);
    });
  }

  /** Does not wait any longer: the device is awake, or the network is back. */
  function wake() {
    if (status === 'waiting' || status === 'restarting' || status === 'unsaved') reconnect();
    else if (status === 'open') ping();
  }

  /**
   * Tries a password.
   * @param {string} word
   */
  function enter(word) {
    password = word;
    if (status !== 'password') return;
    if (socket?.readyState === 1) sayHello();
    else reconnect();
  }

  /** Connects again, whatever the status is. */
  function reconnect() {
    tries = 0;
    connect();
  }

  /** Ends the connection for good. */
  function end() {
    isEnded = true;
    dropSocket();
    for (const { answer } of unanswered.values()) answer('not_connected');
    unanswered.clear();
  }

  function connect() {
    dropSocket();
    setStatus('connecting');
    const fresh = open();
    socket = fresh;
    let hasOpened = false;
    fresh.onopen = () => {
      hasOpened = true;
      unopened = 0;
      sayHello();
    };
    fresh.onmessage = ({ data }) => receive(data);
    fresh.onerror = () => {};
    fresh.onclose = ({ code }) => {
      if (!hasOpened) unopened += 1;
      onClosed(code);
    };
    setTimer(PATIENCE, () => onClosed(CLOSED.abnormal));
  }

  /** Closes the socket, and ignores what it still receives. */
  function dropSocket() {
    cancelTimer();
    const old = socket;
    socket = null;
    helloId = null;
    pingId = null;
    if (!old) return;
    old.onopen = old.onmessage = old.onclose = null;
    try {
      old.close(1000);
    } catch {
      // It was never open.
    }
  }

  function sayHello() {
    helloId = nextId();
    socket?.send(JSON.stringify({ id: helloId, type: 'hello', token, ...(password !== undefined && { password }) }));
    setTimer(PATIENCE, () => onClosed(CLOSED.abnormal));
  }

  /** @param {string} data */
  function receive(data) {
    const message = parse(data);
    if (!message) return;
    if (message.type === 'ok' || message.type === 'refused') onAnswer(message);
    else if (message.type === 'closing') {
      restartAfter = message.retry_after_ms;
      isUnsaved = message.reason === 'storage';
    } else onMessage(message);
    if (status !== 'open' || !socket) return;
    if (pingId === null) setTimer(QUIET, ping);
    else setTimer(PATIENCE, () => onClosed(CLOSED.abnormal));
  }

  /** @param {Ok | Refused} message */
  function onAnswer(message) {
    const { id } = message;
    const answer = message.type === 'ok' ? 'ok' : message.code;
    if (id === null) return;
    if (id === helloId) return onHelloAnswer(answer);
    if (id === pingId) {
      pingId = null;
      return onCaughtUp();
    }
    const command = unanswered.get(id);
    unanswered.delete(id);
    command?.answer(answer);
  }

  /** @param {'ok' | Code} answer */
  function onHelloAnswer(answer) {
    helloId = null;
    cancelTimer();
    if (answer === 'ok') {
      tries = 0;
      setStatus('open');
      for (const { text } of unanswered.values()) socket?.send(text);
      ping();
    } else if (PASSWORD_CODES.includes(answer)) {
      setStatus('password');
      onRefused(answer);
    } else if (answer === 'room_full') {
      dropSocket();
      setStatus('full');
    } else {
      onRefused(answer);
      onClosed(CLOSED.abnormal);
    }
  }

  /**
   * The connection is lost.
   * @param {number} code the close code
   */
  function onClosed(code) {
    if (isEnded) return;
    if (status === 'password' && code !== CLOSED.noRoom && code !== CLOSED.damaged) return dropSocket();
    dropSocket();
    if (code === CLOSED.elsewhere) return setStatus('elsewhere');
    if (code === CLOSED.removed) return setStatus('removed');
    if (code === CLOSED.noRoom) return setStatus('gone');
    if (code === CLOSED.damaged) return setStatus('damaged');
    if (code === CLOSED.restarting || restartAfter !== null) {
      const delay = (restartAfter ?? FIRST_RETRY) + random() * RESTART_SPREAD;
      const how = isUnsaved ? 'unsaved' : 'restarting';
      restartAfter = null;
      isUnsaved = false;
      return retryAfter(delay, how);
    }
    if (unopened >= MAX_UNOPENED) return void checkTable();
    const least = code === CLOSED.policy || code === CLOSED.tryLater ? CALM_RETRY : 0;
    const delay = backOff() * (0.75 + 0.5 * random());
    retryAfter(Math.max(least, Math.min(LAST_RETRY, delay)), 'waiting');
  }

  /** The next back-off: twice as long each time. */
  function backOff() {
    const delay = Math.min(LAST_RETRY, FIRST_RETRY * 2 ** tries);
    tries += 1;
    return delay;
  }

  /** Asks whether the table exists at all, and meanwhile waits to connect again. */
  async function checkTable() {
    unopened = 0;
    retryAfter(backOff(), 'waiting');
    const exists = await tableExists();
    if (exists !== false || isEnded || status === 'open') return;
    dropSocket();
    setStatus('gone');
  }

  /**
   * @param {number} delay
   * @param {'waiting' | 'restarting' | 'unsaved'} how
   */
  function retryAfter(delay, how) {
    setStatus(how, clock.now() + delay);
    setTimer(delay, connect);
  }

  /** Asks whether the server is still there. */
  function ping() {
    pingId = nextId();
    socket?.send(JSON.stringify({ id: pingId, type: 'ping' }));
    setTimer(PATIENCE, () => onClosed(CLOSED.abnormal));
  }

  /**
   * Sets the timer, of which there is one.
   * @param {number} ms
   * @param {() => void} callback
   */
  function setTimer(ms, callback) {
    cancelTimer();
    cancelTimer = clock.later(ms, callback);
  }

  /**
   * @param {LinkStatus} next
   * @param {number | null} [retryAt]
   */
  function setStatus(next, retryAt = null) {
    status = next;
    if (!isEnded) onStatus(next, retryAt);
  }

  function nextId() {
    idCount += 1;
    return `${idPrefix}-${idCount}`;
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
