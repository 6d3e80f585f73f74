// The helpers of the browser tests fail where they would otherwise hide a fault of the page.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';

import { openBrowser } from './browser.js';
import { clickUnlessGone } from './click.js';
import { freePort } from './port.js';
import { ScenePage } from './scene-page.js';

const browser = await openBrowser();

/** A button, and an element above it. */
const COVERED = '<button>Play</button><div style="position: fixed; inset: 0"></div>';

test('a click on a covered element fails, and names the element above it', async () => {
  const page = await browser.newPage();
  await page.setContent(COVERED);
  await assert.rejects(clickUnlessGone(page.locator('button'), { timeout: 5_000 }), /<div.*intercepts pointer events/);
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

test('no two tests get the same port, in one process or in several', async () => {
  const take = `
    const { freePort } = await import('${new URL('port.js', import.meta.url)}');
    for (let count = 0; count < 300; count += 1) console.log(await freePort());
    console.log('all');
    process.stdin.resume();`;
  const other = spawn(process.execPath, ['--input-type=module', '--eval', take]);
  after(() => other.kill());
  const ports = new Set();
  const lines = createInterface({ input: other.stdout });
  lines.on('line', (line) => (line === 'all' ? lines.close() : ports.add(Number(line))));
  const taken = once(lines, 'close');
  for (let count = 0; count < 300; count += 1) ports.add(await freePort());
  await taken;
  assert.equal(ports.size, 600);
});
