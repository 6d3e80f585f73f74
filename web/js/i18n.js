// The texts of the page. They come in sets, each with a file for each language. One set is for every screen. The others,
// such as those of the help and of each game, are loaded when they are needed.

import { fileUrl } from './urls.js';

/** @typedef {Record<string, string | number | null | undefined>} Args the values that fill a text */
/** @typedef {Record<string, string | Record<string, string>>} Texts by their keys; some in a form for each number */
/** @typedef {(key: string, args?: Args) => string} Translate gives the text of a key */

/** The set of every screen. A set is named by the path of its files up to the name of the language. */
const MAIN = 'i18n/';
/** The set of the help, the intro and the connection check. */
export const HELP = 'i18n/help.';
/** The set of the page of a replay. */
export const REPLAY = 'i18n/replay.';

/** The delay before texts that could not be loaded are requested again. */
const RETRY_DELAY_MS = 2000;

/** @type {Texts} */
let texts = {};
/** @type {Translate} */
let current = (key) => key;
let language = 'en';
/** The language that was requested last. */
let requested = language;
/** The sets besides the main one, and whether they are loaded. @type {Map<string, boolean>} */
const sets = new Map();

/**
 * The text of a key in the language of the page.
 * @type {Translate}
 */
export const t = (key, args) => current(key, args);

/** The language of the page. */
export const currentLanguage = () => language;

/**
 * Loads the texts of a language and uses them from now on; fails if the server cannot be reached. After several
 * calls the language of the last one is used.
 * @param {string} wanted
 */
export async function loadLanguage(wanted) {
  requested = wanted;
  const others = [...sets.keys()];
  const all = await Promise.all([MAIN, ...others].map((set) => fetchTexts(set, wanted)));
  if (requested !== wanted) return;
  texts = Object.assign({}, ...all);
  // A set that was requested meanwhile has texts of the old language, so it is loaded again.
  sets.clear();
  for (const set of others) sets.set(set, true);
  current = translator(texts, wanted);
  language = wanted;
}

/**
 * Loads another set of texts; fails if the server cannot be reached.
 * @param {string} set
 */
async function loadTexts(set) {
  sets.set(set, false);
  const wanted = language;
  try {
    const loaded = await fetchTexts(set, wanted);
    // A change of the language decides by itself which sets are loaded.
    if (wanted !== language) return;
    Object.assign(texts, loaded);
    sets.set(set, true);
  } catch (error) {
    if (wanted === language) sets.delete(set);
    throw error;
  }
}

/**
 * Whether these sets of texts are loaded. Missing sets are loaded.
 * @param {readonly string[]} wanted
 * @param {() => void} onLoad is called when a set is loaded, and when it is time to try again
 */
export function hasTexts(wanted, onLoad) {
  for (const set of wanted) {
    if (!sets.has(set)) loadTexts(set).then(onLoad, () => setTimeout(onLoad, RETRY_DELAY_MS));
  }
  return wanted.every(isLoaded);
}

/**
 * Whether a set of texts is loaded.
 * @param {string} set
 */
export const isLoaded = (set) => sets.get(set) === true;

/**
 * The URL of a file of texts.
 * @param {string} language
 * @param {string} [set]
 */
export const textsUrl = (language, set = MAIN) => fileUrl(`${set}${language}.json`);

/**
 * @param {string} set
 * @param {string} language
 * @returns {Promise<Texts>}
 */
async function fetchTexts(set, language) {
  const url = textsUrl(language, set);
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return response.json();
}

/**
 * A function that gives the texts of a language. In a text `{name}` is filled from `args`; of a text with several forms
 * the one for the number `args.n` is chosen.
 * @param {Texts} texts
 * @param {string} language
 * @returns {Translate}
 */
export function translator(texts, language) {
  const plural = new Intl.PluralRules(language);
  /** @type {Intl.NumberFormat | undefined} */
  let numberFormat;
  /** Small integers are the same in all languages; the others need a format, which is slow to construct. */
  const formatNumber = (/** @type {number} */ value) => {
    if (Number.isInteger(value) && Math.abs(value) < 1000) return String(value);
    numberFormat ??= new Intl.NumberFormat(language);
    return numberFormat.format(value);
  };
  /** @type {Translate} */
  const translate = (key, args = {}) => {
    const entry = texts[key];
    if (entry === undefined) {
      return key.startsWith('refused.') && key !== 'refused.unknown' ? translate('refused.unknown') : key;
    }
    const text = typeof entry === 'string' ? entry : (entry[plural.select(Number(args.n ?? 0))] ?? entry.other);
    if (!text.includes('{')) return text;
    return text.replace(/\{(\w+)\}/g, (placeholder, name) => {
      const value = args[name];
      return typeof value === 'number' ? formatNumber(value).replace('-', '\u2212') : (value ?? placeholder);
    });
  };
  return translate;
}

/**
 * Names in one phrase: `Ann, Bob and Cem`.
 * @param {readonly string[]} names
 * @param {Translate} t
 * @returns {string}
 */
export function nameList(names, t) {
  if (names.length < 2) return names.join('');
  return t('list.and', { a: names.slice(0, -1).join(', '), b: names.at(-1) });
}

/**
 * Seconds as minutes and seconds: `0:41`.
 * @param {number} seconds
 */
export const minutesAndSeconds = (seconds) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
