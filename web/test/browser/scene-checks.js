// The tests of scenes: axe-core finds no violation, the layout has no flaws, and the screenshot equals the stored one.
//
// By default each scene is tested once, half of the scenes in German and half of them in the dark theme. It has the
// smallest size, one size of its screenshots and a fifth of the others. SCENES=all tests all sizes, languages and themes.
// UPDATE_SCREENS=1 replaces all screenshots.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { installAxe, violations } from './axe.js';
import { flaws, SIZES } from './layout.js';
import { difference } from './pictures.js';
import { ScenePage } from './scene-page.js';
import { showScene } from './scenes.js';
import { Server } from './server.js';
import { DESKTOP, PHONE, PHONE_LANDSCAPE } from './viewports.js';

/** @import { Language } from '../../js/settings.js' */
/** @import { Scene } from './scenes.js' */

/** @typedef {'light' | 'dark'} Theme */

const VIEWS = /** @type {[Language, Theme][]} */ ([
  ['en', 'light'],
  ['de', 'dark'],
  ['en', 'dark'],
  ['de', 'light'],
]);
const isAll = process.env.SCENES === 'all';
const hasAllScreenshots = isAll || process.env.UPDATE_SCREENS === '1';
/** The viewports of screenshots. */
const SCREENSHOT_SIZES = [PHONE, PHONE_LANDSCAPE, DESKTOP];

/**
 * Defines a test for each of these scenes.
 * @param {Scene[]} scenes
 */
export async function testScenes(scenes) {
  const scenePage = await ScenePage.open(await Server.start(), { viewport: PHONE });
  await installAxe(scenePage.page);
  for (const scene of scenes) {
    test(scene.name, { timeout: 120_000 }, async () => {
      const views = isAll ? VIEWS : [defaultView(scene.name)];
      for (const [language, theme] of views) await checkScene(scenePage, scene, language, theme);
    });
  }
}

/**
 * The language and the theme of a scene by default, the same in every run.
 * @param {string} name
 */
const defaultView = (name) => VIEWS[hash(name) % VIEWS.length];

/**
 * The viewports at which a scene is tested. The smallest one and those of screenshots come first in every run: how the
 * browser draws a layer can depend on the sizes that it had before.
 * @param {Scene} scene
 */
function sizes(scene) {
  const isFirst = (/** @type {number} */ at) => at === 0 || hasScreenshot(scene, SIZES[at].width);
  const first = SIZES.filter((_, at) => isFirst(at));
  return [...first, ...SIZES.filter((_, at) => !isFirst(at) && (isAll || (at + hash(scene.name)) % 5 === 0))];
}

/**
 * Whether a scene is compared with its screenshot of this width.
 * @param {Scene} scene
 * @param {number} width
 */
function hasScreenshot({ name, isPictured }, width) {
  if (!isPictured) return false;
  return SCREENSHOT_SIZES.some(
    (size, at) => size.width === width && (hasAllScreenshots || (at + hash(name)) % 3 === 0),
  );
}

/** A number that depends on the name alone. @param {string} name */
const hash = (name) => [...name].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);

/**
 * Tests a scene in one language and theme.
 * @param {ScenePage} scenePage
 * @param {Scene} scene
 * @param {Language} language
 * @param {Theme} theme
 */
async function checkScene(scenePage, scene, language, theme) {
  const { page } = scenePage;
  const { name, areNamesLong } = scene;
  await page.setViewportSize(PHONE);
  await page.emulateMedia({ colorScheme: theme });
  await showScene(scenePage, scene, language);
  const wrong = [];
  const isDefault = defaultView(name).join() === [language, theme].join();
  const all = sizes(scene);
  const greatestWidth = Math.max(...all.map(({ width }) => width));
  for (const size of all) {
    await scenePage.resize(size);
    const at = `${size.width}x${size.height}`;
    if (isDefault && hasScreenshot(scene, size.width)) wrong.push(await difference(page, `${name}-${at}`));
    wrong.push(...(await flaws(page, { areNamesLong })).map((flaw) => `${at}: ${flaw}`));
    // A screen reader gets the same content at all sizes, except for the side column, so axe-core runs at the widest.
    if (size.width === greatestWidth || (isAll && size.width === PHONE.width)) {
      wrong.push(...(await violations(page)).map((violation) => `${at}: ${violation}`));
    }
  }
  assert.deepEqual(wrong.filter(Boolean), [], `${name}, ${language}, ${theme}`);
  assert.deepEqual(scenePage.errors.splice(0), [], name);
}
