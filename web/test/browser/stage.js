// The page of the real server, which hears a recording instead of a table: its clock stands still, chance is always
// the same, and so is every picture.

import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { after } from 'node:test';

import { chromium } from 'playwright-core';

import { textsIn } from '../texts.js';
import { watch } from './failures.js';
import { BROWSER, WHOLE } from './harness.js';
import { CODE, recordingOf } from './recordings.js';

/** @import { Server } from './harness.js' */
/** @import { AddressInfo } from 'node:net' */
/** @import { BrowserContextOptions, Disposable, Page } from 'playwright-core' */

/**
 * The settings of a scene. `hello` is the answer to it: the code of a refusal, the number of a close code, or none at
 * all. By default it is the recording up to the mark.
 * @typedef {object} Setting
 * @property {string} [path] of the page; usually that of the table, if there is a recording
 * @property {string} [recording]
 * @property {string} [mark]
 * @property {string | number | 'silence'} [hello]
 * @property {'ok' | 'silence' | { refused: string }} [answers] to what is said
 * @property {any[]} [rooms] that are listed
 * @property {Record<string, any>} [summaries] of tables, by their codes
 * @property {Record<string, unknown>} [settings]
 * @property {Record<string, unknown>} [kept] what the browser has kept besides
 * @property {boolean} [isOld] whether the browser is older than the page can bear
 */

const HOST = 'sticheln.example';
/** When nothing was recorded: some moment. */
const MOMENT = 1_767_225_600_000;

/** The storage of a browser whose owner has played before. */
const USUAL = { 'sticheln.name': 'Ada', 'sticheln.known': { explainedGames: ['sticheln', 'nyet'], games: 5 } };

/**
 * A way to the server on which the browser keeps the files of the page: they are asked for with each scene, and stay
 * as they are. Gives its port.
 * @param {{ port: number }} server
 */
async function keeping(server) {
  const near = createServer(({ method, url = '', headers }, answer) => {
    const far = request({ port: server.port, method, path: url, headers }, (told) => {
      const kept = url.includes('/a/') ? { 'cache-control': 'max-age=86400, immutable' } : {};
      told.pipe(answer.writeHead(told.statusCode ?? 0, { ...told.headers, ...kept }));
    });
    far.on('error', () => answer.destroy());
    answer.req.pipe(far);
  });
  await once(near.listen(0, '127.0.0.1'), 'listening');
  after(() => {
    near.closeAllConnections();
    near.close();
  });
  return /** @type {AddressInfo} */ (near.address()).port;
}

/** A page to look at scenes with; there is one for all scenes, since opening one takes long. */
export class Stage {
  /** @type {string[]} */
  faults = [];
  t = textsIn('en');

  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    page.on('pageerror', (error) => this.faults.push(String(error.stack)));
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) this.faults.push(message.text());
    });
  }

  /**
   * @param {Server} server
   * @param {BrowserContextOptions & { isWhole?: boolean }} [options] `isWhole`: a browser with
   *   everything that a page may ask a device for, and with the letters of the pictures
   */
  static async open(server, { isWhole = false, ...options } = {}) {
    const browser = await chromium.launch({
      executablePath: isWhole ? WHOLE : BROWSER,
      args: [
        ...['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
        ...['--font-render-hinting=none', '--disable-lcd-text', '--force-color-profile=srgb', '--hide-scrollbars'],
        `--host-resolver-rules=MAP ${HOST}:80 127.0.0.1:${await keeping(server)}`,
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
    watch(page, 'stage', { isOfTest: false });
    return new Stage(page);
  }

  /**
   * Puts a scene on the page.
   * @param {Setting} setting
   * @param {{ language?: 'en' | 'de' }} [how]
   */
  async show(setting, { language = 'en' } = {}) {
    const recording = setting.recording === undefined ? null : recordingOf(setting.recording);
    const till = recording && setting.mark !== undefined ? recording.marks[setting.mark] : 0;
    if (till === undefined) throw new Error(`${setting.recording} has no mark ${setting.mark}`);
    const settings = { language, letterKeys: true, ...setting.settings };
    const kept = { ...USUAL, 'sticheln.settings': settings, ...setting.kept };
    this.t = textsIn(language);
    await this.#prepare({
      code: CODE,
      now: recording?.at ?? MOMENT,
      arrival: recording?.arrival ?? [],
      news: recording?.news.slice(0, till) ?? [],
      hello: setting.hello ?? 'ok',
      answers: setting.answers ?? 'ok',
      rooms: setting.rooms ?? [],
      summaries: setting.summaries ?? {},
      kept,
      isOld: setting.isOld ?? false,
    });
    const path = setting.path ?? (recording || setting.hello !== undefined ? `t/${CODE}` : '');
    await this.page.goto(`http://${HOST}/${path}`);
    const isThere = setting.isOld ? '#old' : 'body[class*=on-] main';
    await this.page.locator(isThere).first().waitFor();
    if (recording && setting.hello === undefined) {
      await this.page.waitForFunction(() => /** @type {any} */ (window).stage.isPlayed);
      await this.page.locator('.opening').waitFor({ state: 'detached' });
    }
    await this.settles();
  }

  /** @type {Disposable | undefined} */
  #prepared;

  /** @param {object} script */
  async #prepare(script) {
    await this.#prepared?.dispose();
    this.#prepared = await this.page.addInitScript(pretend, script);
  }

  /**
   * Gives the page another size.
   * @param {{ width: number, height: number }} size
   */
  async resize(size) {
    await this.page.setViewportSize(size);
    await this.settles(size);
  }

  /**
   * Waits until everything is drawn, and nothing moves any more.
   * @param {{ width: number, height: number } | null} [size] that the page has then
   */
  async settles(size = null) {
    await this.page.evaluate(async (size) => {
      const hasSize = () => size === null || (innerWidth === size.width && innerHeight === size.height);
      while (!hasSize()) await new Promise((next) => requestAnimationFrame(next));
      await document.fonts.ready;
      const places = () =>
        [...document.querySelectorAll('main, button, .card, dialog, .toast')]
          .map((part) => part.getBoundingClientRect())
          .map(({ x, y, width, height }) => [x, y, width, height].join())
          .join(';');
      let before = '';
      for (let [frame, still] = [0, 0]; frame < 60 && still < 3; frame += 1) {
        await new Promise((next) => requestAnimationFrame(next));
        const now = places();
        still = now === before ? still + 1 : 0;
        before = now;
      }
    }, size);
  }

  /**
   * Lets time go by on the page.
   * @param {number} ms
   */
  async wait(ms) {
    await this.page.evaluate(async (ms) => {
      for (let left = ms; left > 0; left -= 1000) {
        /** @type {any} */ (window).stage.advance(Math.min(left, 1000));
        await new Promise((next) => requestAnimationFrame(next));
      }
    }, ms);
    await this.settles();
  }

  /** The time on the page. @returns {Promise<number>} */
  now() {
    return this.page.evaluate(() => Date.now());
  }

  /**
   * Tells the page something as the server would, and lets time go by when it is drawn.
   * @param {any} message
   * @param {number} [ms]
   */
  async tell(message, ms = 0) {
    await this.page.evaluate(async (message) => {
      /** @type {any} */ (window).stage.tell(message);
      await new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)));
    }, message);
    await this.wait(ms);
  }

  /**
   * Closes the socket; no other one opens until the next scene.
   * @param {number} code
   */
  async close(code) {
    await this.page.evaluate((code) => /** @type {any} */ (window).stage.close(code), code);
    await this.settles();
  }

  /**
   * Clicks a button.
   * @param {string | RegExp} name
   */
  async click(name) {
    await this.page.getByRole('button', { name }).filter({ visible: true }).first().click();
    await this.settles();
  }
}

/**
 * Runs in the page before everything else: a clock that is set by hand, no chance, and a socket that knows its part.
 * @param {any} script
 */
function pretend({ now, arrival, news, hello, answers, rooms, summaries, kept, isOld }) {
  if (isOld) Reflect.deleteProperty(Array.prototype, 'findLast');
  for (const name of Object.keys(localStorage)) localStorage.removeItem(name);
  for (const [name, value] of Object.entries(kept)) {
    localStorage.setItem(name, typeof value === 'string' ? value : JSON.stringify(value));
  }

  Date.now = () => now;
  performance.now = () => now;
  Math.random = () => 0.5;
  const realTimeout = setTimeout;
  const realClear = clearTimeout;
  /** @type {Map<number, { at: number, run: () => void }>} */
  const timers = new Map();
  let names = 1_000_000_000;
  /** Short waits are over at once; what takes longer waits for the clock. @type {any} */
  const later = (/** @type {any} */ run, ms = 0, /** @type {any[]} */ ...rest) => {
    if (ms < 20) return realTimeout(() => run(...rest), ms);
    names += 1;
    timers.set(names, { at: now + ms, run: () => run(...rest) });
    return names;
  };
  window.setTimeout = later;
  window.clearTimeout = (name) => void (timers.delete(Number(name)) || realClear(name));
  window.setInterval = /** @type {any} */ (() => 0);

  const realFetch = fetch;
  window.fetch = async (input, init) => {
    const [, path] = /\/api\/rooms\/?([^?]*)$/.exec(String(input instanceof Request ? input.url : input)) ?? [];
    if (path === undefined) return realFetch(input, init);
    const answer = (/** @type {number} */ status, /** @type {any} */ body) =>
      new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
    if (path === '') return answer(200, { rooms });
    return summaries[path] ? answer(200, summaries[path]) : answer(404, { code: 'no_such_room' });
  };

  /** @type {any} */
  let open = null;
  let isDown = hello === 'down';
  window.WebSocket = /** @type {any} */ (
    class {
      readyState = 0;
      constructor() {
        realTimeout(() => {
          if (isDown) return this.end(1006);
          this.readyState = 1;
          open = this;
          /** @type {any} */ (this).onopen?.({});
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
      /** @param {any} message */
      answer({ id, type }) {
        if (this.readyState !== 1) return;
        if (type === 'hello') this.greet(id);
        else if (type === 'ping' || answers === 'ok') this.say({ type: 'ok', id });
        else if (answers !== 'silence') this.say({ type: 'refused', id, code: answers.refused });
        if (type === 'ping') this.play();
      }
      /** @param {string} id */
      greet(id) {
        if (hello === 'silence') return;
        if (typeof hello === 'number') return this.end(hello);
        if (hello !== 'ok') return this.say({ type: 'refused', id, code: hello });
        const [welcome, ...rest] = arrival;
        for (const message of [welcome, { type: 'ok', id }, ...rest]) this.say(message);
      }
      /** Only the last piece of news is new. */
      play() {
        const all = news.splice(0);
        all.forEach((/** @type {any} */ message, /** @type {number} */ at) => {
          this.say(message);
          if (at < all.length - 1) advance(10_000);
        });
        /** @type {any} */ (window).stage.isPlayed = true;
      }
      /** @param {any} message */
      say(message) {
        /** @type {any} */ (this).onmessage?.({ data: JSON.stringify(message) });
      }
      /** @param {number} code */
      end(code) {
        this.readyState = 3;
        /** @type {any} */ (this).onclose?.({ code });
      }
    }
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
    stage: {
      advance,
      tell: (/** @type {any} */ message) => open?.say(message),
      close: (/** @type {number} */ code) => {
        isDown = true;
        open?.end(code);
      },
    },
  });
}
