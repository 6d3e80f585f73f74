// The page recovers from files that load late or fail to load.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { STYLES } from '../../js/parts.js';
import { assertFaultless, DESKTOP, openBrowser, Person, PHONE, Server } from './harness.js';

/** @import { Route } from 'playwright-core' */

const server = await Server.start({ options: ['--rooms-per-address', '100'] });
const browser = await openBrowser();

/** The ways in which a file fails to load: a closed connection, a proxy without its server, and a rate limit. */
const FAILURES = {
  /** @param {Route} route */
  disconnected: (route) => route.abort(),
  /** @param {Route} route */
  refused: (route) => route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' }),
  /** @param {Route} route */
  limited: (route) =>
    route.fulfill({ status: 429, headers: { 'retry-after': '1' }, json: { code: 'too_many_requests' } }),
};

/** The number of failures. Scripts are requested twice, by the preload and by the import. */
const TIMES = 3;

/** The interval at which the home page requests the list of rooms, in milliseconds. */
const BETWEEN_LISTS = 10_000;

/** Longer than the page waits before it reloads after a failed load, in milliseconds. */
const LONG = 100_000;

/** Runs in the page before its scripts: shortens its exponential back-off, which starts at 2 s. */
function shortenBackOff() {
  const waits = [2000, 4000, 8000, 16_000, 32_000];
  const real = setTimeout;
  const shortened = (/** @type {() => void} */ run, ms = 0) => real(run, waits.includes(ms) ? ms / 20 : ms);
  window.setTimeout = /** @type {typeof setTimeout} */ (/** @type {unknown} */ (shortened));
}

/** A file of each kind, and the way in which it fails to load. @type {[string, keyof typeof FAILURES][]} */
const FAILED_FILES = [
  ['css/app.css', 'disconnected'],
  ['css/app.css', 'refused'],
  ['css/dialogs.css', 'refused'],
  ['css/table.css', 'disconnected'],
  ['js/main.js', 'disconnected'],
  ['js/main.js', 'refused'],
  ['js/main.js', 'limited'],
  ['js/reduce.js', 'disconnected'],
  ['js/home.js', 'refused'],
  ['js/table/table.js', 'limited'],
  ['js/table/table.js', 'refused'],
  ['js/table/hand.js', 'disconnected'],
];

/** The style sheets of a table of Sticheln, in their order. A sheet that failed is at the same place. */
const { replay: _, ...OF_A_ROOM } = STYLES;
const SHEETS = ['css/app.css', ...Object.values(OF_A_ROOM).flat()].map((path) => path.split('/').at(-1));

describe('parts that are loaded late', { timeout: 240_000 }, () => {
  test('events before the texts are loaded are announced once afterwards', async () => {
    const ann = await Person.open(browser, server, 'Ann');
    /** @type {(value?: unknown) => void} */
    let release = () => {};
    const held = new Promise((done) => (release = done));
    await ann.page.route('**/js/table/table.js', async (route) => {
      await held;
      await route.continue();
    });
    await ann.openRoom({ seats: 3 });
    await ann.waitUntilSeated();
    await ann.click('Fill with bots & start');
    await ann.page.locator('.opening').waitFor();
    release();
    await ann.page.locator('.hand .card-button').first().waitFor();
    const line = ann.page.locator('[role=log] p').filter({ hasText: 'Round 1' });
    await line.first().waitFor({ state: 'attached' });
    assert.equal(await line.count(), 1);
    assertFaultless(ann);
  });

  test('the table of another game is loaded when somebody goes to it', async () => {
    const ann = await Person.open(browser, server, 'Ann');
    const { page } = ann;
    /** @type {string[]} */
    const requested = [];
    page.on('request', (request) => requested.push(request.url()));
    const hasRequested = (/** @type {string} */ path) => requested.some((url) => url.endsWith(path));
    await ann.openRoom({ seats: 3 });
    await ann.waitUntilSeated();
    await ann.click('Fill with bots & start');
    await page.locator('.hand .card-button').first().waitFor();
    assert.ok(hasRequested('/js/sticheln/table.js') && !hasRequested('/js/nyet/table.js'));

    // The page stays the same: only the address changes.
    await page.getByRole('link', { name: 'Sticheln' }).first().click();
    await page.locator('.game-choice label').filter({ hasText: 'Nyet!' }).click();
    await ann.click('Open a new table');
    await ann.waitUntilSeated();
    await ann.click('Fill with bots & start');
    await page.locator('.board').waitFor();
    assert.ok(hasRequested('/js/nyet/table.js') && hasRequested('/js/nyet/nyet.css'));
    assert.equal(requested.filter((url) => url.endsWith('/js/main.js')).length, 1);
    assertFaultless(ann);
  });

  test('the table of another game is shown only after its style sheets, one of which failed', async () => {
    const ann = await Person.open(browser, server, 'Ann');
    const { page } = ann;
    ann.browserLog.tolerated.push(/ERR_FAILED/);
    await page.addInitScript(shortenBackOff);
    let asked = 0;
    /** @type {(value?: unknown) => void} */
    let askAgain = () => {};
    const askedAgain = new Promise((done) => (askAgain = done));
    await page.route('**/js/nyet/teams.css', (route) => {
      asked += 1;
      if (asked === 1) return FAILURES.disconnected(route);
      askAgain();
      return route.continue();
    });
    /** @type {(value?: unknown) => void} */
    let release = () => {};
    const held = new Promise((done) => (release = done));
    await page.route('**/js/nyet/board.css', async (route) => {
      await held;
      await route.continue();
    });
    await ann.openRoom({ seats: 3 });
    await ann.waitUntilSeated();
    await ann.click('Fill with bots & start');
    await page.locator('.hand .card-button').first().waitFor();

    await page.getByRole('link', { name: 'Sticheln' }).first().click();
    await page.locator('.game-choice label').filter({ hasText: 'Nyet!' }).click();
    await ann.click('Open a new table');
    await ann.waitUntilSeated();
    await ann.click('Fill with bots & start');
    await Promise.race([askedAgain, page.locator('.board').waitFor()]);
    assert.equal(await page.locator('.board').count(), 0);
    release();
    await page.locator('.board').waitFor();
    const sheets = await page.evaluate(() => [...document.styleSheets].map(({ href }) => href?.split('/').at(-1)));
    assert.deepEqual(sheets.slice(-3), ['board.css', 'teams.css', 'nyet.css']);
    assert.equal(asked, 2);
    assertFaultless(ann);
  });

  test('buttons of the lobby do not move when the deferred part is loaded', async () => {
    const host = await Person.open(browser, server, 'Host');
    const link = await host.openRoom({ seats: 3 });
    for (const viewport of [DESKTOP, PHONE]) {
      const guest = await Person.open(browser, server, 'Guest', { viewport });
      /** @type {(value?: unknown) => void} */
      let release = () => {};
      const held = new Promise((done) => (release = done));
      await guest.page.route('**/js/deferred.js', async (route) => {
        await held;
        await route.continue();
      });
      await guest.follow(link);
      const button = guest.page.getByRole('button', { name: 'Sit down', exact: true });
      await button.waitFor();
      await guest.page.evaluate(() => document.fonts.ready.then(() => {}));
      const before = await button.boundingBox();
      release();
      await guest.page.locator('#help-heading').waitFor();
      assert.deepEqual(await button.boundingBox(), before);
      assertFaultless(guest);
    }
  });

  for (const [path, how] of FAILED_FILES) {
    test(`${path} is requested again if it fails: ${how}`, async () => {
      const ben = await Person.open(browser, server, 'Ben');
      ben.browserLog.tolerated.push(/ERR_FAILED/, /status of (502|429)/, /preloaded using link preload but not used/);
      await ben.page.addInitScript(shortenBackOff);
      let asked = 0;
      await ben.page.route(`**/${path}`, (route) => {
        asked += 1;
        return asked <= TIMES ? FAILURES[how](route) : route.continue();
      });
      await ben.page.goto(server.url);
      // Without its styles the page must be neither visible nor clickable.
      await ben.page.locator('.btn.primary').first().waitFor();
      await ben.page.waitForFunction(() => getComputedStyle(document.body).getPropertyValue('--ink') !== '');
      await ben.openRoomFromHome({ seats: 3 });
      await ben.waitUntilSeated();
      await ben.click('Fill with bots & start');
      await ben.page.locator('.hand .card-button').nth(14).waitFor();
      const looks = await ben.page.evaluate(() => [
        getComputedStyle(document.querySelector('.felt') ?? document.body).containerName,
        document.querySelector('.seats')?.checkVisibility(),
        [...document.head.querySelectorAll('link[rel=stylesheet]')].map((link) =>
          link.getAttribute('href')?.split('/').at(-1),
        ),
      ]);
      assert.deepEqual(looks, ['felt', true, SHEETS]);
      assert.ok(asked > TIMES, `asked ${asked} times`);
      assertFaultless(ben);
    });
  }

  test('the encoder of QR codes is requested again if it fails', async () => {
    const dan = await Person.open(browser, server, 'Dan');
    dan.browserLog.tolerated.push(/ERR_FAILED/);
    await dan.page.addInitScript(shortenBackOff);
    let asked = 0;
    await dan.page.route('**/vendor/uqr/uqr.js', (route) => {
      asked += 1;
      return asked === 1 ? FAILURES.disconnected(route) : route.continue();
    });
    await dan.openRoom({ seats: 3 });
    await dan.page.locator('.qr path').first().waitFor();
    assert.equal(asked, 2);
    assertFaultless(dan);
  });

  test('the list of rooms is requested again when it is refused', async () => {
    const fay = await Person.open(browser, server, 'Fay');
    fay.browserLog.tolerated.push(/status of 429/);
    const { page } = fay;
    await page.clock.install();
    let asked = 0;
    await page.route('**/api/rooms', (route) => {
      asked += 1;
      return asked === 1 ? FAILURES.limited(route) : route.continue();
    });
    const refused = page.waitForResponse((answer) => answer.status() === 429);
    await page.goto(server.url);
    await refused;
    await page.locator('.btn.primary').first().waitFor();
    assert.equal(await page.locator('.panel.empty').count(), 0);
    await page.clock.runFor(BETWEEN_LISTS);
    await page.locator('.panel.empty').waitFor();
    assertFaultless(fay);
  });

  test('a failed script of another site does not reload the page', async () => {
    const eva = await Person.open(browser, server, 'Eva');
    eva.browserLog.tolerated.push(/Content Security Policy/, /policy: script-src/);
    const { page } = eva;
    await page.clock.install();
    await page.goto(server.url);
    await page.locator('.btn.primary').first().waitFor();
    let loads = 0;
    page.on('domcontentloaded', () => (loads += 1));
    await page.evaluate(() => {
      const script = document.createElement('script');
      script.src = 'https://elsewhere.example/counts.js';
      return new Promise((failed) => {
        script.addEventListener('error', failed);
        document.head.append(script);
      });
    });
    await page.clock.runFor(LONG);
    await page.locator('#name').fill('Eva');
    assert.equal(loads, 0);
    assert.deepEqual(eva.browserLog.errors, ['request: https://elsewhere.example/counts.js']);
  });
});
