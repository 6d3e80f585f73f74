// A page that stays open keeps no more memory with each game.
//
// GAMES=100 feeds 100 games to one page instead of 4.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { assertFaultless, MOVING, openBrowser, Person, PHONE, Server } from './harness.js';
import { Table } from './seats.js';
import { opened, UNLIMITED } from './views.js';

/** @import { CDPSession, Page } from 'playwright-core' */

/** @typedef {{ nodes: number, listeners: number, bytes: number, heap: number }} Memory */

/** How many games are fed to one page, after how many of them it has all that it keeps, and how often it is looked at. */
const GAMES = Number(process.env.GAMES ?? 4);
const WARM = 2;
const LOOK = 20;
/**
 * How much more a page may hold after each further game: of listeners not one, and of everything else less than
 * a dozen of the game's hundreds of messages take or draw: what was said last is kept, and may be longer or shorter.
 */
const MOST_KEPT = { nodes: 20, listeners: 0.9, bytes: 6144 };
/** The parts of a heap that grow with time and not with kept objects: the browser compiles and profiles hot code. */
const NOT_KEPT = ['code', 'native', 'hidden', 'synthetic', 'object shape'];

const server = await Server.start({ options: UNLIMITED });
const browser = await openBrowser();

for (const game of ['sticheln', 'nyet']) {
  test(`memory is flat over ${GAMES} games (${game})`, { timeout: 900_000 + GAMES * 30_000 }, async () => {
    const told = await played(game, 4);
    const ann = await Person.come(browser, server, 'Ann', { viewport: PHONE, ...MOVING });
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

/**
 * The messages of a whole game to one person.
 * @param {string} game
 * @param {number} count
 */
async function played(game, count) {
  const { seats } = await opened(server, game, count);
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
 * The memory of the page after garbage collection: nodes, listeners, and the bytes of the objects of its scripts;
 * besides, the whole heap with compiled code.
 * @param {Page} page
 * @param {CDPSession} cdp
 * @returns {Promise<Memory>}
 */
async function memoryOf(page, cdp) {
  // Cards that still fly over the table are on the page as well.
  await page.waitForFunction(() =>
    document.getAnimations().every(({ effect }) => effect?.getComputedTiming().endTime === Infinity),
  );
  for (let round = 0; round < 3; round += 1) {
    // The next frame releases the nodes that were drawn last.
    await page.evaluate(() => new Promise((next) => requestAnimationFrame(next)));
    await cdp.send('HeapProfiler.collectGarbage');
  }
  const { usedSize } = await cdp.send('Runtime.getHeapUsage');
  // The snapshot clears away more thoroughly than `collectGarbage`, so nodes are counted after it.
  const bytes = await keptBytes(cdp);
  let { nodes, jsEventListeners } = await cdp.send('Memory.getDOMCounters');
  // Of what is shown for a moment only, such as a message that goes by itself, nothing is kept: the least counts.
  for (let look = 0; look < 8; look += 1) {
    for (let frame = 0; frame < 10; frame += 1)
      await page.evaluate(() => new Promise((next) => requestAnimationFrame(next)));
    await cdp.send('HeapProfiler.collectGarbage');
    const counted = await cdp.send('Memory.getDOMCounters');
    nodes = Math.min(nodes, counted.nodes);
    jsEventListeners = Math.min(jsEventListeners, counted.jsEventListeners);
  }
  return { nodes, listeners: jsEventListeners, bytes, heap: usedSize };
}

/**
 * The bytes of all values that scripts keep.
 * @param {CDPSession} cdp
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
