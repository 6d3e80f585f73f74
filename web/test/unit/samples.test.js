// The page understands all messages that a server has really sent, and ignores those that it does not know.

import assert from 'node:assert/strict';
import test from 'node:test';

import { reduce } from '../../js/reduce.js';
import { ofType } from '../messages.js';
import { at, NOW, ofNewerServer, pageState } from './builders.js';
import { serverSamples } from './samples.js';

/** @import { Game, ServerMessage } from '../../js/protocol.js' */
/** @import { State } from '../../js/types.js' */
/** @import { ServerSample } from './samples.js' */

/** Every type of message. @type {Record<ServerMessage['type'], true>} */
const TYPES = {
  welcome: true,
  ok: true,
  refused: true,
  room: true,
  round_log: true,
  sheet: true,
  games: true,
  game: true,
  handover: true,
  chat: true,
  reacted: true,
  nudged: true,
  notice: true,
  closing: true,
  waiting: true,
};

const messages = serverSamples.map(({ message }) => message);

/**
 * The state after a message.
 * @param {State} state
 * @param {ServerMessage} message
 * @param {number} [later] the time since `NOW`, in milliseconds
 */
const receive = (state, message, later = 0) => reduce(state, at({ type: 'message', message }, NOW + later));

/** The samples by scene and receiver, each with its messages in their order. */
function messagesByReceiver() {
  /** @type {Map<string, ServerSample['message'][]>} */
  const receivers = new Map();
  for (const { scene, who, message } of serverSamples) {
    const key = `${scene}, ${who}`;
    receivers.set(key, [...(receivers.get(key) ?? []), message]);
  }
  return receivers;
}

/**
 * The same message with an unknown field in each object of it.
 * @param {ServerMessage} message
 * @returns {ServerMessage}
 */
const withUnknownFields = (message) =>
  JSON.parse(JSON.stringify(message), (_, value) =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? { ...value, of_later_days: { number: 7 } }
      : value,
  );

/** @param {State} state */
const withoutUnknownFields = (state) =>
  JSON.parse(JSON.stringify(state), (key, value) => (key === 'of_later_days' ? undefined : value));

test('there are samples of each type', () => {
  const types = new Set(messages.map(({ type }) => type));
  assert.deepEqual([...types].sort(), Object.keys(TYPES).sort());
});

for (const { title, message } of serverSamples) {
  test(`the page accepts a sample as its first message: ${title}`, () => {
    const state = receive(pageState(), message);
    assert.equal(state.room?.rev, message.type === 'room' ? message.rev : undefined);
    assert.deepEqual(state.game?.view, message.type === 'game' ? message.view : undefined);
  });
}

for (const [receiver, received] of messagesByReceiver()) {
  /** The state after all messages. @param {(message: ServerMessage) => ServerMessage} change */
  const receiveAll = (change) =>
    received.reduce((before, message, index) => {
      const time = 500 * index;
      // The first messages describe the table; the others are news.
      const state = index === 3 ? reduce(before, at({ type: 'caught_up' }, NOW + time)) : before;
      return receive(state, change(message), time);
    }, pageState());

  test(`the page follows the messages of a table: ${receiver}`, () => {
    const state = receiveAll((message) => message);
    const last = ofType(received, 'room').at(-1);
    assert.deepEqual(
      state.room,
      last ? { ...last.table, rev: last.rev, you: last.you, guests: last.guests ?? [] } : null,
    );
  });

  test(`unknown fields change nothing: ${receiver}`, () => {
    const [plain, more] = [receiveAll((message) => message), receiveAll(withUnknownFields)];
    assert.deepEqual(withoutUnknownFields(more), withoutUnknownFields(plain));
  });
}

test('unknown types of messages change nothing', () => {
  const [room] = ofType(messages, 'room');
  const state = receive(pageState(), room);
  const after = receive(state, ofNewerServer({ type: 'of_later_days', rev: 7, table: null }));
  assert.deepEqual(after, state);
});

test('unknown types of events change nothing', () => {
  for (const message of ofType(messages, 'game')) {
    /** @type {Game['events']} */
    const events = [...message.events, ofNewerServer({ type: 'of_later_days', seat: 0 })];
    assert.deepEqual(receive(pageState(), { ...message, events }), receive(pageState(), message));
  }
});
