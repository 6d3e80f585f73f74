import assert from 'node:assert/strict';
import { before, mock, test } from 'node:test';

import '../test/unit/fake-document.js';

import { textsOf } from '../test/texts.js';
import { gameState, NOW, pageState, roomState, trickTable, view } from '../test/unit/builders.js';
import { hasTexts, loadLanguage } from './i18n.js';
import { spokenPause } from './pause.js';
import { sticheln } from './sticheln/game.js';
import { liveTexts, statusText } from './table/table.js';

/** @import { StichelnRoundEndTable } from './protocol.js' */

/** @type {StichelnRoundEndTable} */
const ROUND_END = { ...trickTable(), phase: 'round_end', scores: [], next_leader: 1 };

before(async () => {
  mock.method(globalThis, 'fetch', async () => ({ ok: true, json: async () => textsOf('en') }));
  await loadLanguage('en');
  await new Promise((done) => hasTexts([sticheln.texts.main], () => done(undefined)));
  await sticheln.table.load();
});

test('a pause is spoken with its person and its minutes, which are rounded up', () => {
  const spoken = (/** @type {number} */ by, /** @type {number} */ left) =>
    spokenPause({ room: roomState({ pause: { by, ends_at: NOW + left } }), clock: NOW, clockSkew: 0 });
  const minutes = (/** @type {string} */ n) => `It goes on in ${n} at the latest, or when all are ready.`;
  assert.equal(spoken(1, 570_000), `Bob has paused the game. ${minutes('10 minutes')}`);
  assert.equal(spoken(0, 61_000), `You have paused the game. ${minutes('2 minutes')}`);
  assert.equal(spoken(0, -1), `You have paused the game. ${minutes('one minute')}`);
});

test('the status line and the live regions of the table tell a pause, during a round and between two', () => {
  const room = roomState({ phase: 'paused', pause: { by: 1, ends_at: NOW + 570_000 } });
  const expected = spokenPause({ room, clock: NOW, clockSkew: 0 });
  for (const table of [trickTable(), ROUND_END]) {
    const state = pageState({ room, you: room.you, game: gameState(view({ table })) });
    assert.equal(statusText(state), expected);
    assert.deepEqual(liveTexts(state), [expected]);
  }
});
