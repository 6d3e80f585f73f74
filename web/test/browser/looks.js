// Every state of the page: nothing overlaps, is cut off or too small; screen readers find everything; and it looks as in
// its picture.
//
// Usually each scene is shown once, half of them in German and half of them in the dark, at the smallest size and at a
// third of the others, different ones for different scenes; with SCENES=all at all sizes, in both languages and themes.
// UPDATE_SCREENS=1 makes the pictures anew.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { violations } from './access.js';
import { DESKTOP, LYING_PHONE, PHONE, Server } from './harness.js';
import { flaws, SIZES } from './layout.js';
import { difference } from './pictures.js';
import { show } from './scenes.js';
import { Stage } from './stage.js';

/** @import { Scene } from './scenes.js' */

/** @typedef {'en' | 'de'} Language */
/** @typedef {'light' | 'dark'} Theme */

const ALL = /** @type {[Language, Theme][]} */ ([
  ['en', 'light'],
  ['de', 'dark'],
  ['en', 'dark'],
  ['de', 'light'],
]);
const isAll = process.env.SCENES === 'all';
const PICTURED = [PHONE, LYING_PHONE, DESKTOP];

/**
 * A test for each of these scenes.
 * @param {Scene[]} scenes
 */
export async function lookAt(scenes) {
  const stage = await Stage.open(await Server.start(), { viewport: PHONE });
  for (const scene of scenes) {
    test(scene.name, { timeout: 120_000 }, async () => {
      const looks = isAll ? ALL : [usual(scene.name)];
      for (const [language, theme] of looks) await look(stage, scene, language, theme);
    });
  }
}

/**
 * The language and the theme of a scene, always the same ones.
 * @param {string} name
 */
const usual = (name) => ALL[sum(name) % ALL.length];

/**
 * The sizes at which a scene is looked at.
 * @param {Scene} scene
 */
function sizes({ name, isPictured }) {
  const isShown = (/** @type {number} */ width) => isPictured && PICTURED.some((size) => size.width === width);
  return SIZES.filter(({ width }, at) => isAll || at === 0 || (at + sum(name)) % 3 === 0 || isShown(width));
}

/** @param {string} name */
const sum = (name) => [...name].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);

/**
 * The flaws of a scene as it is shown. A flaw that is gone some frames later was a transition, and does not count.
 * @param {Stage} stage
 * @param {Scene} scene
 */
async function lasting(stage, { areNamesLong }) {
  const found = await flaws(stage.page, { areNamesLong });
  if (found.length === 0) return found;
  await stage.settles();
  const still = await flaws(stage.page, { areNamesLong });
  return found.filter((flaw) => still.includes(flaw));
}

/**
 * @param {Stage} stage
 * @param {Scene} scene
 * @param {Language} language
 * @param {Theme} theme
 */
async function look(stage, scene, language, theme) {
  const { page } = stage;
  const { name } = scene;
  await stage.resize(PHONE);
  await page.emulateMedia({ colorScheme: theme });
  await show(stage, scene, language);
  const wrong = [];
  const isUsual = usual(name).join() === [language, theme].join();
  const all = sizes(scene);
  for (const size of all) {
    await stage.resize(size);
    const at = `${size.width}x${size.height}`;
    const isPicture = scene.isPictured && isUsual && PICTURED.some(({ width }) => width === size.width);
    if (isPicture) wrong.push(await difference(page, `${name}-${at}`));
    const found = await lasting(stage, scene);
    wrong.push(...found.map((flaw) => `${at}: ${flaw}`));
    // Screen readers read the same at all sizes, but for the side column.
    if (size === all.at(-1) || (isAll && size.width === PHONE.width)) {
      wrong.push(...(await violations(page)).map((violation) => `${at}: ${violation}`));
    }
  }
  assert.deepEqual(wrong.filter(Boolean), [], `${name}, ${language}, ${theme}`);
  assert.deepEqual(stage.faults.splice(0), [], name);
}
