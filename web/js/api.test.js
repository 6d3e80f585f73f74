// The facts about a room in the answer to its request.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROOM_CODE } from '../test/unit/builders.js';
import { fetchRoom } from './api.js';

/** The room, or why there is none, for an answer. @param {number} status @param {string} body */
function roomOf(status, body) {
  globalThis.fetch = async () => new Response(body, { status });
  return fetchRoom(ROOM_CODE);
}

test('only the server says that there is no such room', async () => {
  assert.equal(await roomOf(404, JSON.stringify({ code: 'no_such_room' })), false);
  assert.deepEqual(await roomOf(200, JSON.stringify({ room: ROOM_CODE })), { room: ROOM_CODE });
  for (const [status, body] of /** @type {[number, string][]} */ ([
    [404, '404 page not found'],
    [404, '{}'],
    [502, JSON.stringify({ code: 'no_such_room' })],
    [200, 'not JSON'],
  ])) {
    assert.equal(await roomOf(status, body), null, `${status} ${body}`);
  }
});
