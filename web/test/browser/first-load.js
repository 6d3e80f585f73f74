// The first load of a screen: its size, and the time until it is usable on a slow phone.

import assert from 'node:assert/strict';

import { classicScripts } from './first-screens.js';
import { DRAWN } from './person.js';
import { PHONE } from './viewports.js';

/** @import { Page } from 'playwright-core' */

/** All style sheets but the first one, and the texts of games: the page requests them after the first screen. */
const LATER = /\/css\/(?!app\.css$)[\w-]+\.css$|\/js\/\w+\/(?:\w+\.css|i18n\/)/;
/** The network of a slow phone: milliseconds, and bytes a second. */
const SLOW_LINE = { offline: false, latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8 };
/** The CPU time of a slow phone, as a multiple of that of the machine. */
const CPU_SLOWDOWN = 4;
/** The options of a person with a phone. {@link slowDown} makes its processor slow, {@link msUntilUsable} its network too. */
export const PHONE_OPTIONS = { viewport: PHONE, hasTouch: true, isMobile: true, ...DRAWN };

/**
 * Slows the main thread of a page down to that of a slow phone.
 * @param {Page} page
 */
export async function slowDown(page) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
}

/**
 * Loads a screen, and measures the size of its answers until it is usable and has its fonts. `bytesOf` has the bytes by
 * kind; those of the kind `later` are loaded after the first screen, and `bytes` and `count` do not include them.
 * @param {Page} page
 * @param {string} address
 * @param {string} field that can be typed into
 */
export async function measureSize(page, address, field) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Network.enable');
  /** @type {Map<string, { url: string, type: string }>} */
  const requests = new Map();
  /** @type {{ url: string, type: string, bytes: number }[]} */
  const responses = [];
  cdp.on('Network.requestWillBeSent', ({ requestId, request, type }) =>
    requests.set(requestId, { url: request.url, type: type ?? 'Other' }),
  );
  cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const request = requests.get(requestId);
    if (request) responses.push({ ...request, bytes: encodedDataLength });
  });
  await page.goto(address);
  await page.locator(field).waitFor();
  await page.evaluate(() => document.fonts.ready);
  await page.waitForLoadState('networkidle');
  const named = await page
    .locator('link[rel=modulepreload]')
    .evaluateAll((all) => all.map((link) => /** @type {HTMLLinkElement} */ (link).href));
  const first = [...named, ...(await classicScripts(page))];
  /** @type {Record<string, number>} */
  const bytesOf = {};
  let bytes = 0;
  let count = 0;
  for (const response of responses) {
    const isLater = LATER.test(response.url) || (response.type === 'Script' && !first.includes(response.url));
    const kind = isLater ? 'later' : response.type.toLowerCase();
    bytesOf[kind] = (bytesOf[kind] ?? 0) + response.bytes;
    if (kind === 'later') continue;
    bytes += response.bytes;
    count += 1;
  }
  return { bytes, count, bytesOf };
}

/**
 * Loads a screen on a slow phone. Returns the milliseconds until its field is visible.
 * @param {Page} page
 * @param {string} address
 * @param {string} field
 * @returns {Promise<number>}
 */
export async function msUntilUsable(page, address, field) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Network.enable');
  await cdp.send('Network.emulateNetworkConditions', SLOW_LINE);
  await slowDown(page);
  await page.addInitScript((field) => {
    const check = () => {
      const found = document.querySelector(field);
      if (found instanceof HTMLElement && found.offsetParent) Object.assign(window, { usableAfter: performance.now() });
      else requestAnimationFrame(check);
    };
    check();
  }, field);
  await page.goto(address, { waitUntil: 'commit' });
  const after = await page.waitForFunction(
    () => /** @type {Window & typeof globalThis & { usableAfter?: number }} */ (window).usableAfter,
  );
  return (await after.jsonValue()) ?? assert.fail('it is usable');
}
