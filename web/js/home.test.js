// The rooms on the home page.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import '../test/unit/fake-document.js';

import { ROOM_CODE } from '../test/unit/builders.js';
import { shownCode } from './home.js';
import { defaultSettings } from './settings.js';

test('the code of a room without a title is hidden while streaming', () => {
  const settings = defaultSettings(['en']);
  assert.equal(shownCode(ROOM_CODE, settings), 'K7QM-2X4P');
  assert.equal(shownCode(ROOM_CODE, { ...settings, streamer: true }), 'lobby.untitled');
});
