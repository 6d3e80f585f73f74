import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';

import { FakeStorage } from '../../test/unit/fake-storage.js';
import { saveRoom, tokenFor } from '../identity.js';
import { createRequests } from './requests.js';

/** The requests so far: path, and token. @type {[path: string, token: string | null][]} */
let sent = [];

beforeEach(() => {
  globalThis.localStorage = new FakeStorage();
  sent = [];
});

/**
 * A server that lets in only this token.
 * @param {{ mock: { method: (object: object, name: string, fake: Function) => void } }} context
 * @param {string | null} right
 */
function serve({ mock }, right) {
  mock.method(globalThis, 'fetch', async (/** @type {string} */ address, /** @type {RequestInit} */ init) => {
    const token = new Headers(init.headers).get('authorization');
    sent.push([new URL(address).pathname.replace(/^.*\/api/, 'api'), token]);
    const isIn = right === null || token === `Bearer ${right}`;
    return new Response(JSON.stringify(isIn ? { rounds: [] } : { code: 'replay_forbidden' }), {
      status: isIn ? 200 : 403,
    });
  });
}

test('a game for everybody is read without a token', async (context) => {
  tokenFor('k7qm2x4p');
  saveRoom('k7qm2x4p', null);
  serve(context, null);
  assert.deepEqual(await createRequests('abc').overview(), { body: { rounds: [] } });
  assert.deepEqual(sent, [['api/games/abc', null]]);
});

test('a game for its players is read with the token of its room, which is remembered', async (context) => {
  const [other, right] = ['aaaaaaaa', 'bbbbbbbb'].map(tokenFor);
  for (const code of ['bbbbbbbb', 'aaaaaaaa']) saveRoom(code, null);
  serve(context, right);
  const requests = createRequests('abc');
  assert.ok('body' in (await requests.overview()));
  assert.deepEqual(
    sent.map(([, token]) => token),
    [null, `Bearer ${other}`, `Bearer ${right}`],
  );
  await requests.round(2);
  assert.deepEqual(sent.slice(3), [['api/games/abc/rounds/2', `Bearer ${right}`]]);
});

test('without a token that is let in the answer is the error', async (context) => {
  tokenFor('aaaaaaaa');
  saveRoom('aaaaaaaa', null);
  serve(context, 'another');
  assert.deepEqual(await createRequests('abc').overview(), { error: 'replay_forbidden' });
});

test('a server that cannot be reached, or answers no JSON, is an error', async (context) => {
  context.mock.method(globalThis, 'fetch', async () => Promise.reject(new TypeError('offline')));
  assert.deepEqual(await createRequests('abc').overview(), { error: 'not_connected' });
  context.mock.method(globalThis, 'fetch', async () => new Response('<html>', { status: 502 }));
  assert.deepEqual(await createRequests('abc').overview(), { error: 'unknown' });
});
