// Tells the game aloud: what happens is put into words as soon as there are some, what comes together is said in one,
// and then the sentence that tells the state.

/** What comes within this time, in milliseconds, is one announcement. */
export const BATCH_MS = 300;
/** How many lines an announcement joins at most: a whole trick, and who took it. */
const MOST = 8;

/** @typedef {import('./state.js').State} State */

/**
 * @param {object} voice
 * @param {(events: any[], state: State) => string[] | null} voice.lines a line for each event that is worth one; null
 *   as long as there are no words
 * @param {(lines: string[], sentence: string) => void} voice.say what has happened, joined, and the sentence that tells
 *   the state
 * @param {(done: () => void) => void} voice.later calls after `TOGETHER`
 */
export function createAnnouncer({ lines, say, later }) {
  /** @type {{ events: any[], state: State }[]} */
  let untold = [];
  /** @type {string[]} */
  let gathered = [];
  let sentence = '';
  let isDue = false;
  return { hear, see, catchUp, forget };

  /**
   * Something has happened at the table, which is like this now.
   * @param {any[]} events
   * @param {State} state
   */
  function hear(events, state) {
    if (events.length > 0) untold.push({ events, state });
    catchUp();
  }

  /**
   * The state is told by this sentence now. It is said behind what has led to it.
   * @param {string} text
   */
  function see(text) {
    const next = text.trim().replace(/\s+/g, ' ');
    if (next === sentence) return;
    sentence = next;
    wait();
  }

  /** Tells what could not be told before. */
  function catchUp() {
    while (untold.length > 0) {
      const told = lines(untold[0].events, untold[0].state);
      if (told === null) return;
      untold.shift();
      if (told.length === 0) continue;
      gathered.push(...told);
      wait();
    }
  }

  /** Another table: what happened at the last one is told no more. */
  function forget() {
    untold = [];
    gathered = [];
    sentence = '';
  }

  function wait() {
    if (!isDue) later(speak);
    isDue = true;
  }

  function speak() {
    isDue = false;
    const said = [];
    while (gathered.length > 0) said.push(gathered.splice(0, MOST).join(' '));
    say(said, sentence);
  }
}
