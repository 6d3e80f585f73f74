// The connection to a table: it comes back by itself, and nothing that was said is lost or done twice.
// It knows sockets and the clock only by what it is given, so that both can be pretended.

import { randomId } from './identity.js';

/** @typedef {import('./state.js').Status} Status */

/**
 * @typedef {object} Socket
 * @property {number} readyState
 * @property {(text: string) => void} send
 * @property {(code?: number) => void} close
 * @property {((event: any) => void) | null} onopen
 * @property {((event: { data: any }) => void) | null} onmessage
 * @property {((event: { code: number }) => void) | null} onclose
 * @property {((event: any) => void) | null} onerror
 */
/**
 * @typedef {object} Clock
 * @property {() => number} now
 * @property {(ms: number, done: () => void) => () => void} later calls `done`, unless what it gives is called before
 */
/**
 * @typedef {object} Wiring
 * @property {() => Socket} open
 * @property {string} token the secret of this table
 * @property {(message: any) => void} heard
 * @property {(status: Status, retryAt: number | null) => void} changed
 * @property {() => void} settled everything that was there before has been told
 * @property {(code: string) => void} refused why nobody is let in
 * @property {() => Promise<boolean | null>} exists whether the server still knows the table; null if it cannot be asked
 * @property {Clock} clock
 * @property {string} [password]
 * @property {() => number} [chance] between 0 and 1
 */

const FIRST_RETRY = 500;
const LAST_RETRY = 10_000;
/** Whoever was too fast or too slow comes back later. */
const CALM_RETRY = 2000;
/** How long the server may say nothing before it is asked, and how long it may take to answer. */
const QUIET = 20_000;
const PATIENCE = 10_000;
/** After how many sockets that did not open it is asked whether there is a table at all. */
const UNOPENED = 3;

const CLOSED = Object.freeze({ restarting: 4000, elsewhere: 4001, removed: 4003, noRoom: 4004, damaged: 4005 });
const PASSWORD = ['password_needed', 'wrong_password', 'too_many_tries'];

/**
 * A connection; it begins at once.
 * @param {Wiring} wiring
 */
export function openConnection({
  open,
  token,
  heard,
  changed,
  settled,
  refused,
  exists,
  clock,
  password,
  chance = Math.random,
}) {
  const prefix = randomId();
  let count = 0;
  /** @type {Map<string, { text: string, done: (answer: string) => void }>} */
  const unanswered = new Map();
  /** @type {Socket | null} */
  let socket = null;
  /** @type {Status} */
  let status = 'connecting';
  let tries = 0;
  let unopened = 0;
  /** @type {string | null} */
  let hello = null;
  /** @type {string | null} */
  let probe = null;
  /** @type {number | null} */
  let restartAfter = null;
  let isUnsaved = false;
  let cancel = () => {};
  let isEnded = false;

  begin();
  return { send, wake, enter, takeBack: again, end, status: () => status };

  /**
   * Says something and waits for the answer: `ok`, or the code of the refusal. It is said again on every new
   * connection until it is answered.
   * @param {string} type
   * @param {object} [fields]
   * @param {(id: string) => void} [named] is told the id
   * @returns {Promise<string>}
   */
  function send(type, fields = {}, named = () => {}) {
    const id = nextId();
    named(id);
    if (isEnded) return Promise.resolve('not_connected');
    const text = JSON.stringify({ id, type, ...fields });
    return new Promise((done) => {
      unanswered.set(id, { text, done });
      if (status === 'open') socket?.send(text);
    });
  }

  /** The device is awake, or the network is back: do not wait any longer. */
  function wake() {
    if (status === 'waiting' || status === 'restarting' || status === 'unsaved') again();
    else if (status === 'open') ask();
  }

  /**
   * Tries to get in with a password.
   * @param {string} word
   */
  function enter(word) {
    password = word;
    if (status !== 'password') return;
    if (socket?.readyState === 1) greet();
    else again();
  }

  /** Connects anew, whatever was before. */
  function again() {
    tries = 0;
    begin();
  }

  /** Ends the connection for good. */
  function end() {
    isEnded = true;
    drop();
    for (const { done } of unanswered.values()) done('not_connected');
    unanswered.clear();
  }

  function begin() {
    drop();
    become('connecting');
    const fresh = open();
    socket = fresh;
    let hasOpened = false;
    fresh.onopen = () => {
      hasOpened = true;
      unopened = 0;
      greet();
    };
    fresh.onmessage = ({ data }) => receive(data);
    fresh.onerror = () => {};
    fresh.onclose = ({ code }) => {
      if (!hasOpened) unopened += 1;
      lost(code);
    };
    wait(PATIENCE, () => lost(1006));
  }

  /** Lets go of the socket: whatever it still says is not heard. */
  function drop() {
    cancel();
    const old = socket;
    socket = null;
    hello = null;
    probe = null;
    if (!old) return;
    old.onopen = old.onmessage = old.onclose = null;
    try {
      old.close(1000);
    } catch {
      // It was never open.
    }
  }

  function greet() {
    hello = nextId();
    const word = password === undefined ? {} : { password };
    socket?.send(JSON.stringify({ id: hello, type: 'hello', token, ...word }));
    wait(PATIENCE, () => lost(1006));
  }

  /** @param {any} data */
  function receive(data) {
    let message;
    try {
      message = JSON.parse(data);
    } catch {
      return;
    }
    if (message.type === 'ok' || message.type === 'refused') answer(message);
    else if (message.type === 'closing') {
      restartAfter = Number(message.retry_after_ms) || 0;
      isUnsaved = message.reason === 'storage';
    } else heard(message);
    if (status === 'open' && socket) wait(probe === null ? QUIET : PATIENCE, probe === null ? ask : () => lost(1006));
  }

  /** @param {{ type: string, id: string | null, code?: string }} message */
  function answer({ type, id, code = 'ok' }) {
    if (id === null) return;
    if (id === hello) return greeted(type === 'ok' ? 'ok' : code);
    if (id === probe) {
      probe = null;
      return settled();
    }
    const sent = unanswered.get(id);
    unanswered.delete(id);
    sent?.done(type === 'ok' ? 'ok' : code);
  }

  /** @param {string} code */
  function greeted(code) {
    hello = null;
    cancel();
    if (code === 'ok') {
      tries = 0;
      become('open');
      for (const { text } of unanswered.values()) socket?.send(text);
      ask();
      return;
    }
    if (PASSWORD.includes(code)) {
      become('password');
      refused(code);
    } else if (code === 'room_full') {
      drop();
      become('full');
    } else if (code === 'no_such_room') {
      drop();
      become('gone');
    } else {
      refused(code);
      lost(1006);
    }
  }

  /** @param {number} code why the socket is closed */
  function lost(code) {
    if (isEnded) return;
    if (status === 'password' && code !== CLOSED.noRoom && code !== CLOSED.damaged) return drop();
    drop();
    if (code === CLOSED.elsewhere) return become('elsewhere');
    if (code === CLOSED.removed) return become('removed');
    if (code === CLOSED.noRoom) return become('gone');
    if (code === CLOSED.damaged) return become('damaged');
    if (code === CLOSED.restarting || restartAfter !== null) {
      const delay = (restartAfter ?? FIRST_RETRY) + chance() * 500;
      const how = isUnsaved ? 'unsaved' : 'restarting';
      restartAfter = null;
      isUnsaved = false;
      return retry(how, delay);
    }
    if (unopened >= UNOPENED) return void search();
    const least = code === 1008 || code === 1013 ? CALM_RETRY : 0;
    const delay = Math.min(LAST_RETRY, FIRST_RETRY * 2 ** tries) * (0.75 + 0.5 * chance());
    tries += 1;
    retry('waiting', Math.max(least, Math.min(LAST_RETRY, delay)));
  }

  /** Asks whether there is such a table at all. */
  async function search() {
    unopened = 0;
    const delay = Math.min(LAST_RETRY, FIRST_RETRY * 2 ** tries);
    tries += 1;
    retry('waiting', delay);
    const isThere = await exists();
    if (isThere !== false || isEnded || status === 'open') return;
    drop();
    become('gone');
  }

  /**
   * @param {'waiting' | 'restarting' | 'unsaved'} how
   * @param {number} delay
   */
  function retry(how, delay) {
    become(how, clock.now() + delay);
    wait(delay, begin);
  }

  /** Asks whether the server is still there. */
  function ask() {
    probe = nextId();
    socket?.send(JSON.stringify({ id: probe, type: 'ping' }));
    wait(PATIENCE, () => lost(1006));
  }

  /**
   * There is one thing at a time that is waited for.
   * @param {number} ms
   * @param {() => void} done
   */
  function wait(ms, done) {
    cancel();
    cancel = clock.later(ms, done);
  }

  /**
   * @param {Status} next
   * @param {number | null} [retryAt]
   */
  function become(next, retryAt = null) {
    status = next;
    if (!isEnded) changed(next, retryAt);
  }

  function nextId() {
    count += 1;
    return `${prefix}-${count}`;
  }
}
