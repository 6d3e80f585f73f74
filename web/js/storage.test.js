// The storage of the browser, also when it refuses to store.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeStorage } from '../test/unit/fake-storage.js';
import { readItem, removeItem, writeItem } from './storage.js';

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
