import assert from 'node:assert/strict';
import { test } from 'node:test';

// lit-html needs a document.
import '../test/unit/fake-document.js';

import { isTooLong } from './chat.js';

test('a line of chat is bounded in graphemes and in bytes', () => {
  const family = '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}';
  const acute = '\u0301';
  for (const line of ['', 'x'.repeat(200), `${'x'.repeat(150)}${family.repeat(50)}`, acute.repeat(800)]) {
    assert.equal(isTooLong(line), false, line);
  }
  for (const line of ['x'.repeat(201), family.repeat(89), `e${acute.repeat(800)}`]) {
    assert.equal(isTooLong(line), true, line);
  }
});
