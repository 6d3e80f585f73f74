// A third game needs only a folder in `js` and a line in `games.js`.
//
// The server is the one in crates/server/tests/third_game.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { TARGET } from '../target.js';
import { assertFaultless, ONE_TAP, openBrowser, Person, Server } from './harness.js';
import { PAGE_FOLDER } from './server.js';

const run = promisify(execFile);

/** @param {string} path a path below the folder of tests */
const ofTests = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** The files of the game, which are copied over the page. */
const OVERLAY = ofTests('third-game');
const SOURCE_LINES = 150;

/** The newest test binary of this name; the build gives each a name with a hash. */
async function newestBinary() {
  const folder = join(TARGET, 'debug', 'deps');
  const names = (await readdir(folder)).filter((name) => /^third_game_server-[0-9a-f]{16}$/.test(name));
  const files = await Promise.all(
    names.map(async (name) => ({ path: join(folder, name), time: (await stat(join(folder, name))).mtimeMs })),
  );
  const newest = files.sort((a, b) => b.time - a.time)[0];
  assert.ok(newest, '`cargo test --no-run -p sticheln-server --test third_game_server` builds the server');
  return newest.path;
}

/** A copy of the page with the folder of the game, and with a line for it in the list of games. */
async function pageWithThirdGame() {
  const folder = await mkdtemp(join(tmpdir(), 'sticheln-page-'));
  after(() => rm(folder, { recursive: true }));
  const isOfPage = (/** @type {string} */ path) => path !== join(PAGE_FOLDER, 'test') && !path.endsWith('.test.js');
  await cp(PAGE_FOLDER, folder, { recursive: true, filter: isOfPage });
  await cp(OVERLAY, folder, { recursive: true });
  const list = join(folder, 'js', 'games.js');
  const games = await readFile(list, 'utf8');
  const longer = games.replace(
    /^export const GAMES = \[(.*)\];$/m,
    "import { toy } from './toy/game.js';\nexport const GAMES = [$1, toy];",
  );
  assert.notEqual(longer, games);
  await writeFile(list, longer);
  return folder;
}

const program = await newestBinary();
const pageFolder = await pageWithThirdGame();
const server = await Server.start({ program, pageFolder });
const browser = await openBrowser();

test(`a third game has at most ${SOURCE_LINES} lines, without empty ones and texts`, async () => {
  const folder = join(OVERLAY, 'js', 'toy');
  const sources = (await readdir(folder)).filter((name) => /\.(?:js|d\.ts)$/.test(name));
  assert.ok(sources.includes('types.d.ts'));
  const files = await Promise.all(sources.map((name) => readFile(join(folder, name), 'utf8')));
  const lines = files.flatMap((file) => file.split('\n')).filter((line) => line.trim() !== '').length;
  assert.ok(lines <= SOURCE_LINES, `${lines} lines`);
});

test('the types of a third game are derived from its Rust types, and the page has no type error with them', async () => {
  const schema = join(pageFolder, 'schema.json');
  await writeFile(schema, (await run(program, ['schema'])).stdout);
  await run(process.execPath, [ofTests('types.mjs'), schema, join(pageFolder, 'js', 'protocol.d.ts')]);
  const tsc = [ofTests('node_modules/typescript/bin/tsc'), '--noEmit', '-p', pageFolder];
  const typeRoots = ['--typeRoots', ofTests('node_modules/@types')];
  await run(process.execPath, [...tsc, ...typeRoots]).catch((error) => assert.fail(`${error.stdout}${error.stderr}`));
});

test('a third game can be played to the end, with its options, help and texts', async () => {
  const ann = await Person.open(browser, server, 'Ann', ONE_TAP);
  const bea = await Person.open(browser, server, 'Bea', { locale: 'de-DE' });
  ann.dismissesTricks = true;
  const { page } = ann;

  // The home page offers the game, the intro explains it, and the lobby has its house rule.
  await ann.goHome();
  await page.locator('#name').fill('Ann');
  await page.locator('.game-choice label').filter({ hasText: 'Toy' }).click();
  await page.locator('.segmented label').filter({ hasText: '3' }).click();
  await ann.click('Open a new table');
  await ann.waitUntilSeated();
  await ann.click('Show me');
  await ann.dialog('High or low').getByRole('button', { name: 'play' }).click();
  await ann.sees(/^Toy · 3 players · 3 rounds/);
  await ann.sees('The highest card takes the trick, or by a house rule the lowest one.');
  await page.getByText('The lowest card takes the trick', { exact: true }).click();

  // A spectator reads the house rule and the help in German.
  await bea.follow(page.url());
  const rule = bea.page.locator('.rules > div').filter({ hasText: 'Die niedrigste Karte nimmt den Stich' });
  await rule.locator('dd').getByText('ja', { exact: true }).waitFor();
  await bea.click('Menü');
  await bea.click('Hilfe');
  await bea
    .dialog('So geht Toy')
    .getByText('Die niedrigste Karte nimmt den Stich. Bei gleichen zählt die zuerst gespielte.')
    .waitFor();
  await bea.page.keyboard.press('Escape');

  // Bots take the free seats.
  await ann.waitForFrame();
  await ann.setRounds(2);
  await ann.sees(/^Toy · 3 players · 2 rounds/);
  await ann.click('Fill with bots & start');
  await page.locator('.hand .card-button').nth(4).waitFor();
  await ann.sees('trick 1/5');
  await ann.click('Menu');
  await ann.click('Help');
  await ann.dialog('How to play Toy').getByText('The lowest card takes the trick. Of equal cards').waitFor();
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('body.game .felt').count(), 1);
  await ann.play(5);
  await page.locator('body.scrolling [data-screen=round-end]').waitFor();
  assert.equal(await page.locator('.felt').count(), 0);
  await ann.sees(/^The best player took \d tricks?\./);
  assert.equal(await page.locator('.calculation').count(), 3);
  await ann.play(Infinity);

  // Each of ten tricks was a point.
  for (const person of [ann, bea]) {
    await person.page.locator('[data-screen=game-end]').waitFor();
    const totals = await person.page.locator('[data-screen=game-end] .data-table tbody td:last-child').allInnerTexts();
    assert.equal(totals.length, 3);
    const sum = totals.reduce((sum, total) => sum + Number(total), 0);
    assert.equal(sum, 10);
  }
  assertFaultless(ann, bea);
});
