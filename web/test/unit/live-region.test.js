import assert from 'node:assert/strict';
import { test } from 'node:test';

import { reduce } from '../../js/reduce.js';
import { defaultSettings } from '../../js/settings.js';
import { initialState } from '../../js/state.js';

// The templates need a window and a document as soon as they are loaded.
globalThis.window = globalThis;
globalThis.document = { createTreeWalker: () => ({}), createComment: () => ({}) };
const { createNewTexts, pageTexts } = await import('../../js/live-region.js');

const NOW = 1_000_000;
const PERSON = { kind: 'person', presence: 'here', ready: false, stood_in: false };
const CHAIRS = ['Ann', 'Bob', 'Cem'].map((name) => ({ ...PERSON, name }));

/** A state at a table after updates. */
function after(...updates) {
  const table = { game: 'sticheln', phase: 'lobby', host: 0, chairs: CHAIRS, options: {}, spectators: 0 };
  const first = [
    { type: 'page', code: 'k7qm2x4p' },
    { type: 'message', message: { type: 'room', rev: 1, you: { seat: 0, host: true }, table } },
    { type: 'caught_up' },
    { type: 'link', status: 'open', retryAt: null },
  ];
  const start = initialState(defaultSettings(['en']), NOW);
  return [...first, ...updates].reduce((state, update) => reduce(state, { now: NOW, ...update }), start);
}

const textsOf = (state) => pageTexts(state).map(({ text }) => text);

test('the texts of the page are announcements, toasts, the status line, banners and the dock', () => {
  assert.deepEqual(textsOf(after()), ['lobby.waitFor']);
  const announced = after(
    { type: 'announce', lines: ['Bob takes the trick.'], statusLine: 'Your turn.' },
    { type: 'toast', key: 'live.back', args: { name: 'Bob' } },
  );
  assert.deepEqual(textsOf(announced), ['Bob takes the trick.', 'live.back', 'Your turn.', 'lobby.waitFor']);
  const lost = after({ type: 'link', status: 'waiting', retryAt: NOW + 9000 }, { type: 'tick', now: NOW + 3000 });
  assert.deepEqual(textsOf(lost), ['state.reconnect', 'lobby.waitFor']);
});

test('each text of the page has a key of its own', () => {
  const twice = after({ type: 'announce', lines: ['Bob leads.', 'Bob leads.'], statusLine: 'lobby.waitFor' });
  const keys = pageTexts(twice).map(({ key }) => key);
  assert.equal(new Set(keys).size, keys.length);
  assert.equal(textsOf(twice).filter((text) => text === 'Bob leads.').length, 2);
});

test('a dialog repeats only the texts that were not there when it was opened', () => {
  const newTexts = createNewTexts();
  const see = (...texts) => newTexts(texts.map((text) => ({ key: text, text }))).map(({ text }) => text);
  assert.deepEqual(see('a', 'b'), []);
  assert.deepEqual(see('a', 'b', 'c'), ['c']);
  assert.deepEqual(see('a', 'c'), ['c']);
  assert.deepEqual(see('a', 'b', 'c'), ['b', 'c']);
});
