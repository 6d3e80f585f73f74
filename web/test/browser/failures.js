// Writes the files of a failed test to target/failures/<file>/<test>. Each of its pages has a screenshot, the lines of
// the console, and the last messages of each socket. Tokens, passwords and handover codes are redacted.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach } from 'node:test';

import { TARGET } from '../target.js';
import { setDrawn } from './drawing.js';

/** @import { Page } from 'playwright-core' */

const FILE = basename(process.argv[1] ?? '').replace(/(\.test)?\.m?js$/, '');
/** The folder of this test file. Other test files have their own, and can run at the same time. */
const FAILURES_FOLDER = join(TARGET, 'failures', FILE);
/** The number of messages of each socket that are written. */
const MAX_MESSAGES = 200;
/** The time limit for a screenshot. */
const SCREENSHOT_TIMEOUT_MS = 10_000;
/** The fields of messages that are secret. */
const SECRET = /"(token|password)":"(?:[^"\\]|\\.)*"/g;

/** The elements that show a handover code, its link or its QR code, and the fields for codes and passwords. */
const SHOWN_SECRETS =
  '.handover, dialog:has(.handover) .link, dialog:has(.handover) .qr, [aria-describedby="redeem_handover-error"], [aria-describedby="password-error"], [name="password"]';

/** The field of a message with a handover code. */
const HANDOVER_CODE = /"code":"[^"]*"/g;

/**
 * A page with its console and sockets. `isOfTest`: the page is closed with the test that opened it.
 * @typedef {{ name: string, page: Page, consoleLines: string[], sockets: string[][], isOfTest: boolean }} RecordedPage
 */

/** @type {Set<RecordedPage>} */
const recordedPages = new Set();

rmSync(FAILURES_FOLDER, { recursive: true, force: true });

// The pages of a test are closed when it is over, so that they take no time from the next one. The tests of a file
// must therefore run one after another.
afterEach(async (test) => {
  const { name, passed } = /** @type {{ name: string, passed: boolean }} */ (/** @type {unknown} */ (test));
  if (!passed) await writeFailureFiles(name);
  const closed = [...recordedPages].filter(({ isOfTest }) => isOfTest);
  for (const recorded of closed) recordedPages.delete(recorded);
  await Promise.all(
    [...new Set(closed.map(({ page }) => page.context()))].map((context) => context.close().catch(() => {})),
  );
});

/**
 * Records the console and the sockets of a page, in case that a test fails.
 * @param {Page} page
 * @param {string} name
 * @param {{ isOfTest?: boolean }} [options] whether the page is closed with the test during which it was opened
 */
export function recordPage(page, name, { isOfTest = true } = {}) {
  /** @type {RecordedPage} */
  const recorded = { name, page, consoleLines: [], sockets: [], isOfTest };
  recordedPages.add(recorded);
  page.on('console', (message) => recorded.consoleLines.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => recorded.consoleLines.push(`error: ${error.stack}`));
  page.on('websocket', (socket) => {
    const messages = [`${time()} opened: ${socket.url()}`];
    recorded.sockets.push(messages);
    const note = (/** @type {string} */ way, /** @type {string | Buffer} */ payload) => {
      messages.push(`${time()} ${way} ${payload}`);
      // The first line has the address of the socket.
      if (messages.length > MAX_MESSAGES + 1) messages.splice(1, 1);
    };
    socket.on('framesent', ({ payload }) => note('>', payload));
    socket.on('framereceived', ({ payload }) => note('<', payload));
    socket.on('close', () => note('closed', ''));
  });
}

const time = () => new Date().toISOString().slice(11, 23);

/**
 * Writes the files of all pages.
 * @param {string} test
 */
async function writeFailureFiles(test) {
  const folder = join(FAILURES_FOLDER, test.replace(/[^\p{L}\p{N}]+/gu, '-').slice(0, 100));
  mkdirSync(folder, { recursive: true });
  const written = [...recordedPages].map(async ({ name, page, consoleLines, sockets }, at) => {
    const place = join(folder, `${at + 1}-${name}`);
    // A screenshot can write to the console.
    const lines = [...consoleLines];
    await redactedScreenshot(page, `${place}.png`).catch((error) => lines.push(`no screenshot: ${error.message}`));
    writeFileSync(`${place}.console.txt`, `${page.url().split('#')[0]}\n${lines.join('\n')}\n`);
    for (const [count, messages] of sockets.entries()) {
      writeFileSync(`${place}.socket-${count + 1}.txt`, `${messages.map(redacted).join('\n')}\n`);
    }
  });
  await Promise.all(written);
}

/**
 * Takes a screenshot without the secrets that move a seat.
 * @param {Page} page
 * @param {string} [path]
 */
export async function redactedScreenshot(page, path) {
  const late = new Promise((_, reject) => {
    setTimeout(reject, SCREENSHOT_TIMEOUT_MS, new Error('the page does not answer')).unref();
  });
  await Promise.race([Promise.all([setVisibility(page, 'hidden'), setDrawn(page, true)]), late]);
  const screenshot = await page.screenshot({ path, timeout: SCREENSHOT_TIMEOUT_MS });
  await setVisibility(page, '');
  return screenshot;
}

/**
 * Sets the visibility of the secrets on a page.
 * @param {Page} page
 * @param {string} visibility
 */
async function setVisibility(page, visibility) {
  await page.evaluate(
    ({ secrets, visibility }) => {
      for (const element of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(secrets))) {
        element.style.visibility = visibility;
      }
    },
    { secrets: SHOWN_SECRETS, visibility },
  );
}

/** A message with its secrets replaced. @param {string} message */
function redacted(message) {
  const text = message.replace(SECRET, '"$1":"…"');
  return text.includes('"type":"handover"') ? text.replace(HANDOVER_CODE, '"code":"…"') : text;
}
