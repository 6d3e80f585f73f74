// The classes of the style sheets: each has elements, and each class of an element has a rule, in a style sheet that is
// loaded before the element is drawn. Rules of tags are not checked, nor are classes that a template computes (`${…}`).

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { GAMES } from '../../js/games.js';
import { STYLES } from '../../js/parts.js';

const WEB = fileURLToPath(new URL('../..', import.meta.url));

/**
 * The text of all files below the folders that end so.
 * @param {string} suffix
 * @param {readonly string[]} folders
 */
function textOf(suffix, folders) {
  return folders
    .flatMap((folder) =>
      readdirSync(join(WEB, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(WEB, folder, path)),
    )
    .filter((path) => path.endsWith(suffix) && !path.endsWith('.test.js'))
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');
}

/** @param {string} text */
const withoutComments = (text) => text.replace(/\/\*.*?\*\/|^\s*\/\/[^\n]*/gms, '');

const sheets = textOf('.css', ['css', 'js']);
const css = withoutComments(sheets);
const modules = withoutComments(textOf('.js', ['js'])) + readFileSync(join(WEB, 'index.html'), 'utf8');

/** The classes in the selectors of a style sheet. @param {string} css */
function classesIn(css) {
  const selectors = [...css.matchAll(/([^{};]+)\{/g)].map(([, selector]) => selector);
  return new Set(selectors.flatMap((selector) => [...selector.matchAll(/\.([a-z][\w-]*)/g)].map(([, name]) => name)));
}

/** The classes of elements in the templates of a module. @param {string} code */
const classesOf = (code) => [...code.matchAll(/class="([^"$]*)"/g)].flatMap(([, names]) => names.split(' '));

const withRule = classesIn(css);
const ofElements = new Set(classesOf(modules));

/** The words of all strings that could be classes, and the beginnings of words that a value completes. */
const words = new Set([...modules.matchAll(/["'`}]([\w -]*)(?:["'`]|\$\{)/g)].flatMap(([, names]) => names.split(' ')));

/**
 * Whether a module sets the class: as a word of a string, or as `prefix-${…}`.
 * @param {string} name
 */
const isSet = (name) => words.has(name) || words.has(name.replace(/[^-]+$/, '') || name);

test('every class of the style sheets is the class of some element', () => {
  assert.ok(withRule.size > 200);
  assert.deepEqual(
    [...withRule].filter((name) => !isSet(name)),
    [],
  );
});

test('every class that a comment of a style sheet names has a rule', () => {
  const comments = [...sheets.matchAll(/\/\*.*?\*\//gs)].join('\n');
  const named = [...comments.matchAll(/`([a-z][\w-]*)`/g)].map(([, name]) => name);
  assert.ok(named.length > 5);
  assert.deepEqual(
    named.filter((name) => !withRule.has(name)),
    [],
  );
});

test('every class of an element has a rule', () => {
  assert.ok(ofElements.size > 150);
  assert.deepEqual(
    [...ofElements].filter((name) => !withRule.has(name)),
    [],
  );
});

/** The modules that these import statically, themselves included. @param {readonly string[]} first */
function modulesFrom(first) {
  const found = new Set(first);
  for (const path of found) {
    for (const [, address] of readFileSync(join(WEB, path), 'utf8').matchAll(
      /^(?:import|export|\})[^;]*? '(\.[^']+)';$/gm,
    )) {
      if (!address.includes('vendor/')) found.add(posix.join(posix.dirname(path), address));
    }
  }
  return found;
}

/** The classes that have a rule in these style sheets. @param {readonly string[]} paths */
const classesWithRule = (paths) =>
  classesIn(withoutComments(paths.map((path) => readFileSync(join(WEB, path), 'utf8')).join('\n')));

const FIRST = ['js/main.js', 'js/home.js', 'js/lobby.js', 'js/session.js'];
const DEFERRED = [...FIRST, 'js/deferred.js', ...GAMES.map(({ id }) => `js/${id}/lobby.js`)];
const TABLE = [...DEFERRED, 'js/table/table.js'];
const APP = 'css/app.css';
const WITH_DEFERRED = [APP, ...STYLES.cardDrawing, ...STYLES.deferred];
const WITH_TABLE = [...WITH_DEFERRED, ...STYLES.table];

/** The modules that are loaded by then, and the style sheets. @type {[string, readonly string[], readonly string[]][]} */
const LOADED = [
  ['the first screen', FIRST, [APP]],
  ['the deferred part', DEFERRED, WITH_DEFERRED],
  ['the table without a game', TABLE, WITH_TABLE],
];
for (const { id, name, styles } of GAMES) {
  LOADED.push([`the table of ${name}`, [...TABLE, `js/${id}/table.js`], [...WITH_TABLE, ...styles]]);
}
LOADED.push(['a replay', [...TABLE, 'js/replay/replay.js'], [...WITH_TABLE, ...STYLES.replay]]);
for (const [name, modules, ofPart] of LOADED) {
  test(`each class of ${name} has a rule in a style sheet that is loaded by then`, () => {
    const withRule = classesWithRule(ofPart);
    const used = [...modulesFrom(modules)].flatMap((path) =>
      classesOf(withoutComments(readFileSync(join(WEB, path), 'utf8'))),
    );
    assert.ok(used.length > 50);
    assert.deepEqual(
      [...new Set(used)].filter((name) => !withRule.has(name)),
      [],
    );
  });
}

test('each style sheet in css belongs to one part', () => {
  const loaded = [APP, ...Object.values(STYLES).flat()];
  assert.deepEqual(
    readdirSync(join(WEB, 'css'))
      .map((name) => `css/${name}`)
      .sort(),
    loaded.sort(),
  );
});
