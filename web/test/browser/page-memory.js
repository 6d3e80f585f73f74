// The memory of a page that stays open for many games.

import assert from 'node:assert/strict';

import { eventsOf } from '../messages.js';
import { evenSequence, GamePlay } from './clients.js';
import { openFullRoom } from './first-screens.js';

/** @import { CDPSession, Page } from 'playwright-core' */
/** @import { Socket } from '../../js/connection.js' */
/** @import { ServerMessage } from '../../js/protocol.js' */
/** @import { Person } from './person.js' */
/** @import { Server } from './server.js' */

/**
 * A page that is fed with messages.
 * @typedef {Window & typeof globalThis & { feed: (messages: ServerMessage[]) => Promise<void>, messages: ServerMessage[] }} FedWindow
 */
/**
 * `reachableBytes`: those of all values that scripts reference. `heap`: the bytes of the whole JavaScript heap, with compiled
 * code.
 * @typedef {{ nodes: number, listeners: number, reachableBytes: number, heap: number }} Memory
 */

/** The number of games after which the progress is reported. */
const REPORT_INTERVAL = 10;
/** The path of a room. The server need not have it, because the page gets a fake WebSocket. */
const ROOM_PATH = 't/k7qm2x4p';
/** The number of garbage collections before the heap is measured. Each can free values for the next one. */
const COLLECTIONS = 3;
/** The number of times that nodes are counted, and the frames before each of them. */
const COUNTS = 8;
const FRAMES_PER_COUNT = 10;
/** The kinds of heap nodes of the engine. They grow, because the browser compiles hot functions and collects profiles. */
const ENGINE_KINDS = ['code', 'native', 'hidden', 'synthetic', 'object shape'];

/**
 * Plays one game and feeds its messages to a page again and again. The page draws each message.
 * @param {Server} server
 * @param {Person} person with an empty page
 * @param {{ game: string, players: number, games: number[] }} settings `games`: the numbers of games, in ascending
 *   order, after which the memory is measured
 * @param {(text: string) => void} report is called with the progress
 * @returns {Promise<Map<number, Memory>>} the memory after each of these numbers of games
 */
export async function memoryAfterGames(server, { page }, { game, players, games }, report) {
  const messages = await messagesOfGame(server, game, players);
  await page.addInitScript(installFeed);
  await page.goto(new URL(ROOM_PATH, server.url).href);
  await page.waitForFunction(() => /** @type {Partial<FedWindow>} */ (window).feed);
  const cdp = await page.context().newCDPSession(page);
  await page.evaluate((messages) => Object.assign(window, { messages }), messages);
  /** @type {Map<number, Memory>} */
  const memories = new Map();
  const last = Math.max(...games);
  for (let count = 1; count <= last; count += 1) {
    await page.evaluate(() => (({ feed, messages }) => feed(messages))(/** @type {FedWindow} */ (window)));
    await page.locator('[data-screen=game-end]').waitFor();
    if (count % REPORT_INTERVAL === 0) report(`${game}: ${count} of ${last} games`);
    if (!games.includes(count)) continue;
    const memory = await memoryOf(page, cdp);
    memories.set(count, memory);
    report(`${game}: ${messages.length} messages a game; after ${count} games ${JSON.stringify(memory)}`);
  }
  return memories;
}

/**
 * Plays a whole game, and returns the messages to one client. The actions vary, but are the same in each run.
 * @param {Server} server
 * @param {string} game
 * @param {number} players
 */
async function messagesOfGame(server, game, players) {
  const { clients } = await openFullRoom(server, game, players);
  const [first] = clients;
  assert.ok(first);
  await first.send('start');
  const gamePlay = new GamePlay(clients, evenSequence());
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
  for (let collection = 0; collection < COLLECTIONS; collection += 1) {
    // The next frame releases the last drawing.
    await page.evaluate(() => new Promise((next) => requestAnimationFrame(next)));
    await cdp.send('HeapProfiler.collectGarbage');
  }
  const { usedSize } = await cdp.send('Runtime.getHeapUsage');
  // A heap snapshot collects more garbage than `collectGarbage`, so nodes are counted after it.
  const reachableBytes = await countReachableBytes(cdp);
  let { nodes, jsEventListeners } = await cdp.send('Memory.getDOMCounters');
  // Toasts and other temporary elements do not count, so this takes the smallest of some counts.
  for (let count = 0; count < COUNTS; count += 1) {
    for (let frame = 0; frame < FRAMES_PER_COUNT; frame += 1)
      await page.evaluate(() => new Promise((next) => requestAnimationFrame(next)));
    await cdp.send('HeapProfiler.collectGarbage');
    const counted = await cdp.send('Memory.getDOMCounters');
    nodes = Math.min(nodes, counted.nodes);
    jsEventListeners = Math.min(jsEventListeners, counted.jsEventListeners);
  }
  return { nodes, listeners: jsEventListeners, reachableBytes, heap: usedSize };
}

/**
 * The bytes of all values that scripts reference.
 * @param {CDPSession} cdp
 * @returns {Promise<number>}
 */
async function countReachableBytes(cdp) {
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
    if (!ENGINE_KINDS.includes(types[type][nodes[at + type]])) bytes += nodes[at + size];
  }
  return bytes;
}

/**
 * Runs in the page before its scripts: installs a fake WebSocket, and a function that feeds messages to it. The clock
 * advances by ten seconds between them, and the page draws each of them.
 */
function installFeed() {
  const realNow = Date.now;
  let elapsedMs = 0;
  Date.now = () => realNow() + elapsedMs;
  // Browsers delay nested timers: then the page would draw several messages at once. A message channel does not.
  const channel = new MessageChannel();
  /** @type {(() => void)[]} */
  const tasks = [];
  channel.port1.onmessage = () => tasks.shift()?.();
  const setDelayed = window.setTimeout;
  const setTask = (/** @type {() => void} */ task, delay = 0) => {
    if (delay > 0) return setDelayed(task, delay);
    tasks.push(task);
    channel.port2.postMessage(null);
    return 0;
  };
  Object.assign(window, { setTimeout: setTask });
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
          setTimeout(() => this.deliver({ type: 'ok', id }));
          Object.assign(window, { feed: (/** @type {ServerMessage[]} */ messages) => this.feed(messages) });
        }
        close() {
          this.readyState = 3;
        }
        /** @param {ServerMessage[]} messages */
        async feed(messages) {
          for (const message of messages) {
            elapsedMs += 10_000;
            this.deliver(message);
            // This task comes after that in which the page draws the message.
            await new Promise((next) => setTimeout(next));
          }
        }
        /** @param {ServerMessage} message */
        deliver(message) {
          this.onmessage?.({ data: JSON.stringify(message) });
        }
      }
    )
  );
}
