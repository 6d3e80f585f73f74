// The page is loaded in parts (code splitting). The first screen needs few of them; the others follow one at a time.
// Until a part is loaded, the page is drawn without it.

import { reloadIfOutdated } from './api.js';
import { findGame, GAMES } from './games.js';
import { codeAt, fileUrl, replayAt } from './urls.js';

/** @import * as Deferred from './deferred.js' */
/** @import { Game } from './game.js' */
/** @import * as Home from './home.js' */
/** @import * as Lobby from './lobby.js' */
/** @import * as Replay from './replay/replay.js' */
/** @import * as Session from './session.js' */
/** @import { Store } from './store.js' */
/** @import * as CardDrawing from './table/card-drawing.js' */
/** @import * as Table from './table/table.js' */
/** @import { State } from './types.js' */

/**
 * The parts, by name.
 * @typedef {object} Parts
 * @property {true} style the style sheet of every screen
 * @property {typeof Home} home the home page
 * @property {typeof Lobby} lobby a room before the game
 * @property {typeof Session} session the connection to a room
 * @property {typeof CardDrawing} cardDrawing how cards are drawn
 * @property {typeof Deferred} deferred everything that the first screens do not need
 * @property {typeof Table} table the table of a game once cards are dealt
 * @property {typeof Replay} replay the page of a replay
 */
/** @typedef {keyof Parts} PartName */

/** The style sheets of parts, in the order in which they take effect. css/app.css, which every screen needs, precedes them. */
export const STYLES = {
  cardDrawing: ['css/cards.css'],
  deferred: [
    'css/banners.css',
    'css/toasts.css',
    'css/dialogs.css',
    'css/invitation.css',
    'css/chat.css',
    'css/data-table.css',
    'css/house-rules.css',
    'css/help.css',
  ],
  table: [
    'css/table.css',
    'css/plate.css',
    'css/slot.css',
    'css/seats.css',
    'css/tray.css',
    'css/hand.css',
    'css/side-column.css',
    'css/scores.css',
    'css/results.css',
    'css/round-log.css',
  ],
  replay: ['css/replay.css'],
};

/** The delay before a part that could not be loaded is requested again. */
const RETRY_DELAY_MS = 2000;

const SOURCES = {
  style: async () => hasFirstStyle() || loadStyle('css/app.css'),
  home: () => import('./home.js'),
  lobby: () => import('./lobby.js'),
  session: () => import('./session.js'),
  cardDrawing: async () => {
    const [drawing] = await Promise.all([
      import('./table/card-drawing.js'),
      import('./table/symbols.js'),
      loadStyles(STYLES.cardDrawing),
    ]);
    return drawing;
  },
  deferred: async () => {
    const games = GAMES.map(({ lobby }) => lobby.load());
    const [deferred] = await Promise.all([import('./deferred.js'), loadStyles(STYLES.deferred), ...games]);
    return deferred;
  },
  table: async (/** @type {Game | undefined} */ game) => {
    const styles = loadStyles([...STYLES.table, ...(game?.styles ?? [])]);
    const [table] = await Promise.all([import('./table/table.js'), game?.table.load(styles), styles]);
    return table;
  },
  replay: async () => {
    const [replay] = await Promise.all([import('./replay/replay.js'), loadStyles(STYLES.replay)]);
    return replay;
  },
};

/** @type {Partial<Parts>} */
const loadedParts = {};

/**
 * A part; undefined until it is loaded.
 * @template {PartName} Name
 * @param {Name} name
 * @returns {Parts[Name] | undefined}
 */
export const part = (name) => loadedParts[name];

/**
 * Whether a part is completely loaded. The table is loaded for one game at a time.
 * @param {PartName} name
 * @param {Game} [game] the game of the room
 */
const isComplete = (name, game) => part(name) !== undefined && (name !== 'table' || game?.table.value !== null);

/**
 * Loads a part; fails if the server cannot be reached, or serves another version of the page.
 * @template {PartName} Name
 * @param {Name} name
 * @param {Game} [game] the game of the room
 */
export async function loadPart(name, game) {
  if (!isComplete(name, game)) loadedParts[name] = /** @type {Parts[Name]} */ (await SOURCES[name](game));
}

/**
 * Loads a part, and tries until that succeeds.
 * @template {PartName} Name
 * @param {Name} name
 * @param {Game} [game] the game of the room
 */
export async function requirePart(name, game) {
  await retry(() => loadPart(name, game));
  return /** @type {Parts[Name]} */ (part(name));
}

/**
 * Repeats an attempt that may fail until it succeeds or is no longer wanted. After a failure the page reloads if the
 * server has other files.
 * @param {() => Promise<unknown>} attempt
 * @param {() => boolean} [isWanted]
 */
export async function retry(attempt, isWanted = () => true) {
  while (isWanted()) {
    try {
      await attempt();
      return;
    } catch {
      await reloadIfOutdated();
      await new Promise((done) => setTimeout(done, RETRY_DELAY_MS));
    }
  }
}

/**
 * The parts that the first screen of an address needs.
 * @param {string} href
 * @returns {PartName[]}
 */
export function firstParts(href) {
  if (replayAt(href) !== null) return ['replay'];
  return codeAt(href) === null ? ['home'] : ['lobby', 'session'];
}

/**
 * The parts that the page needs in this state, in the order in which they are loaded. In a room the others wait until
 * it has answered or cannot be reached.
 * @param {State} state
 * @returns {PartName[]}
 */
function partsFor({ route, room, connection }) {
  const first = firstParts(location.href);
  if (route === 'home') return [...first, 'cardDrawing', 'deferred', 'lobby', 'session'];
  if (route === 'replay') return [...first, 'cardDrawing', 'table', 'deferred'];
  const isWaiting = room === null && (connection.status === 'connecting' || connection.status === 'open');
  return isWaiting ? first : [...first, 'cardDrawing', 'deferred', 'table'];
}

/**
 * A loader of the parts, which loads one at a time.
 * @param {Store} store
 * @param {() => void} onLoad is called when another part is loaded
 */
export function createLoader(store, onLoad) {
  let isLoading = false;
  return {
    /** Loads the next part that the page needs, after the browser has painted the current state. */
    loadNext() {
      const state = store.state();
      const game = findGame(state.room?.game ?? state.replay?.overview?.game);
      const missing = partsFor(state).find((name) => !isComplete(name, game));
      if (!missing || isLoading) return;
      isLoading = true;
      setTimeout(async () => {
        await requirePart(missing, game);
        isLoading = false;
        onLoad();
      });
    },
  };
}

/** Whether css/app.css, which the document links, is loaded: then `--ink` has a value. */
const hasFirstStyle = () => getComputedStyle(document.documentElement).getPropertyValue('--ink') !== '';

/** @type {Record<string, Promise<true>>} */
const styles = {};

/**
 * Adds a style sheet to the page, once; fails if it cannot be loaded.
 * @param {string} path
 */
const loadStyle = (path) => {
  styles[path] ??= addStyle(path);
  return styles[path];
};

/** @param {readonly string[]} paths */
const loadStyles = (paths) => Promise.all(paths.map(loadStyle));

/**
 * @param {string} path
 * @returns {Promise<true>}
 */
function addStyle(path) {
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = fileUrl(path);
  // A link that failed is replaced where it stands, since the order of style sheets matters.
  const failed = document.head.querySelector(`link[rel=stylesheet][href$="${path}"]`);
  if (failed) failed.replaceWith(link);
  else document.head.append(link);
  return new Promise((done, fail) => {
    link.onload = () => done(true);
    link.onerror = () => {
      delete styles[path];
      fail(new Error(`${path} could not be loaded`));
    };
  });
}
