// The page is light, and can be installed: what it weighs, and how long it takes, on the real server in a real browser.
//
// GAMES=100 feeds 100 games to one page instead of 4.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { connect } from 'node:net';
import { after, describe, test } from 'node:test';

import { assertFaultless, DESKTOP, Line, openBrowser, Person, PHONE, Server } from './harness.js';
import { Seat, Table } from './seats.js';

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {{ nodes: number, listeners: number, bytes: number, heap: number }} Memory */
/** @typedef {{ heard: { card: string, frames: number }[], shifts: { value: number, moved: string[] }[] }} Seen */

/** What the first view may weigh. */
const MOST_BYTES = 150 * 1024;
/** Browsers ask for six files at a time: with more of them a slow line waits longer for answers than for bytes. */
const MOST_ANSWERS = 38;
const SLOW_LINE = { offline: false, latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8 };
const SLOW_DEVICE = 4;
const RUNS = 3;
/** How many games are fed to one page, after how many of them it has all that it keeps, and how often it is looked at. */
const GAMES = Number(process.env.GAMES ?? 4);
const WARM = 2;
const LOOK = 20;
/**
 * How much more a page may hold after each further game: of listeners not one, and of everything else less than
 * a dozen of the game's hundreds of messages take or draw: what was said last is kept, and may be longer or shorter.
 */
const MOST_KEPT = { nodes: 20, listeners: 0.9, bytes: 6144 };
/** What of a heap grows with time instead of with what is kept: the browser compiles what is done often, and takes notes. */
const NOT_KEPT = ['code', 'native', 'hidden', 'synthetic', 'object shape'];
/** How much may move in three tricks. */
const MOST_SHIFT = 0;
/** How much may move while the first view comes, with its fonts: what stands in for them is not as wide to a hair. */
const MOST_FIRST_SHIFT = 0.01;
/** A debug build packs nothing, and its files can change: what a release promises is not to be seen there. */
const isRelease = !/\bdebug\b/.test(process.env.STICHELN ?? '');
const releaseOnly = isRelease ? {} : { skip: 'a debug build packs nothing' };
const SWIFT = ['--messages-per-second', '100000', '--messages-at-once', '100000', '--rooms-per-address', '1000', '--upgrades-per-minute', '10000'];
/** The first views, and what they are good for. */
const VIEWS = { home: '#name', table: '#sit-name' };

const server = await Server.start({ options: SWIFT });
const browser = await openBrowser();

describe('the first view', { concurrency: 1, timeout: 300_000 }, () => {
  for (const [view, field] of Object.entries(VIEWS)) {
    test(`${view}: at most ${MOST_BYTES / 1024} KB`, releaseOnly, async () => {
      const ann = await Person.come(browser, server, 'Ann');
      const weight = await weigh(ann.page, await addressOf(view), field);
      const kb = (/** @type {number} */ bytes) => (bytes / 1024).toFixed(1);
      const parts = Object.entries(weight.parts).map(([part, bytes]) => `${part} ${kb(bytes)}`);
      console.log(`${view}: ${kb(weight.bytes)} KB in ${weight.count} answers (${parts.join(', ')})`);
      assert.ok(weight.bytes <= MOST_BYTES, `${weight.bytes} bytes`);
      assert.ok(weight.count <= MOST_ANSWERS, `${weight.count} answers`);
      assertFaultless(ann);
    });

    // How long it takes is told, not judged: that depends on what else the machine does.
    test(`${view}: can be used on a slow phone, and nothing moves when the fonts come`, releaseOnly, async () => {
      const address = await addressOf(view);
      const times = [];
      for (let run = 0; run < RUNS; run += 1) {
        const ann = await Person.come(browser, server, 'Ann', { viewport: PHONE, hasTouch: true, isMobile: true });
        await ann.page.addInitScript(watch);
        await ann.page.addInitScript(() => /** @type {any} */ (window).seen.begin());
        times.push(await timeTo(ann.page, address, field));
        const shifts = await shiftsWithFonts(ann.page);
        const sum = shifts.reduce((sum, { value }) => sum + value, 0);
        assert.ok(sum <= MOST_FIRST_SHIFT, JSON.stringify(shifts));
        await ann.page.context().close();
      }
      console.log(`${view}: usable after ${times.map(Math.round).sort((a, b) => a - b).join(', ')} ms on a slow phone`);
    });
  }

  for (const [view, field] of Object.entries(VIEWS)) {
    test(`${view}: every module of it is named by the page, and no other`, async () => {
      const ann = await Person.come(browser, server, 'Ann');
      await ann.page.addInitScript(notice, field);
      await ann.page.goto(await addressOf(view));
      await ann.page.locator(field).waitFor();
      const { named, fetched } = await ann.page.evaluate(() => ({
        named: Array.from(document.querySelectorAll('link[rel=modulepreload]'), (link) => /** @type {HTMLLinkElement} */ (link).href),
        fetched: performance
          .getEntriesByType('resource')
          .filter(({ startTime }) => startTime < /** @type {any} */ (globalThis).firstSeen)
          .map(({ name }) => name),
      }));
      const classic = await classicScripts(ann.page);
      const modules = fetched.filter((name) => name.endsWith('.js') && !classic.includes(name));
      assert.ok(named.length > 10);
      assert.deepEqual([...new Set(modules)].sort(), named.sort());
      assertFaultless(ann);
    });
  }
});

describe('the page', { concurrency: 1, timeout: 300_000 }, () => {
  test('can be installed', async () => {
    const ann = await Person.come(browser, server, 'Ann');
    for (const view of Object.keys(VIEWS)) {
      await ann.page.goto((await addressOf(view)).replace('127.0.0.1', 'localhost'));
      const cdp = await ann.page.context().newCDPSession(ann.page);
      const { url, errors, data } = await cdp.send('Page.getAppManifest');
      assert.equal(new URL(url).pathname, '/manifest.webmanifest');
      assert.deepEqual(errors, []);
      assert.equal(JSON.parse(data ?? '').display, 'standalone');
      const { installabilityErrors } = await cdp.send('Page.getInstallabilityErrors');
      // Windows of a test are as private as can be; nothing else is wrong.
      const wrong = installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito');
      assert.deepEqual(wrong, []);
    }
  });

  test('is loaded anew, once, if the server has other files; the seat stays', async () => {
    const other = await Server.start();
    const guise = await Guise.of(other, 'older');
    const ann = await Person.come(browser, guise, 'Ann');
    const { page } = ann;
    let loads = 0;
    page.on('domcontentloaded', () => (loads += 1));
    const marks = () => page.locator('script[src]').evaluateAll((all) => all.map((script) => /** @type {HTMLScriptElement} */ (script).src.split('/').at(-3)));
    await ann.openTable({ seats: 3 });
    await ann.seated();
    await ann.click('Fill with bots & start');
    await page.locator('.hand .cb').nth(14).waitFor();
    const hand = await ann.hand();
    assert.deepEqual([loads, new Set(await marks())], [1, new Set(['older'])]);

    guise.mark = 'newer';
    await other.end('SIGTERM');
    const again = page.waitForEvent('domcontentloaded');
    await other.begin();
    await again;
    await page.locator('.hand .cb').nth(14).waitFor();
    assert.deepEqual(await ann.hand(), hand);
    assert.deepEqual([loads, new Set(await marks())], [2, new Set(['newer'])]);

    // Somebody between them keeps an old page: it is loaded once more, and then never again.
    guise.told = 'newest';
    for (let restart = 0; restart < 3; restart += 1) {
      const asked = page.waitForResponse(/\/api\/page$/);
      await other.end('SIGTERM');
      await other.begin();
      await asked;
      await page.locator('body:not([data-locked]) .hand .cb').nth(14).waitFor();
    }
    assert.deepEqual([loads, new Set(await marks())], [3, new Set(['newer'])]);
    assert.deepEqual(await ann.hand(), hand);
    assertFaultless(ann);
  });

  test('does not vanish while somebody types', async () => {
    const line = await Line.to(server);
    const ann = await Person.come(browser, line, 'Ann');
    const { page } = ann;
    await ann.openTable({ seats: 3 });
    await ann.seated();
    let loads = 0;
    page.on('domcontentloaded', () => (loads += 1));
    await page.route(/\/api\/page$/, (route) => route.fulfill({ json: { files: 'newer' } }));
    const field = page.locator('input[name=text]').filter({ visible: true }).first();
    await field.fill('Wait for');
    const asked = page.waitForResponse(/\/api\/page$/);
    line.cut();
    line.mend();
    await asked;
    await field.pressSequentially(' me');
    assert.equal(loads, 0);
    const again = page.waitForEvent('domcontentloaded');
    await field.press('Enter');
    await again;
    await ann.seated();
    await ann.sees('Wait for me');
  });
});

describe('the table', { concurrency: 1, timeout: 900_000 + GAMES * 30_000 }, () => {
  for (const [device, options] of Object.entries({ phone: { viewport: PHONE, hasTouch: true, isMobile: true }, desktop: { viewport: DESKTOP } })) {
    test(`a played card is there with the next frame, and nothing else moves (${device})`, async () => {
      const { seats, code } = await opened('sticheln', 4);
      const ann = await Person.come(browser, server, 'Ann', options);
      await ann.page.addInitScript(watch);
      await ann.follow(new URL(`t/${code}`, server.url).href);
      await seats[0]?.says('start');
      const table = new Table(seats, () => 0.5);
      await table.play(() => seats[0]?.table.phase === 'trick');
      await ann.page.locator('.seats[data-kind=trick] .slot.next').waitFor();
      await ann.page.evaluate(() => /** @type {any} */ (window).seen.begin());
      for (let trick = 0; trick < 3; trick += 1) {
        for (let card = 0; card < 4; card += 1) {
          const seat = await table.next();
          assert.ok(seat);
          await table.act(seat, seat.game.legal[0]);
        }
        // The finished trick stays for a while.
        await ann.page.locator('.seats[data-kind=taken]').waitFor();
        await ann.page.locator('.seats[data-kind=trick]').waitFor();
      }
      /** @type {Seen} */
      const { heard, shifts } = await ann.page.evaluate(() => /** @type {any} */ (window).seen);
      const frames = heard.map(({ frames }) => frames);
      const sum = shifts.reduce((sum, { value }) => sum + value, 0);
      console.log(`${device}: ${heard.length} cards after ${frames.join(', ')} frames; layout shift ${sum}`);
      assert.equal(heard.length, 12);
      assert.ok(frames.every((count) => count <= 1), JSON.stringify(heard));
      assert.ok(sum <= MOST_SHIFT, JSON.stringify(shifts));
      assertFaultless(ann);
    });
  }

  for (const game of ['sticheln', 'nyet']) {
    test(`memory is flat over ${GAMES} games (${game})`, async () => {
      const told = await played(game, 4);
      const ann = await Person.come(browser, server, 'Ann', { viewport: PHONE });
      await ann.page.addInitScript(feed);
      await ann.page.goto(new URL('t/k7qm2x4p', server.url).href);
      await ann.page.waitForFunction(() => /** @type {any} */ (window).feeds);
      const cdp = await ann.page.context().newCDPSession(ann.page);
      await ann.page.evaluate((told) => Object.assign(window, { told }), told);
      /** @type {Map<number, Memory>} */
      const memories = new Map();
      for (let count = 1; count <= GAMES; count += 1) {
        await ann.page.evaluate(() => /** @type {any} */ (window).feeds(/** @type {any} */ (window).told));
        await ann.page.locator('[data-screen=game-end]').waitFor();
        if (count !== WARM && count !== GAMES && count % LOOK !== 0) continue;
        const memory = await memoryOf(ann.page, cdp);
        memories.set(count, memory);
        console.log(`${game}: ${told.length} messages a game; after ${count} games ${JSON.stringify(memory)}`);
      }
      const [warm, now] = [memories.get(WARM), memories.get(GAMES)];
      assert.ok(warm && now && GAMES > WARM);
      for (const [what, most] of /** @type {[keyof typeof MOST_KEPT, number][]} */ (Object.entries(MOST_KEPT))) {
        const kept = (now[what] - warm[what]) / (GAMES - WARM);
        assert.ok(kept <= most, `${what}: ${kept} more with each game, ${warm[what]} became ${now[what]}`);
      }
      assertFaultless(ann);
    });
  }
});

/** A server as if its files had another mark. */
class Guise {
  /** The mark that it tells, if that is not its own. @type {string | null} */
  told = null;

  /**
   * @param {number} port
   * @param {string} mark
   */
  constructor(port, mark) {
    this.port = port;
    this.mark = mark;
  }

  get url() {
    return `http://127.0.0.1:${this.port}/`;
  }

  /**
   * @param {Server} server
   * @param {string} mark
   */
  static async of(server, mark) {
    const { files } = await (await fetch(new URL('api/page', server.url))).json();
    const near = createServer().listen(0, '127.0.0.1');
    await once(near, 'listening');
    const { port } = /** @type {import('node:net').AddressInfo} */ (near.address());
    const guise = new Guise(port, mark);
    near.on('request', ({ method, url = '', headers }, answer) => {
      const { 'accept-encoding': _, ...plain } = headers;
      const path = url.replace(`/a/${guise.mark}/`, `/a/${files}/`);
      const far = request({ port: server.port, method, path, headers: plain }, async (told) => {
        const isPage = told.headers['content-type']?.startsWith('text/html');
        if (url.endsWith('/api/page')) {
          told.resume();
          answer.setHeader('content-type', 'application/json').end(JSON.stringify({ files: guise.told ?? guise.mark }));
        } else if (isPage) {
          const { 'content-length': _, ...others } = told.headers;
          const text = Buffer.concat(await told.toArray()).toString();
          answer.writeHead(200, others).end(text.replaceAll(`/a/${files}/`, `/a/${guise.mark}/`));
        } else {
          told.pipe(answer.writeHead(told.statusCode ?? 0, told.headers));
        }
      });
      far.on('error', () => answer.destroy());
      answer.req.pipe(far);
    });
    near.on('upgrade', ({ url, rawHeaders }, end) => {
      const far = connect(server.port, '127.0.0.1', () => {
        const lines = rawHeaders.map((word, at) => (at % 2 ? `${word}\r\n` : `${word}: `)).join('');
        far.write(`GET ${url} HTTP/1.1\r\n${lines}\r\n`);
        end.pipe(far).pipe(end);
      });
      far.on('error', () => end.destroy());
      end.on('error', () => far.destroy());
    });
    after(() => {
      near.closeAllConnections();
      near.close();
    });
    return guise;
  }
}

/**
 * The address of a view: for the table, that of a new one.
 * @param {string} view
 */
async function addressOf(view) {
  if (view === 'home') return server.url;
  return new URL(`t/${await newTable('sticheln', 4)}`, server.url).href;
}

/**
 * Opens a table; gives its code.
 * @param {string} game
 * @param {number} seats
 * @returns {Promise<string>}
 */
async function newTable(game, seats) {
  const answer = await fetch(new URL('api/rooms', server.url), { method: 'POST', body: JSON.stringify({ game, seats }) });
  return (await answer.json()).room;
}

/**
 * A table at which all chairs are taken.
 * @param {string} game
 * @param {number} count
 */
async function opened(game, count) {
  const code = await newTable(game, count);
  const seats = [];
  for (let seat = 0; seat < count; seat += 1) seats.push(await Seat.come(server.url, code, `Player ${seat + 1}`));
  for (const seat of seats.slice(1)) await seat.says('ready', { ready: true });
  return { seats, code };
}

/**
 * What somebody hears of a whole game.
 * @param {string} game
 * @param {number} count
 */
async function played(game, count) {
  const { seats } = await opened(game, count);
  const [first] = seats;
  assert.ok(first);
  await first.says('start');
  let at = 0;
  const table = new Table(seats, () => (at = (at + 0.37) % 1));
  await first.until(() => first.game !== null);
  for (;;) {
    await table.play();
    await first.until(() => first.table.phase === 'round_end');
    if (first.heard.some(({ events }) => events?.some((/** @type {any} */ { type }) => type === 'game_over'))) break;
    await table.ready();
  }
  return first.heard;
}

/**
 * Comes to a view; what it weighs until it can be used and has its fonts. What is only fetched for later is told,
 * but is no part of it.
 * @param {Page} page
 * @param {string} address
 * @param {string} field that can be typed into
 */
async function weigh(page, address, field) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Network.enable');
  /** @type {Map<string, { url: string, type: string }>} */
  const asked = new Map();
  /** @type {{ url: string, type: string, bytes: number }[]} */
  const told = [];
  cdp.on('Network.requestWillBeSent', ({ requestId, request, type }) => asked.set(requestId, { url: request.url, type: type ?? 'Other' }));
  cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const request = asked.get(requestId);
    if (request) told.push({ ...request, bytes: encodedDataLength });
  });
  await page.goto(address);
  await page.locator(field).waitFor();
  await page.evaluate(() => document.fonts.ready);
  await page.waitForLoadState('networkidle');
  const named = await page.locator('link[rel=modulepreload]').evaluateAll((all) => all.map((link) => /** @type {HTMLLinkElement} */ (link).href));
  const classic = await classicScripts(page);
  /** @type {Record<string, number>} */
  const parts = {};
  let bytes = 0;
  let count = 0;
  for (const answer of told) {
    const isLater = answer.type === 'Script' && !named.includes(answer.url) && !classic.includes(answer.url);
    const part = isLater ? 'later' : answer.type.toLowerCase();
    parts[part] = (parts[part] ?? 0) + answer.bytes;
    if (part === 'later') continue;
    bytes += answer.bytes;
    count += 1;
  }
  return { bytes, count, parts };
}

/**
 * The addresses of scripts that are no modules.
 * @param {Page} page
 * @returns {Promise<string[]>}
 */
function classicScripts(page) {
  const scripts = page.locator('script:not([type=module])');
  return scripts.evaluateAll((all) => all.map((script) => /** @type {HTMLScriptElement} */ (script).src));
}

/**
 * Comes to a view on a slow phone; after how many milliseconds its field is there.
 * @param {Page} page
 * @param {string} address
 * @param {string} field
 * @returns {Promise<number>}
 */
async function timeTo(page, address, field) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Network.enable');
  await cdp.send('Network.emulateNetworkConditions', SLOW_LINE);
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: SLOW_DEVICE });
  await page.addInitScript((field) => {
    const look = () => {
      const found = document.querySelector(field);
      if (found instanceof HTMLElement && found.offsetParent) Object.assign(window, { usableAfter: performance.now() });
      else requestAnimationFrame(look);
    };
    look();
  }, field);
  await page.goto(address, { waitUntil: 'commit' });
  const after = await page.waitForFunction(() => /** @type {any} */ (window).usableAfter);
  return after.jsonValue();
}

/**
 * What has moved once the fonts are there.
 * @param {Page} page
 * @returns {Promise<Seen['shifts']>}
 */
function shiftsWithFonts(page) {
  return page.evaluate(async () => {
    await document.fonts.ready;
    const families = [...document.fonts].filter(({ status }) => status === 'loaded').map(({ family }) => family);
    if (!families.some((family) => family.includes('Atkinson Next'))) throw new Error(`only ${families} are there`);
    // What moves is told after the frame in which it does.
    for (let frame = 0; frame < 3; frame += 1) await new Promise((next) => requestAnimationFrame(next));
    return /** @type {any} */ (window).seen.shifts;
  });
}

/**
 * What the page holds, after everything was cleared away that can be: nodes, listeners, and the bytes of what its
 * scripts keep; beside that the whole heap, with what was compiled.
 * @param {Page} page
 * @param {import('playwright-core').CDPSession} cdp
 * @returns {Promise<Memory>}
 */
async function memoryOf(page, cdp) {
  for (let round = 0; round < 3; round += 1) {
    // What was drawn last is let go of with the next frame.
    await page.evaluate(() => new Promise((next) => requestAnimationFrame(next)));
    await cdp.send('HeapProfiler.collectGarbage');
  }
  const { nodes, jsEventListeners } = await cdp.send('Memory.getDOMCounters');
  const { usedSize } = await cdp.send('Runtime.getHeapUsage');
  return { nodes, listeners: jsEventListeners, bytes: await keptBytes(cdp), heap: usedSize };
}

/**
 * The bytes of all values that scripts keep.
 * @param {import('playwright-core').CDPSession} cdp
 * @returns {Promise<number>}
 */
async function keptBytes(cdp) {
  /** @type {string[]} */
  const chunks = [];
  const hear = (/** @type {{ chunk: string }} */ { chunk }) => chunks.push(chunk);
  cdp.on('HeapProfiler.addHeapSnapshotChunk', hear);
  await cdp.send('HeapProfiler.takeHeapSnapshot');
  cdp.off('HeapProfiler.addHeapSnapshotChunk', hear);
  const { snapshot, nodes } = JSON.parse(chunks.join(''));
  const { node_fields: fields, node_types: types } = snapshot.meta;
  const [type, size] = [fields.indexOf('type'), fields.indexOf('self_size')];
  let bytes = 0;
  for (let at = 0; at < nodes.length; at += fields.length) {
    if (!NOT_KEPT.includes(types[type][nodes[at + type]])) bytes += nodes[at + size];
  }
  return bytes;
}

/** Runs in the page before everything else: notices when played cards are told and when they are there. */
function watch() {
  /** @type {Seen} */
  const seen = { heard: [], shifts: [] };
  let isOn = false;
  const isThere = (/** @type {string} */ card) => {
    const [colour, value] = card.split('-');
    const laid = document.querySelectorAll(`.seats .slot.laid .card.${colour} .big`);
    return [...laid].some(({ textContent }) => textContent?.trim() === value);
  };
  const Real = WebSocket;
  window.WebSocket = /** @type {any} */ (class extends Real {
    /** @param {[string, string]} address */
    constructor(...address) {
      super(...address);
      // The page listens first.
      this.addEventListener('open', () => this.addEventListener('message', ({ data }) => hear(JSON.parse(data))));
    }
  });
  /** @param {any} message */
  function hear({ type, events }) {
    for (const { type: fact, card } of (isOn && type === 'game' && events) || []) {
      if (fact !== 'played') continue;
      const told = { card, frames: 0 };
      seen.heard.push(told);
      const look = () => {
        told.frames += 1;
        if (told.frames < 100 && !isThere(card)) requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    }
  }
  new PerformanceObserver((list) => {
    for (const entry of /** @type {any[]} */ (list.getEntries())) {
      const moved = entry.sources.map((/** @type {any} */ { node }) => node?.parentElement?.outerHTML.slice(0, 160) ?? '');
      if (isOn && !entry.hadRecentInput) seen.shifts.push({ value: entry.value, moved });
    }
  }).observe({ type: 'layout-shift', buffered: true });
  Object.assign(window, { seen: Object.assign(seen, { begin: () => (isOn = true) }) });
}

/** Runs in the page before everything else: a socket that says what it is fed, ten seconds apart, all of it drawn. */
function feed() {
  const realNow = Date.now;
  const channel = new MessageChannel();
  let gone = 0;
  Date.now = () => realNow() + gone;
  // A page that is not seen draws without waiting for a frame.
  Object.defineProperty(document, 'visibilityState', { value: 'hidden' });
  window.WebSocket = /** @type {any} */ (
    class {
      readyState = 0;
      constructor() {
        setTimeout(() => {
          this.readyState = 1;
          /** @type {any} */ (this).onopen({});
        });
      }
      /** @param {string} text */
      send(text) {
        const { id } = JSON.parse(text);
        setTimeout(() => this.say({ type: 'ok', id }));
        Object.assign(window, { feeds: (/** @type {any[]} */ told) => this.feed(told) });
      }
      close() {
        this.readyState = 3;
      }
      /** @param {any[]} told */
      async feed(told) {
        for (const message of told) {
          gone += 10_000;
          this.say(message);
          await new Promise((next) => setTimeout(next));
          // A timer that is set by a timer waits longer: so the next message comes by another way.
          await new Promise((next) => {
            channel.port1.onmessage = next;
            channel.port2.postMessage(null);
          });
        }
      }
      /** @param {any} message */
      say(message) {
        /** @type {any} */ (this).onmessage?.({ data: JSON.stringify(message) });
      }
    }
  );
}

/**
 * Runs in the page before anything else: notices when it can be used.
 * @param {string} field
 */
function notice(field) {
  const page = /** @type {{ firstSeen?: number }} */ (globalThis);
  new MutationObserver(() => {
    if (document.querySelector(field)) page.firstSeen ??= performance.now();
  }).observe(document, { childList: true, subtree: true });
}
