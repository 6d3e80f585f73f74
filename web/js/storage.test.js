// The storage of the browser, also when it refuses to store.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { FakeStorage } from '../test/unit/fake-storage.js';
import { KEYS, readItem, removeItem, writeItem } from './storage.js';

test('README names all values that a browser keeps', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8').replace(/\s+/g, ' ');
  const sentences = /A browser keeps ([^.]*)\. It also keeps ([^.]*)\./.exec(readme) ?? [];
  const kept = sentences.slice(1).flatMap((names) => names.split(/, (?:and )?| and (?=its settings)/));
  assert.deepEqual(kept, [
    'its tables',
    'a token for each table that it has visited',
    'its name',
    'its settings',
    'the password for opening tables',
    'which games it has played',
    'the people whom it has muted',
  ]);
  // The last three are of the session: they end with the tab.
  const ofBrowser = ['savedRooms', 'tokenPrefix', 'name', 'settings', 'openPassword', 'experience', 'mutes'];
  const keys = [...ofBrowser, 'failedLoads', 'reloadedFor', 'playOnSeat'];
  assert.deepEqual(Object.keys(KEYS).sort(), keys.sort());
});

test('a value that the browser refuses to store is newer than the stored one', () => {
  const storage = new FakeStorage();
  globalThis.localStorage = storage;
  writeItem('name', 'Ann');
  assert.equal(readItem('name'), 'Ann');
  storage.isFull = true;
  writeItem('name', 'Bob');
  assert.equal(readItem('name'), 'Bob');
  storage.isFull = false;
  writeItem('name', 'Cem');
  assert.deepEqual([readItem('name'), storage.getItem('name')], ['Cem', 'Cem']);
  storage.isRefusing = true;
  assert.equal(readItem('name'), null);
  writeItem('name', 'Dan');
  assert.equal(readItem('name'), 'Dan');
  removeItem('name');
  assert.equal(readItem('name'), null);
});
