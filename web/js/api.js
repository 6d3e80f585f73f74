// What is asked of the server outside of a table.

import { filesVersion, urlOf } from './urls.js';

/** @typedef {import('./state.js').Summary} Summary */

/** Under this name the window remembers for which files it was loaded anew. */
const RENEWED = 'sticheln.renewed';

let isDue = false;

/**
 * Opens a table: its code, or why not.
 * @param {object} form
 * @returns {Promise<{ room: string } | { code: string }>}
 */
export async function openTable(form) {
  try {
    const answer = await fetch(urlOf('api/rooms'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(form),
    });
    const told = await answer.json().catch(() => ({}));
    if (answer.ok && typeof told.room === 'string') return { room: told.room };
    return { code: typeof told.code === 'string' ? told.code : 'unknown' };
  } catch {
    return { code: 'not_connected' };
  }
}

/**
 * The listed tables; null if the server cannot be asked.
 * @returns {Promise<Summary[] | null>}
 */
export async function fetchTables() {
  try {
    const answer = await fetch(urlOf('api/rooms'));
    if (!answer.ok) return null;
    const { rooms } = await answer.json();
    return Array.isArray(rooms) ? rooms : [];
  } catch {
    return null;
  }
}

/**
 * What everybody may know of a table; false if there is none, null if the server cannot be asked.
 * @param {string} code
 * @returns {Promise<Summary | false | null>}
 */
export async function fetchTable(code) {
  try {
    const answer = await fetch(urlOf(`api/rooms/${encodeURIComponent(code)}`));
    if (answer.status === 404) return false;
    return answer.ok ? await answer.json() : null;
  } catch {
    return null;
  }
}

/**
 * Asks the server for its files, and loads the page anew if it has others: once, and while nobody types.
 */
export async function reloadIfOutdated() {
  if (isDue) return;
  const current = await currentMark();
  if (current === null || current === filesVersion || isDue || !isFirst(current)) return;
  isDue = true;
  for (const moment of ['focusout', 'input', 'submit']) addEventListener(moment, () => setTimeout(load), true);
  load();
}

/** The mark of the server's files; null if it cannot be asked. */
async function currentMark() {
  try {
    const answer = await fetch(urlOf('api/page'), { cache: 'no-store' });
    const { files } = await answer.json();
    return answer.ok && typeof files === 'string' ? files : null;
  } catch {
    return null;
  }
}

/**
 * Whether this window was not yet loaded anew for these files; writes down that now it is. Where nothing can be
 * written down it would never end.
 * @param {string} current
 */
function isFirst(current) {
  try {
    if (sessionStorage.getItem(RENEWED) === current) return false;
    sessionStorage.setItem(RENEWED, current);
    return true;
  } catch {
    return false;
  }
}

function load() {
  const field = document.activeElement;
  const isTyping = field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement;
  if (!isTyping || field.value === '') location.reload();
}
