// The settings of this browser: how the page looks and behaves.

import { LEVELS } from './state.js';
import { KEYS, readJson, writeItem } from './storage.js';

/** @import { Level } from './protocol.js' */

/**
 * @typedef {object} Settings
 * @property {Language} language
 * @property {'auto' | 'light' | 'dark'} theme
 * @property {boolean} oneTap a tap plays a card without lifting it first
 * @property {boolean} hints cards that would be winning are marked
 * @property {boolean} sound
 * @property {number} volume
 * @property {boolean} notification the device shows a notification at the own turn while the page is hidden
 * @property {boolean} vibration
 * @property {boolean} reducedMotion whether there is less motion than usual
 * @property {boolean} bigCards
 * @property {boolean} letterKeys
 * @property {boolean} hideChat
 * @property {boolean} speakChat screen readers are told lines of the chat and reactions
 * @property {boolean} streamer the page shows neither code, link and QR code of a room nor its chat
 * @property {Level} botLevel the level of bots that are added
 */

/** The names of the languages of the page, each in its own language. The first one is the default. */
export const LANGUAGE_NAMES = /** @type {const} */ ({ en: 'English', de: 'Deutsch' });

/** @typedef {keyof typeof LANGUAGE_NAMES} Language */

/** The languages of the page. */
export const LANGUAGES = /** @type {Language[]} */ (Object.keys(LANGUAGE_NAMES));

/** The highest volume, and the usual one. */
export const MAX_VOLUME = 10;
export const USUAL_VOLUME = 5;

/**
 * The saved settings, with defaults for those that were never chosen.
 * @param {readonly string[]} languages the languages of the browser, the best first
 * @returns {Settings}
 */
export function loadSettings(languages) {
  const saved = readJson(KEYS.settings, /** @type {Record<string, unknown>} */ ({}));
  const settings = defaultSettings(languages);
  settings.language = LANGUAGES.find((language) => language === saved.language) ?? settings.language;
  if (saved.theme === 'light' || saved.theme === 'dark') settings.theme = saved.theme;
  for (const name of SWITCHES) if (typeof saved[name] === 'boolean') settings[name] = saved[name];
  const level = LEVELS.find((level) => level === saved.botLevel);
  if (level) settings.botLevel = level;
  const volume = Number(saved.volume);
  if (volume >= 1 && volume <= MAX_VOLUME) settings.volume = volume;
  return settings;
}

/**
 * Saves the changed settings only, so that settings that were never chosen follow the defaults.
 * @param {Settings} settings
 * @param {Settings} before
 */
export function saveSettings(settings, before) {
  const changed = Object.entries(settings).filter(
    ([name, value]) => before[/** @type {keyof Settings} */ (name)] !== value,
  );
  writeItem(KEYS.settings, JSON.stringify({ ...readJson(KEYS.settings, {}), ...Object.fromEntries(changed) }));
}

/**
 * Whether a setting was ever chosen.
 * @param {keyof Settings} name
 */
export const wasEverChosen = (name) => name in readJson(KEYS.settings, {});

/** The themes, in the order in which they are offered. */
export const THEMES = /** @type {const} */ (['auto', 'light', 'dark']);

/** @typedef {typeof SWITCHES[number]} Switch */

/** The settings that are on or off. */
const SWITCHES = /** @type {const} */ ([
  'oneTap',
  'hints',
  'bigCards',
  'reducedMotion',
  'sound',
  'notification',
  'vibration',
  'letterKeys',
  'hideChat',
  'speakChat',
  'streamer',
]);

/**
 * The settings of a browser in which nothing was chosen.
 * @param {readonly string[]} languages
 * @returns {Settings}
 */
export function defaultSettings(languages) {
  const preferred = languages.map((language) => language.slice(0, 2).toLowerCase());
  const known = preferred.flatMap((wanted) => LANGUAGES.find((language) => language === wanted) ?? []);
  return {
    language: known[0] ?? LANGUAGES[0],
    theme: 'auto',
    oneTap: false,
    hints: true,
    sound: false,
    volume: USUAL_VOLUME,
    notification: false,
    vibration: false,
    reducedMotion: false,
    bigCards: false,
    letterKeys: true,
    hideChat: false,
    speakChat: true,
    streamer: false,
    botLevel: 'normal',
  };
}

/**
 * Applies the settings to the document: its language, its colours, its motion, the size of cards.
 * @param {Settings} settings
 * @param {HTMLElement} root
 */
export function applySettings(settings, root) {
  root.lang = settings.language;
  if (settings.theme === 'auto') delete root.dataset.theme;
  else root.dataset.theme = settings.theme;
  root.dataset.motion = settings.reducedMotion ? 'less' : 'full';
  root.dataset.cards = settings.bigCards ? 'big' : 'usual';
}

/** Whether the device or the settings ask for less motion. */
export function prefersReducedMotion() {
  const isSet = document.documentElement.dataset.motion === 'less';
  return isSet || matchMedia('(prefers-reduced-motion: reduce)').matches;
}
