// All texts of the page.

import { fileUrl } from './urls.js';

/** @typedef {Record<string, string | number | null | undefined>} Args */
/** @typedef {Record<string, string | Record<string, string>>} Texts */
/** @typedef {(key: string, args?: Args) => string} Translate */

/** @type {Translate} */
let current = (key) => key;
let language = 'en';
/** @type {Texts} */
let texts = {};
/** More texts than every page needs, by the name of their file: whether they are there. @type {Map<string, boolean>} */
const more = new Map();

/**
 * The text of this key in the language of the page.
 * @type {Translate}
 */
export const t = (key, args) => current(key, args);

/** The language of the page. */
export const currentLanguage = () => language;

/** The language that was asked for last, which may still be on its way. */
let asked = language;

/**
 * Fetches the texts of a language and uses them from now on; fails if they cannot be had.
 * @param {string} wanted
 */
export async function loadLanguage(wanted) {
  asked = wanted;
  const parts = [...more.keys()].map((part) => fetched(`${part}.${wanted}`));
  const all = await Promise.all([fetched(wanted), ...parts]);
  if (asked !== wanted) return;
  texts = Object.assign({}, ...all);
  current = translator(texts, wanted);
  language = wanted;
}

/**
 * Whether more texts are there, such as the long ones of the help. If not, they are fetched.
 * @param {string} part
 * @param {() => void} come is called when they have come
 */
export function hasTexts(part, come) {
  if (!more.has(part)) void learn(part).then(come, () => more.delete(part));
  return more.get(part) === true;
}

/** @param {string} part */
async function learn(part) {
  more.set(part, false);
  const wanted = language;
  const learnt = await fetched(`${part}.${wanted}`);
  if (wanted === language) Object.assign(texts, learnt);
  more.set(part, true);
}

/**
 * Where texts are.
 * @param {string} file a language, or a part of the texts and a language
 */
export const textsUrl = (file) => fileUrl(`i18n/${file}.json`);

/**
 * @param {string} file
 * @returns {Promise<Texts>}
 */
async function fetched(file) {
  const answer = await fetch(textsUrl(file));
  if (!answer.ok) throw new Error(`${file}: ${answer.status}`);
  return answer.json();
}

/**
 * A function that gives texts of one language: `{name}` is filled from `args`, and of `{one, other}` the form is
 * chosen by `args.n`.
 * @param {Texts} texts
 * @param {string} language
 * @returns {Translate}
 */
export function translator(texts, language) {
  const plural = new Intl.PluralRules(language);
  /** @type {Intl.NumberFormat | undefined} */
  let number;
  /** Browsers take long to learn how numbers are written: the usual ones are written alike everywhere. */
  const written = (/** @type {number} */ value) => {
    const isUsual = Number.isInteger(value) && Math.abs(value) < 1000;
    if (!isUsual) number ??= new Intl.NumberFormat(language);
    const text = number && !isUsual ? number.format(value) : String(value);
    return text.replace('-', '\u2212');
  };
  /** @type {Translate} */
  const translate = (key, args = {}) => {
    const entry = texts[key];
    if (entry === undefined)
      return key.startsWith('refused.') && key !== 'refused.unknown' ? translate('refused.unknown') : key;
    const text = typeof entry === 'string' ? entry : (entry[plural.select(Number(args.n ?? 0))] ?? entry.other);
    return text.replace(/\{(\w+)\}/g, (slot, name) => {
      const value = args[name];
      return typeof value === 'number' ? written(value) : (value ?? slot);
    });
  };
  return translate;
}

/**
 * Several names as one text: “Jonas and Mira”.
 * @param {string[]} names
 */
export const formatList = (names) => new Intl.ListFormat(language, { type: 'conjunction' }).format(names);
