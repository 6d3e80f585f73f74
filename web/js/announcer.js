// The announcer: it tells screen readers the events of the game, and then the status line. Announcements that follow
// each other quickly become one.

/** Announcements within this time are one, in milliseconds. */
export const BATCH_MS = 300;
/** How many lines an announcement has at most: a whole trick and its taker. */
const MAX_LINES = 8;

/**
 * @typedef {object} Options
 * @property {(lines: string[], statusLine: string) => void} announce announces the events, and then the status line
 * @property {(callback: () => void) => void} later calls back after `BATCH_MS`
 */

/** @typedef {ReturnType<typeof createAnnouncer>} Announcer */

/**
 * An announcer for one room.
 * @param {Options} options
 */
export function createAnnouncer({ announce, later }) {
  /** Events that could not be described yet. @type {(() => string[] | null)[]} */
  let pending = [];
  let lines = /** @type {string[]} */ ([]);
  let statusLine = '';
  let isScheduled = false;
  return { addEvents, addLines, setStatusLine, describePending, clear };

  /**
   * Announces lines about events, after those of earlier events.
   * @param {() => string[] | null} describe makes the lines; null as long as the texts are not loaded
   */
  function addEvents(describe) {
    pending.push(describe);
    describePending();
  }

  /** Announces lines, which need not be events of the game. @param {string[]} added */
  function addLines(...added) {
    lines.push(...added);
    if (added.length > 0) schedule();
  }

  /** Announces the status line if it has changed, after the events that led to it. @param {string} text */
  function setStatusLine(text) {
    const next = text.trim().replace(/\s+/g, ' ');
    if (next === statusLine) return;
    statusLine = next;
    schedule();
  }

  /** Announces the events that could not be described before. */
  function describePending() {
    while (pending.length > 0) {
      const described = pending[0]();
      if (described === null) return;
      pending.shift();
      addLines(...described);
    }
  }

  /** Drops all lines that are not announced yet: the page leaves the room. */
  function clear() {
    [pending, lines, statusLine] = [[], [], ''];
  }

  function schedule() {
    if (!isScheduled) later(flush);
    isScheduled = true;
  }

  function flush() {
    isScheduled = false;
    const batches = [];
    while (lines.length > 0) batches.push(lines.splice(0, MAX_LINES).join(' '));
    announce(batches, statusLine);
  }
}
