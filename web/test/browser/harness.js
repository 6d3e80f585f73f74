// The real server, real browsers, and people who click.

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

import { watch } from './failures.js';
import { freePort } from './port.js';

/** @import { ChildProcess } from 'node:child_process' */
/** @import { Server as NetServer, Socket } from 'node:net' */
/** @import { Browser, BrowserContextOptions, Page } from 'playwright-core' */

/** @typedef {BrowserContextOptions} ContextOptions */

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
export const TARGET = process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target');
const PROGRAM = process.env.STICHELN ?? join(TARGET, 'debug', 'sticheln');
/** The page as its files are now: a change to them compiles nothing. */
export const PAGE = join(ROOT, 'web');
/** Bots act fast enough not to be waited for, and not so fast that nobody sees a card before the next one. */
const QUICK = ['--bot-pause-percent', '3'];
/** All pages of a test come from one address, and ask for the files again each time. Options of a test count for more. */
const MANY = {
  STICHELN_CONNECTIONS_PER_MINUTE: '1000000',
  STICHELN_CALLS_PER_MINUTE: '1000000',
  STICHELN_FILES_PER_MINUTE: '1000000',
};
/** How often another port is tried if a program has taken the one that was free. */
const PORTS = 5;
/** Chromium as people have it, which only some tests need. */
export const WHOLE = '/usr/bin/chromium';
/** The same engine without windows, notifications and the like takes half the time. */
const SHELL = '/usr/bin/chromium-headless-shell';
/** The browser of the tests. */
export const BROWSER = existsSync(SHELL) ? SHELL : WHOLE;
/** The browser asks nobody but the server. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Somebody who plays with one tap. */
export const SWIFT = /** @type {const} */ ({ settings: { oneTap: true } });

/** Somebody whose page moves as it does for most people: each frame is drawn, which takes most of the time of a test. */
export const MOVING = /** @type {const} */ ({ reducedMotion: 'no-preference' });

/** How long somebody waits for what is to come at once, on a machine with much else to do, in milliseconds. */
const SOON = 30_000;
/** How long somebody waits for his turn: long enough for the table to give up on somebody else. */
export const PATIENCE = 60_000;

export const PHONE = { width: 360, height: 740 };
export const LYING_PHONE = { width: 740, height: 360 };
export const DESKTOP = { width: 1366, height: 768 };

/** The server, on a folder and a port that it keeps when it is started again. */
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
   * Starts a server on a folder of its own, which is gone after the tests.
   * @param {{ host?: string, options?: string[], isEmbedded?: boolean, program?: string, pageFolder?: string }} [wish]
   *   `isEmbedded`: the page is the one inside the program, packed, instead of the files as they are now
   */
  static async start({
    host = '127.0.0.1',
    options = [],
    isEmbedded = false,
    program = PROGRAM,
    pageFolder = PAGE,
  } = {}) {
    const folder = await mkdtemp(join(tmpdir(), 'sticheln-'));
    const page = isEmbedded ? [] : ['--page-folder', pageFolder];
    const server = new Server(folder, await freePort(), host, [...page, ...QUICK, ...options], program);
    after(async () => {
      await server.end('SIGKILL');
      await rm(folder, { recursive: true });
    });
    for (let port = 1; !(await server.#serves()); port += 1) {
      assert.ok(port < PORTS, `the server does not serve: ${server.log}`);
      server.port = await freePort();
    }
    return server;
  }

  /** Where the page is. */
  get url() {
    return `http://${this.host}:${this.port}/`;
  }

  /** What the server has written so far. */
  get log() {
    return this.#log;
  }

  /** Starts the program, and waits until it serves. */
  async begin() {
    assert.ok(await this.#serves(), `the server does not serve: ${this.#log}`);
  }

  /** Starts the program, and waits until it serves; `false` if it ends before. */
  async #serves() {
    const words = [
      'serve',
      '--host',
      '0.0.0.0',
      '--port',
      String(this.port),
      '--data-folder',
      this.folder,
      ...this.options,
    ];
    const child = spawn(this.program, words, { env: { ...process.env, ...MANY } });
    this.#process = child;
    child.stderr.on('data', (text) => (this.#log += text));
    return Promise.race([once(child.stdout, 'data').then(() => true), once(child, 'exit').then(() => false)]);
  }

  /**
   * Ends the program, and waits until it is gone.
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

/** What lies between somebody and the server, and can be cut: whoever comes along it has an address of his own. */
export class Line {
  /** @type {Set<Socket>} */
  #ends = new Set();
  #isCut = false;

  /** @param {number} port where its near end is */
  constructor(port) {
    this.port = port;
  }

  /** @param {Server} server */
  static async to(server) {
    const near = createServer().listen(0, '127.0.0.1');
    await once(near, 'listening');
    const line = new Line(portOf(near));
    near.on('connection', (end) => line.#join(end, server.port));
    after(() => {
      line.cut();
      near.close();
    });
    return line;
  }

  get url() {
    return `http://127.0.0.1:${this.port}/`;
  }

  /** Ends everything that goes on, and lets nothing through. */
  cut() {
    this.#isCut = true;
    for (const end of this.#ends) end.destroy();
  }

  mend() {
    this.#isCut = false;
  }

  /**
   * @param {Socket} end
   * @param {number} port
   */
  #join(end, port) {
    if (this.#isCut) return void end.destroy();
    const other = connect(port, '127.0.0.1');
    for (const [from, to] of [
      [end, other],
      [other, end],
    ]) {
      this.#ends.add(from);
      from.on('error', ignore);
      from.on('close', () => {
        this.#ends.delete(from);
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

/** An address of this machine that is not loopback, as others in the network see it. */
export function lanAddress() {
  const all = Object.values(networkInterfaces()).flatMap((some) => some ?? []);
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
}

/**
 * A browser for all tests of a file.
 * @param {{ isWhole?: boolean }} [wish] `isWhole`: one as people have it
 */
export async function openBrowser({ isWhole = false } = {}) {
  const browser = await chromium.launch({ executablePath: isWhole ? WHOLE : BROWSER, args: FLAGS });
  after(() => browser.close());
  return browser;
}

/** Somebody who has seen the cards that explain the games. */
function knowsGames() {
  if (localStorage.getItem('sticheln.known') !== null) return;
  localStorage.setItem('sticheln.known', JSON.stringify({ intro: ['sticheln', 'nyet'], games: 0 }));
}

/**
 * Runs in the page before anything else: what this browser was told before.
 * @param {object} settings
 */
function isSet(settings) {
  if (localStorage.getItem('sticheln.settings') === null)
    localStorage.setItem('sticheln.settings', JSON.stringify(settings));
}

/**
 * How much later each frame comes, in milliseconds: with some hundred, a test that reads the page before it was drawn
 * fails as it would on a busy machine.
 */
const FRAME_DELAY = Number(process.env.FRAME_DELAY ?? 0);

/**
 * Runs in the page before anything else: frames come later.
 * @param {number} delay
 */
function drawsLate(delay) {
  if (!delay) return;
  const { requestAnimationFrame } = window;
  window.requestAnimationFrame = (draw) => window.setTimeout(() => requestAnimationFrame(draw), delay);
}

/** A broken connection is reported by the browser itself; coming back is what is tested. */
const LOST =
  /WebSocket connection to|ERR_(CONNECTION_(REFUSED|RESET|CLOSED)|EMPTY_RESPONSE|NETWORK_CHANGED|SOCKET_NOT_CONNECTED)/;
/** So is an answer that there is no such thing. */
const NOT_FOUND = /status of 404/;
/** And that of a proxy behind which there is nobody. */
const NOBODY_BEHIND = /status of 502/;

/** A person with a browser of his own, who notices whatever goes wrong in it. */
export class Person {
  /** @type {string[]} */
  faults = [];
  /** What the browser may report. */
  tolerated = [LOST];
  /**
   * What this browser has asked for, and what it said as it did so.
   * @type {string[]}
   */
  asked = [];
  /**
   * The secrets of its seats, as it said them in its sockets.
   * @type {Set<string>}
   */
  secrets = new Set();
  /** Whether a finished trick is tapped away as soon as it is seen. */
  isHasty = false;

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
   * @param {Browser} browser
   * @param {{ url: string }} server or a line to it
   * @param {string} name
   * @param {ContextOptions & { isNew?: boolean, settings?: object }} [options] whoever is new here has the games
   *   explained to him; `settings`: what this browser was told before. Nothing moves on the page, unless {@link MOVING}
   *   is among the options
   */
  static async come(browser, server, name, { isNew = false, settings, ...options } = {}) {
    const context = await browser.newContext({
      viewport: DESKTOP,
      locale: 'en-US',
      reducedMotion: 'reduce',
      ...options,
    });
    if (!isNew) await context.addInitScript(knowsGames);
    if (settings) await context.addInitScript(isSet, settings);
    context.setDefaultTimeout(SOON);
    const person = new Person(name, await context.newPage(), server.url);
    await person.#watch();
    return person;
  }

  /** A new window of the same browser; what goes wrong in it is this person's fault as well. */
  async window() {
    const window = new Person(this.name, await this.page.context().newPage(), this.url);
    window.faults = this.faults;
    window.tolerated = this.tolerated;
    window.asked = this.asked;
    window.secrets = this.secrets;
    await window.#watch();
    return window;
  }

  /** Waits until the page has drawn all that it knows: frames are called back in their order. */
  async drawn() {
    await this.page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
  }

  /** This person is going to ask for what is not there. */
  errs() {
    this.tolerated.push(NOT_FOUND);
  }

  /** The server behind the proxy is going to be gone. */
  losesServer() {
    this.tolerated.push(NOBODY_BEHIND);
  }

  async #watch() {
    const { page, faults, asked, secrets } = this;
    watch(page, this.name.replace(/[^\p{L}\p{N}]+/gu, '-'));
    const { host } = new URL(this.url);
    const note = (/** @type {string} */ fault) => {
      if (!this.tolerated.some((pattern) => pattern.test(fault))) faults.push(fault);
    };
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) note(`console: ${message.text()}`);
    });
    page.on('dialog', (dialog) => {
      faults.push(`${dialog.type()}: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('pageerror', (error) => faults.push(`error: ${error.stack}`));
    page.on('request', (request) => {
      if (new URL(request.url()).host !== host) faults.push(`request: ${request.url()}`);
      asked.push(`${request.url()} ${request.headers().referer} ${request.postData()}`);
    });
    page.on('framenavigated', (frame) => void asked.push(frame.url()));
    page.on('websocket', (socket) => {
      asked.push(socket.url());
      socket.on('framesent', ({ payload }) => {
        const { type, token } = JSON.parse(String(payload));
        if (type === 'hello') secrets.add(token);
      });
    });
    page.on('response', (response) => {
      if (response.status() >= 500) note(`status of ${response.status()}: ${response.url()}`);
    });
    await page.addInitScript(drawsLate, FRAME_DELAY);
    await page.addInitScript(() => {
      addEventListener('securitypolicyviolation', (event) => {
        console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`);
      });
    });
  }

  /** Goes home. */
  async goHome() {
    await this.page.goto(this.url);
    await this.page.locator('#name').waitFor();
  }

  /**
   * Follows a link to a table, by the way this person has to the server.
   * @param {string} link
   */
  async follow(link) {
    await this.page.goto(new URL(new URL(link).pathname.slice(1), this.url).href);
  }

  /** Opens a table from the home page; gives its link. */
  async openTable({ seats = 4 } = {}) {
    const { page } = this;
    await this.goHome();
    await page.locator('#name').fill(this.name);
    await this.#isStill();
    await page
      .locator('.seg label')
      .filter({ hasText: String(seats) })
      .click();
    await page.getByRole('button', { name: 'Open a new table' }).click();
    await page.waitForURL(/\/t\/[0-9a-z]{8}$/);
    return page.url();
  }

  /** Sits down, if opening the table has not done it. */
  async seated() {
    await this.page.locator('.seatlist').getByText(this.name).first().waitFor();
    await this.page.locator('#sit-name').waitFor({ state: 'detached' });
  }

  /** Waits for the fonts: a button that they move between press and release is not clicked. */
  async #isStill() {
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
    await this.#isStill();
    await page.getByRole('button', { name: 'Sit down', exact: true }).click();
    await page.locator('#sit-name').waitFor({ state: 'detached' });
  }

  /**
   * Clicks a button, once it is there.
   * @param {string | RegExp} name
   */
  async click(name) {
    await this.page.getByRole('button', { name }).first().click();
  }

  /**
   * Waits until a text can be seen.
   * @param {string | RegExp} text
   * @param {{ timeout?: number }} [wait]
   */
  async sees(text, wait = {}) {
    await this.page.getByText(text).filter({ visible: true }).first().waitFor(wait);
  }

  /**
   * Waits until a text can no longer be seen.
   * @param {string | RegExp} text
   */
  async seesNoMore(text) {
    await this.page.getByText(text).filter({ visible: true }).first().waitFor({ state: 'detached' });
  }

  /**
   * Waits until a function finds something on the page, and gives it. The function is asked again when the page has
   * changed, not with every frame: that leaves the machine to others.
   * @template A, T
   * @param {(arg: A) => T | null} find runs in the page
   * @param {A} arg
   * @param {number} [patience] in milliseconds
   * @returns {Promise<T>}
   */
  async finds(find, arg, patience = SOON) {
    const found = this.page.evaluate(`(${onceFound})(${find}, ${JSON.stringify(arg)})`);
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    const late = new Promise((_, fail) => {
      timer = setTimeout(() => fail(new Error(`${this.name} waits in vain for ${find}`)), patience);
    });
    try {
      return /** @type {T} */ (await Promise.race([found, late]));
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * The plate of somebody else at the table, if it tells this.
   * @param {string} name
   * @param {string} fact
   */
  plate(name, fact) {
    return this.page.getByRole('button', { name: new RegExp(`^${name}(, [^,]+)*, ${fact}(,|$)`) });
  }

  /** Time goes by on the page as fast as for others, until it is let leap. */
  async hasOwnClock() {
    await this.page.clock.install();
  }

  /**
   * Time leaps on the page, and nowhere else.
   * @param {number} seconds
   */
  async leaps(seconds) {
    await this.page.clock.fastForward(seconds * 1000);
  }

  /**
   * The host chooses how many rounds are played.
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
   * Plays on by clicking, until this many cards were laid down or the game is over. Which card is
   * taken differs from turn to turn.
   * @param {number} cards
   */
  async play(cards) {
    const { page } = this;
    for (let played = 0; played < cards; ) {
      const next = await this.#whatNext();
      if (next === 'over') return;
      if (next === 'reveal') {
        await page
          .getByRole('button', { name: /On we go/ })
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
   * Plays on until this many cards are left in the hand. If all at a table do so, nobody waits for somebody who
   * has stopped.
   * @param {number} cards
   */
  async playDownTo(cards) {
    await this.page.locator('.hand .cb').first().waitFor();
    await this.play((await this.hand()).length - cards);
  }

  /**
   * Plays the lifted card. The button takes no click just after a card was lifted, so it is
   * clicked until the hand has become smaller.
   * @param {number} before
   */
  async #confirm(before) {
    const button = '[data-play]:not([aria-disabled])';
    for (;;) {
      const found = await this.finds(
        ({ before, button }) => {
          if (document.querySelectorAll('.hand .cb').length < before) return 'played';
          return document.querySelector(button) ? 'lifted' : null;
        },
        { before, button },
      );
      if (found === 'played') return;
      await this.page.locator(button).click({ timeout: 500 }).catch(ignore);
    }
  }

  /** Waits until there is something to do. */
  async #whatNext() {
    return this.finds(
      (isHasty) => {
        if (document.querySelector('[data-screen=game-end]')) return 'over';
        const ready = document.querySelector('[data-screen=round-end] ~ .dock .pri');
        if (ready?.getAttribute('aria-pressed') === 'false') return 'ready';
        const button = document.querySelector('.tray .acts .pri');
        if (button && !button.hasAttribute('data-play')) return 'reveal';
        if (isHasty && document.querySelector('.seats[data-kind=taken]')) return 'taken';
        const isTurn = document.querySelector('.tray.turn .hand .cb:not([aria-disabled])');
        return isTurn ? 'card' : null;
      },
      this.isHasty,
      PATIENCE,
    );
  }

  /** The cards of the own hand, as they are shown. */
  async hand() {
    return this.page.locator('.hand .cb').evaluateAll((cards) => cards.map((card) => card.getAttribute('data-card')));
  }
}

/**
 * Runs in the page.
 * @param {(arg: unknown) => unknown} find
 * @param {unknown} arg
 */
function onceFound(find, arg) {
  return new Promise((done, fail) => {
    const look = () => {
      try {
        const found = find(arg);
        if (found === null) return;
        done(found);
      } catch (error) {
        fail(error);
      }
      observer.disconnect();
    };
    const observer = new MutationObserver(look);
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    look();
  });
}

/** Somebody else was quicker: what was to be clicked is gone by itself. */
const ignore = () => {};

/**
 * The first opens a table, and the others sit down at it.
 * @param {Person} host
 * @param {Person[]} others
 */
export async function sitDown(host, ...others) {
  for (const person of [host, ...others]) person.isHasty = true;
  const link = await host.openTable({ seats: others.length + 1 });
  await host.seated();
  for (const person of others) await person.sit(link);
  return link;
}

/**
 * Nothing has gone wrong in anybody's browser, and secrets were in no address, referrer or form.
 * @param {Person[]} people
 */
export function assertFaultless(...people) {
  for (const { name, faults } of people) assert.deepEqual(faults, [], name);
  const secrets = people.flatMap((person) => [...person.secrets]);
  for (const asked of people.flatMap((person) => person.asked)) {
    for (const secret of secrets) assert.ok(!asked.includes(secret), `a secret: ${asked}`);
  }
}
