// The page loads only the modules that it uses, can be installed, and draws a card in the next frame.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { GamePlay } from './clients.js';
import { addressOf, classicScripts, installRecorder, openFullRoom, SCREENS, UNLIMITED } from './first-screens.js';
import { assertFaultless, DESKTOP, DRAWN, openBrowser, Person, PHONE, Server, TcpProxy } from './harness.js';

/** @import { RecordedWindow, Seen } from './first-screens.js' */

/** The largest layout shift in three tricks. */
const MAX_SHIFT = 0;

const server = await Server.start({ options: UNLIMITED });
const browser = await openBrowser();

describe('the first screen', { timeout: 300_000 }, () => {
  for (const [screen, field] of Object.entries(SCREENS)) {
    test(`${screen}: the page preloads exactly the modules of the screen`, async () => {
      const ann = await Person.open(browser, server, 'Ann', DRAWN);
      await ann.page.addInitScript(recordFirstField, field);
      await ann.page.goto(await addressOf(server, screen));
      await ann.page.locator(field).waitFor();
      const { named, fetched } = await ann.page.evaluate(() => ({
        named: Array.from(
          document.querySelectorAll('link[rel=modulepreload]'),
          (link) => /** @type {HTMLLinkElement} */ (link).href,
        ),
        fetched: performance
          .getEntriesByType('resource')
          .filter(
            ({ startTime }) =>
              startTime < /** @type {Window & typeof globalThis & { firstSeen: number }} */ (window).firstSeen,
          )
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

describe('the page', { timeout: 300_000 }, () => {
  test('the page can be installed', async () => {
    const ann = await Person.open(await openBrowser({ isFullChromium: true }), server, 'Ann', DRAWN);
    for (const screen of Object.keys(SCREENS)) {
      await ann.page.goto((await addressOf(server, screen)).replace('127.0.0.1', 'localhost'));
      const cdp = await ann.page.context().newCDPSession(ann.page);
      const { url, errors, data } = await cdp.send('Page.getAppManifest');
      assert.equal(new URL(url).pathname, '/manifest.webmanifest');
      assert.deepEqual(errors, []);
      assert.equal(JSON.parse(data ?? '').display, 'standalone');
      const { installabilityErrors } = await cdp.send('Page.getInstallabilityErrors');
      // The tabs of a test are incognito tabs.
      const wrong = installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito');
      assert.deepEqual(wrong, []);
    }
  });

  test('the page does not reload while somebody types', async () => {
    const proxy = await TcpProxy.to(server);
    const ann = await Person.open(browser, proxy, 'Ann', DRAWN);
    const { page } = ann;
    await ann.openRoom({ seats: 3 });
    await ann.waitUntilSeated();
    let loads = 0;
    page.on('domcontentloaded', () => (loads += 1));
    await page.route(/\/api\/page$/, (route) => route.fulfill({ json: { files: 'newer' } }));
    const field = page.locator('input[name=text]').filter({ visible: true }).first();
    await field.fill('Wait for');
    const asked = page.waitForResponse(/\/api\/page$/);
    proxy.disconnect();
    proxy.reconnect();
    await asked;
    await field.pressSequentially(' me');
    assert.equal(loads, 0);
    const again = page.waitForEvent('domcontentloaded');
    await field.press('Enter');
    await again;
    await ann.waitUntilSeated();
    await ann.sees('Wait for me');
  });
});

describe('the table', { timeout: 300_000 }, () => {
  for (const [device, options] of Object.entries({
    phone: { viewport: PHONE, hasTouch: true, isMobile: true },
    desktop: { viewport: DESKTOP },
  })) {
    test(`a played card is drawn with the next frame, and nothing else moves (${device})`, async () => {
      const { clients, code } = await openFullRoom(server, 'sticheln', 4);
      const ann = await Person.open(browser, server, 'Ann', { ...DRAWN, ...options });
      await ann.page.addInitScript(installRecorder);
      await ann.follow(new URL(`t/${code}`, server.url).href);
      await clients[0]?.send('start');
      const gamePlay = new GamePlay(clients, () => 0.5);
      await gamePlay.play(() => clients[0]?.table.phase === 'trick');
      await ann.page.locator('.seats[data-kind=trick] .slot.next').waitFor();
      await ann.page.evaluate(() => /** @type {RecordedWindow} */ (window).seen.start());
      for (let trick = 0; trick < 3; trick += 1) {
        for (let card = 0; card < 4; card += 1) {
          const client = await gamePlay.next();
          assert.ok(client);
          await gamePlay.act(client, client.game.legal[0]);
        }
        // The page shows the finished trick for a moment.
        await ann.page.locator('.seats[data-kind=taken]').waitFor();
        await ann.page.locator('.seats[data-kind=trick]').waitFor();
      }
      /** @type {Seen} */
      const { plays, shifts } = await ann.page.evaluate(() => /** @type {RecordedWindow} */ (window).seen);
      const frames = plays.map(({ frames }) => frames);
      const sum = shifts.reduce((sum, { value }) => sum + value, 0);
      console.log(`${device}: ${plays.length} cards after ${frames.join(', ')} frames; layout shift ${sum}`);
      assert.equal(plays.length, 12);
      assert.ok(
        frames.every((count) => count <= 1),
        JSON.stringify(plays),
      );
      assert.ok(sum <= MAX_SHIFT, JSON.stringify(shifts));
      assertFaultless(ann);
    });
  }
});

/**
 * Runs in the page before its scripts: records when its first field is there.
 * @param {string} field
 */
function recordFirstField(field) {
  const page = /** @type {{ firstSeen?: number }} */ (globalThis);
  new MutationObserver(() => {
    if (document.querySelector(field)) page.firstSeen ??= performance.now();
  }).observe(document, { childList: true, subtree: true });
}
