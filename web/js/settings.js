// What this browser was told about how to look and behave.

import { LEVELS } from './state.js';
import { readJson, writeItem } from './storage.js';

/**
 * @typedef {object} Settings
 * @property {'en' | 'de'} language
 * @property {'auto' | 'light' | 'dark'} theme
 * @property {boolean} oneTap a card is played without being lifted first
 * @property {boolean} hints cards that would take the lead are marked
 * @property {boolean} sound
 * @property {number} volume
 * @property {boolean} notification a message of the device says that it is your turn, if nobody looks
 * @property {boolean} vibration
 * @property {boolean} motion less motion than usual
 * @property {boolean} bigCards
 * @property {boolean} letterKeys
 * @property {boolean} hideChat
 * @property {import('./state.js').Level} botLevel of the bots that are added
 */

/** The loudest that can be chosen, and what is usual. */
export const LOUDEST = 10;
export const USUAL = 5;

const NAME = 'sticheln.settings';

/**
 * The settings, with what was never chosen as usual.
 * @param {readonly string[]} languages those of the browser, the best first
 * @returns {Settings}
 */
export function loadSettings(languages) {
  const kept = readJson(NAME, /** @type {Record<string, unknown>} */ ({}));
  const settings = defaultSettings(languages);
  if (kept.language === 'en' || kept.language === 'de') settings.language = kept.language;
  if (kept.theme === 'light' || kept.theme === 'dark') settings.theme = kept.theme;
  for (const name of SWITCHES) if (typeof kept[name] === 'boolean') settings[name] = kept[name];
  const level = LEVELS.find((level) => level === kept.botLevel);
  if (level) settings.botLevel = level;
  const volume = Number(kept.volume);
  if (volume >= 1 && volume <= LOUDEST) settings.volume = volume;
  return settings;
}

/**
 * Keeps what was chosen, and nothing else: what was never touched follows the usual.
 * @param {Settings} settings
 * @param {Settings} before
 */
export function saveSettings(settings, before) {
  const chosen = Object.entries(settings).filter(
    ([name, value]) => before[/** @type {keyof Settings} */ (name)] !== value,
  );
  writeItem(NAME, JSON.stringify({ ...readJson(NAME, {}), ...Object.fromEntries(chosen) }));
}

/**
 * Whether somebody has ever chosen this.
 * @param {keyof Settings} name
 */
export const isChosen = (name) => name in readJson(NAME, {});

/** @typedef {typeof SWITCHES[number]} Switch */

/** What is either on or off. */
const SWITCHES = /** @type {const} */ ([
  'oneTap',
  'hints',
  'bigCards',
  'motion',
  'sound',
  'notification',
  'vibration',
  'letterKeys',
  'hideChat',
]);

/**
 * @param {readonly string[]} languages
 * @returns {Settings}
 */
export function defaultSettings(languages) {
  const known = languages.map((language) => language.slice(0, 2).toLowerCase());
  const language = known.find((language) => language === 'de' || language === 'en');
  return {
    language: language === 'de' ? 'de' : 'en',
    theme: 'auto',
    oneTap: false,
    hints: true,
    sound: false,
    volume: USUAL,
    notification: false,
    vibration: false,
    motion: false,
    bigCards: false,
    letterKeys: true,
    hideChat: false,
    botLevel: 'normal',
  };
}

/**
 * Tells the page: its language, its colours, whether it may move.
 * @param {Settings} settings
 * @param {HTMLElement} root
 */
export function applySettings(settings, root) {
  root.lang = settings.language;
  if (settings.theme === 'auto') delete root.dataset.theme;
  else root.dataset.theme = settings.theme;
  root.dataset.motion = settings.motion ? 'less' : 'full';
  root.dataset.cards = settings.bigCards ? 'big' : 'usual';
}
