// Runs axe-core on a page.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** @import { Page } from 'playwright-core' */

/** An element that breaks a rule. @typedef {{ target: string[], any: { message: string }[] }} ViolatingNode */
/** A rule that is broken. @typedef {{ id: string, nodes: ViolatingNode[] }} Violation */
/**
 * A page in which axe-core is installed.
 * @typedef {Window & typeof globalThis & { axe: { run: (root: Document, options: object) => Promise<{ violations: Violation[] }> } }} WindowWithAxe
 */

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * The elements whose visible text may differ from their accessible name. A plate shows points and is named after its
 * player. A card shows a number and is named after suit and number.
 */
const SHOW_VALUES = '.plate, .own-plate, .card-button, .space';

/**
 * Installs axe-core in a page from its next load on. It takes 0.08 s of CPU time less than with the first {@link violations}
 * after each load.
 * @param {Page} page
 */
export const installAxe = (page) => page.addInitScript(AXE);

/**
 * The violations on a page as it is now: each rule, and the elements that break it.
 * @param {Page} page
 * @returns {Promise<string[]>}
 */
export async function violations(page) {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE);
  return page.evaluate(async (showValues) => {
    const rules = { 'target-size': { enabled: true } };
    const { violations } = await /** @type {WindowWithAxe} */ (window).axe.run(document, {
      resultTypes: ['violations'],
      rules,
    });
    const showsValue = (/** @type {ViolatingNode} */ { target }) =>
      document.querySelector(target.at(-1) ?? '')?.matches(showValues);
    return violations.flatMap(({ id, nodes: all }) => {
      const nodes = id === 'label-content-name-mismatch' ? all.filter((node) => !showsValue(node)) : all;
      if (nodes.length === 0) return [];
      const places = nodes.map(({ target, any }) => `${target.join(' ')}${any[0] ? ` (${any[0].message})` : ''}`);
      return `${id}: ${places.slice(0, 5).join(', ')}`;
    });
  }, SHOW_VALUES);
}
