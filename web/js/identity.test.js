import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { FakeStorage } from '../test/unit/fake-storage.js';
import {
  base64url,
  deleteRoomAndToken,
  newToken,
  removeSavedRoom,
  savedName,
  savedRooms,
  saveName,
  saveRoom,
  tokenFor,
} from './identity.js';
import { KEYS } from './storage.js';

let storage = new FakeStorage();

beforeEach(() => {
  storage = new FakeStorage();
  globalThis.localStorage = storage;
});

test('a token has 43 characters of base64url, and each is different', () => {
  const secrets = Array.from({ length: 50 }, newToken);
  for (const secret of secrets) assert.match(secret, /^[A-Za-z0-9_-]{43}$/);
  assert.equal(new Set(secrets).size, 50);
});

test('base64url agrees with the standard', () => {
  assert.equal(base64url(new Uint8Array([251, 255, 254])), '-__-');
  assert.equal(base64url(new Uint8Array(32)), 'A'.repeat(43));
});

test('each room has one token, and it stays the same', () => {
  const secret = tokenFor('k7qm2x4p');
  assert.equal(tokenFor('k7qm2x4p'), secret);
  assert.notEqual(tokenFor('abcdefgh'), secret);
  assert.equal(storage.getItem(`${KEYS.tokenPrefix}k7qm2x4p`), secret);
});

test('a damaged token is replaced', () => {
  storage.setItem(`${KEYS.tokenPrefix}k7qm2x4p`, 'short');
  assert.match(tokenFor('k7qm2x4p'), /^[\w-]{43}$/);
});

test('without storage a token is kept as long as the page is open', () => {
  storage.isRefusing = true;
  const secret = tokenFor('zzzzzzzz');
  assert.equal(tokenFor('zzzzzzzz'), secret);
  saveName('Ann');
  assert.equal(savedName(), 'Ann');
});

test('the rooms with a seat are kept, the latest first', () => {
  saveRoom('aaaaaaaa', null);
  saveRoom('bbbbbbbb', 'Kitchen');
  saveRoom('aaaaaaaa', 'Garden');
  assert.deepEqual(savedRooms(), [
    { code: 'aaaaaaaa', title: 'Garden' },
    { code: 'bbbbbbbb', title: 'Kitchen' },
  ]);
  removeSavedRoom('aaaaaaaa');
  assert.deepEqual(
    savedRooms().map(({ code }) => code),
    ['bbbbbbbb'],
  );
});

test('a removed seat keeps its token, a room that is gone loses it', () => {
  const secret = tokenFor('aaaaaaaa');
  saveRoom('aaaaaaaa', null);
  removeSavedRoom('aaaaaaaa');
  assert.equal(tokenFor('aaaaaaaa'), secret);
  deleteRoomAndToken('aaaaaaaa');
  assert.notEqual(tokenFor('aaaaaaaa'), secret);
});

test('a damaged list counts as empty', () => {
  storage.setItem(KEYS.savedRooms, '{');
  assert.deepEqual(savedRooms(), []);
  storage.setItem(KEYS.savedRooms, '[1, null, {"code":"aaaaaaaa"}]');
  assert.deepEqual(
    savedRooms().map(({ code }) => code),
    ['aaaaaaaa'],
  );
});
