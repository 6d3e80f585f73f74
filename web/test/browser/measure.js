// Measures the page in a real browser, and prints a table. It has the first load on a slow phone, the time until a message is
// shown, and the memory after many games:
//
//   npm run --prefix web/test measure
//
// Options after `--` shorten it: --loads N, --pause-ms MS, --steps N, --games N,N,N.

import { parseArgs } from 'node:util';

import { openBrowser } from './browser.js';
import { Client } from './clients.js';
import { measureSize, msUntilUsable, PHONE_OPTIONS, slowDown } from './first-load.js';
import { addressOf, openFullRoom, SCREENS, UNLIMITED } from './first-screens.js';
import { FrameTrace, playBeside } from './frames.js';
import { memoryAfterGames } from './page-memory.js';
import { Person } from './person.js';
import { Server } from './server.js';

/** @import { Browser } from 'playwright-core' */
/** @import { Parts } from './frames.js' */

/**
 * A measured value. If there are several, it is their median, with the lowest and the highest of them.
 * @typedef {{ measured: number, lowest?: number, highest?: number }} Values
 */
/**
 * A row of the table. `digits`: the decimal places; the default is none.
 * @typedef {Values & { what: string, unit: string, target?: number, digits?: number }} Row
 */

const { values: options } = parseArgs({
  options: {
    loads: { type: 'string', default: '5' },
    'pause-ms': { type: 'string', default: '500' },
    steps: { type: 'string', default: 'Infinity' },
    games: { type: 'string', default: '1,10,100' },
  },
});
/** The games whose memory is measured, each with its number of players. */
const PLAYERS = { sticheln: 6, nyet: 5 };
/** The steps of a game beside a plain page, fewer than a round has. */
const PLAIN_STEPS = 90;
const KIB = 1024;
const MIB = 1024 * 1024;
const SECOND_MS = 1000;

const startedAt = Date.now();
/** Prints the progress to standard error. @param {string} text */
const report = (text) => console.error(`${Math.round((Date.now() - startedAt) / SECOND_MS)} s: ${text}`);

const server = await Server.start({ options: UNLIMITED, isEmbedded: true });
const browser = await openBrowser();
const rows = [
  ...(await firstLoads(server, browser)),
  ...(await framesOfGame(server, browser)),
  ...(await framesOfPlainPage(server, browser)),
  ...(await memoryRows(server, browser)),
];
console.log(tableOf(rows));
await browser.close();
await server.end('SIGKILL');
process.exit();

/**
 * The size of the first screens, and the times until they are usable on a slow phone.
 * @param {Server} server
 * @param {Browser} browser
 * @returns {Promise<Row[]>}
 */
async function firstLoads(server, browser) {
  /** @type {Row[]} */
  const rows = [];
  for (const [screen, field] of Object.entries(SCREENS)) {
    const what = screen === 'home' ? 'home' : 'a room';
    const { page } = await Person.open(browser, server, 'Ann', PHONE_OPTIONS);
    const { bytes, count } = await measureSize(page, await addressOf(server, screen), field);
    await page.context().close();
    const times = [];
    for (let load = 1; load <= Number(options.loads); load += 1) {
      const { page } = await Person.open(browser, server, 'Ann', PHONE_OPTIONS);
      times.push((await msUntilUsable(page, await addressOf(server, screen), field)) / SECOND_MS);
      await page.context().close();
      report(`${what}: load ${load} of ${options.loads}, usable after ${times.at(-1)?.toFixed(2)} s`);
    }
    rows.push({ what: `${what}: the first screen`, unit: 'KiB', target: 150, measured: bytes / KIB, digits: 1 });
    rows.push({ what: `${what}: answers for it`, unit: '', measured: count });
    rows.push({ what: `${what}: usable on a slow phone`, unit: 's', target: 2, ...spread(times), digits: 2 });
  }
  return rows;
}

/**
 * The times until messages are shown, over a game of six.
 * @param {Server} server
 * @param {Browser} browser
 * @returns {Promise<Row[]>}
 */
async function framesOfGame(server, browser) {
  const { clients, code } = await openFullRoom(server, 'sticheln', 6, 5);
  const ann = await Person.open(browser, server, 'Ann', PHONE_OPTIONS);
  const trace = await FrameTrace.start(browser, ann, clients);
  await ann.sit(new URL(`t/${code}`, server.url).href);
  await ann.click('I’m ready');
  await slowDown(ann.page);
  await clients[0]?.send('start');
  report('a game of six on a slow phone');
  await playBeside(clients, ann, { pauseMs: Number(options['pause-ms']), maxSteps: Number(options.steps) }, report);
  const shown = await trace.end();
  await ann.page.context().close();
  const slowest = shown.toSorted((a, b) => b.paintedMs - a.paintedMs);
  for (const { ms, paintedMs, parts, events } of slowest.slice(0, 10)) {
    const texts = Object.entries(parts).map(([part, ms]) => `${part} ${ms.toFixed(1)}`);
    report(
      `painted after ${paintedMs.toFixed(1)} ms, shown after ${ms.toFixed(1)} ms: ${events.join(', ')} (${texts.join(', ')})`,
    );
  }
  const rows = [
    { what: 'messages of a game of six', unit: '', measured: shown.length },
    ...percentilesOf(
      'a message until its frame is painted',
      shown.map(({ paintedMs }) => paintedMs),
      50,
    ),
    ...percentilesOf(
      'a message until its frame is on the screen',
      shown.map(({ ms }) => ms),
    ),
  ];
  for (const part of /** @type {(keyof Parts)[]} */ (Object.keys(shown[0]?.parts ?? {}))) {
    const times = shown.map(({ parts }) => parts[part]);
    rows.push(...percentilesOf(`of this, ${part}`, times));
  }
  return rows;
}

/**
 * The times until messages are painted by a page that changes one text: the floor of this browser on this machine.
 * @param {Server} server
 * @param {Browser} browser
 * @returns {Promise<Row[]>}
 */
async function framesOfPlainPage(server, browser) {
  const { clients, code } = await openFullRoom(server, 'sticheln', 6);
  const person = await Person.open(browser, server, 'Ann', PHONE_OPTIONS);
  await person.page.goto(new URL('readyz', server.url).href);
  const trace = await FrameTrace.start(browser, person, clients);
  await person.page.evaluate(showLengths, new Client(server.url, code).address);
  await slowDown(person.page);
  await clients[0]?.send('start');
  report('the moves of a round on a plain page');
  const maxSteps = Math.min(PLAIN_STEPS, Number(options.steps));
  await playBeside(clients, person, { pauseMs: Number(options['pause-ms']), maxSteps }, report);
  const shown = await trace.end();
  await person.page.context().close();
  return percentilesOf(
    'a message until a plain page is painted',
    shown.map(({ paintedMs }) => paintedMs),
  );
}

/**
 * Runs in a page: watches a room, and shows the length of each message.
 * @param {string} address of the socket
 */
function showLengths(address) {
  const socket = new WebSocket(address, 'trick.v1');
  socket.onopen = () => socket.send(JSON.stringify({ id: '1', type: 'hello', token: 'plain-page'.padEnd(43, '0') }));
  socket.onmessage = ({ data }) => {
    document.body.textContent = `${data.length} bytes`;
  };
}

/**
 * The rows of times: the median, the 99th percentile, which can have a target, and the longest.
 * @param {string} what
 * @param {number[]} times
 * @param {number} [target]
 * @returns {Row[]}
 */
function percentilesOf(what, times, target) {
  const sorted = times.toSorted((a, b) => a - b);
  const rowOf = (/** @type {string} */ name, /** @type {number} */ share) => ({
    what: `${what}: ${name}`,
    unit: 'ms',
    measured: percentile(sorted, share),
    digits: 1,
  });
  return [rowOf('p50', 0.5), { ...rowOf('p99', 0.99), ...(target && { target }) }, rowOf('the longest', 1)];
}

/**
 * The memory of a page after some games.
 * @param {Server} server
 * @param {Browser} browser
 * @returns {Promise<Row[]>}
 */
async function memoryRows(server, browser) {
  /** @type {Row[]} */
  const rows = [];
  const games = options.games.split(',').map(Number);
  for (const [game, players] of Object.entries(PLAYERS)) {
    const ann = await Person.open(browser, server, 'Ann', PHONE_OPTIONS);
    const memories = await memoryAfterGames(server, ann, { game, players, games }, report);
    await ann.page.context().close();
    for (const [count, { heap, nodes, listeners }] of memories) {
      const after = `after ${count} ${count === 1 ? 'game' : 'games'} (${game}, ${players} players)`;
      rows.push({ what: `JavaScript heap ${after}`, unit: 'MiB', measured: heap / MIB, digits: 2 });
      rows.push({ what: `DOM nodes ${after}`, unit: '', measured: nodes });
      rows.push({ what: `listeners ${after}`, unit: '', measured: listeners });
    }
  }
  return rows;
}

/**
 * The median, the lowest and the highest of these values.
 * @param {number[]} values
 * @returns {Values}
 */
function spread(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return { measured: percentile(sorted, 0.5), lowest: percentile(sorted, 0), highest: percentile(sorted, 1) };
}

/**
 * The smallest value that is at least as high as this share of all values.
 * @param {number[]} sorted in ascending order
 * @param {number} share from 0 to 1
 */
function percentile(sorted, share) {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/**
 * The rows as a Markdown table.
 * @param {Row[]} rows
 */
function tableOf(rows) {
  const lines = rows.map(({ what, unit, target, measured, lowest, highest, digits = 0 }) => {
    const values = [measured, lowest, highest].map((value) => value?.toFixed(digits) ?? '');
    return `| ${[what, unit, target ?? '', ...values].join(' | ')} |`;
  });
  return [
    '| what | unit | target | measured | lowest | highest |',
    '| --- | --- | --- | --- | --- | --- |',
    ...lines,
  ].join('\n');
}
