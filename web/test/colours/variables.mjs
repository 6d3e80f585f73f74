// The colours that css/app.css declares, by theme.

import { readFileSync } from 'node:fs';

const SHEET = new URL('../../css/app.css', import.meta.url);

/** @typedef {Record<string, string>} Variables colours like `#ad0f12` by the name of their variable, without dashes */

/**
 * The colours of the two themes: what the dark one does not name is as in the light one.
 * @returns {{ light: Variables, dark: Variables }}
 */
export function variables() {
  const css = readFileSync(SHEET, 'utf8');
  const light = colours(block(css, ':root {'));
  const dark = colours(block(css, ':root[data-theme="dark"] {'));
  const byTheSystem = colours(block(css, ':root:not([data-theme="light"]) {'));
  if (JSON.stringify(dark) !== JSON.stringify(byTheSystem)) throw new Error('there are two dark themes');
  return { light, dark: { ...light, ...dark } };
}

/**
 * The text between the braces of a rule.
 * @param {string} css
 * @param {string} start
 */
function block(css, start) {
  const at = css.indexOf(start);
  if (at < 0) throw new Error(`no rule begins with ${start}`);
  return css.slice(at + start.length, css.indexOf('}', at));
}

/**
 * @param {string} rule
 * @returns {Variables}
 */
const colours = (rule) =>
  Object.fromEntries([...rule.matchAll(/--([\w-]+): (#[0-9a-f]{6})\b/g)].map(([, name, colour]) => [name, colour]));
