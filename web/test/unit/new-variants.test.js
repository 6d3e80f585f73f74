// A variant that is added to a type of the wire makes tsc name a place of the page, and so does a type that is renamed.
//
// tsc runs once, on a copy of the page in which every enum and every union of the wire has another variant. Each variant
// has a name of its own, so that an error tells which one has caused it.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const PAGE = fileURLToPath(new URL('../../', import.meta.url));
const MODULES = join(PAGE, 'test', 'node_modules');

/**
 * The unions that the page receives, each with the field that tells the members apart. Actions are missing: the page shows
 * those of the phases it knows, and a new one comes with a phase or a card.
 * @type {Record<string, string>}
 */
const UNIONS = {
  Chair: 'kind',
  GameEnd: 'type',
  NyetEvent: 'type',
  NyetTable: 'phase',
  ServerMessage: 'type',
  StichelnEvent: 'type',
  StichelnTable: 'phase',
  TableAct: 'type',
};

/** The enums for whose new variant tsc names no place, each with the reason. @type {Record<string, string>} */
const EXCEPTIONS = {
  Code: 'only its text is shown; i18n.test.js demands a text for each code',
  ChangedSetting: 'only its text is shown; i18n.test.js demands a text for each setting',
  ReplayFormat: 'a body of another format is not shown; reader.js checks the format',
  HttpCode: 'only its text is shown; i18n.test.js demands a text for each code',
  Suit: 'trump or a colour; the page reads each suit but trump as a colour, and asks Colour for its values',
  GameId: 'a game is an object in games.js; value-lists.test.js compares the ids',
};

/** A type that only declarations (`.d.ts`) of the page import. */
const RENAMED = 'FinishedTrick';

/** An enum in the types of the wire: the name and the values, which may be those of another enum too. */
const ENUM = /^export type (\w+) =(\s*\|?\s*'[^']+'(?:\s*\|\s*(?:'[^']+'|[A-Z]\w*))*);$/gm;

const typesOfWire = await readFile(join(PAGE, 'js', 'protocol.d.ts'), 'utf8');
const enums = [...typesOfWire.matchAll(ENUM)].map(([, name]) => name);
const errors = await errorsIn({ 'js/protocol.d.ts': withVariants, 'js/nyet/types.d.ts': withDisplayKind });

/** The types of the wire, with a variant more each and with one type renamed. @param {string} types */
function withVariants(types) {
  let longer = types
    .replaceAll(ENUM, "export type $1 =$2 | 'added_$1';")
    .replaceAll("row: 'start'", "row: 'added_Row' | 'start'")
    .replace(`export interface ${RENAMED} {`, `export interface Renamed${RENAMED} {`);
  for (const [name, field] of Object.entries(UNIONS)) {
    const variant = `\nexport interface Added${name} {\n  ${field}: 'added_${name}';\n}`;
    longer = longer.replace(new RegExp(`^(export type ${name} =\\s[^;]+);$`, 'm'), `$1 | Added${name};${variant}`);
  }
  return longer;
}

/** The types of Nyet!, with another kind of display. @param {string} types */
function withDisplayKind(types) {
  return types.replace("kind: 'board'", "kind: 'added_kind' | 'board'");
}

/**
 * The errors of tsc in a copy of the page with changed files, each as a path and a text.
 * @param {Record<string, (source: string) => string>} changes by the path of the file
 */
async function errorsIn(changes) {
  const folder = await mkdtemp(join(tmpdir(), 'sticheln-types-'));
  try {
    for (const path of ['js', 'vendor', 'tsconfig.json']) {
      await cp(join(PAGE, path), join(folder, path), { recursive: true, filter: (path) => !path.endsWith('.test.js') });
    }
    for (const [path, change] of Object.entries(changes)) {
      const source = await readFile(join(folder, path), 'utf8');
      await writeFile(join(folder, path), change(source));
    }
    const tsc = [join(MODULES, 'typescript', 'bin', 'tsc'), '--noEmit', '-p', '.'];
    const typeRoots = ['--typeRoots', join(MODULES, '@types')];
    /** @type {string} */
    const output = await new Promise((done) =>
      execFile(process.execPath, [...tsc, ...typeRoots], { cwd: folder }, (_, stdout) => done(stdout)),
    );
    // Further lines of an error are indented.
    const found = output.matchAll(/^(\S+?)\(\d+,\d+\): (error .*(?:\n .*)*)/gm);
    return [...found].map(([, path, text]) => ({ path, text }));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The files with an error whose text has this pattern. @param {string} pattern */
const placesOf = (pattern) => {
  const wanted = new RegExp(pattern);
  return errors.filter(({ text }) => wanted.test(text)).map(({ path }) => path);
};

test('the types of the wire have enums', () => {
  assert.ok(enums.length > 20, `${enums.length} enums`);
  assert.deepEqual(
    Object.keys(EXCEPTIONS).filter((name) => !enums.includes(name)),
    [],
  );
});

// A table lacks the value. Other errors may list it as well, among all values of a type.
for (const name of [...enums, 'Row']) {
  test(`tsc ${name in EXCEPTIONS ? 'names no place' : 'names a place'} for a new ${name}`, () => {
    const isMissing = `Property '.*added_${name}'.* is missing|is missing the following properties.*added_${name}`;
    assert.equal(placesOf(`(?:${isMissing})`).length > 0, !(name in EXCEPTIONS), EXCEPTIONS[name]);
  });
}

for (const name of Object.keys(UNIONS)) {
  test(`tsc names a place for a new kind of ${name}`, () => {
    assert.ok(placesOf(`(?:Added|added_)${name}`).length > 0);
  });
}

test('tsc names each switch for a new kind of display', () => {
  const places = placesOf('added_kind');
  for (const path of ['js/nyet/button.js', 'js/nyet/table.js']) assert.ok(places.includes(path), path);
});

test('tsc names a declaration that imports a type under its old name', () => {
  const places = placesOf(`no exported member (?:named )?'${RENAMED}`);
  assert.ok(places.includes('js/game.d.ts'), places.join());
});
