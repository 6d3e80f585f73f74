import assert from 'node:assert/strict';
import { test } from 'node:test';

import { codeAt, formatCode, pageFolder, parseCode, roomUrl } from './urls.js';

test('a code may have any case, spaces and hyphens', () => {
  for (const text of ['k7qm2x4p', 'K7QM-2X4P', ' k7qm 2x4p ', 'K7QM\u20132X4P', 'https://example.org/x/t/K7QM2X4P/']) {
    assert.equal(parseCode(text), 'k7qm2x4p', text);
  }
});

test('a text without a code gives null', () => {
  for (const text of ['', 'k7qm2x4', 'k7qm2x4pp', 'k7qm2x40', 'k7qm2x4l', '../etc'])
    assert.equal(parseCode(text), null, text);
});

test('a code is shown in two groups', () => {
  assert.equal(formatCode('k7qm2x4p'), 'K7QM-2X4P');
});

test('the address of a room leads back to it', () => {
  assert.equal(codeAt(roomUrl('k7qm2x4p')), 'k7qm2x4p');
  assert.equal(codeAt(new URL('t/K7QM-2X4P', pageFolder).href), 'k7qm2x4p');
  assert.equal(codeAt(pageFolder.href), null);
});

test('an address with an invalid code names a room that does not exist', () => {
  assert.equal(codeAt(new URL('t/nonsense!', pageFolder).href), 'nonsense!');
});
