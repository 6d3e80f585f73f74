import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { FakeStorage } from '../test/unit/fake-storage.js';
import { isMuted, muteKey, numberOfKey, SPECTATORS, withoutNumbers } from './mutes.js';
import { spectatorName } from './state.js';
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

test('people are muted by name, spectators without one by number, or all together', () => {
  const [bob, eve, four] = [{ name: 'Bob' }, { name: 'Eve', spectator: 3 }, { name: null, spectator: 4 }];
  assert.deepEqual(
    [bob, eve, four].map((sender) => isMuted({ muted: [SPECTATORS] }, sender)),
    [false, true, true],
  );
  assert.deepEqual(
    [bob, eve, four].map((sender) => isMuted({ muted: ['Bob', 'Eve'] }, sender)),
    [true, true, false],
  );
  const muted = [muteKey(four)];
  assert.deepEqual(
    [bob, eve, four].map((sender) => isMuted({ muted }, sender)),
    [false, false, true],
  );
  assert.equal(isMuted({ muted }, { name: null, spectator: 5 }), false);
});

test('a spectator without a name has a short label', () => {
  /** @type {import('./i18n.js').Translate} */
  const t = (key, args) => `${key} ${args?.n}`;
  const label = (/** @type {number} */ spectator) => spectatorName({ spectator }, t);
  assert.equal(label(1_767_225_600_000_003), 'spectators.number 3');
  assert.equal(label(1_767_225_600_000_123), 'spectators.number 123');
  assert.equal(spectatorName({ name: 'Eve', spectator: 1_767_225_600_000_003 }, t), 'Eve');
});

test('numbers of spectators are not kept for long', () => {
  const muted = ['Bob', SPECTATORS, muteKey({ spectator: 4 })];
  assert.deepEqual(withoutNumbers(muted), ['Bob', SPECTATORS]);
  assert.deepEqual(muted.map(numberOfKey), [null, null, 4]);
});
