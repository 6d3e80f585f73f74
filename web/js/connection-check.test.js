import assert from 'node:assert/strict';
import { test } from 'node:test';

import { checkConnection } from './connection-check.js';

/** @import { Environment } from './connection-check.js' */
/** @import { Socket } from './connection.js' */
/** @import { ConnectionFindings } from './protocol.js' */
/** @import { CheckResult } from './types.js' */

/**
 * The events of a socket after the page has opened it; `pass` lets time pass, in milliseconds.
 * @typedef {(socket: Socket, pass: (ms: number) => void) => void} SocketEvents
 */

/** @type {ConnectionFindings} */
const GOOD = { host: 'ok', path: 'ok', scheme: 'https', client_addresses: 'apart', idle_seconds: 15 };

/**
 * The environment of a check.
 * @param {ConnectionFindings | null} findings those of the server; null if it does not answer
 * @param {SocketEvents} socketEvents
 */
function environment(findings, socketEvents) {
  let time = 0;
  /** @type {{ ms: number, callback: () => void }[]} */
  const timers = [];
  /** The methods and bodies of the requests. @type {{ method: string, body: string }[]} */
  const requests = [];
  return {
    requests,
    /** @type {Environment['fetch']} */
    fetch(_, { method, body }) {
      requests.push({ method, body });
      if (!findings) return Promise.reject(new TypeError('no answer'));
      return Promise.resolve({ ok: true, json: async () => findings });
    },
    open() {
      /** @type {Socket} */
      const socket = {
        readyState: 0,
        send() {},
        close() {},
        onopen: null,
        onmessage: null,
        onclose: null,
        onerror: null,
      };
      setImmediate(() => socketEvents(socket, (ms) => (time += ms)));
      return socket;
    },
    now: () => time,
    /** @type {Environment['later']} */
    later(ms, callback) {
      const timer = { ms, callback };
      timers.push(timer);
      return () => void timers.splice(timers.indexOf(timer), 1);
    },
    /** Lets time pass until the first timer is due, and calls it back. */
    fireFirstTimer() {
      const [timer] = timers.splice(0, 1);
      time += timer.ms;
      timer.callback();
    },
  };
}

/** A socket that opens, and gets its message after the idle time. @type {SocketEvents} */
const idle = (socket, pass) => {
  socket.onopen?.({});
  setImmediate(() => {
    pass(15_000);
    socket.onmessage?.({ data: '{"type":"idle","seconds":15}' });
    socket.onclose?.({ code: 1000 });
  });
};

/**
 * Runs a check, and returns each report as kinds and keys.
 * @param {Environment} environment
 */
async function reports(environment) {
  /** @type {string[][]} */
  const all = [];
  await checkConnection(
    (results) => all.push(results.map(({ kind, key }) => `${kind} ${key.replace('check.', '')}`)),
    environment,
  );
  return all;
}

test('a good connection is reported step by step', async () => {
  const used = environment(GOOD, idle);
  const found = ['good host.ok', 'good scheme.https', 'good client_addresses.apart'];
  assert.deepEqual(await reports(used), [
    ['wait request'],
    [...found, 'wait upgrade'],
    [...found, 'good upgrade.ok', 'wait idle'],
    [...found, 'good upgrade.ok', 'good idle.ok'],
  ]);
  const [request] = used.requests;
  assert.equal(request.method, 'POST');
  assert.deepEqual(Object.keys(JSON.parse(request.body)), ['page']);
});

test('the check ends if the server does not answer', async () => {
  assert.deepEqual(await reports(environment(null, idle)), [['wait request'], ['bad request.bad']]);
});

test('each finding about a proxy has a text', async () => {
  /** @type {ConnectionFindings} */
  const left = {
    host: 'changed',
    path: 'not_public',
    scheme: 'http',
    client_addresses: 'as_one',
    idle_seconds: 15,
    public_url: 'https://x.example/',
  };
  const last = (await reports(environment(left, (socket) => socket.onclose?.({ code: 1006 })))).at(-1);
  assert.deepEqual(last, [
    'bad host.changed',
    'bad path.not_public',
    'harmless scheme.http',
    'bad client_addresses.as_one',
    'bad upgrade.bad',
  ]);
});

test('unknown findings of a newer server are left out', async () => {
  const newer = /** @type {ConnectionFindings} */ (
    /** @type {unknown} */ ({ ...GOOD, host: 'of_tomorrow', weather: 'rain' })
  );
  const [, first] = await reports(environment(newer, idle));
  assert.deepEqual(first, ['good scheme.https', 'good client_addresses.apart', 'wait upgrade']);
});

test('a socket that closes while idle is reported with its duration', async () => {
  const used = environment(GOOD, (socket, pass) => {
    socket.onopen?.({});
    setImmediate(() => {
      pass(4_200);
      socket.onclose?.({ code: 1006 });
    });
  });
  /** @type {CheckResult[]} */
  let last = [];
  await checkConnection((found) => (last = found), used);
  assert.deepEqual(last.at(-1), { kind: 'bad', key: 'check.idle.bad', args: { n: 4 } });
});

test('a socket that neither opens nor fails times out', async () => {
  const used = environment(GOOD, () => used.fireFirstTimer());
  assert.equal((await reports(used)).at(-1)?.at(-1), 'bad upgrade.bad');
});
