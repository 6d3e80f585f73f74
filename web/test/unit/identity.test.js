import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';

import {
  base64url,
  dropSeat,
  forget,
  keepName,
  keepSeat,
  keptName,
  keptSeats,
  newSecret,
  secretOf,
} from '../../js/identity.js';

/** What a browser remembers; or one that refuses to. */
class Storage {
  kept = new Map();
  refuses = false;

  getItem(name) {
    if (this.refuses) throw new Error('no');
    return this.kept.get(name) ?? null;
  }

  setItem(name, value) {
    if (this.refuses) throw new Error('no');
    this.kept.set(name, value);
  }

  removeItem(name) {
    if (this.refuses) throw new Error('no');
    this.kept.delete(name);
  }
}

beforeEach(() => {
  globalThis.localStorage = new Storage();
});

test('a secret is 43 characters of base64url, and none is like another', () => {
  const secrets = Array.from({ length: 50 }, newSecret);
  for (const secret of secrets) assert.match(secret, /^[A-Za-z0-9_-]{43}$/);
  assert.equal(new Set(secrets).size, 50);
});

test('base64url is as the standard says', () => {
  assert.equal(base64url(new Uint8Array([251, 255, 254])), '-__-');
  assert.equal(base64url(new Uint8Array(32)), 'A'.repeat(43));
});

test('each table has one secret, and it stays', () => {
  const secret = secretOf('k7qm2x4p');
  assert.equal(secretOf('k7qm2x4p'), secret);
  assert.notEqual(secretOf('abcdefgh'), secret);
  assert.equal(localStorage.getItem('sticheln.seat.k7qm2x4p'), secret);
});

test('a damaged secret is made anew', () => {
  localStorage.setItem('sticheln.seat.k7qm2x4p', 'short');
  assert.match(secretOf('k7qm2x4p'), /^[\w-]{43}$/);
});

test('a browser that remembers nothing still keeps the secret as long as the page is open', () => {
  localStorage.refuses = true;
  const secret = secretOf('zzzzzzzz');
  assert.equal(secretOf('zzzzzzzz'), secret);
  keepName('Ann');
  assert.equal(keptName(), 'Ann');
});

test('the tables where one sits are kept, the latest first', () => {
  keepSeat('aaaaaaaa', null, 1);
  keepSeat('bbbbbbbb', 'Kitchen', 2);
  keepSeat('aaaaaaaa', 'Garden', 3);
  assert.deepEqual(keptSeats(), [
    { code: 'aaaaaaaa', title: 'Garden', at: 3 },
    { code: 'bbbbbbbb', title: 'Kitchen', at: 2 },
  ]);
  dropSeat('aaaaaaaa');
  assert.deepEqual(
    keptSeats().map(({ code }) => code),
    ['bbbbbbbb'],
  );
});

test('a seat that was given away keeps its secret, a table that is gone does not', () => {
  const secret = secretOf('aaaaaaaa');
  keepSeat('aaaaaaaa', null, 1);
  dropSeat('aaaaaaaa');
  assert.equal(secretOf('aaaaaaaa'), secret);
  forget('aaaaaaaa');
  assert.notEqual(secretOf('aaaaaaaa'), secret);
});

test('a damaged list is an empty list', () => {
  localStorage.setItem('sticheln.seats', '{');
  assert.deepEqual(keptSeats(), []);
  localStorage.setItem('sticheln.seats', '[1, null, {"code":"aaaaaaaa"}]');
  assert.deepEqual(
    keptSeats().map(({ code }) => code),
    ['aaaaaaaa'],
  );
});
