// A person with a browser of their own, who sits down in rooms and plays Sticheln by clicking.

import { KEYS } from '../../js/storage.js';
import { errors, IS_HEADED } from './browser.js';
import { BrowserLog } from './browser-log.js';
import { clickUnlessGone } from './click.js';
import { stopDrawing } from './drawing.js';
import { recordPage } from './failures.js';
import { DESKTOP } from './viewports.js';

/** @import { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core' */

/**
 * Options of a person. `isNew`: the page explains the games to this person; `settings`: the stored settings; `isDrawn`:
 * the browser draws the pixels of the page. Without {@link WITH_ANIMATIONS} the page has no animations.
 * @typedef {BrowserContextOptions & { isNew?: boolean, settings?: object, isDrawn?: boolean }} PersonOptions
 */

/** Options of a person who plays a card with one tap. */
export const ONE_TAP = /** @type {const} */ ({ settings: { oneTap: true } });

/** Options of a person whose page has animations, as by default in browsers. They make a test much slower. */
export const WITH_ANIMATIONS = /** @type {const} */ ({ reducedMotion: 'no-preference' });
/** Options of a person whose browser draws the page with animations, for tests that measure frames and loads. */
export const DRAWN = /** @type {const} */ ({ ...WITH_ANIMATIONS, isDrawn: true });

/** The time limit for something that should happen at once. It is long because the machine can be busy. */
const DEFAULT_TIMEOUT_MS = 30_000;
/** The time limit for a turn. It is longer than the time after which the room replaces an absent player. */
export const TURN_TIMEOUT_MS = 60_000;

/** The options for a click on an empty corner of the felt. */
export const CORNER = { position: { x: 2, y: 2 } };

const SECOND_MS = 1000;

/** The experience of a person to whom the page does not explain the games. */
const INTRO_SEEN = { explainedGames: ['sticheln', 'nyet'], games: 0, soundOffered: true };

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

/** A person with a browser of their own. */
export class Person {
  /** Whether `play` taps a finished trick away at once. */
  dismissesTricks = false;

  /**
   * @param {string} name
   * @param {Page} page
   * @param {string} url
   * @param {BrowserLog} browserLog
   * @param {boolean} isDrawn
   */
  constructor(name, page, url, browserLog, isDrawn) {
    this.name = name;
    this.page = page;
    this.url = url;
    this.browserLog = browserLog;
    this.isDrawn = isDrawn;
  }

  /**
   * Opens a browser context with an empty page.
   * @param {Browser} browser
   * @param {{ url: string }} server or a proxy in front of it
   * @param {string} name
   * @param {PersonOptions} [options]
   */
  static async open(browser, server, name, { isNew = false, settings, isDrawn = IS_HEADED, ...options } = {}) {
    const context = await browser.newContext({
      viewport: DESKTOP,
      locale: 'en-US',
      reducedMotion: 'reduce',
      ...options,
    });
    if (!isNew) await context.addInitScript(storeOnce, { key: KEYS.experience, value: INTRO_SEEN });
    if (settings) await context.addInitScript(storeOnce, { key: KEYS.settings, value: settings });
    context.setDefaultTimeout(DEFAULT_TIMEOUT_MS);
    return Person.#openPage(name, context, server.url, new BrowserLog(server.url), isDrawn);
  }

  /** Opens a second tab of the same browser. */
  tab() {
    return Person.#openPage(this.name, this.page.context(), this.url, this.browserLog, this.isDrawn);
  }

  /**
   * @param {string} name
   * @param {BrowserContext} context
   * @param {string} url
   * @param {BrowserLog} browserLog
   * @param {boolean} isDrawn
   */
  static async #openPage(name, context, url, browserLog, isDrawn) {
    const page = await context.newPage();
    recordPage(page, name.replace(/[^\p{L}\p{N}]+/gu, '-'));
    await browserLog.watch(page);
    await page.addInitScript(delayFrames, FRAME_DELAY);
    if (!isDrawn) await stopDrawing(page);
    return new Person(name, page, url, browserLog, isDrawn);
  }

  /** Waits for the next frame. Then the page has drawn all earlier changes of its state. */
  async waitForFrame() {
    await this.page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
  }

  /** Opens the home page. */
  async goHome() {
    await this.page.goto(this.url);
    await this.page.locator('#name').waitFor();
  }

  /**
   * Opens a link to a room, at the address that this person uses for the server, and waits for the fonts of the page.
   * @param {string} link
   */
  async follow(link) {
    await this.page.goto(new URL(new URL(link).pathname.slice(1), this.url).href);
    await this.#waitForFonts();
  }

  /** Opens a room on the home page, and returns its link. */
  async openRoom({ seats = 4 } = {}) {
    await this.goHome();
    return this.openRoomFromHome({ seats });
  }

  /** Opens a room on the home page, which is loaded, and returns its link. */
  async openRoomFromHome({ seats = 4 } = {}) {
    const { page } = this;
    await page.locator('#name').fill(this.name);
    await this.#waitForFonts();
    await page
      .locator('.segmented label')
      .filter({ hasText: String(seats) })
      .click();
    await page.getByRole('button', { name: 'Open a new table' }).click();
    await page.waitForURL(/\/t\/[0-9a-z]{8}$/);
    return page.url();
  }

  /** Waits until this person has a chair. Opening a room gives one to the host. */
  async waitUntilSeated() {
    await this.page.locator('.seat-list').getByText(this.name).first().waitFor();
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
   * of the page, not with every frame, which takes less CPU time. Fails with a `TimeoutError` if it finds nothing in time.
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
      timer = setTimeout(() => fail(new errors.TimeoutError(message)), timeoutMs);
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

  /**
   * As the host, sets the number of rounds.
   * @param {number} rounds
   */
  async setRounds(rounds) {
    const { page } = this;
    await page.getByRole('radiogroup', { name: 'Length of the game' }).getByText('by rounds', { exact: true }).click();
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
    for (let played = 0; played < cards; ) {
      if (!(await this.reachesTurn())) return;
      const hand = this.page.locator('.hand .card-button:not([aria-disabled])');
      const count = await hand.count();
      if (count === 0) continue;
      await hand.nth((played * 5 + 2) % count).click();
      await this.#confirm(count);
      played += 1;
    }
  }

  /** Clicks until this person has to play a card. Returns `false` if the game is over before. */
  async reachesTurn() {
    const { page } = this;
    for (;;) {
      const next = await this.#nextAction();
      if (next === 'over') return false;
      if (next === 'card') return true;
      if (next === 'reveal') {
        await clickUnlessGone(page.getByRole('button', { name: /Continue/ }));
      } else if (next === 'ready') {
        await clickUnlessGone(page.getByRole('button', { name: /Ready for round/ }));
      } else {
        await clickUnlessGone(page.locator('.seats[data-kind=taken]'), CORNER);
      }
    }
  }

  /**
   * Plays until this many cards are left in the hand. If all in a room do so, nobody waits for a player who has
   * stopped.
   * @param {number} cards
   */
  async playDownTo(cards) {
    await this.page.locator('.hand .card-button').first().waitFor();
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
          if (document.querySelectorAll('.hand .card-button').length < before) return 'played';
          return document.querySelector(button) ? 'lifted' : null;
        },
        { before, button },
      );
      if (found === 'played') return;
      await clickUnlessGone(this.page.locator(button));
    }
  }

  /** Waits for the next action of this person, and returns it. */
  async #nextAction() {
    return this.finds(
      function nextAction(dismissesTricks) {
        if (document.querySelector('[data-screen=game-end]')) return 'over';
        const ready = document.querySelector('[data-screen=round-end] ~ .dock .primary');
        if (ready?.getAttribute('aria-pressed') === 'false') return 'ready';
        const button = document.querySelector('.tray .tray-actions .primary');
        if (button && !button.hasAttribute('data-play')) return 'reveal';
        if (dismissesTricks && document.querySelector('.seats[data-kind=taken]')) return 'taken';
        const isTurn = document.querySelector('.tray.turn .hand .card-button:not([aria-disabled])');
        return isTurn ? 'card' : null;
      },
      this.dismissesTricks,
      TURN_TIMEOUT_MS,
    );
  }

  /** Waits until the page shows no hand. Without a seat, a `room` comes first, and then the `game` of a spectator. */
  async waitUntilWithoutHand() {
    await this.page.locator('.hand .card-button').first().waitFor({ state: 'detached' });
  }

  /** The cards of the own hand, in the order of the page. */
  async hand() {
    return this.page
      .locator('.hand .card-button')
      .evaluateAll((cards) => cards.map((card) => card.getAttribute('data-card')));
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
