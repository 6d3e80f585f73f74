import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { FakeStorage } from '../test/unit/fake-storage.js';
import { isMuted, SPECTATORS } from './mutes.js';
import { KEYS, mutedIn, saveMuted } from './storage.js';

const storage = new FakeStorage();
globalThis.localStorage = storage;
beforeEach(() => storage.clear());

test('the muted people are kept for each room', () => {
  assert.deepEqual(mutedIn('aaaa2222'), []);
  saveMuted('aaaa2222', ['Bob']);
  saveMuted('bbbb2222', ['Cem', SPECTATORS]);
  assert.deepEqual([mutedIn('aaaa2222'), mutedIn('bbbb2222')], [['Bob'], ['Cem', SPECTATORS]]);
  saveMuted('aaaa2222', []);
  assert.deepEqual(mutedIn('aaaa2222'), []);
  assert.doesNotMatch(storage.getItem(KEYS.mutes) ?? '', /aaaa2222/, 'a room without muted people is not kept');
});

test('the oldest rooms are dropped, and damaged values are left out', () => {
  for (let n = 0; n < 20; n += 1) saveMuted(`room${n}`, ['Bob']);
  assert.deepEqual([mutedIn('room0'), mutedIn('room19')], [[], ['Bob']]);
  assert.equal(JSON.parse(storage.getItem(KEYS.mutes) ?? '[]').length, 12);
  for (const damaged of ['{', '7', '[null, {"code": "room1"}]']) {
    storage.setItem(KEYS.mutes, damaged);
    assert.deepEqual(mutedIn('room1'), []);
  }
});

test('spectators have no name, so they are muted together', () => {
  assert.equal(isMuted({ muted: [SPECTATORS] }, null), true);
  assert.equal(isMuted({ muted: ['Bob'] }, null), false);
  assert.equal(isMuted({ muted: ['Bob'] }, 'Bob'), true);
});
