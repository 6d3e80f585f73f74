// What a failed test leaves in target/failures/<file>-<test>: for each of its pages a picture, the lines of its
// console, and the last messages of each of its sockets. Secrets of seats and passwords are blacked out.

import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach } from 'node:test';
import { fileURLToPath } from 'node:url';

/** @typedef {import('playwright-core').Page} Page */

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const FOLDER = join(process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target'), 'failures');
const FILE = basename(process.argv[1] ?? '').replace(/(\.test)?\.m?js$/, '');
/** How many messages of a socket are kept. */
const MESSAGES = 200;
/** How long a page may take for a picture, in milliseconds. */
const PICTURE = 10_000;
/** Fields of messages that nobody else may read. */
const SECRET = /"(token|password)":"(?:[^"\\]|\\.)*"/g;

/** The code by which a seat is moved. */
const CODE = /"code":"[^"]*"/g;

/** @typedef {{ name: string, page: Page, lines: string[], sockets: string[][], isOfTest: boolean }} Watched */

/** @type {Set<Watched>} */
const watched = new Set();

for (const name of names(FOLDER)) if (name.startsWith(`${FILE}-`)) rmSync(join(FOLDER, name), { recursive: true });

// The pages of a test are closed when it is over, so that they take no time from the next one. The tests of a file
// must therefore run one after another.
afterEach(async (test) => {
  const { name, passed } = /** @type {{ name: string, passed: boolean }} */ (/** @type {unknown} */ (test));
  if (!passed) await leave(name);
  const over = [...watched].filter(({ isOfTest }) => isOfTest);
  for (const one of over) watched.delete(one);
  await Promise.all(
    [...new Set(over.map(({ page }) => page.context()))].map((context) => context.close().catch(() => {})),
  );
});

/**
 * Keeps what a page says, in case that a test fails.
 * @param {Page} page
 * @param {string} name
 * @param {{ isOfTest?: boolean }} [options] whether the page is closed with the test during which it was opened
 */
export function watch(page, name, { isOfTest = true } = {}) {
  /** @type {Watched} */
  const one = { name, page, lines: [], sockets: [], isOfTest };
  watched.add(one);
  page.on('console', (message) => one.lines.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => one.lines.push(`error: ${error.stack}`));
  page.on('websocket', (socket) => {
    const messages = [`${time()} opened: ${socket.url()}`];
    one.sockets.push(messages);
    const note = (/** @type {string} */ way, /** @type {string | Buffer} */ payload) => {
      messages.push(`${time()} ${way} ${payload}`);
      // The first line says which socket it is.
      if (messages.length > MESSAGES + 1) messages.splice(1, 1);
    };
    socket.on('framesent', ({ payload }) => note('>', payload));
    socket.on('framereceived', ({ payload }) => note('<', payload));
    socket.on('close', () => note('closed', ''));
  });
}

const time = () => new Date().toISOString().slice(11, 23);

/**
 * Writes down what there is to see of all pages.
 * @param {string} test
 */
async function leave(test) {
  const folder = join(FOLDER, `${FILE}-${test.replace(/[^\p{L}\p{N}]+/gu, '-').slice(0, 100)}`);
  mkdirSync(folder, { recursive: true });
  const pictures = [...watched].map(async ({ name, page, lines, sockets }, at) => {
    const place = join(folder, `${at + 1}-${name}`);
    const told = [...lines];
    await page
      .screenshot({ path: `${place}.png`, timeout: PICTURE })
      .catch((error) => told.push(`no picture: ${error.message}`));
    writeFileSync(`${place}.console.txt`, `${page.url().split('#')[0]}\n${told.join('\n')}\n`);
    for (const [count, messages] of sockets.entries()) {
      writeFileSync(`${place}.socket-${count + 1}.txt`, `${messages.map(blackened).join('\n')}\n`);
    }
  });
  await Promise.all(pictures);
}

/** A message without secrets. @param {string} message */
function blackened(message) {
  const text = message.replace(SECRET, '"$1":"…"');
  return text.includes('"type":"handover"') ? text.replace(CODE, '"code":"…"') : text;
}

/** @param {string} folder */
function names(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
