// What is asked of the server outside of a table.

import { address } from './base.js';

/** @typedef {import('./state.js').Summary} Summary */

/**
 * Opens a table: its code, or why not.
 * @param {object} form
 * @returns {Promise<{ room: string } | { code: string }>}
 */
export async function openTable(form) {
  try {
    const answer = await fetch(address('api/rooms'), {
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
export async function listedTables() {
  try {
    const answer = await fetch(address('api/rooms'));
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
export async function tableSummary(code) {
  try {
    const answer = await fetch(address(`api/rooms/${encodeURIComponent(code)}`));
    if (answer.status === 404) return false;
    return answer.ok ? await answer.json() : null;
  } catch {
    return null;
  }
}
