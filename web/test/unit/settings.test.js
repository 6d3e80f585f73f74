import assert from 'node:assert/strict';
import { test } from 'node:test';

import { keepSettings, loadSettings, usual } from '../../js/settings.js';

const kept = new Map();
globalThis.localStorage = {
  getItem: (name) => kept.get(name) ?? null,
  setItem: (name, value) => kept.set(name, value),
  removeItem: (name) => kept.delete(name),
};

test('the language is that of the browser, English for all others', () => {
  assert.equal(usual(['de-AT', 'en']).language, 'de');
  assert.equal(usual(['fr', 'de']).language, 'de');
  assert.equal(usual(['fr']).language, 'en');
  assert.equal(usual([]).language, 'en');
});

test('settings are kept', () => {
  keepSettings({ ...usual(['de']), theme: 'dark', oneTap: true, hints: false });
  const settings = loadSettings(['en']);
  assert.deepEqual(settings, { ...usual(['de']), theme: 'dark', oneTap: true, hints: false });
});

test('what makes no sense is as usual', () => {
  kept.set('sticheln.settings', JSON.stringify({ language: 'xx', theme: 7, oneTap: 'yes', more: 1 }));
  assert.deepEqual(loadSettings(['en']), usual(['en']));
  kept.set('sticheln.settings', '{');
  assert.deepEqual(loadSettings(['en']), usual(['en']));
});
