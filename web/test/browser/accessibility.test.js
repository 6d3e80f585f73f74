// The page respects settings of the device: large text, 400 % zoom, forced colours, reduced motion.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { violations } from './axe.js';
import { flaws } from './layout.js';
import { ScenePage } from './scene-page.js';
import { SCENES, showScene } from './scenes.js';
import { Server } from './server.js';
import { DESKTOP } from './viewports.js';

/** The size of a window of 1280 × 1024 px at 400 %. */
const ZOOMED = { width: 320, height: 256 };
const NAMES = ['home', 'lobby', 'pick', 'trick', 'menu', 'round-end', 'game-end'];
const scenes = SCENES.filter(({ name }) => NAMES.includes(name));

const server = await Server.start();
const scenePage = await ScenePage.open(server, { viewport: DESKTOP, isFullChromium: true });
const { page } = scenePage;

test('at 400 % zoom everything is there and nothing scrolls sideways', { timeout: 120_000 }, async () => {
  for (const scene of scenes) {
    await scenePage.resize({ width: 320, height: 568 });
    await showScene(scenePage, scene, 'en');
    await scenePage.resize(ZOOMED);
    assert.deepEqual(await flaws(page), [], scene.name);
  }
});

test('with forced colours everything is visible', { timeout: 120_000 }, async () => {
  await scenePage.resize(DESKTOP);
  await page.emulateMedia({ forcedColors: 'active' });
  for (const scene of scenes) {
    await showScene(scenePage, scene, 'en');
    // The colours are the device's, and axe-core reads ours.
    const found = await violations(page);
    assert.deepEqual(
      found.filter((violation) => !violation.startsWith('color-contrast')),
      [],
      scene.name,
    );
    assert.deepEqual(await page.evaluate(unseen), [], scene.name);
  }
  await page.emulateMedia({ forcedColors: 'none' });
});

test('reduced motion turns all animations off', { timeout: 60_000 }, async () => {
  const [trick] = scenes.filter(({ name }) => name === 'trick');
  const moving = () =>
    page.evaluate(
      () => document.getAnimations().filter(({ effect }) => Number(effect?.getComputedTiming().duration) > 1).length,
    );
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await showScene(scenePage, trick, 'en');
  assert.notEqual(await moving(), 0, 'by default there are animations');
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await showScene(scenePage, trick, 'en');
  assert.equal(await moving(), 0, 'by the device');
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await showScene(scenePage, { ...trick, input: { ...trick.input, settings: { reducedMotion: true } } }, 'en');
  assert.equal(await moving(), 0, 'by the setting');
  await page.emulateMedia({ reducedMotion: 'reduce' });
});

/** Runs in the page: buttons without an edge, choices that look alike, cards without their colours. */
function unseen() {
  const found = [];
  for (const button of document.querySelectorAll('.btn:not([aria-disabled])')) {
    const { borderStyle, borderWidth } = getComputedStyle(button);
    if (button.checkVisibility() && (borderStyle === 'none' || borderWidth === '0px'))
      found.push(`${button.textContent?.trim()} has no edge`);
  }
  for (const group of document.querySelectorAll('.segmented, .game-choice')) {
    const looks = [...group.querySelectorAll('label')].map((label) =>
      [label.matches(':has(:checked)'), getComputedStyle(label).backgroundColor].join(),
    );
    if (new Set(looks).size !== 2 || new Set(looks.map((look) => look.split(',').slice(1).join())).size !== 2)
      found.push(`${group.textContent?.trim()}: what is chosen does not show`);
  }
  for (const card of document.querySelectorAll('.card, .chip')) {
    if (getComputedStyle(card).forcedColorAdjust !== 'none') found.push(`${card.className} has lost its colours`);
  }
  return found;
}
