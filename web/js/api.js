// HTTP requests to the server.

import { KEYS } from './storage.js';
import { filesHash, urlOf } from './urls.js';

/** @import { CurrentPage, ErrorBody, OpenRoom, RoomList, RoomOpened, RoomSummary } from './protocol.js' */

let isReloadDue = false;

/**
 * Opens a room. Returns its code, or the code of the error.
 * @param {OpenRoom} form
 * @returns {Promise<{ code: string } | { error: string }>}
 */
export async function postRoom(form) {
  try {
    const response = await fetch(urlOf('api/rooms'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(form),
    });
    /** @type {Partial<RoomOpened & ErrorBody>} */
    const { room, code } = await response.json().catch(() => ({}));
    return response.ok && room ? { code: room } : { error: code ?? 'unknown' };
  } catch {
    return { error: 'not_connected' };
  }
}

/**
 * The listed rooms; null if the server cannot be reached.
 * @returns {Promise<RoomSummary[] | null>}
 */
export async function fetchRooms() {
  try {
    const response = await fetch(urlOf('api/rooms'));
    if (!response.ok) return null;
    /** @type {RoomList} */
    const { rooms } = await response.json();
    return rooms;
  } catch {
    return null;
  }
}

/**
 * The public summary of a room; false if there is none, null if the server cannot be reached. While a server restarts, a
 * proxy may answer 404 for it, without the code of the server.
 * @param {string} code
 * @returns {Promise<RoomSummary | false | null>}
 */
export async function fetchRoom(code) {
  try {
    const response = await fetch(urlOf(`api/rooms/${encodeURIComponent(code)}`));
    const body = await response.json();
    if (response.ok) return body;
    return response.status === 404 && body.code === 'no_such_room' ? false : null;
  } catch {
    return null;
  }
}

/** Reloads the page if the server has other files: once for each version, and not while somebody types. */
export async function reloadIfOutdated() {
  if (isReloadDue) return;
  const current = await fetchVersion();
  if (current === null || current === filesHash || isReloadDue || !isFirstReloadFor(current)) return;
  isReloadDue = true;
  for (const moment of ['focusout', 'input', 'submit']) addEventListener(moment, () => setTimeout(reload), true);
  reload();
}

/** The version of the server's files; null if the server cannot be reached. */
async function fetchVersion() {
  try {
    const response = await fetch(urlOf('api/page'), { cache: 'no-store' });
    /** @type {CurrentPage} */
    const { files } = await response.json();
    return response.ok ? files : null;
  } catch {
    return null;
  }
}

/**
 * Whether this tab was not yet reloaded for a version; remembers that it is now. A tab without storage is never
 * reloaded, because it would reload without an end.
 * @param {string} version
 */
function isFirstReloadFor(version) {
  try {
    if (sessionStorage.getItem(KEYS.reloadedFor) === version) return false;
    sessionStorage.setItem(KEYS.reloadedFor, version);
    return true;
  } catch {
    return false;
  }
}

function reload() {
  const field = document.activeElement;
  const isField = field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement;
  if (!isField || field.value === '') location.reload();
}
