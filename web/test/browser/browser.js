// A browser for tests: Chromium or its headless shell.

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after } from 'node:test';

/**
 * The library that controls the browser. Node.js searches a CommonJS module that is imported for names: in the 4 MB of this
 * one, that takes 0.3 s of CPU time in each file of tests. `require` does not.
 * @type {typeof import('playwright-core')}
 */
export const { chromium, errors } = createRequire(import.meta.url)('playwright-core');
/** The full Chromium, which only some tests need. */
export const CHROMIUM = '/usr/bin/chromium';
/** The same engine without windows and notifications. It takes half the time. */
const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell';
/** Whether the browser has a visible window. */
export const IS_HEADED = process.env.HEADED === '1';
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
