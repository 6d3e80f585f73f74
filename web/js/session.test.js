// The effects of the messages of a room beside the store: which rooms this browser saves, what screen readers are told.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gameMessage, HOST, pageState, ROOM_CODE, roomMessage, view, welcomeMessage } from '../test/unit/builders.js';
import { FakeStorage } from '../test/unit/fake-storage.js';
import { BATCH_MS } from './announcer.js';
import { savedRooms } from './identity.js';
import { SPECTATORS } from './mutes.js';
import { openSession } from './session.js';
import { defaultSettings } from './settings.js';
import { createStore } from './store.js';

/** @import { TestContext } from 'node:test' */
/** @import { ClientMessage, ServerMessage, You } from './protocol.js' */
/** @import { Settings } from './settings.js' */

/** @type {You} */
const SPECTATOR = { seat: null, host: false };

/** A session whose server is the test. @param {Partial<Settings>} [settings] */
function setUp(settings = {}) {
  globalThis.localStorage = new FakeStorage();
  /** @type {{ onmessage?: (event: { data: string }) => void, onopen?: () => void }[]} */
  const sockets = [];
  /** @type {ClientMessage[]} */
  const sent = [];
  class FakeWebSocket {
    readyState = 1;
    /** @type {((event: { data: string }) => void) | undefined} */
    onmessage;
    /** @type {(() => void) | undefined} */
    onopen;

    constructor() {
      sockets.push(this);
    }

    /** @param {string} text */
    send(text) {
      sent.push(JSON.parse(text));
    }

    close() {}
  }
  Object.assign(globalThis, { WebSocket: FakeWebSocket });
  const store = createStore(pageState({ settings: { ...defaultSettings(['en']), ...settings } }));
  const session = openSession(ROOM_CODE, undefined, store);
  const says = (/** @type {ServerMessage} */ message) =>
    sockets[sockets.length - 1].onmessage?.({ data: JSON.stringify(message) });
  /** A connection with its first two messages. @param {You} you */
  const connects = (you) => {
    says(welcomeMessage({ you }));
    says(roomMessage({}, you));
  };
  /** The revision in the `hello` of a new connection. */
  const seenRev = () => {
    session.reconnect();
    sockets[sockets.length - 1].onopen?.();
    const hello = sent.findLast(({ type }) => type === 'hello');
    return hello?.type === 'hello' ? hello.rev : null;
  };
  /** A new connection, whose `hello` and ping are answered. @param {import('./protocol.js').RoomPhase} phase */
  const catchesUp = (phase) => {
    const answer = (/** @type {ClientMessage['type']} */ type) => {
      const message = sent.findLast((message) => message.type === type);
      if (message) says({ type: 'ok', id: message.id });
    };
    session.reconnect();
    sockets[sockets.length - 1].onopen?.();
    says(welcomeMessage());
    says(roomMessage({ phase }));
    answer('hello');
    answer('ping');
  };
  return { session, store, says, connects, seenRev, catchesUp };
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

/** The lines of others in the chat, and a reaction. @type {ServerMessage[]} */
const TALK = [
  { type: 'chat', at: 1, seat: 1, name: 'Bob', text: 'hello' },
  { type: 'reacted', seat: 2, reaction: 'laugh' },
  { type: 'chat', at: 2, seat: 0, name: 'Ann', text: 'my own line' },
  { type: 'chat', at: 3, seat: null, name: null, spectator: 4, text: 'from the gallery' },
];

/**
 * The announcements to screen readers in this talk. Without texts a text is its key.
 * @param {TestContext} context
 * @param {{ settings?: Partial<Settings>, muted?: string[] }} [how]
 */
function told(context, { settings, muted = [] } = {}) {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const { session, store, says, connects } = setUp(settings);
  connects(HOST);
  says(TALK[0]);
  store.dispatch({ type: 'caught_up' });
  store.dispatch({ type: 'muted', names: muted });
  for (const message of TALK) says(message);
  context.mock.timers.tick(BATCH_MS);
  session.end();
  context.mock.timers.reset();
  return store.state().announcements.map(({ text }) => text);
}

test('screen readers are told new lines and reactions of others', (context) => {
  assert.deepEqual(told(context), ['announce.says announce.reacts announce.says']);
});

test('screen readers are not told what was switched off, hidden or muted', (context) => {
  assert.deepEqual(told(context, { settings: { speakChat: false } }), []);
  assert.deepEqual(told(context, { settings: { hideChat: true } }), ['announce.reacts']);
  assert.deepEqual(told(context, { settings: { streamer: true } }), ['announce.reacts']);
  assert.deepEqual(told(context, { muted: ['Bob', SPECTATORS] }), ['announce.reacts']);
  assert.deepEqual(told(context, { muted: ['Cem'] }), ['announce.says announce.says']);
});

/**
 * @param {import('./protocol.js').RoomPhase} phase
 * @param {number} rev
 */
const roomAt = (phase, rev) => ({ ...roomMessage({ phase }), rev });

test('the page tells the revision up to which it has seen all events', (context) => {
  const { session, says, seenRev } = setUp();
  context.after(() => session.end());
  assert.equal(seenRev(), undefined);
  says(welcomeMessage());
  assert.equal(seenRev(), undefined);
  says(roomAt('lobby', 4));
  assert.equal(seenRev(), 4);
  // The first `game` can still be on its way.
  says(roomAt('playing', 6));
  assert.equal(seenRev(), 4);
  says(gameMessage(view(), [], { rev: 6 }));
  assert.equal(seenRev(), 6);
  says(roomAt('playing', 7));
  assert.equal(seenRev(), 6);
  says(roomAt('lobby', 9));
  assert.equal(seenRev(), 9);
});

test('a page checks for other files after a new connection, but not during a game', (context) => {
  const { session, says, catchesUp } = setUp();
  context.after(() => session.end());
  let checks = 0;
  globalThis.fetch = async () => {
    checks += 1;
    return new Response('{}', { status: 503 });
  };
  catchesUp('lobby');
  catchesUp('lobby');
  assert.equal(checks, 1, 'a page that has just been loaded does not check');
  for (const phase of /** @type {const} */ (['playing', 'paused', 'over'])) catchesUp(phase);
  assert.equal(checks, 1);
  says(roomAt('over', 8));
  assert.equal(checks, 1);
  says(roomAt('lobby', 9));
  says(roomAt('lobby', 10));
  assert.equal(checks, 2);
});

test('what a failover of the database has lost is named, and the game is dropped', (context) => {
  const { session, store, says, connects, seenRev } = setUp();
  context.after(() => session.end());
  connects(HOST);
  says(gameMessage(view(), [], { rev: 2 }));
  says(gameMessage(view(), [{ type: 'played', seat: 1, card: 'red-2', winning: true }], { rev: 3 }));
  assert.equal(store.state().game?.rev, 3);
  says({ ...welcomeMessage({ you: HOST }), generation: 1, lost_after: 2 });
  const { game, lost } = store.state();
  assert.equal(game, null);
  assert.deepEqual(
    lost?.moves.map(({ card }) => card),
    ['red-2'],
  );
  says(gameMessage(view(), [], { rev: 2 }));
  assert.equal(store.state().game?.rev, 2);
  assert.equal(seenRev(), 2);
});
