import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';

import { person, ROOM_CODE, roomState } from '../test/unit/builders.js';
import { FakeStorage } from '../test/unit/fake-storage.js';
import { keepSeat, keptSeat } from './kept-seat.js';

const FREE = /** @type {const} */ ({ kind: 'free' });
const SPECTATOR = { seat: null, host: false };
const room = roomState({ chairs: [FREE, FREE, person('Cem')] });

beforeEach(() => {
  globalThis.sessionStorage = new FakeStorage();
});

test('a seat is kept for its room, as long as it is free and the person has none', () => {
  const state = { code: ROOM_CODE, room, you: SPECTATOR };
  assert.equal(keptSeat(state), null);
  keepSeat(ROOM_CODE, 1);
  assert.equal(keptSeat(state), 1);
  assert.equal(keptSeat({ ...state, code: 'aaaaaaaa' }), null);
  assert.equal(keptSeat({ ...state, you: { seat: 0, host: true } }), null);
  keepSeat(ROOM_CODE, 2);
  assert.equal(keptSeat(state), null, 'somebody sits there');
});

test('a value that is no kept seat, or no storage, is as none', () => {
  const state = { code: ROOM_CODE, room, you: SPECTATOR };
  sessionStorage.setItem('sticheln.play-on-seat', '{');
  assert.equal(keptSeat(state), null);
  const storage = new FakeStorage();
  storage.isRefusing = true;
  globalThis.sessionStorage = storage;
  keepSeat(ROOM_CODE, 1);
  assert.equal(keptSeat(state), null);
});
