// A page that stays open keeps no more memory with each game.
//
// GAMES=100 feeds 100 games to one page instead of 4.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventsOf } from '../messages.js';
import { GamePlay } from './clients.js';
import { openFullRoom, UNLIMITED } from './first-screens.js';
import { assertFaultless, openBrowser, Person, PHONE, Server, WITH_ANIMATIONS } from './harness.js';

/** @import { Socket } from '../../js/connection.js' */
/** @import { CDPSession, Page } from 'playwright-core' */
/** @import { ServerMessage } from '../../js/protocol.js' */
/** A page that is fed with messages. @typedef {Window & typeof globalThis & { feed: (messages: ServerMessage[]) => Promise<void>, messages: ServerMessage[] }} FedWindow */

/** @typedef {{ nodes: number, listeners: number, bytes: number, heap: number }} Memory */

/**
 * The number of games for one page, the number after which its memory should not grow, and the interval of
 * measurements.
 */
const GAMES = Number(process.env.GAMES ?? 4);
const WARM = 2;
const LOOK = 20;
/**
 * The largest growth for each further game: no listener, and fewer nodes and bytes than a dozen of the hundreds of
 * messages of a game. It is not 0, because the page keeps the last announcements, which differ in length.
 */
const MOST_KEPT = { nodes: 20, listeners: 0.9, bytes: 6144 };
/** The kinds of heap nodes that grow with time, because the browser compiles hot functions and collects profiles. */
const NOT_KEPT = ['code', 'native', 'hidden', 'synthetic', 'object shape'];

const server = await Server.start({ options: UNLIMITED });
const browser = await openBrowser();

for (const game of ['sticheln', 'nyet']) {
  test(`memory is flat over ${GAMES} games (${game})`, { timeout: 900_000 + GAMES * 30_000 }, async () => {
    const messages = await messagesOfGame(game, 4);
    const ann = await Person.open(browser, server, 'Ann', { viewport: PHONE, ...WITH_ANIMATIONS });
    await ann.page.addInitScript(installFeed);
    await ann.page.goto(new URL('t/k7qm2x4p', server.url).href);
    await ann.page.waitForFunction(() => /** @type {Partial<FedWindow>} */ (window).feed);
    const cdp = await ann.page.context().newCDPSession(ann.page);
    await ann.page.evaluate((messages) => Object.assign(window, { messages }), messages);
    /** @type {Map<number, Memory>} */
    const memories = new Map();
    for (let count = 1; count <= GAMES; count += 1) {
      await ann.page.evaluate(() => (({ feed, messages }) => feed(messages))(/** @type {FedWindow} */ (window)));
      await ann.page.locator('[data-screen=game-end]').waitFor();
      if (count !== WARM && count !== GAMES && count % LOOK !== 0) continue;
      const memory = await memoryOf(ann.page, cdp);
      memories.set(count, memory);
      console.log(`${game}: ${messages.length} messages a game; after ${count} games ${JSON.stringify(memory)}`);
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
 * Plays a whole game, and returns the messages to one client.
 * @param {string} game
 * @param {number} count
 */
async function messagesOfGame(game, count) {
  const { clients } = await openFullRoom(server, game, count);
  const [first] = clients;
  assert.ok(first);
  await first.send('start');
  let at = 0;
  const gamePlay = new GamePlay(clients, () => (at = (at + 0.37) % 1));
  await first.waitFor(() => first.hasGame);
  for (;;) {
    await gamePlay.play();
    await first.waitFor(() => first.table.phase === 'round_end');
    if (first.received.flatMap(eventsOf).some(({ type }) => type === 'game_over')) break;
    await gamePlay.ready();
  }
  return first.received;
}

/**
 * The memory of a page after garbage collection: nodes, listeners, the bytes of all values of its scripts, and the
 * whole heap with compiled code.
 * @param {Page} page
 * @param {CDPSession} cdp
 * @returns {Promise<Memory>}
 */
async function memoryOf(page, cdp) {
  // Animated cards are nodes of the page too.
  await page.waitForFunction(() =>
    document.getAnimations().every(({ effect }) => effect?.getComputedTiming().endTime === Infinity),
  );
  for (let round = 0; round < 3; round += 1) {
    // The next frame releases the last drawing.
    await page.evaluate(() => new Promise((next) => requestAnimationFrame(next)));
    await cdp.send('HeapProfiler.collectGarbage');
  }
  const { usedSize } = await cdp.send('Runtime.getHeapUsage');
  // A heap snapshot collects more garbage than `collectGarbage`, so nodes are counted after it.
  const bytes = await keptBytes(cdp);
  let { nodes, jsEventListeners } = await cdp.send('Memory.getDOMCounters');
  // Toasts and other temporary elements do not count, so this takes the smallest of some counts.
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
 * The bytes of all values that scripts reference.
 * @param {CDPSession} cdp
 * @returns {Promise<number>}
 */
async function keptBytes(cdp) {
  /** @type {string[]} */
  const chunks = [];
  const onChunk = (/** @type {{ chunk: string }} */ { chunk }) => chunks.push(chunk);
  cdp.on('HeapProfiler.addHeapSnapshotChunk', onChunk);
  await cdp.send('HeapProfiler.takeHeapSnapshot');
  cdp.off('HeapProfiler.addHeapSnapshotChunk', onChunk);
  const { snapshot, nodes } = JSON.parse(chunks.join(''));
  const { node_fields: fields, node_types: types } = snapshot.meta;
  const [type, size] = [fields.indexOf('type'), fields.indexOf('self_size')];
  let bytes = 0;
  for (let at = 0; at < nodes.length; at += fields.length) {
    if (!NOT_KEPT.includes(types[type][nodes[at + type]])) bytes += nodes[at + size];
  }
  return bytes;
}

/**
 * Runs in the page before its scripts: installs a fake WebSocket, and a function that feeds messages to it. The clock
 * advances by ten seconds between them, and the page draws each of them.
 */
function installFeed() {
  const realNow = Date.now;
  const channel = new MessageChannel();
  let gone = 0;
  Date.now = () => realNow() + gone;
  // A hidden page draws without waiting for a frame.
  Object.defineProperty(document, 'visibilityState', { value: 'hidden' });
  window.WebSocket = /** @type {typeof WebSocket} */ (
    /** @type {unknown} */ (
      class {
        readyState = 0;
        /** @type {Socket['onopen']} */
        onopen = null;
        /** @type {Socket['onmessage']} */
        onmessage = null;
        constructor() {
          setTimeout(() => {
            this.readyState = 1;
            this.onopen?.({});
          });
        }
        /** @param {string} text */
        send(text) {
          const { id } = JSON.parse(text);
          setTimeout(() => this.say({ type: 'ok', id }));
          Object.assign(window, { feed: (/** @type {ServerMessage[]} */ messages) => this.feed(messages) });
        }
        close() {
          this.readyState = 3;
        }
        /** @param {ServerMessage[]} messages */
        async feed(messages) {
          for (const message of messages) {
            gone += 10_000;
            this.say(message);
            await new Promise((next) => setTimeout(next));
            // Browsers delay nested timers, so a message channel triggers the next message.
            await new Promise((next) => {
              channel.port1.onmessage = next;
              channel.port2.postMessage(null);
            });
          }
        }
        /** @param {ServerMessage} message */
        say(message) {
          this.onmessage?.({ data: JSON.stringify(message) });
        }
      }
    )
  );
}
