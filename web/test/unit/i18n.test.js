import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

import { currentLanguage, HELP, hasTexts, isLoaded, loadLanguage, t, translator } from '../../js/i18n.js';
import { LANGUAGES } from '../../js/settings.js';
import { textsOf } from '../texts.js';

/** @import { Texts } from '../../js/i18n.js' */

const web = new URL('../../', import.meta.url);
const text = (/** @type {string} */ path) => readFileSync(new URL(path, web), 'utf8');

const en = textsOf('en');
const placeholders = (/** @type {Texts[string]} */ entry) =>
  [...new Set(JSON.stringify(entry).match(/\{\w+\}/g) ?? [])].sort();

test('a text is filled with its arguments', () => {
  const t = translator({ 'a.b': '{name} plays {n}' }, 'en');
  assert.equal(t('a.b', { name: 'Ann', n: -3 }), 'Ann plays \u22123');
  assert.equal(t('a.b', { n: 1 }), '{name} plays 1');
});

test('the plural form follows the number', () => {
  const t = translator({ seats: { one: '{n} seat', other: '{n} seats' } }, 'en');
  assert.equal(t('seats', { n: 1 }), '1 seat');
  assert.equal(t('seats', { n: 2 }), '2 seats');
  assert.equal(t('seats'), '{n} seats');
});

test('a name in a text adds no placeholders', () => {
  const t = translator({ a: '{x} {y}' }, 'en');
  assert.equal(t('a', { x: '{y}', y: 'b' }), '{y} b');
});

test('failed texts change nothing, and the last chosen language stays', async (context) => {
  /** @type {Record<string, (answer: object) => void>} */
  const answers = {};
  const name = (/** @type {string} */ address) => /(\w+)\.json$/.exec(address)?.[1] ?? '';
  context.mock.method(
    globalThis,
    'fetch',
    (/** @type {string} */ address) => new Promise((done) => (answers[name(address)] = done)),
  );
  const told = (/** @type {string} */ language, ok = true) =>
    answers[language]({ ok, json: async () => ({ word: language }) });

  const [german, english] = [loadLanguage('de'), loadLanguage('en')];
  told('en');
  await english;
  told('de');
  await german;
  assert.equal(t('word'), 'en');

  const gone = loadLanguage('de');
  told('de', false);
  await assert.rejects(gone);
  assert.equal(t('word'), 'en');
  assert.equal(currentLanguage(), 'en');
});

test('a set that is requested during a change of the language is loaded in the new one', async (context) => {
  /** @type {Map<string, (answer: object) => void>} */
  const answers = new Map();
  const name = (/** @type {string} */ address) => /i18n\/([\w.]+)\.json$/.exec(address)?.[1] ?? '';
  context.mock.method(
    globalThis,
    'fetch',
    (/** @type {string} */ address) => new Promise((done) => answers.set(name(address), done)),
  );
  const answer = (/** @type {string} */ file) =>
    answers.get(file)?.({ ok: true, json: async () => ({ [file.includes('help') ? 'help.word' : 'word']: file }) });
  const helpIsLoaded = () => new Promise((done) => hasTexts([HELP], () => done(undefined)));

  const german = loadLanguage('de');
  const inOldLanguage = helpIsLoaded();
  answer('de');
  await german;
  answer('help.en');
  await inOldLanguage;
  assert.equal(isLoaded(HELP), false, 'its texts are of the old language');
  const inNewLanguage = helpIsLoaded();
  answer('help.de');
  await inNewLanguage;
  assert.deepEqual([isLoaded(HELP), t('help.word')], [true, 'help.de']);

  const english = loadLanguage('en');
  for (const file of ['en', 'help.en']) answer(file);
  await english;
  assert.deepEqual([isLoaded(HELP), t('help.word')], [true, 'help.en'], 'a loaded set follows the language');
});

test('a missing text shows its key, a missing refusal a general text', () => {
  const t = translator({ 'refused.unknown': 'No.' }, 'en');
  assert.equal(t('a'), 'a');
  assert.equal(t('refused.of_tomorrow'), 'No.');
});

test('all languages have the same keys, placeholders and forms', () => {
  for (const language of LANGUAGES) {
    const texts = textsOf(language);
    assert.deepEqual(Object.keys(texts).sort(), Object.keys(en).sort(), language);
    for (const key of Object.keys(en)) {
      assert.deepEqual(placeholders(texts[key]), placeholders(en[key]), `${key} in ${language}`);
      assert.equal(typeof texts[key], typeof en[key], `${key} in ${language}`);
    }
  }
});

test('the page, its files of texts and the server have the same languages', () => {
  const files = readdirSync(new URL('i18n/', web)).map((name) => name.replace(/^help\./, '').replace(/\.json$/, ''));
  assert.deepEqual([...new Set(files)].sort(), [...LANGUAGES].sort());
  const server = text('../crates/server/src/http/pages.rs');
  const [, list] = /const LANGUAGES: .*= \[(.*)\];/.exec(server) ?? [];
  assert.deepEqual(JSON.parse(`[${list}]`), LANGUAGES);
});

test('every key in the code has a text', () => {
  for (const { path, source } of sources()) {
    for (const [, key] of source.matchAll(/\bt\(\s*'([^']+)'/g)) assert.ok(key in en, `${key} in ${path}`);
    for (const [, key] of source.matchAll(/\bkey: '([^']+)'/g)) assert.ok(key in en, `${key} in ${path}`);
    for (const [, key] of source.matchAll(/\bline\(\s*'([^']+)'/g)) {
      for (const form of [key, `${key}.you`]) assert.ok(form in en, `${form} in ${path}`);
    }
    for (const [, start] of source.matchAll(/\bt\(\s*`([\w.]+)\$\{/g)) {
      assert.ok(
        Object.keys(en).some((key) => key.startsWith(start)),
        `${start}… in ${path}`,
      );
    }
  }
});

test('every text is used in the code', () => {
  const code = sources()
    .map(({ source }) => source)
    .join('\n');
  const names = new Set([...code.matchAll(/'([\w.]+)'/g)].map(([, name]) => name));
  for (const word of [...refusalCodes(), ...names]) names.add(`refused.${word}`);
  const starts = [...code.matchAll(/`((?:\w+\.)+)\$\{/g)]
    .map(([, start]) => start)
    .filter((start) => start !== 'refused.');
  /** The separator after the id of a game. */
  const middles = [...code.matchAll(/`\$\{\w+\}(\.(?:\w+\.)+)\$\{/g)].map(([, middle]) => middle);
  const ends = [...code.matchAll(/\$\{\w+\}((?:\.\w+)+)`/g)].map(([, end]) => end);
  const isUsed = (/** @type {string} */ key) =>
    names.has(key) ||
    starts.some((start) => key.startsWith(start)) ||
    middles.some((middle) => key.slice(key.indexOf('.')).startsWith(middle)) ||
    ends.some((end) => key.endsWith(end) && names.has(key.slice(0, -end.length)));
  assert.deepEqual(
    Object.keys(en).filter((key) => !isUsed(key)),
    [],
  );
});

test('no text for people is written in the code', () => {
  for (const { path, source } of sources()) assert.deepEqual(words(source), [], path);
  assert.deepEqual(words('html`<p title="Hello" class="big">${t(\'a\')} · <b>or so</b></p>`'), ['Hello', 'or so']);
  assert.deepEqual(words('html`<p>${all.map((one) => html`<b aria-label=${one}>Yes</b>`)}</p>`'), ['Yes']);
});

test('every refusal code has a text', () => {
  assert.deepEqual(
    refusalCodes().filter((code) => !(`refused.${code}` in en)),
    [],
  );
});

/** All codes with which the server refuses something. */
function refusalCodes() {
  const schema = JSON.parse(readFileSync(new URL('../docs/wire/schema.json', web), 'utf8'));
  return /** @type {string[]} */ ([...schema.$defs.Code.enum, ...schema.$defs.HttpCode.enum]);
}

/** All modules of the page. */
function sources() {
  const files = readdirSync(new URL('js/', web), { recursive: true }).map(String);
  return files.filter((path) => path.endsWith('.js')).map((path) => ({ path, source: text(`js/${path}`) }));
}

/**
 * The texts for people in the templates of a module, without codes of tables.
 * @param {string} source
 */
function words(source) {
  return templates(source)
    .flatMap((template) => [
      ...[...template.matchAll(/\b(?:aria-label|title|placeholder|alt)="([^"]*)"/g)].map(([, text]) => text),
      ...template
        .replace(/<!--.*?-->/gs, '')
        .replace(/<(?:"[^"]*"|[^>"])*>/g, '\0')
        .split('\0'),
    ])
    .map((text) => text.trim())
    .filter((text) => /\p{L}{2}/u.test(text) && !/^[2-9A-Z]{4}-[2-9A-Z]{4}$/.test(text));
}

/**
 * The templates of a module without the expressions in them. A template inside another one stands alone.
 * @param {string} source
 */
function templates(source) {
  const found = [];
  for (const { index } of source.matchAll(/\b(?:html|svg)`/g)) {
    let template = '';
    let at = source.indexOf('`', index) + 1;
    while (source[at] !== '`') {
      if (source.startsWith('${', at)) {
        at = ending(source, at + 2);
        template += '\u00b7';
      } else {
        template += source[at];
        at += 1;
      }
    }
    found.push(template);
  }
  return found;
}

/**
 * The index after the closing brace of an expression in a template.
 * @param {string} source
 * @param {number} start
 */
function ending(source, start) {
  let at = start;
  for (let depth = 1; depth > 0; at += 1) {
    if (source[at] === '{') depth += 1;
    else if (source[at] === '}') depth -= 1;
    else if (source[at] === "'" || source[at] === '"') at = source.indexOf(source[at], at + 1);
    else if (source[at] === '`') {
      at += 1;
      while (source[at] !== '`') at = source.startsWith('${', at) ? ending(source, at + 2) : at + 1;
    }
  }
  return at;
}
