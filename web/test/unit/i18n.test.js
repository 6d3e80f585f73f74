import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

import { translator } from '../../js/i18n.js';

const web = new URL('../../', import.meta.url);
const text = (path) => readFileSync(new URL(path, web), 'utf8');

/** The texts of a language, those of the table included as long as they have files of their own. */
function texts(language) {
  const files = readdirSync(new URL('i18n/', web)).filter((name) => name.split('.').at(-2) === language);
  return Object.assign({}, ...files.map((name) => JSON.parse(text(`i18n/${name}`))));
}

const [en, de] = [texts('en'), texts('de')];
const slots = (entry) => [...new Set(JSON.stringify(entry).match(/\{\w+\}/g) ?? [])].sort();

test('a text is filled', () => {
  const t = translator({ 'a.b': '{name} plays {n}' }, 'en');
  assert.equal(t('a.b', { name: 'Ann', n: -3 }), 'Ann plays \u22123');
  assert.equal(t('a.b', { n: 1 }), '{name} plays 1');
});

test('the form follows the number', () => {
  const t = translator({ seats: { one: '{n} seat', other: '{n} seats' } }, 'en');
  assert.equal(t('seats', { n: 1 }), '1 seat');
  assert.equal(t('seats', { n: 2 }), '2 seats');
  assert.equal(t('seats'), '{n} seats');
});

test('a name cannot bring slots of its own', () => {
  const t = translator({ a: '{x} {y}' }, 'en');
  assert.equal(t('a', { x: '{y}', y: 'b' }), '{y} b');
});

test('what has no text shows its key, a refusal some words', () => {
  const t = translator({ 'refused.unknown': 'No.' }, 'en');
  assert.equal(t('a'), 'a');
  assert.equal(t('refused.of_tomorrow'), 'No.');
});

test('both languages have the same keys, slots and forms', () => {
  assert.deepEqual(Object.keys(de).sort(), Object.keys(en).sort());
  for (const key of Object.keys(en)) {
    assert.deepEqual(slots(de[key]), slots(en[key]), key);
    assert.equal(typeof de[key], typeof en[key], key);
  }
});

test('every key in the code has a text', () => {
  for (const { path, source } of sources()) {
    for (const [, key] of source.matchAll(/\bt\(\s*'([^']+)'/g)) assert.ok(key in en, `${key} in ${path}`);
    for (const [, key] of source.matchAll(/\bkey: '([^']+)'/g)) assert.ok(key in en, `${key} in ${path}`);
    for (const [, start] of source.matchAll(/\bt\(\s*`([\w.]+)\$\{/g)) {
      assert.ok(Object.keys(en).some((key) => key.startsWith(start)), `${start}… in ${path}`);
    }
  }
});

test('every code of a refusal has words', () => {
  const crates = new URL('../crates/', web);
  const files = ['room/src/refusal.rs', 'rules/src/illegal.rs', 'server/src/refused.rs'];
  for (const file of files) {
    let source;
    try {
      source = readFileSync(new URL(file, crates), 'utf8');
    } catch {
      continue;
    }
    const codes = [...source.matchAll(/(?:=|=>|,) "([a-z_0-9]+)"/g)].map(([, code]) => code);
    for (const code of codes) assert.ok(`refused.${code}` in en, `${code} in ${file}`);
  }
});

/** All modules of the page. */
function sources() {
  const files = readdirSync(new URL('js/', web), { recursive: true }).filter((name) => name.endsWith('.js'));
  return files.map((path) => ({ path, source: text(`js/${path}`) }));
}
