// Tells the game aloud: what happens is put into words as soon as there are some, and what comes together is said in
// one.

/** What comes within this time, in milliseconds, is one announcement. */
export const TOGETHER = 300;

/** @typedef {import('./state.js').State} State */

/**
 * @param {object} voice
 * @param {(events: any[], state: State) => string[] | null} voice.lines a line for each event that is worth one; null
 *   as long as there are no words
 * @param {(line: string) => void} voice.say
 * @param {(done: () => void) => void} voice.later calls after `TOGETHER`
 */
export function telling({ lines, say, later }) {
  /** @type {{ events: any[], state: State }[]} */
  let untold = [];
  /** @type {string[]} */
  let gathered = [];
  return { hear, catchUp, forget };

  /**
   * Something has happened at the table, which is like this now.
   * @param {any[]} events
   * @param {State} state
   */
  function hear(events, state) {
    if (events.length > 0) untold.push({ events, state });
    catchUp();
  }

  /** Tells what could not be told before. */
  function catchUp() {
    while (untold.length > 0) {
      const told = lines(untold[0].events, untold[0].state);
      if (told === null) return;
      untold.shift();
      if (told.length === 0) continue;
      if (gathered.length === 0) later(speak);
      gathered.push(...told);
    }
  }

  /** Another table: what happened at the last one is told no more. */
  function forget() {
    untold = [];
    gathered = [];
  }

  function speak() {
    if (gathered.length > 0) say(gathered.join(' '));
    gathered = [];
  }
}
