// The parts of the page that are fetched when they are needed, or when there is nothing better to do. Nothing is
// seen of a part before it has come.

import { fileUrl } from './urls.js';

/**
 * `style`: what every view looks like; `home` and `lobby`: the two first views; `session`: being at a table; `symbols`:
 * how cards are drawn; `deferred`: what the first views can do without; `table`: the games once cards are dealt.
 * @typedef {{ style: true, home: typeof import('./home.js'), lobby: typeof import('./lobby.js'), session: typeof import('./session.js'),
 *   symbols: typeof import('./table/card.js'), deferred: typeof import('./deferred.js'),
 *   table: typeof import('./table/table.js') }} Parts
 */

const SOURCES = {
  style: async () => isDressed() || dress('css/app.css'),
  home: () => import('./home.js'),
  lobby: () => import('./lobby.js'),
  session: () => import('./session.js'),
  symbols: async () => {
    const [card] = await Promise.all([import('./table/card.js'), import('./table/sprite.js')]);
    return card;
  },
  deferred: () => import('./deferred.js'),
  table: async () => {
    const sheets = ['css/table.css', 'css/play.css', 'css/nyet.css'];
    const [table] = await Promise.all([import('./table/table.js'), ...sheets.map(dress)]);
    return table;
  },
};

/** Whether the style has come that the page names itself: the colours are from there. */
const isDressed = () => getComputedStyle(document.documentElement).getPropertyValue('--ink') !== '';

/** Puts more style on the page, once; fails if it does not come. @param {string} path */
const dress = (path) => (dressed[path] ??= worn(path));

/** @type {Record<string, Promise<true>>} */
const dressed = {};

/**
 * @param {string} path
 * @returns {Promise<true>}
 */
function worn(path) {
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = fileUrl(path);
  // What did not come before makes room: the order of styles matters.
  const failed = document.head.querySelector(`link[rel=stylesheet][href$="${path}"]`);
  if (failed) failed.replaceWith(link);
  else document.head.append(link);
  return new Promise((done, fail) => {
    link.onload = () => done(true);
    link.onerror = () => {
      delete dressed[path];
      fail(new Error(`${path} did not come`));
    };
  });
}

/** @type {Partial<Parts>} */
const here = {};

/**
 * A part, if it has come.
 * @template {keyof Parts} Name
 * @param {Name} name
 * @returns {Parts[Name] | undefined}
 */
export const part = (name) => here[name];

/**
 * Lets a part come; fails if the server cannot be asked, or has other files by now.
 * @template {keyof Parts} Name
 * @param {Name} name
 */
export async function loadPart(name) {
  here[name] ??= /** @type {Parts[Name]} */ (await SOURCES[name]());
}
