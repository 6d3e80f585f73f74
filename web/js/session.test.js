// The effects of the messages of a room beside the store: which rooms this browser saves.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOST, pageState, ROOM_CODE, roomMessage, welcomeMessage } from '../test/unit/builders.js';
import { FakeStorage } from '../test/unit/fake-storage.js';
import { savedRooms } from './identity.js';
import { openSession } from './session.js';
import { createStore } from './store.js';

/** @import { ServerMessage, You } from './protocol.js' */

/** @type {You} */
const SPECTATOR = { seat: null, host: false };

/** A session whose server is the test. */
function setUp() {
  globalThis.localStorage = new FakeStorage();
  /** @type {{ onmessage?: (event: { data: string }) => void }[]} */
  const sockets = [];
  class FakeWebSocket {
    readyState = 1;
    /** @type {((event: { data: string }) => void) | undefined} */
    onmessage;

    constructor() {
      sockets.push(this);
    }

    send() {}

    close() {}
  }
  Object.assign(globalThis, { WebSocket: FakeWebSocket });
  const session = openSession(ROOM_CODE, undefined, createStore(pageState()));
  const says = (/** @type {ServerMessage} */ message) =>
    sockets[sockets.length - 1].onmessage?.({ data: JSON.stringify(message) });
  /** A connection with its first two messages. @param {You} you */
  const connects = (you) => {
    says(welcomeMessage({ you }));
    says(roomMessage({}, you));
  };
  return { session, connects };
}

test('a room is saved as long as this browser has a seat there', (context) => {
  const { session, connects } = setUp();
  context.after(() => session.end());
  connects(HOST);
  assert.deepEqual(
    savedRooms().map(({ code }) => code),
    [ROOM_CODE],
  );
  session.reconnect();
  connects(HOST);
  assert.equal(savedRooms().length, 1);
});

test('a seat that was lost while there was no connection is not saved any more', (context) => {
  const { session, connects } = setUp();
  context.after(() => session.end());
  connects(HOST);
  session.reconnect();
  connects(SPECTATOR);
  assert.deepEqual(savedRooms(), []);
});
