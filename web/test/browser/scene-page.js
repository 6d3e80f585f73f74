// Shows scenes in the page of the real server. The page has a fake WebSocket that replays a recording, a fake clock and
// fixed random numbers, so screenshots are reproducible.

import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { after } from 'node:test';

import { KEYS } from '../../js/storage.js';
import { textsIn } from '../texts.js';
import { BROWSER, CHROMIUM, chromium, WINDOW } from './browser.js';
import { recordPage } from './failures.js';
import { REPLAY_STEP_MS, ROOM_CODE, recordingOf } from './recordings.js';

/** @import { Socket } from '../../js/connection.js' */
/** @import { RoomSummary, ServerMessage } from '../../js/protocol.js' */
/** @import { Language } from '../../js/settings.js' */
/** @import { Server } from './server.js' */
/** @import { AddressInfo } from 'node:net' */
/** @import { BrowserContextOptions, Disposable, Page } from 'playwright-core' */

/**
 * The input of a scene: everything that determines what the page shows.
 * @typedef {object} SceneInput
 * @property {string} [path] the path of the page. The default is the room of the recording, or the home page
 * @property {string} [recording] the name of the recording. The page gets its messages up to the mark
 * @property {string} [mark]
 * @property {string | number | 'silence'} [hello] the answer to `hello` instead of the recording: the code of a refusal, a
 *   close code, or none
 * @property {'ok' | 'silence' | { refused: string }} [answers] the answers to all other messages
 * @property {RoomSummary[]} [rooms] the list of rooms on the home page
 * @property {string} [opening] the code with which the server refuses to open a room
 * @property {Record<string, RoomSummary>} [summaries] the summaries of rooms, by their codes
 * @property {Record<string, unknown>} [settings] the settings of the page
 * @property {Record<string, unknown>} [storage] further entries of the browser's local storage
 * @property {boolean} [isOld] whether the browser is too old for the page
 */

/**
 * The data that the fakes of a page show and answer with.
 * @typedef {object} Script
 * @property {number} now
 * @property {ServerMessage[]} snapshot the messages of the recording up to its start
 * @property {ServerMessage[]} messages those that are replayed
 * @property {number} step the time between two of them, in milliseconds
 * @property {string | number | 'silence'} hello
 * @property {'ok' | 'silence' | { refused: string }} answers
 * @property {RoomSummary[]} rooms
 * @property {string | undefined} opening
 * @property {Record<string, RoomSummary>} summaries
 * @property {Record<string, unknown>} storage
 * @property {boolean} isOld
 */
/**
 * The fakes of a page, for the test.
 * @typedef {object} Fakes
 * @property {boolean} isReplayed whether the page has got all messages of the recording
 * @property {(ms: number) => void} advance moves the clock forward, and runs the timers that are due
 * @property {(message: ServerMessage) => void} receive
 * @property {(code: number) => void} close
 */
/** A page with fakes. @typedef {Window & typeof globalThis & { fakes: Fakes }} FakedWindow */

const HOST = 'sticheln.example';
/** The time on the page without a recording. */
const DEFAULT_TIME = 1_767_225_600_000;

/** The local storage of a person who has played before. */
const DEFAULT_STORAGE = {
  [KEYS.name]: 'Ada',
  [KEYS.experience]: { explainedGames: ['sticheln', 'nyet'], games: 5 },
};

/**
 * Starts a proxy that lets the browser cache the files of the page, which every scene loads again. Returns its port.
 * @param {{ port: number }} server
 */
async function startCachingProxy(server) {
  const proxy = createServer(({ method, url = '', headers }, answer) => {
    const upstream = request({ port: server.port, method, path: url, headers }, (response) => {
      const caching = url.includes('/a/') ? { 'cache-control': 'max-age=86400, immutable' } : {};
      response.pipe(answer.writeHead(response.statusCode ?? 0, { ...response.headers, ...caching }));
    });
    upstream.on('error', () => answer.destroy());
    answer.req.pipe(upstream);
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  after(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return /** @type {AddressInfo} */ (proxy.address()).port;
}

/** A page that shows scenes, one after another. Opening a page for each scene would take too long. */
export class ScenePage {
  /** The errors of the page so far. @type {string[]} */
  errors = [];
  /** Translates keys of texts into the language of the scene. */
  t = textsIn('en');

  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    page.on('pageerror', (error) => this.errors.push(String(error.stack)));
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) this.errors.push(message.text());
    });
  }

  /**
   * @param {Server} server
   * @param {BrowserContextOptions & { isFullChromium?: boolean }} [options] `isFullChromium`: not the headless shell
   */
  static async open(server, { isFullChromium = false, ...options } = {}) {
    const browser = await chromium.launch({
      ...WINDOW,
      executablePath: isFullChromium ? CHROMIUM : BROWSER,
      args: [
        ...['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
        ...['--font-render-hinting=none', '--disable-lcd-text', '--force-color-profile=srgb', '--hide-scrollbars'],
        `--host-resolver-rules=MAP ${HOST}:80 127.0.0.1:${await startCachingProxy(server)}`,
        `--unsafely-treat-insecure-origin-as-secure=http://${HOST}`,
      ],
    });
    after(() => browser.close());
    const context = await browser.newContext({
      locale: 'en-US',
      timezoneId: 'UTC',
      reducedMotion: 'reduce',
      ...options,
    });
    context.setDefaultTimeout(15_000);
    const page = await context.newPage();
    recordPage(page, 'scene', { isOfTest: false });
    return new ScenePage(page);
  }

  /**
   * Loads the page with the input of a scene.
   * @param {SceneInput} input
   * @param {{ language?: Language }} [options]
   */
  async load(input, { language = 'en' } = {}) {
    const recording = input.recording === undefined ? null : recordingOf(input.recording);
    const count = recording && input.mark !== undefined ? recording.marks[input.mark] : 0;
    if (count === undefined) throw new Error(`${input.recording} has no mark ${input.mark}`);
    const settings = { language, letterKeys: true, ...input.settings };
    const storage = { ...DEFAULT_STORAGE, [KEYS.settings]: settings, ...input.storage };
    this.t = textsIn(language);
    await this.#prepare({
      now: recording?.at ?? DEFAULT_TIME,
      snapshot: recording?.snapshot ?? [],
      messages: recording?.messages.slice(0, count) ?? [],
      step: REPLAY_STEP_MS,
      hello: input.hello ?? 'ok',
      answers: input.answers ?? 'ok',
      rooms: input.rooms ?? [],
      opening: input.opening,
      summaries: input.summaries ?? {},
      storage,
      isOld: input.isOld ?? false,
    });
    const path = input.path ?? (recording || input.hello !== undefined ? `t/${ROOM_CODE}` : '');
    await this.page.goto(`http://${HOST}/${path}`);
    const isThere = input.isOld ? '#old' : 'body[class*=on-] main';
    await this.page.locator(isThere).first().waitFor();
    if (recording && input.hello === undefined) {
      await this.page.waitForFunction(() => /** @type {FakedWindow} */ (window).fakes.isReplayed);
      await this.page.locator('.opening').waitFor({ state: 'detached' });
    }
    await this.waitUntilStable();
  }

  /** @type {Disposable | undefined} */
  #prepared;

  /** Installs the fakes for the next load. @param {Script} script */
  async #prepare(script) {
    await this.#prepared?.dispose();
    this.#prepared = await this.page.addInitScript(installFakes, script);
  }

  /**
   * Changes the size of the viewport.
   * @param {{ width: number, height: number }} size
   */
  async resize(size) {
    await this.page.setViewportSize(size);
    await this.waitUntilStable(size);
  }

  /**
   * Waits until the page is drawn, and no element has moved for three frames. It is an error if elements still move after
   * 60 frames.
   * @param {{ width: number, height: number } | null} [size] the new size of the viewport
   */
  async waitUntilStable(size = null) {
    await this.page.evaluate(async (size) => {
      const [maxFrames, stableFrames] = [60, 3];
      const hasSize = () => size === null || (innerWidth === size.width && innerHeight === size.height);
      while (!hasSize()) await new Promise((next) => requestAnimationFrame(next));
      await document.fonts.ready;
      const places = () =>
        [...document.querySelectorAll('main, button, .card, dialog, .toast')]
          .map((element) => ({ element, box: element.getBoundingClientRect() }))
          .map(
            ({ element, box }) => `${element.tagName}.${element.className} ${[box.x, box.y, box.width, box.height]}`,
          );
      /** @type {string[]} */
      let before = [];
      /** @type {string[]} */
      let moved = [];
      for (let [frame, stable] = [0, 0]; stable < stableFrames; frame += 1) {
        if (frame === maxFrames) throw new Error(`still moving after ${maxFrames} frames: ${moved.join('; ')}`);
        await new Promise((next) => requestAnimationFrame(next));
        const now = places();
        moved = now.filter((place, at) => place !== before[at]);
        stable = moved.length === 0 && now.length === before.length ? stable + 1 : 0;
        before = now;
      }
    }, size);
  }

  /**
   * Moves the clock of the page forward, and runs the timers that are due.
   * @param {number} ms
   */
  async advanceClock(ms) {
    await this.page.evaluate(async (ms) => {
      for (let left = ms; left > 0; left -= 1000) {
        /** @type {FakedWindow} */ (window).fakes.advance(Math.min(left, 1000));
        await new Promise((next) => requestAnimationFrame(next));
      }
    }, ms);
    await this.waitUntilStable();
  }

  /** The time on the page. @returns {Promise<number>} */
  now() {
    return this.page.evaluate(() => Date.now());
  }

  /**
   * Makes the page receive a message of the server. When it is drawn, moves the clock forward.
   * @param {ServerMessage} message
   * @param {number} [ms]
   */
  async receive(message, ms = 0) {
    await this.page.evaluate(async (message) => {
      /** @type {FakedWindow} */ (window).fakes.receive(message);
      await new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)));
    }, message);
    await this.advanceClock(ms);
  }

  /**
   * Closes the socket. No other one opens until the next scene.
   * @param {number} code the close code
   */
  async close(code) {
    await this.page.evaluate((code) => /** @type {FakedWindow} */ (window).fakes.close(code), code);
    await this.waitUntilStable();
  }

  /**
   * Clicks a button.
   * @param {string | RegExp} name
   */
  async click(name) {
    await this.page.getByRole('button', { name }).filter({ visible: true }).first().click();
    await this.waitUntilStable();
  }
}

/**
 * Runs in the page before its scripts. Installs a fake clock, fixed random numbers, fake responses to requests, and a fake
 * WebSocket that replays the recording.
 * @param {Script} script
 */
function installFakes({ now, snapshot, messages, step, hello, answers, rooms, opening, summaries, storage, isOld }) {
  if (isOld) Reflect.deleteProperty(Array.prototype, 'findLast');
  for (const name of Object.keys(localStorage)) localStorage.removeItem(name);
  for (const [name, value] of Object.entries(storage)) {
    localStorage.setItem(name, typeof value === 'string' ? value : JSON.stringify(value));
  }

  Date.now = () => now;
  performance.now = () => now;
  Math.random = () => 0.5;
  const realTimeout = setTimeout;
  const realClear = clearTimeout;
  /** @type {Map<number, { at: number, run: () => void }>} */
  const timers = new Map();
  let lastId = 1_000_000_000;
  /** Short timeouts are real; longer ones wait for the fake clock. @param {() => void} run */
  const fakeTimeout = (run, ms = 0) => {
    if (ms < 20) return realTimeout(run, ms);
    lastId += 1;
    timers.set(lastId, { at: now + ms, run });
    return lastId;
  };
  window.setTimeout = /** @type {typeof setTimeout} */ (/** @type {unknown} */ (fakeTimeout));
  window.clearTimeout = (id) => void (timers.delete(Number(id)) || realClear(id));
  window.setInterval = /** @type {typeof setInterval} */ (/** @type {unknown} */ (() => 0));

  const realFetch = fetch;
  window.fetch = async (input, init) => {
    const [, path] = /\/api\/rooms\/?([^?]*)$/.exec(String(input instanceof Request ? input.url : input)) ?? [];
    if (path === undefined) return realFetch(input, init);
    const answer = (/** @type {number} */ status, /** @type {object} */ body) =>
      new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
    if (path === '' && init?.method === 'POST') return answer(403, { code: opening });
    if (path === '') return answer(200, { rooms });
    return summaries[path] ? answer(200, summaries[path]) : answer(404, { code: 'no_such_room' });
  };

  /** @type {{ receive: (message: object) => void, closeWith: (code: number) => void } | null} */
  let open = null;
  let isDown = false;
  window.WebSocket = /** @type {typeof WebSocket} */ (
    /** @type {unknown} */ (
      class {
        readyState = 0;
        /** @type {Socket['onopen']} */
        onopen = null;
        /** @type {Socket['onmessage']} */
        onmessage = null;
        /** @type {Socket['onclose']} */
        onclose = null;
        constructor() {
          realTimeout(() => {
            if (isDown) return this.closeWith(1006);
            this.readyState = 1;
            open = this;
            this.onopen?.({});
          });
        }
        /** @param {string} text */
        send(text) {
          const message = JSON.parse(text);
          realTimeout(() => this.answer(message));
        }
        close() {
          this.readyState = 3;
        }
        /** @param {{ id: string, type: string }} message */
        answer({ id, type }) {
          if (this.readyState !== 1) return;
          if (type === 'hello') this.welcome(id);
          else if (type === 'ping' || answers === 'ok') this.receive({ type: 'ok', id });
          else if (typeof answers === 'object') this.receive({ type: 'refused', id, code: answers.refused });
          if (type === 'ping') this.replay();
        }
        /** @param {string} id */
        welcome(id) {
          if (hello === 'silence') return;
          if (typeof hello === 'number') return this.closeWith(hello);
          if (hello !== 'ok') return this.receive({ type: 'refused', id, code: hello });
          const [welcome, ...rest] = snapshot;
          for (const message of [welcome, { type: 'ok', id }, ...rest]) this.receive(message);
        }
        /** Replays the recording. The clock advances between messages, so that only the last one is recent. */
        replay() {
          const all = messages.splice(0);
          all.forEach((message, at) => {
            this.receive(message);
            if (at < all.length - 1) advance(step);
          });
          /** @type {FakedWindow} */ (window).fakes.isReplayed = true;
        }
        /** @param {object} message */
        receive(message) {
          this.onmessage?.({ data: JSON.stringify(message) });
        }
        /** @param {number} code */
        closeWith(code) {
          this.readyState = 3;
          this.onclose?.({ code });
        }
      }
    )
  );

  /** @param {number} ms */
  function advance(ms) {
    const end = now + ms;
    for (;;) {
      const [due] = [...timers].filter(([, { at }]) => at <= end).sort(([, a], [, b]) => a.at - b.at);
      if (!due) break;
      timers.delete(due[0]);
      now = Math.max(now, due[1].at);
      due[1].run();
    }
    now = end;
  }
  Object.assign(window, {
    fakes: {
      isReplayed: false,
      advance,
      receive: (/** @type {ServerMessage} */ message) => open?.receive(message),
      close: (/** @type {number} */ code) => {
        isDown = true;
        open?.closeWith(code);
      },
    },
  });
}
