// The files of a failed test in target/failures/<file>/<test>: for each of its pages a picture, the lines of its
// console, and the last messages of each of its sockets. Tokens and passwords are blacked out.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach } from 'node:test';
import { fileURLToPath } from 'node:url';

/** @import { Page } from 'playwright-core' */

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const FILE = basename(process.argv[1] ?? '').replace(/(\.test)?\.m?js$/, '');
/** The folder of this file. Other files have folders of their own, and can run beside it. */
const FOLDER = join(process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target'), 'failures', FILE);
/** How many messages of a socket are kept. */
const MESSAGES = 200;
/** How long a page may take for a picture, in milliseconds. */
const PICTURE = 10_000;
/** Fields of messages that nobody else may read. */
const SECRET = /"(token|password)":"(?:[^"\\]|\\.)*"/g;

/** Where the page shows the code that moves a seat, its link and its QR code, and the fields for codes and passwords. */
const SHOWN_SECRETS =
  '.handover, dialog:has(.handover) .link, dialog:has(.handover) .qr, [aria-describedby="takeover-error"], [aria-describedby="password-error"], [name="password"]';

/** The code by which a seat is moved. */
const CODE = /"code":"[^"]*"/g;

/** @typedef {{ name: string, page: Page, lines: string[], sockets: string[][], isOfTest: boolean }} Watched */

/** @type {Set<Watched>} */
const watched = new Set();

rmSync(FOLDER, { recursive: true, force: true });

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
  const folder = join(FOLDER, test.replace(/[^\p{L}\p{N}]+/gu, '-').slice(0, 100));
  mkdirSync(folder, { recursive: true });
  const pictures = [...watched].map(async ({ name, page, lines, sockets }, at) => {
    const place = join(folder, `${at + 1}-${name}`);
    const told = [...lines];
    await picture(page, `${place}.png`).catch((error) => told.push(`no picture: ${error.message}`));
    writeFileSync(`${place}.console.txt`, `${page.url().split('#')[0]}\n${told.join('\n')}\n`);
    for (const [count, messages] of sockets.entries()) {
      writeFileSync(`${place}.socket-${count + 1}.txt`, `${messages.map(blackened).join('\n')}\n`);
    }
  });
  await Promise.all(pictures);
}

/**
 * Makes a picture without the secrets that move a seat.
 * @param {Page} page
 * @param {string} [path]
 */
export async function picture(page, path) {
  const late = new Promise((_, reject) => {
    setTimeout(reject, PICTURE, new Error('the page does not answer')).unref();
  });
  await Promise.race([show(page, 'hidden'), late]);
  const picture = await page.screenshot({ path, timeout: PICTURE });
  await show(page, '');
  return picture;
}

/**
 * Sets the visibility of the secrets on a page.
 * @param {Page} page
 * @param {string} visibility
 */
async function show(page, visibility) {
  await page.evaluate(
    ({ shown, visibility }) => {
      for (const one of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(shown))) {
        one.style.visibility = visibility;
      }
    },
    { shown: SHOWN_SECRETS, visibility },
  );
}

/** A message without secrets. @param {string} message */
function blackened(message) {
  const text = message.replace(SECRET, '"$1":"…"');
  return text.includes('"type":"handover"') ? text.replace(CODE, '"code":"…"') : text;
}
