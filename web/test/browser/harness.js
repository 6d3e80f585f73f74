// Starts the real server and real browsers, with people who click.
//
// docs/testing.md has a map of the helpers.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';

import { chromium } from 'playwright-core';

import { KEYS } from '../../js/storage.js';
import { recordPage } from './failures.js';
import { freePort } from './port.js';

/** @import { ChildProcess } from 'node:child_process' */
/** @import { Server as NetServer, Socket } from 'node:net' */
/** @import { Browser, BrowserContextOptions, Page } from 'playwright-core' */

/** @typedef {BrowserContextOptions} ContextOptions */

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
export const TARGET = process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target');
const PROGRAM = process.env.STICHELN ?? join(TARGET, 'debug', 'sticheln');
/** The files of the page. The test servers read them from here, so a change of the page compiles nothing. */
export const PAGE_FOLDER = join(ROOT, 'web');
/** Bots pause only a moment, so that tests do not wait for them, but long enough that the page draws each card. */
const FAST_BOTS = ['--bot-pause-percent', '3'];
/**
 * Limits that no test reaches: all pages of a test have one address, and load all files again each time. The options of
 * a test take precedence over these environment variables.
 */
const HIGH_LIMITS = {
  STICHELN_CONNECTIONS_PER_MINUTE: '1000000',
  STICHELN_CALLS_PER_MINUTE: '1000000',
  STICHELN_FILES_PER_MINUTE: '1000000',
};
/** How many ports a server tries, because another program can take a free port first. */
const PORT_ATTEMPTS = 5;
/** The full Chromium, which only some tests need. */
export const CHROMIUM = '/usr/bin/chromium';
/** The same engine without windows and notifications. It takes half the time. */
const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell';
/** Whether the browser has a visible window. */
const IS_HEADED = process.env.HEADED === '1';
/** The pause after each step in a visible window. */
const HEADED_PAUSE_MS = 200;
/** The launch options for a browser with or without a visible window. */
export const WINDOW = IS_HEADED ? { headless: false, slowMo: HEADED_PAUSE_MS } : { headless: true };
/** The browser that tests use by default. */
export const BROWSER = existsSync(HEADLESS_SHELL) && !IS_HEADED ? HEADLESS_SHELL : CHROMIUM;
/** The flags of the browser. Most of them turn off its own network requests. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Options of a person who plays a card with one tap. */
export const ONE_TAP = /** @type {const} */ ({ settings: { oneTap: true } });

/** Options of a person whose page has animations, as by default in browsers. They make a test much slower. */
export const MOVING = /** @type {const} */ ({ reducedMotion: 'no-preference' });

/** The time limit for something that should happen at once. It is long because the machine can be busy. */
const DEFAULT_TIMEOUT_MS = 30_000;
/** The time limit for a turn. It is longer than the time after which the table replaces an absent player. */
export const TURN_TIMEOUT_MS = 60_000;

/** The number of milliseconds in a second. */
const SECOND_MS = 1000;

export const PHONE = { width: 360, height: 740 };
export const PHONE_LANDSCAPE = { width: 740, height: 360 };
export const DESKTOP = { width: 1366, height: 768 };

/** A server process. It keeps its folder and its port when it is started again. */
export class Server {
  /** @type {ChildProcess | undefined} */
  #process;
  #log = '';

  /**
   * @param {string} folder
   * @param {number} port
   * @param {string} host
   * @param {string[]} options
   * @param {string} program
   */
  constructor(folder, port, host, options, program) {
    this.folder = folder;
    this.port = port;
    this.host = host;
    this.options = options;
    this.program = program;
  }

  /**
   * Starts a server in a folder of its own, which is removed after the tests.
   * @param {{ host?: string, options?: string[], isEmbedded?: boolean, program?: string, pageFolder?: string }} [settings]
   *   `options`: arguments of the program; `isEmbedded`: the server delivers the compressed page inside the program
   *   instead of the files in `pageFolder`
   */
  static async start({
    host = '127.0.0.1',
    options = [],
    isEmbedded = false,
    program = PROGRAM,
    pageFolder = PAGE_FOLDER,
  } = {}) {
    const folder = await mkdtemp(join(tmpdir(), 'sticheln-'));
    const page = isEmbedded ? [] : ['--page-folder', pageFolder];
    const server = new Server(folder, await freePort(), host, [...page, ...FAST_BOTS, ...options], program);
    after(async () => {
      await server.end('SIGKILL');
      await rm(folder, { recursive: true });
    });
    for (let attempt = 1; !(await server.#serves()); attempt += 1) {
      const isTaken = server.log.includes(`Port ${server.port} is taken`);
      assert.ok(isTaken && attempt < PORT_ATTEMPTS, `the server does not serve: ${server.log}`);
      server.port = await freePort();
    }
    return server;
  }

  /** The address of the page. */
  get url() {
    return `http://${this.host}:${this.port}/`;
  }

  /** The log of the server so far. */
  get log() {
    return this.#log;
  }

  /** Starts the program, and waits until it serves. */
  async begin() {
    assert.ok(await this.#serves(), `the server does not serve: ${this.#log}`);
  }

  /** Starts the program, and waits until it serves. Returns `false` if it exits first. */
  async #serves() {
    const args = [
      'serve',
      '--host',
      '0.0.0.0',
      '--port',
      String(this.port),
      '--data-folder',
      this.folder,
      ...this.options,
    ];
    const child = spawn(this.program, args, { env: { ...process.env, ...HIGH_LIMITS } });
    this.#process = child;
    child.stderr.on('data', (text) => (this.#log += text));
    return Promise.race([once(child.stdout, 'data').then(() => true), once(child, 'exit').then(() => false)]);
  }

  /**
   * Ends the program, and waits until it has exited.
   * @param {'SIGTERM' | 'SIGKILL'} signal
   */
  async end(signal) {
    const process = this.#process;
    if (!process || process.exitCode !== null || process.signalCode !== null) return;
    const gone = once(process, 'exit');
    process.kill(signal);
    await gone;
  }
}

/** A TCP proxy that a test can disconnect. The browser sees the port of the proxy instead of that of the server. */
export class TcpProxy {
  /** @type {Set<Socket>} */
  #sockets = new Set();
  #isDisconnected = false;

  /** @param {number} port on which the proxy listens */
  constructor(port) {
    this.port = port;
  }

  /** @param {Server} server */
  static async to(server) {
    const listener = createServer().listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const proxy = new TcpProxy(portOf(listener));
    listener.on('connection', (client) => proxy.#forward(client, server.port));
    after(() => {
      proxy.disconnect();
      listener.close();
    });
    return proxy;
  }

  get url() {
    return `http://127.0.0.1:${this.port}/`;
  }

  /** Closes all connections, and refuses new ones. */
  disconnect() {
    this.#isDisconnected = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Accepts connections again. */
  reconnect() {
    this.#isDisconnected = false;
  }

  /**
   * @param {Socket} client
   * @param {number} port
   */
  #forward(client, port) {
    if (this.#isDisconnected) return void client.destroy();
    const server = connect(port, '127.0.0.1');
    for (const [from, to] of [
      [client, server],
      [server, client],
    ]) {
      this.#sockets.add(from);
      from.on('error', ignore);
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  }
}

/** @param {NetServer} server */
function portOf(server) {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a port is a number');
  return address.port;
}

/** The address of this machine in its network, or undefined if it has only loopback. */
export function lanAddress() {
  const all = Object.values(networkInterfaces()).flatMap((some) => some ?? []);
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
}

/**
 * Opens a browser for all tests of a file. `HEADED=1` gives it a visible window.
 * @param {{ isFullChromium?: boolean }} [options] `isFullChromium`: not the headless shell
 */
export async function openBrowser({ isFullChromium = false } = {}) {
  const browser = await chromium.launch({
    executablePath: isFullChromium ? CHROMIUM : BROWSER,
    args: FLAGS,
    ...WINDOW,
  });
  after(() => browser.close());
  return browser;
}

/** The experience of a person to whom the page does not explain the games. */
const INTRO_SEEN = { explainedGames: ['sticheln', 'nyet'], games: 0 };

/**
 * Runs in the page before its scripts: stores a JSON value, unless the browser has one under this key.
 * @param {{ key: string, value: object }} item
 */
function storeOnce({ key, value }) {
  if (localStorage.getItem(key) === null) localStorage.setItem(key, JSON.stringify(value));
}

/**
 * The delay of each frame in milliseconds. With a few hundred, a test that reads the page before it is drawn fails, as
 * it would on a busy machine.
 */
const FRAME_DELAY = Number(process.env.FRAME_DELAY ?? 0);

/**
 * Runs in the page before its scripts: delays each frame.
 * @param {number} delay in milliseconds
 */
function delayFrames(delay) {
  if (!delay) return;
  const { requestAnimationFrame } = window;
  window.requestAnimationFrame = (draw) => window.setTimeout(() => requestAnimationFrame(draw), delay);
}

/** The errors that the browser itself reports for a broken connection. Many tests break connections. */
const CONNECTION_LOST =
  /WebSocket connection to|ERR_(CONNECTION_(REFUSED|RESET|CLOSED)|EMPTY_RESPONSE|NETWORK_CHANGED|SOCKET_NOT_CONNECTED)/;
/** The error for an answer with status 404. */
const NOT_FOUND = /status of 404/;
/** The error for the answer of a proxy whose server is down. */
const BAD_GATEWAY = /status of 502/;

/** A person with a browser of their own. All errors in that browser are recorded. */
export class Person {
  /** The errors so far, except those that are tolerated. @type {string[]} */
  errors = [];
  /** Patterns of errors that the test expects. */
  tolerated = [CONNECTION_LOST];
  /** The addresses, referrers and bodies of all requests. @type {string[]} */
  requests = [];
  /** The tokens that this browser has sent in its sockets. @type {Set<string>} */
  secrets = new Set();
  /** Whether `play` taps a finished trick away at once. */
  dismissesTricks = false;

  /**
   * @param {string} name
   * @param {Page} page
   * @param {string} url
   */
  constructor(name, page, url) {
    this.name = name;
    this.page = page;
    this.url = url;
  }

  /**
   * Opens a browser context with an empty page.
   * @param {Browser} browser
   * @param {{ url: string }} server or a proxy in front of it
   * @param {string} name
   * @param {ContextOptions & { isNew?: boolean, settings?: object }} [options] `isNew`: the page explains the games to this
   *   person; `settings`: the stored settings. Without {@link MOVING} the page has no animations
   */
  static async open(browser, server, name, { isNew = false, settings, ...options } = {}) {
    const context = await browser.newContext({
      viewport: DESKTOP,
      locale: 'en-US',
      reducedMotion: 'reduce',
      ...options,
    });
    if (!isNew) await context.addInitScript(storeOnce, { key: KEYS.experience, value: INTRO_SEEN });
    if (settings) await context.addInitScript(storeOnce, { key: KEYS.settings, value: settings });
    context.setDefaultTimeout(DEFAULT_TIMEOUT_MS);
    const person = new Person(name, await context.newPage(), server.url);
    await person.#recordErrors();
    return person;
  }

  /** Opens a second window of the same browser. Its errors are recorded with those of this person. */
  async window() {
    const window = new Person(this.name, await this.page.context().newPage(), this.url);
    window.errors = this.errors;
    window.tolerated = this.tolerated;
    window.requests = this.requests;
    window.secrets = this.secrets;
    await window.#recordErrors();
    return window;
  }

  /** Waits for the next frame. Then the page has drawn all earlier changes of its state. */
  async waitForFrame() {
    await this.page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
  }

  /** Tolerates answers with status 404. */
  expectNotFound() {
    this.tolerated.push(NOT_FOUND);
  }

  /** Tolerates answers with status 502, for tests that stop the server behind a proxy. */
  expectBadGateway() {
    this.tolerated.push(BAD_GATEWAY);
  }

  async #recordErrors() {
    const { page, errors, requests, secrets } = this;
    recordPage(page, this.name.replace(/[^\p{L}\p{N}]+/gu, '-'));
    const { host } = new URL(this.url);
    const note = (/** @type {string} */ error) => {
      if (!this.tolerated.some((pattern) => pattern.test(error))) errors.push(error);
    };
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) note(`console: ${message.text()}`);
    });
    page.on('dialog', (dialog) => {
      errors.push(`${dialog.type()}: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('pageerror', (error) => errors.push(`error: ${error.stack}`));
    page.on('request', (request) => {
      if (new URL(request.url()).host !== host) errors.push(`request: ${request.url()}`);
      requests.push(`${request.url()} ${request.headers().referer} ${request.postData()}`);
    });
    page.on('framenavigated', (frame) => void requests.push(frame.url()));
    page.on('websocket', (socket) => {
      requests.push(socket.url());
      socket.on('framesent', ({ payload }) => {
        const { type, token } = JSON.parse(String(payload));
        if (type === 'hello') secrets.add(token);
      });
    });
    page.on('response', (response) => {
      if (response.status() >= 500) note(`status of ${response.status()}: ${response.url()}`);
    });
    await page.addInitScript(delayFrames, FRAME_DELAY);
    await page.addInitScript(() => {
      addEventListener('securitypolicyviolation', (event) => {
        console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`);
      });
    });
  }

  /** Opens the home page. */
  async goHome() {
    await this.page.goto(this.url);
    await this.page.locator('#name').waitFor();
  }

  /**
   * Opens a link to a table, at the address that this person uses for the server.
   * @param {string} link
   */
  async follow(link) {
    await this.page.goto(new URL(new URL(link).pathname.slice(1), this.url).href);
  }

  /** Opens a table on the home page, and returns its link. */
  async openTable({ seats = 4 } = {}) {
    const { page } = this;
    await this.goHome();
    await page.locator('#name').fill(this.name);
    await this.#waitForFonts();
    await page
      .locator('.seg label')
      .filter({ hasText: String(seats) })
      .click();
    await page.getByRole('button', { name: 'Open a new table' }).click();
    await page.waitForURL(/\/t\/[0-9a-z]{8}$/);
    return page.url();
  }

  /** Waits until this person has a chair. Opening a table gives one to the host. */
  async waitUntilSeated() {
    await this.page.locator('.seatlist').getByText(this.name).first().waitFor();
    await this.page.locator('#sit-name').waitFor({ state: 'detached' });
  }

  /** Waits for the fonts. If they move a button between press and release, the browser reports no click. */
  async #waitForFonts() {
    await this.page.evaluate(() => document.fonts.ready.then(() => {}));
  }

  /**
   * Sits down on the first free chair.
   * @param {string} [link]
   */
  async sit(link) {
    const { page } = this;
    if (link) await this.follow(link);
    await page.locator('#sit-name').fill(this.name);
    await this.#waitForFonts();
    await page.getByRole('button', { name: 'Sit down', exact: true }).click();
    await page.locator('#sit-name').waitFor({ state: 'detached' });
  }

  /**
   * Waits for a button and clicks it.
   * @param {string | RegExp} name
   */
  async click(name) {
    await this.page.getByRole('button', { name }).first().click();
  }

  /**
   * Waits until a text is visible.
   * @param {string | RegExp} text
   * @param {{ timeout?: number }} [wait]
   */
  async sees(text, wait = {}) {
    await this.page.getByText(text).filter({ visible: true }).first().waitFor(wait);
  }

  /**
   * Waits until a text is not visible.
   * @param {string | RegExp} text
   */
  async seesNoMore(text) {
    await this.page.getByText(text).filter({ visible: true }).first().waitFor({ state: 'detached' });
  }

  /**
   * Waits until a function finds something on the page, and returns it. The function is called again after each change
   * of the page, not with every frame, which takes less CPU time.
   * @template A, T
   * @param {(arg: A) => T | null} find runs in the page
   * @param {A} arg
   * @param {number} [timeoutMs]
   * @returns {Promise<T>}
   */
  async finds(find, arg, timeoutMs = DEFAULT_TIMEOUT_MS) {
    const found = this.page.evaluate(`(${waitForResult})(${find}, ${JSON.stringify(arg)})`);
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    const late = new Promise((_, fail) => {
      const message = `${this.name}: timeout after ${timeoutMs / SECOND_MS} s waiting for ${find.name || 'a function'}`;
      timer = setTimeout(() => fail(new Error(message)), timeoutMs);
    });
    try {
      return /** @type {T} */ (await Promise.race([found, late]));
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * The plate of another player if it shows this fact.
   * @param {string} name
   * @param {string} fact
   */
  plate(name, fact) {
    return this.page.getByRole('button', { name: new RegExp(`^${name}(, [^,]+)*, ${fact}(,|$)`) });
  }

  /** Installs a fake clock in the page. It runs at normal speed until `fastForward`. */
  async installFakeClock() {
    await this.page.clock.install();
  }

  /**
   * Moves the fake clock of the page forward. The server and other pages keep their time.
   * @param {number} seconds
   */
  async fastForward(seconds) {
    await this.page.clock.fastForward(seconds * SECOND_MS);
  }

  /**
   * As the host, sets the number of rounds.
   * @param {number} rounds
   */
  async setRounds(rounds) {
    const { page } = this;
    await page.getByRole('radiogroup', { name: 'The game lasts' }).getByText('rounds', { exact: true }).click();
    await page.getByLabel('Rounds', { exact: true }).fill(String(rounds));
    await page.getByLabel('Rounds', { exact: true }).blur();
    await this.sees(new RegExp(`\\b${rounds} rounds?\\b`));
  }

  /**
   * The dialog with this title.
   * @param {string} title
   */
  dialog(title) {
    return this.page.getByRole('dialog', { name: title, exact: true });
  }

  /**
   * Plays by clicking, until this person has played this many cards or the game is over. It picks the card at a fixed
   * index that varies from turn to turn.
   * @param {number} cards
   */
  async play(cards) {
    const { page } = this;
    for (let played = 0; played < cards; ) {
      const next = await this.#nextAction();
      if (next === 'over') return;
      if (next === 'reveal') {
        await page
          .getByRole('button', { name: /Continue/ })
          .click({ timeout: 2_000 })
          .catch(ignore);
      } else if (next === 'ready') {
        await page
          .getByRole('button', { name: /Ready for round/ })
          .click({ timeout: 2_000 })
          .catch(ignore);
      } else if (next === 'taken') {
        await page
          .locator('.seats')
          .click({ position: { x: 2, y: 2 }, timeout: 2_000 })
          .catch(ignore);
      } else {
        const hand = page.locator('.hand .cb:not([aria-disabled])');
        const count = await hand.count();
        if (count === 0) continue;
        await hand.nth((played * 5 + 2) % count).click();
        await this.#confirm(count);
        played += 1;
      }
    }
  }

  /**
   * Plays until this many cards are left in the hand. If all at a table do so, nobody waits for a player who has
   * stopped.
   * @param {number} cards
   */
  async playDownTo(cards) {
    await this.page.locator('.hand .cb').first().waitFor();
    await this.play((await this.hand()).length - cards);
  }

  /**
   * Plays the lifted card. The button ignores clicks for a moment after a card was lifted, so this clicks until the
   * hand is smaller.
   * @param {number} before the number of cards before
   */
  async #confirm(before) {
    const button = '[data-play]:not([aria-disabled])';
    for (;;) {
      const found = await this.finds(
        function playedOrLifted({ before, button }) {
          if (document.querySelectorAll('.hand .cb').length < before) return 'played';
          return document.querySelector(button) ? 'lifted' : null;
        },
        { before, button },
      );
      if (found === 'played') return;
      await this.page.locator(button).click({ timeout: 500 }).catch(ignore);
    }
  }

  /** Waits for the next action of this person, and returns it. */
  async #nextAction() {
    return this.finds(
      function nextAction(dismissesTricks) {
        if (document.querySelector('[data-screen=game-end]')) return 'over';
        const ready = document.querySelector('[data-screen=round-end] ~ .dock .pri');
        if (ready?.getAttribute('aria-pressed') === 'false') return 'ready';
        const button = document.querySelector('.tray .acts .pri');
        if (button && !button.hasAttribute('data-play')) return 'reveal';
        if (dismissesTricks && document.querySelector('.seats[data-kind=taken]')) return 'taken';
        const isTurn = document.querySelector('.tray.turn .hand .cb:not([aria-disabled])');
        return isTurn ? 'card' : null;
      },
      this.dismissesTricks,
      TURN_TIMEOUT_MS,
    );
  }

  /** The cards of the own hand, in the order of the page. */
  async hand() {
    return this.page.locator('.hand .cb').evaluateAll((cards) => cards.map((card) => card.getAttribute('data-card')));
  }
}

/**
 * Runs in the page. Resolves with the first result of `find` that is not null.
 * @param {(arg: unknown) => unknown} find
 * @param {unknown} arg
 */
function waitForResult(find, arg) {
  return new Promise((done, fail) => {
    const check = () => {
      try {
        const found = find(arg);
        if (found === null) return;
        done(found);
      } catch (error) {
        fail(error);
      }
      observer.disconnect();
    };
    const observer = new MutationObserver(check);
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    check();
  });
}

/** The element disappeared before the click. */
const ignore = () => {};

/**
 * The host opens a table, and the others sit down at it. Returns the link.
 * @param {Person} host
 * @param {Person[]} others
 */
export async function sitDown(host, ...others) {
  for (const person of [host, ...others]) person.dismissesTricks = true;
  const link = await host.openTable({ seats: others.length + 1 });
  await host.waitUntilSeated();
  for (const person of others) await person.sit(link);
  return link;
}

/**
 * Asserts that there was no error in any browser, and no secret in any address, referrer or form.
 * @param {Person[]} people
 */
export function assertFaultless(...people) {
  for (const { name, errors } of people) assert.deepEqual(errors, [], name);
  const secrets = people.flatMap((person) => [...person.secrets]);
  for (const request of people.flatMap((person) => person.requests)) {
    for (const secret of secrets) assert.ok(!request.includes(secret), `a secret: ${request}`);
  }
}
