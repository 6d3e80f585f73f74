// The classes of the style sheets: each has elements, and each class of an element has a rule.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

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

const selectors = [...css.matchAll(/([^{};]+)\{/g)].map(([, selector]) => selector);
const withRule = new Set(
  selectors.flatMap((selector) => [...selector.matchAll(/\.([a-z][\w-]*)/g)].map(([, name]) => name)),
);
const ofElements = new Set([...modules.matchAll(/class="([^"$]*)"/g)].flatMap(([, names]) => names.split(' ')));

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
