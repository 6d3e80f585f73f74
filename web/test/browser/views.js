// The first views of the page, tables for them, and a recorder that runs in a page from its beginning on.

import { Seat } from './seats.js';

/** @import { Page } from 'playwright-core' */
/** @import { Server } from './harness.js' */
/** @typedef {{ heard: { card: string, frames: number }[], shifts: { value: number, moved: string[] }[] }} Seen */

/** The options of a server whose tables are played at without a pause. */
export const UNLIMITED = [
  '--messages-per-second',
  '100000',
  '--messages-at-once',
  '100000',
  '--rooms-per-address',
  '1000',
  '--upgrades-per-minute',
  '10000',
];
/** The first views, and what they are good for. */
export const VIEWS = { home: '#name', table: '#sit-name' };

/**
 * The address of a view: for the table, that of a new one.
 * @param {Server} server
 * @param {string} view
 */
export async function addressOf(server, view) {
  if (view === 'home') return server.url;
  return new URL(`t/${await newTable(server, 'sticheln', 4)}`, server.url).href;
}

/**
 * Opens a table; gives its code.
 * @param {Server} server
 * @param {string} game
 * @param {number} seats
 * @returns {Promise<string>}
 */
export async function newTable(server, game, seats) {
  const answer = await fetch(new URL('api/rooms', server.url), {
    method: 'POST',
    body: JSON.stringify({ game, seats }),
  });
  return (await answer.json()).room;
}

/**
 * A table at which all chairs are taken.
 * @param {Server} server
 * @param {string} game
 * @param {number} count
 */
export async function opened(server, game, count) {
  const code = await newTable(server, game, count);
  const seats = [];
  for (let seat = 0; seat < count; seat += 1) seats.push(await Seat.come(server.url, code, `Player ${seat + 1}`));
  for (const seat of seats.slice(1)) await seat.says('ready', { ready: true });
  return { seats, code };
}

/**
 * The addresses of scripts that are no modules.
 * @param {Page} page
 * @returns {Promise<string[]>}
 */
export function classicScripts(page) {
  const scripts = page.locator('script:not([type=module])');
  return scripts.evaluateAll((all) => all.map((script) => /** @type {HTMLScriptElement} */ (script).src));
}

/** Runs in the page before everything else: notices when played cards are told and when they are there. */
export function watch() {
  /** @type {Seen} */
  const seen = { heard: [], shifts: [] };
  let isOn = false;
  const isThere = (/** @type {string} */ card) => {
    const [colour, value] = card.split('-');
    const laid = document.querySelectorAll(`.seats .slot.laid .card.${colour} .big`);
    return [...laid].some(({ textContent }) => textContent?.trim() === value);
  };
  const Real = WebSocket;
  window.WebSocket = /** @type {any} */ (
    class extends Real {
      /** @param {[string, string]} address */
      constructor(...address) {
        super(...address);
        // The page listens first.
        this.addEventListener('open', () => this.addEventListener('message', ({ data }) => hear(JSON.parse(data))));
      }
    }
  );
  /** @param {any} message */
  function hear({ type, events }) {
    for (const { type: fact, card } of (isOn && type === 'game' && events) || []) {
      if (fact !== 'played') continue;
      const told = { card, frames: 0 };
      seen.heard.push(told);
      const look = () => {
        told.frames += 1;
        if (told.frames < 100 && !isThere(card)) requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    }
  }
  new PerformanceObserver((list) => {
    for (const entry of /** @type {any[]} */ (list.getEntries())) {
      const moved = entry.sources.map(
        (/** @type {any} */ { node }) => node?.parentElement?.outerHTML.slice(0, 160) ?? '',
      );
      if (isOn && !entry.hadRecentInput) seen.shifts.push({ value: entry.value, moved });
    }
  }).observe({ type: 'layout-shift', buffered: true });
  Object.assign(window, { seen: Object.assign(seen, { begin: () => (isOn = true) }) });
}
