// The texts of the page for tests: those of every view, of the help, and of each game.

import { readdirSync, readFileSync } from 'node:fs';

import { translator } from '../js/i18n.js';

/** @import { StatusLine } from '../js/game.js' */
/** @import { Texts } from '../js/i18n.js' */

const WEB = new URL('../', import.meta.url);

/** The files of texts, below `web`. */
const FILES = readdirSync(WEB, { recursive: true })
  .map((path) => String(path).replaceAll('\\', '/'))
  .filter((path) => /^(?:js\/\w+\/)?i18n\/[\w.]+\.json$/.test(path));

/**
 * All texts of a language by their keys.
 * @param {string} language
 * @returns {Texts}
 */
export function textsOf(language) {
  const files = FILES.filter((path) => new RegExp(`\\b${language}\\.json$`).test(path));
  return Object.assign({}, ...files.map((path) => JSON.parse(readFileSync(new URL(path, WEB), 'utf8'))));
}

/**
 * The function that gives the texts of a language.
 * @param {string} language
 */
export const textsIn = (language) => translator(textsOf(language), language);

/**
 * A text with plain spaces in place of spaces that do not break.
 * @param {string | null} text
 */
export const plainText = (text) => (text ?? '').replaceAll('\u00a0', ' ');

/**
 * A status line as one text.
 * @param {StatusLine} line
 */
export const lineText = ({ strong, text }) => plainText(`${strong} ${text}`.trim());
