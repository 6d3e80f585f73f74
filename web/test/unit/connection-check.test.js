import assert from 'node:assert/strict';
import { test } from 'node:test';

import { checkConnection } from '../../js/connection-check.js';

const GOOD = { host: 'ok', path: 'ok', scheme: 'https', client_addresses: 'apart', idle_seconds: 15 };

/** The means of a check: what the server finds, and what becomes of the socket. */
function means(findings, socket) {
  let time = 0;
  const alarms = [];
  const asked = [];
  return {
    asked,
    fetch(url, init) {
      asked.push({ url, ...init });
      if (!findings) return Promise.reject(new TypeError('no answer'));
      return Promise.resolve({ ok: true, json: async () => findings });
    },
    open() {
      const opened = {
        readyState: 0,
        send() {},
        close() {},
        onopen: null,
        onmessage: null,
        onclose: null,
        onerror: null,
      };
      setImmediate(() => socket(opened, (ms) => (time += ms)));
      return opened;
    },
    now: () => time,
    later(ms, done) {
      const alarm = { ms, done };
      alarms.push(alarm);
      return () => alarms.splice(alarms.indexOf(alarm), 1);
    },
    /** Time goes by until the first alarm. */
    ring() {
      const [alarm] = alarms.splice(0, 1);
      time += alarm.ms;
      alarm.done();
    },
  };
}

const quiet = (socket, pass) => {
  socket.onopen();
  setImmediate(() => {
    pass(15_000);
    socket.onmessage({ data: '{"type":"idle","seconds":15}' });
    socket.onclose({ code: 1000 });
  });
};

/** Everything that is told, as kinds and keys. */
async function told(with_) {
  const all = [];
  await checkConnection(
    (found) => all.push(found.map(({ kind, key }) => `${kind} ${key.replace('check.', '')}`)),
    with_,
  );
  return all;
}

test('a good connection is reported step by step', async () => {
  const used = means(GOOD, quiet);
  const found = ['good host.ok', 'good scheme.https', 'good client_addresses.apart'];
  assert.deepEqual(await told(used), [
    ['wait call'],
    [...found, 'wait upgrade'],
    [...found, 'good upgrade.ok', 'wait idle'],
    [...found, 'good upgrade.ok', 'good idle.ok'],
  ]);
  const [call] = used.asked;
  assert.equal(call.method, 'POST');
  assert.deepEqual(Object.keys(JSON.parse(call.body)), ['page']);
});

test('the check ends if the server does not answer', async () => {
  assert.deepEqual(await told(means(null, quiet)), [['wait call'], ['bad call.bad']]);
});

test('each finding about a proxy has a text', async () => {
  const left = {
    host: 'changed',
    path: 'not_public',
    scheme: 'http',
    client_addresses: 'as_one',
    idle_seconds: 15,
    public_url: 'https://x.example/',
  };
  const last = (await told(means(left, (socket) => socket.onclose({ code: 1006 })))).at(-1);
  assert.deepEqual(last, [
    'bad host.changed',
    'bad path.not_public',
    'note scheme.http',
    'bad client_addresses.as_one',
    'bad upgrade.bad',
  ]);
});

test('unknown findings of a newer server are left out', async () => {
  const [, first] = await told(means({ ...GOOD, host: 'of_tomorrow', weather: 'rain' }, quiet));
  assert.deepEqual(first, ['good scheme.https', 'good client_addresses.apart', 'wait upgrade']);
});

test('a socket that closes while idle is reported with its duration', async () => {
  const used = means(GOOD, (socket, pass) => {
    socket.onopen();
    setImmediate(() => {
      pass(4_200);
      socket.onclose({ code: 1006 });
    });
  });
  let last = [];
  await checkConnection((found) => (last = found), used);
  assert.deepEqual(last.at(-1), { kind: 'bad', key: 'check.idle.bad', args: { n: 4 } });
});

test('a socket that neither opens nor fails times out', async () => {
  const used = means(GOOD, () => used.ring());
  assert.equal((await told(used)).at(-1).at(-1), 'bad upgrade.bad');
});
