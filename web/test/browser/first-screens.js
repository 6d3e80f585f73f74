// The first screens of the page, rooms for them, and a recorder of frames and layout shifts.

import { Client, createRoom } from './clients.js';

/** @import { Page } from 'playwright-core' */
/** @import { ServerMessage } from '../../js/protocol.js' */
/** @import { Server } from './server.js' */
/**
 * `plays`: the played cards of the messages that the page received, each with the number of frames until the page showed it.
 * `shifts`: the layout shifts, each with the elements that moved.
 * @typedef {{ plays: { card: string, frames: number }[], shifts: { value: number, moved: string[] }[] }} Seen
 */
/** A page with the recorder. @typedef {Window & typeof globalThis & { seen: Seen & { start: () => void } }} RecordedWindow */
/**
 * An entry of the browser about a layout shift.
 * @typedef {PerformanceEntry & { value: number, hadRecentInput: boolean, sources: { node: Node | null }[] }} LayoutShift
 */

/** Options of a server that limits neither messages nor rooms, for clients that play as fast as they can. */
export const UNLIMITED = [
  '--messages-per-second',
  '100000',
  '--message-burst',
  '100000',
  '--rooms-per-address',
  '1000',
  '--new-sockets-per-minute',
  '10000',
];
/** The screens on which people arrive, each with the selector of its first field. */
export const SCREENS = { home: '#name', room: '#sit-name' };

/**
 * The address of a screen. The screen `room` gets a new room.
 * @param {Server} server
 * @param {string} screen
 */
export async function addressOf(server, screen) {
  if (screen === 'home') return server.url;
  return new URL(`t/${await createRoom(server.url, { game: 'sticheln', seats: 4 })}`, server.url).href;
}

/**
 * Opens a room, and seats clients who are ready.
 * @param {Server} server
 * @param {string} game
 * @param {number} seats
 * @param {number} [taken] how many seats get a client; the default is all
 */
export async function openFullRoom(server, game, seats, taken = seats) {
  const code = await createRoom(server.url, { game, seats });
  const clients = [];
  for (let seat = 0; seat < taken; seat += 1) clients.push(await Client.join(server.url, code, `Player ${seat + 1}`));
  for (const client of clients.slice(1)) await client.send('ready', { ready: true });
  return { clients, code };
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

/** Runs in the page before its scripts: records layout shifts, and the frames until a played card is shown. */
export function installRecorder() {
  /** @type {Seen} */
  const seen = { plays: [], shifts: [] };
  let isRecording = false;
  const isShown = (/** @type {string} */ card) => {
    const [colour, value] = card.split('-');
    const laid = document.querySelectorAll(`.seats .slot.laid .card.${colour} .large-number`);
    return [...laid].some(({ textContent }) => textContent?.trim() === value);
  };
  const Real = WebSocket;
  window.WebSocket = /** @type {typeof WebSocket} */ (
    class extends Real {
      /** @param {[string, string]} address */
      constructor(...address) {
        super(...address);
        // The listener of the page runs first.
        this.addEventListener('open', () =>
          this.addEventListener('message', ({ data }) => onMessage(JSON.parse(data))),
        );
      }
    }
  );
  /** @param {ServerMessage} message */
  function onMessage(message) {
    if (!isRecording || message.type !== 'game') return;
    for (const event of message.events) {
      if (event.type !== 'played') continue;
      const { card } = event;
      const play = { card, frames: 0 };
      seen.plays.push(play);
      const countFrame = () => {
        play.frames += 1;
        if (play.frames < 100 && !isShown(card)) requestAnimationFrame(countFrame);
      };
      requestAnimationFrame(countFrame);
    }
  }
  new PerformanceObserver((list) => {
    for (const entry of /** @type {LayoutShift[]} */ (list.getEntries())) {
      const moved = entry.sources.map(({ node }) => node?.parentElement?.outerHTML.slice(0, 160) ?? '');
      if (isRecording && !entry.hadRecentInput) seen.shifts.push({ value: entry.value, moved });
    }
  }).observe({ type: 'layout-shift', buffered: true });
  Object.assign(window, { seen: Object.assign(seen, { start: () => (isRecording = true) }) });
}
