import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { beforeEach, test } from 'node:test';
import { textsOf } from '../test/texts.js';
import { FakeStorage } from '../test/unit/fake-storage.js';
import { defaultSettings, loadSettings, saveSettings, wasEverChosen } from './settings.js';
import { KEYS } from './storage.js';

/** @import { Settings } from './settings.js' */

const storage = new FakeStorage();
globalThis.localStorage = storage;
beforeEach(() => storage.clear());

test('the language is that of the browser if the page has it, otherwise English', () => {
  assert.equal(defaultSettings(['de-AT', 'en']).language, 'de');
  assert.equal(defaultSettings(['fr', 'de']).language, 'de');
  assert.equal(defaultSettings(['fr']).language, 'en');
  assert.equal(defaultSettings([]).language, 'en');
});

test('every switch is in the menu and has its text', () => {
  const menu = readFileSync(new URL('./menu.js', import.meta.url), 'utf8');
  const texts = textsOf('en');
  const switches = Object.entries(defaultSettings([])).filter(([, value]) => typeof value === 'boolean');
  assert.ok(switches.length > 5);
  for (const [name] of switches) {
    assert.ok(`set.${name}` in texts, name);
    if (menu.includes(`explained('${name}')`)) assert.ok(`set.${name}.text` in texts, name);
    const controls = [`toggleOf('${name}')`, `explained('${name}')`, `t('set.${name}')`];
    assert.ok(
      controls.some((control) => menu.includes(control)),
      name,
    );
  }
});

test('settings are saved', () => {
  /** @type {Settings} */
  const chosen = {
    ...defaultSettings(['en']),
    language: 'de',
    theme: 'dark',
    oneTap: true,
    hints: false,
    volume: 8,
    botLevel: 'expert',
  };
  saveSettings(chosen, defaultSettings(['en']));
  assert.deepEqual(loadSettings(['en']), chosen);
  saveSettings({ ...chosen, hints: true }, chosen);
  assert.deepEqual(loadSettings(['en']), { ...chosen, hints: true });
});

test('settings that were never chosen are not saved', () => {
  saveSettings({ ...defaultSettings(['de']), sound: true }, defaultSettings(['de']));
  assert.equal(loadSettings(['en']).language, 'en');
  assert.deepEqual([wasEverChosen('sound'), wasEverChosen('hints')], [true, false]);
});

test('invalid settings get their defaults', () => {
  storage.setItem(
    KEYS.settings,
    JSON.stringify({ language: 'xx', theme: 7, oneTap: 'yes', volume: 99, botLevel: 'god', more: 1 }),
  );
  assert.deepEqual(loadSettings(['en']), defaultSettings(['en']));
  storage.setItem(KEYS.settings, '{');
  assert.deepEqual(loadSettings(['en']), defaultSettings(['en']));
});
