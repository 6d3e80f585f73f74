// The helpers of the browser tests fail where they would otherwise hide a fault of the page.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openBrowser } from './browser.js';
import { clickUnlessGone } from './click.js';
import { ScenePage } from './scene-page.js';

const browser = await openBrowser();

/** A button, and an element above it. */
const COVERED = '<button>Play</button><div style="position: fixed; inset: 0"></div>';

test('a click on a covered element fails, and names the element above it', async () => {
  const page = await browser.newPage();
  await page.setContent(COVERED);
  await assert.rejects(clickUnlessGone(page.locator('button'), { timeout: 500 }), /<div.*intercepts pointer events/);
});

test('a click ends when the element disappears or no longer matches', async () => {
  const page = await browser.newPage();
  const button = page.locator('button:not([aria-disabled])');
  for (const change of ['element.remove()', 'element.setAttribute("aria-disabled", "true")']) {
    await page.setContent(COVERED);
    const isClicked = clickUnlessGone(button);
    await button.evaluate((element, change) => new Function('element', change)(element), change);
    assert.equal(await isClicked, false, change);
  }
  await page.setContent('<button>Play</button>');
  assert.equal(await clickUnlessGone(button), true);
});

test('a page that never stands still is an error', async () => {
  const page = await browser.newPage();
  await page.setContent('<button style="position: relative">Play</button>');
  const scenePage = new ScenePage(page);
  await scenePage.waitUntilStable();
  await page.evaluate(() => {
    const button = /** @type {HTMLElement} */ (document.querySelector('button'));
    const move = () => {
      button.style.left = `${parseFloat(button.style.left || '0') + 1}px`;
      requestAnimationFrame(move);
    };
    move();
  });
  await assert.rejects(scenePage.waitUntilStable(), /still moving after 60 frames: BUTTON/);
});
