// The findings of axe-core about a page.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** @import { Page } from 'playwright-core' */

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The texts on these elements are values, no names: a plate has the name of its person, a card suit and number. */
const VALUES = '.plate, .me-plate, .cb, .sp';

/**
 * The violations on a page as it is now: each rule, with where it is broken.
 * @param {Page} page
 * @returns {Promise<string[]>}
 */
export async function violations(page) {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE);
  return page.evaluate(async (values) => {
    const rules = { 'target-size': { enabled: true } };
    const { violations } = await /** @type {any} */ (window).axe.run(document, { resultTypes: ['violations'], rules });
    const isValue = (/** @type {any} */ { target }) => document.querySelector(target.at(-1))?.matches(values);
    return violations.flatMap((/** @type {any} */ { id, nodes: all }) => {
      const nodes =
        id === 'label-content-name-mismatch' ? all.filter((/** @type {any} */ node) => !isValue(node)) : all;
      if (nodes.length === 0) return [];
      const places = nodes.map(
        (/** @type {any} */ { target, any }) => `${target.join(' ')}${any[0] ? ` (${any[0].message})` : ''}`,
      );
      return `${id}: ${places.slice(0, 5).join(', ')}`;
    });
  }, VALUES);
}
