// The page that is embedded in the program is small, fast on a slow phone, and reloads after an upgrade.
//
// All other tests use the files in `web` and compile nothing.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { connect } from 'node:net';
import { after, describe, test } from 'node:test';
import { measureSize, msUntilUsable, PHONE_OPTIONS } from './first-load.js';
import { addressOf, installRecorder, SCREENS, UNLIMITED } from './first-screens.js';
import { assertFaultless, DRAWN, openBrowser, Person, Server } from './harness.js';

/** @import { AddressInfo } from 'node:net' */
/** @import { Page } from 'playwright-core' */
/** @import { RecordedWindow, Seen } from './first-screens.js' */

/** The largest size of the first screen. */
const MOST_BYTES = 150 * 1024;
/**
 * The largest number of answers for the first screen. Browsers request six files at a time, so with more files a slow
 * connection waits longer for answers than for bytes.
 */
const MOST_ANSWERS = 41;
const RUNS = 3;
/** The largest layout shift of the first screen. The fallback fonts are almost as wide as the fonts of the page. */
const MOST_FIRST_SHIFT = 0.01;

const server = await Server.start({ options: UNLIMITED, isEmbedded: true });
const browser = await openBrowser();

describe('the first screen', { timeout: 300_000 }, () => {
  for (const [screen, field] of Object.entries(SCREENS)) {
    test(`${screen}: the size is at most ${MOST_BYTES / 1024} KiB`, async () => {
      const ann = await Person.open(browser, server, 'Ann', DRAWN);
      const weight = await measureSize(ann.page, await addressOf(server, screen), field);
      const kib = (/** @type {number} */ bytes) => (bytes / 1024).toFixed(1);
      const sizes = Object.entries(weight.bytesOf).map(([kind, bytes]) => `${kind} ${kib(bytes)}`);
      console.log(`${screen}: ${kib(weight.bytes)} KiB in ${weight.count} answers (${sizes.join(', ')})`);
      assert.ok(weight.bytes <= MOST_BYTES, `${weight.bytes} bytes`);
      assert.ok(weight.count <= MOST_ANSWERS, `${weight.count} answers`);
      assertFaultless(ann);
    });

    // The time is printed and not checked: it depends on the load of the machine.
    test(`${screen}: is usable on a slow phone, and does not shift when the fonts load`, async () => {
      const address = await addressOf(server, screen);
      const times = [];
      for (let run = 0; run < RUNS; run += 1) {
        const ann = await Person.open(browser, server, 'Ann', PHONE_OPTIONS);
        await ann.page.addInitScript(installRecorder);
        await ann.page.addInitScript(() => /** @type {RecordedWindow} */ (window).seen.start());
        times.push(await msUntilUsable(ann.page, address, field));
        const shifts = await shiftsWithFonts(ann.page);
        const sum = shifts.reduce((sum, { value }) => sum + value, 0);
        assert.ok(sum <= MOST_FIRST_SHIFT, JSON.stringify(shifts));
        await ann.page.context().close();
      }
      console.log(
        `${screen}: usable after ${times
          .map(Math.round)
          .sort((a, b) => a - b)
          .join(', ')} ms on a slow phone`,
      );
    });
  }
});

test('the page reloads once in the lobby if the server has other files, and the seat stays', {
  timeout: 300_000,
}, async () => {
  const other = await Server.start({ isEmbedded: true });
  const proxy = await VersionProxy.of(other, 'older');
  const ann = await Person.open(browser, proxy, 'Ann');
  const { page } = ann;
  let loads = 0;
  page.on('domcontentloaded', () => (loads += 1));
  const versions = () =>
    page
      .locator('script[src]')
      .evaluateAll((all) => all.map((script) => /** @type {HTMLScriptElement} */ (script).src.split('/').at(-3)));
  await ann.openRoom({ seats: 3 });
  await ann.waitUntilSeated();
  assert.deepEqual([loads, new Set(await versions())], [1, new Set(['older'])]);

  proxy.version = 'newer';
  await other.end('SIGTERM');
  const again = page.waitForEvent('domcontentloaded');
  await other.begin();
  await again;
  await ann.waitUntilSeated();
  assert.deepEqual([loads, new Set(await versions())], [2, new Set(['newer'])]);

  // A cache between them keeps an old page: the page reloads once more, and then never again.
  proxy.reportedVersion = 'newest';
  for (let restart = 0; restart < 3; restart += 1) {
    const asked = page.waitForResponse(/\/api\/page$/);
    const reloaded = restart === 0 ? page.waitForEvent('domcontentloaded') : null;
    await other.end('SIGTERM');
    await other.begin();
    await asked;
    // Until then the page before is there, and the next restart would interrupt the load.
    await reloaded;
    await page.locator('body:not([data-disconnected]) .seat-list').waitFor();
  }
  assert.deepEqual([loads, new Set(await versions())], [3, new Set(['newer'])]);

  // A game goes on with the files of the page.
  await ann.click('Fill with bots & start');
  await page.locator('.hand .card-button').nth(14).waitFor();
  const hand = await ann.hand();
  proxy.version = 'newest';
  const isLost = page.locator('body[data-disconnected]').waitFor();
  await other.end('SIGTERM');
  await isLost;
  await other.begin();
  await page.locator('body:not([data-disconnected]) .hand .card-button').nth(14).waitFor();
  assert.deepEqual(await ann.hand(), hand);
  assert.equal(loads, 3);
  assertFaultless(ann);
});

/**
 * A proxy that replaces the version in the addresses of the server's files. It also delivers the files of versions
 * before: a page loads some of them late.
 */
class VersionProxy {
  /** The version in the answer of `api/page`, if it is another one. @type {string | null} */
  reportedVersion = null;

  /**
   * @param {number} port
   * @param {string} version
   */
  constructor(port, version) {
    this.port = port;
    this.version = version;
  }

  get url() {
    return `http://127.0.0.1:${this.port}/`;
  }

  /**
   * @param {Server} server
   * @param {string} version
   */
  static async of(server, version) {
    const { files } = await (await fetch(new URL('api/page', server.url))).json();
    const listener = createServer().listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const { port } = /** @type {AddressInfo} */ (listener.address());
    const proxy = new VersionProxy(port, version);
    listener.on('request', ({ method, url = '', headers }, answer) => {
      const { 'accept-encoding': _, ...plain } = headers;
      const path = url.replace(/\/a\/(older|newer)\//, `/a/${files}/`);
      const upstream = request({ port: server.port, method, path, headers: plain }, async (response) => {
        const isPage = response.headers['content-type']?.startsWith('text/html');
        if (url.endsWith('/api/page')) {
          response.resume();
          answer
            .setHeader('content-type', 'application/json')
            .end(JSON.stringify({ files: proxy.reportedVersion ?? proxy.version }));
        } else if (isPage) {
          const { 'content-length': _, ...others } = response.headers;
          const text = Buffer.concat(await response.toArray()).toString();
          answer.writeHead(200, others).end(text.replaceAll(`/a/${files}/`, `/a/${proxy.version}/`));
        } else {
          response.pipe(answer.writeHead(response.statusCode ?? 0, response.headers));
        }
      });
      upstream.on('error', () => answer.destroy());
      answer.req.pipe(upstream);
    });
    listener.on('upgrade', ({ url, rawHeaders }, end) => {
      const upstream = connect(server.port, '127.0.0.1', () => {
        const lines = rawHeaders.map((word, at) => (at % 2 ? `${word}\r\n` : `${word}: `)).join('');
        upstream.write(`GET ${url} HTTP/1.1\r\n${lines}\r\n`);
        end.pipe(upstream).pipe(end);
      });
      upstream.on('error', () => end.destroy());
      end.on('error', () => upstream.destroy());
    });
    after(() => {
      listener.closeAllConnections();
      listener.close();
    });
    return proxy;
  }
}

/**
 * Waits for the fonts. Returns the layout shifts.
 * @param {Page} page
 * @returns {Promise<Seen['shifts']>}
 */
function shiftsWithFonts(page) {
  return page.evaluate(async () => {
    await document.fonts.ready;
    const families = [...document.fonts].filter(({ status }) => status === 'loaded').map(({ family }) => family);
    if (!families.some((family) => family.includes('Atkinson Next'))) throw new Error(`only ${families} are there`);
    // The browser reports a layout shift after the frame in which it happens.
    for (let frame = 0; frame < 3; frame += 1) await new Promise((next) => requestAnimationFrame(next));
    return /** @type {RecordedWindow} */ (window).seen.shifts;
  });
}
