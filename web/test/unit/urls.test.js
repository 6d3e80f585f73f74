import assert from 'node:assert/strict';
import { test } from 'node:test';

import { base, codeIn, invitation, roomAt, shownCode } from '../../js/urls.js';

test('a code is read whatever its case, spaces and hyphens', () => {
  for (const text of ['k7qm2x4p', 'K7QM-2X4P', ' k7qm 2x4p ', 'K7QM\u20132X4P', 'https://example.org/x/t/K7QM2X4P/']) {
    assert.equal(codeIn(text), 'k7qm2x4p', text);
  }
});

test('what is no code is none', () => {
  for (const text of ['', 'k7qm2x4', 'k7qm2x4pp', 'k7qm2x40', 'k7qm2x4l', '../etc'])
    assert.equal(codeIn(text), null, text);
});

test('a code is shown in two groups', () => {
  assert.equal(shownCode('k7qm2x4p'), 'K7QM-2X4P');
});

test('the address of a table leads back to it', () => {
  assert.equal(roomAt(invitation('k7qm2x4p')), 'k7qm2x4p');
  assert.equal(roomAt(new URL('t/K7QM-2X4P', base).href), 'k7qm2x4p');
  assert.equal(roomAt(base.href), null);
});

test('an address with a wrong code is a table that does not exist', () => {
  assert.equal(roomAt(new URL('t/nonsense!', base).href), 'nonsense!');
});
