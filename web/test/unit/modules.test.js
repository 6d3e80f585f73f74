// The modules of the page as a whole: what they import, which types they use, and that only a game knows its own name.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { test } from 'node:test';

import { GAMES } from '../../js/games.js';
import { LANGUAGES } from '../../js/settings.js';
import { KEYS } from '../../js/storage.js';

const JS = new URL('../../js/', import.meta.url);
const TESTS = new URL('../', import.meta.url);
const paths = readdirSync(JS, { recursive: true }).map((path) => String(path).replaceAll('\\', '/'));
const text = (/** @type {string} */ path) => readFileSync(new URL(path, JS), 'utf8');
const isTest = (/** @type {string} */ path) => path.endsWith('.test.js');
const modules = paths.filter((path) => path.endsWith('.js') && !isTest(path));
/** The files of the page that people write, types included. */
const sources = paths.filter((path) => /\.(?:js|d\.ts)$/.test(path) && path !== 'protocol.d.ts' && !isTest(path));

/** The modules that a module imports statically, without those of packages. @param {string} path */
function importsOf(path) {
  const statements = text(path).matchAll(/^(?:import|export)\b[^;]*?'(\.[^']+)';$/gm);
  return [...statements]
    .map(([, address]) => posix.join(posix.dirname(path), address))
    .filter((path) => !path.startsWith('../vendor/'));
}

/** The code of a module. @param {string} source */
const withoutComments = (source) => source.replace(/\/\*.*?\*\/|\/\/[^\n]*/gs, '');

test('comments are removed', () => {
  assert.equal(withoutComments('// one\nlet a; // two\n/* three\nfour */ let b;'), '\nlet a; \n let b;');
});

/**
 * The import cycles, each as the modules on it.
 * @param {string[]} modules
 * @param {(module: string) => string[]} importsOf
 */
function cycles(modules, importsOf) {
  /** @type {string[]} */
  const found = [];
  const done = new Set();
  const visit = (/** @type {string} */ path, /** @type {string[]} */ way) => {
    if (way.includes(path)) return void found.push([...way.slice(way.indexOf(path)), path].join(' > '));
    if (done.has(path)) return;
    for (const imported of importsOf(path)) visit(imported, [...way, path]);
    done.add(path);
  };
  for (const path of modules) visit(path, []);
  return found;
}

test('every imported module exists', () => {
  for (const path of modules) {
    for (const imported of importsOf(path)) assert.ok(modules.includes(imported), `${imported} in ${path}`);
  }
});

test('there is no import cycle', () => {
  assert.deepEqual(cycles(modules, importsOf), []);
  const cycle = new Map([
    ['a', ['b']],
    ['b', ['c']],
    ['c', ['b']],
  ]);
  assert.deepEqual(
    cycles(['a'], (name) => cycle.get(name) ?? []),
    ['b > c > b'],
  );
});

test('only parts, games and the QR code import modules later', () => {
  const importers = modules.filter((path) => /\bimport\(/.test(withoutComments(text(path))));
  const games = GAMES.map(({ id }) => `${id}/game.js`);
  assert.deepEqual(importers.sort(), ['parts.js', 'qr.js', ...games].sort());
});

test('the reducer reads no clock, no document and no state of a module', () => {
  const reached = new Set();
  const open = ['reduce.js'];
  for (const path of open) {
    if (reached.has(path)) continue;
    reached.add(path);
    open.push(...importsOf(path));
    const code = withoutComments(text(path));
    assert.doesNotMatch(code, /\b(?:Date|performance|document|window|localStorage|Math\.random)\b/, path);
    assert.doesNotMatch(code, /^(?:let|var)\b/m, path);
  }
  assert.ok(reached.has('game-kit.js') && reached.has('games.js'));
});

/** How many lines a function may have. */
const MAX_LINES = 60;

/**
 * The functions at the top level of a module and the methods of its classes, each with its number of lines. In formatted
 * code each begins at the first column, a method at the third one, and ends before what begins there next.
 * @param {string} source
 */
function functionsIn(source) {
  const lines = source.split('\n');
  const functions = [];
  for (const [at, line] of lines.entries()) {
    const [, name] =
      /^(?:export )?(?:async )?function (\w+)/.exec(line) ??
      /^(?:export )?const (\w+) = (?:async )?\(/.exec(line) ??
      /^ {2}(?:static )?(?:async )?#?(\w+)\(.*\{$/.exec(line) ??
      [];
    if (!name) continue;
    const next = line.startsWith(' ') ? /^(?: {2}(?:\/\*\*|[#\w])|\})/ : /^(?:\/|[a-z])/;
    const end = lines.findIndex((line, index) => index > at && next.test(line));
    const code = lines.slice(at, end < 0 ? lines.length : end).join('\n');
    functions.push({ name, lines: code.trimEnd().split('\n').length });
  }
  return functions;
}

test(`no function has more than ${MAX_LINES} lines`, () => {
  let count = 0;
  for (const path of modules) {
    for (const { name, lines } of functionsIn(text(path))) {
      assert.ok(lines <= MAX_LINES, `${name} in ${path} has ${lines} lines`);
      count += 1;
    }
  }
  assert.ok(count > 500, `${count} functions`);
  const source = [
    'export const one = (a) =>',
    '  a;',
    '',
    'function two() {',
    '  one();',
    '}',
    '',
    'class Three {',
    '  #four() {',
    '    two();',
    '  }',
    '}',
    '',
  ].join('\n');
  assert.deepEqual(functionsIn(source), [
    { name: 'one', lines: 2 },
    { name: 'two', lines: 3 },
    { name: 'four', lines: 3 },
  ]);
});

test('no type is `any`, in the page and in its tests', () => {
  const tests = readdirSync(TESTS, { recursive: true, encoding: 'utf8' }).filter(
    (path) => /\.(?:m?js|d\.ts)$/.test(path) && !path.startsWith('node_modules'),
  );
  assert.ok(tests.includes('browser/clients.js') && tests.includes('types.mjs'));
  const urls = [
    ...[...sources, ...paths.filter(isTest)].map((path) => new URL(path, JS)),
    ...tests.map((path) => new URL(path.replaceAll('\\', '/'), TESTS)),
  ];
  for (const { pathname, href } of urls) {
    const source = readFileSync(new URL(href), 'utf8');
    const types = pathname.endsWith('.d.ts') ? withoutComments(source) : typesIn(source);
    // A field may have this name.
    assert.doesNotMatch(types, /\bany\b(?!:)/, pathname);
  }
  // In two strings, so that this test finds no type in itself.
  const tag = ['/** Takes any card. @param', '{Record<string, any>} card */'].join(' ');
  assert.match(typesIn(tag), /\bany\b/);
  assert.doesNotMatch(typesIn('/** Takes any card. @param {Card} card any of them */'), /\bany\b/);
});

/** The types in the JSDoc comments of a module: the text in braces after a tag. @param {string} source */
function typesIn(source) {
  let types = '';
  for (const { 0: tag, index } of source.matchAll(/@\w+\s*\{/g)) {
    let at = index + tag.length;
    for (let depth = 1; depth > 0; at += 1) {
      if (source[at] === '{') depth += 1;
      if (source[at] === '}') depth -= 1;
    }
    types += `${source.slice(index + tag.length, at - 1)}\n`;
  }
  return types;
}

test('types of other modules are imported at the top', () => {
  for (const path of modules) assert.doesNotMatch(typesIn(text(path)), /\bimport\(/, path);
});

test('only a game and the list of games know the name of a game', () => {
  for (const path of sources.filter((path) => path !== 'games.js')) {
    const [folder] = path.split('/');
    const code = text(path).replaceAll(/'sticheln\.[\w.-]+'/g, 'KEY');
    for (const { id } of GAMES.filter(({ id }) => id !== folder)) assert.doesNotMatch(code, new RegExp(id, 'i'), path);
  }
});

test('the preflight script repeats the keys of stored values', () => {
  const keys = [...text('preflight.js').matchAll(/'(sticheln\.[\w.-]+)'/g)].map(([, key]) => key);
  assert.deepEqual(keys, [KEYS.settings, KEYS.failedLoads]);
});

test('a game is in the folder of its id', () => {
  for (const { id, texts, styles } of GAMES) {
    assert.ok(modules.includes(`${id}/game.js`));
    for (const language of LANGUAGES) {
      for (const set of Object.values(texts))
        assert.ok(paths.includes(`${set.slice('js/'.length)}${language}.json`), set);
    }
    for (const path of styles)
      assert.ok(path.startsWith(`js/${id}/`) && paths.includes(path.slice('js/'.length)), path);
  }
});
