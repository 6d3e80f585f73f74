import assert from 'node:assert/strict';
import { test } from 'node:test';

import '../test/unit/fake-document.js';

import { gameState, sheetMessage, trickTable, view } from '../test/unit/builders.js';
import { resultOfEnd } from './dialogs.js';

/** @import { StichelnRoundEndTable } from './protocol.js' */

/** @type {StichelnRoundEndTable} */
const ROUND_END = { ...trickTable(), phase: 'round_end', scores: [], next_leader: 1 };

test('the question about an early end names the running round only while one is played', () => {
  const sheet = sheetMessage([[1, 2, 3]]);
  const inRound = gameState(view());
  assert.equal(resultOfEnd({ sheet, game: inRound }), 'abort.text abort.running');
  assert.equal(resultOfEnd({ sheet, game: gameState(view({ table: ROUND_END })) }), 'abort.text');
  assert.equal(resultOfEnd({ sheet: sheetMessage(), game: inRound }), 'abort.none');
});
