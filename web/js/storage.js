// The storage of the browser. If the browser refuses to store a value, it is kept until the page is closed.

/** The keys of all values that the page stores. The preflight script cannot import them, so it repeats two of them. */
export const KEYS = /** @type {const} */ ({
  /** The settings that somebody has chosen, as JSON (settings.js, preflight.js). */
  settings: 'sticheln.settings',
  /** The name that the person used last (identity.js). */
  name: 'sticheln.name',
  /** The saved rooms, as JSON (identity.js). */
  savedRooms: 'sticheln.saved-rooms',
  /** The password for opening rooms, once the server has accepted it (actions.js). */
  openPassword: 'sticheln.open-password',
  /** The prefix of the keys of tokens; the room code follows (identity.js). */
  tokenPrefix: 'sticheln.token.',
  /** The experience of people with the games, as JSON: {@link Experience} (session.js). */
  experience: 'sticheln.experience',
  /** The people whom somebody has muted, by room, as JSON. */
  mutes: 'sticheln.mutes',
  /** In the session storage: the seat that was chosen to play on from a replay, with the room, as JSON (kept-seat.js). */
  playOnSeat: 'sticheln.play-on-seat',
  /** In the session storage: how many loads of the page have failed in this tab (preflight.js, main.js). */
  failedLoads: 'sticheln.failed-loads',
  /** In the session storage: the hash of the files for which this tab was reloaded (api.js). */
  reloadedFor: 'sticheln.reloaded-for',
});

/** The values that the browser refuses to store, by their keys. @type {Map<string, string>} */
const unsaved = new Map();

/**
 * The value under a key; null if there is none.
 * @param {string} key
 * @returns {string | null}
 */
export function readItem(key) {
  // A value that was refused is newer than one that the browser has stored before.
  const refused = unsaved.get(key);
  if (refused !== undefined) return refused;
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/**
 * @param {string} key
 * @param {string} value
 */
export function writeItem(key, value) {
  try {
    localStorage.setItem(key, value);
    unsaved.delete(key);
  } catch {
    unsaved.set(key, value);
  }
}

/** @param {string} key */
export function removeItem(key) {
  unsaved.delete(key);
  try {
    localStorage.removeItem(key);
  } catch {
    // A browser that refuses has stored nothing.
  }
}

/**
 * The JSON value under a key; `fallback` if there is none, or if it cannot be parsed.
 * @template T
 * @param {string} key
 * @param {T} fallback
 * @returns {T}
 */
export function readJson(key, fallback) {
  try {
    return JSON.parse(readItem(key) ?? 'null') ?? fallback;
  } catch {
    return fallback;
  }
}

/**
 * The experience of the people at this browser with the games.
 * @typedef {object} Experience
 * @property {string[]} explainedGames the ids of the games that were explained
 * @property {number} games how many games were played to the end
 * @property {boolean} soundOffered whether they were offered to switch the sound on
 */

/** @returns {Experience} */
export function loadExperience() {
  const { explainedGames, games, soundOffered } = readJson(
    KEYS.experience,
    /** @type {Record<string, unknown>} */ ({}),
  );
  return {
    explainedGames: Array.isArray(explainedGames) ? explainedGames.filter((game) => typeof game === 'string') : [],
    games: Number(games) || 0,
    // People who have finished a game before this offer existed know the settings.
    soundOffered: soundOffered === true || Number(games) > 0,
  };
}

/** @param {Experience} experience */
export const saveExperience = (experience) => writeItem(KEYS.experience, JSON.stringify(experience));

/** How many rooms with muted people are kept; the oldest are dropped. */
const MAX_ROOMS = 12;
/** The muted people of a room. @typedef {{ code: string, names: string[] }} Mutes */

/** @returns {Mutes[]} */
function savedMutes() {
  const saved = readJson(KEYS.mutes, /** @type {Mutes[]} */ ([]));
  return Array.isArray(saved) ? saved.filter((mutes) => Array.isArray(mutes?.names)) : [];
}

/**
 * The names of the people who are muted in a room, the latest last.
 * @param {string} code
 * @returns {string[]}
 */
export const mutedIn = (code) => savedMutes().find((mutes) => mutes.code === code)?.names ?? [];

/**
 * Saves the names of the people who are muted in a room.
 * @param {string} code
 * @param {readonly string[]} names
 */
export function saveMuted(code, names) {
  const others = savedMutes().filter((mutes) => mutes.code !== code);
  const all = names.length === 0 ? others : [{ code, names }, ...others];
  writeItem(KEYS.mutes, JSON.stringify(all.slice(0, MAX_ROOMS)));
}
