// The pictures of the scenes: each has its scene, each scene its three pictures, and all of them are small.

import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { test } from 'node:test';

import { SCENES } from '../browser/scenes.js';

const folder = new URL('../screens/', import.meta.url);
/** In bytes. */
const MOST = 8_000_000;

test('every scene with pictures has all of them, and there are no others', () => {
  const sizes = ['360x740', '740x360', '1366x768'];
  const named = SCENES.filter(({ isPictured }) => isPictured).flatMap(({ name }) =>
    sizes.map((size) => `${name}-${size}.png`),
  );
  assert.deepEqual(readdirSync(folder).sort(), named.sort());
});

test('the pictures are small', () => {
  const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(new URL(name, folder)).size, 0);
  assert.ok(bytes > 0 && bytes <= MOST, `${bytes} bytes`);
});

test('no two scenes have the same name', () => {
  const names = SCENES.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
});
