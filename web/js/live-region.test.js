import assert from 'node:assert/strict';
import { test } from 'node:test';

import '../test/unit/fake-document.js';

import { at, NOW, pageState, roomMessage } from '../test/unit/builders.js';
import { createTextFilter, pageTexts } from './live-region.js';
import { reduce } from './reduce.js';

/** @import { State, TimedUpdate } from './types.js' */

/**
 * A state in the lobby of a table after updates.
 * @param {TimedUpdate[]} updates
 */
function after(...updates) {
  const room = at({ type: 'message', message: roomMessage({ phase: 'lobby' }) });
  const state = pageState({ experience: { explainedGames: ['sticheln'], games: 1, soundOffered: true } });
  return [room, at({ type: 'caught_up' }), ...updates].reduce(reduce, state);
}

const textsOf = (/** @type {State} */ state) => pageTexts(state).map(({ text }) => text);

test('the texts of the page are announcements, toasts, the status line, banners and the dock', () => {
  assert.deepEqual(textsOf(after()), ['common.waitFor']);
  const announced = after(
    at({ type: 'announce', lines: ['Bob takes the trick.'], statusLine: 'Your turn.' }),
    at({ type: 'toast', key: 'news.back', args: { name: 'Bob' } }),
  );
  assert.deepEqual(textsOf(announced), ['Bob takes the trick.', 'news.back', 'Your turn.', 'common.waitFor']);
  const lost = after(
    at({ type: 'connection', status: 'waiting', retryAt: NOW + 9000 }),
    at({ type: 'tick' }, NOW + 3000),
  );
  assert.deepEqual(textsOf(lost), ['state.reconnect', 'common.waitFor']);
});

test('each text of the page has a key of its own', () => {
  const twice = after(at({ type: 'announce', lines: ['Bob leads.', 'Bob leads.'], statusLine: 'common.waitFor' }));
  const keys = pageTexts(twice).map(({ key }) => key);
  assert.equal(new Set(keys).size, keys.length);
  assert.equal(textsOf(twice).filter((text) => text === 'Bob leads.').length, 2);
});

test('a dialog repeats only the texts that were not there when it was opened', () => {
  const newTexts = createTextFilter();
  const see = (/** @type {string[]} */ ...texts) =>
    newTexts(texts.map((text) => ({ key: text, text }))).map(({ text }) => text);
  assert.deepEqual(see('a', 'b'), []);
  assert.deepEqual(see('a', 'b', 'c'), ['c']);
  assert.deepEqual(see('a', 'c'), ['c']);
  assert.deepEqual(see('a', 'b', 'c'), ['b', 'c']);
});
