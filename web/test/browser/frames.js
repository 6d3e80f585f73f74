// The time from the server's message to the frame that shows it, over a game in which one player has a browser.

import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';

import { eventsOf } from '../messages.js';
import { evenSequence, GamePlay } from './clients.js';

/** @import { Browser } from 'playwright-core' */
/** @import { ServerMessage } from '../../js/protocol.js' */
/** @import { Client } from './clients.js' */
/** @import { Person } from './person.js' */

/**
 * An event of a trace. `ts`: the time of the monotonic clock of the system, in microseconds. `dur`: how long it took.
 * @typedef {{ name: string, ph: string, pid: number, ts: number, dur?: number, args: { id?: string } }} TraceEvent
 */
/**
 * The end of each step of a frame of the page, in the times of a trace. The last step is not one of the main thread.
 * @typedef {{ begun: number, drawn: number, laidOut: number, painted: number, presented: number }} Frame
 */
/**
 * The milliseconds of each step of a message: until the page receives it, the handler of the socket, the wait for the frame,
 * the templates, style and layout, paint, and the threads of the browser that put the frame on the screen.
 * @typedef {Record<'receipt' | 'handler' | 'wait' | 'templates' | 'layout' | 'paint' | 'screen', number>} Steps
 */
/**
 * `ms`: the time until the frame of a message was on the screen. `paintedMs`: the time until the main thread had painted it.
 * `events`: the types of its events.
 * @typedef {{ ms: number, paintedMs: number, steps: Steps, events: string[] }} ShownMessage
 */

/** The category with the received messages and the frames. More categories slow the page down. */
const CATEGORIES = ['-*', 'devtools.timeline'];
const NS_PER_US = 1000;
const US_PER_MS = 1000;

/**
 * A trace of the frames of a page.
 *
 * A time begins when the first of the other clients has received its own copy of the message. The server sends all copies
 * together, so the time includes the wait for a page that is still busy. It ends when the browser presents the first frame
 * that it renders after the page has received the message. A script of the page sees neither of these times.
 */
export class FrameTrace {
  /** The messages that the page has received. @type {ServerMessage[]} */
  #received = [];
  /** The times when other clients received the messages of the page, in microseconds. @type {Map<string, number>} */
  #arrivals = new Map();

  /**
   * @param {Browser} browser
   * @param {Person} person
   */
  constructor(browser, person) {
    this.browser = browser;
    this.person = person;
  }

  /**
   * Starts a trace, before the page opens its socket.
   * @param {Browser} browser
   * @param {Person} person
   * @param {Client[]} clients that receive the same messages
   */
  static async start(browser, person, clients) {
    const trace = new FrameTrace(browser, person);
    person.page.on('websocket', (socket) =>
      socket.on('framereceived', ({ payload }) => trace.#received.push(JSON.parse(String(payload)))),
    );
    for (const { socket } of clients) {
      socket?.on('message', (text) => {
        const now = Number(process.hrtime.bigint()) / NS_PER_US;
        const key = keyOf(JSON.parse(String(text)));
        if (!trace.#arrivals.has(key)) trace.#arrivals.set(key, now);
      });
    }
    await browser.startTracing(person.page, { categories: CATEGORIES });
    return trace;
  }

  /** Ends the trace. Returns the `game` messages in their order. @returns {Promise<ShownMessage[]>} */
  async end() {
    // A screenshot waits for a presented frame, so the frame of the last message was presented before.
    await this.person.page.screenshot();
    const { traceEvents } = JSON.parse(String(await this.browser.stopTracing()));
    /** @type {TraceEvent[]} */
    const events = traceEvents.sort((/** @type {TraceEvent} */ a, /** @type {TraceEvent} */ b) => a.ts - b.ts);
    const receipts = events.filter(({ name }) => name === 'WebSocketReceive');
    assert.equal(receipts.length, this.#received.length, 'the trace has each message');
    const frames = framesOf(events, receipts[0]?.pid);
    return this.#received.flatMap((message, at) => {
      if (message.type !== 'game') return [];
      const { ts } = receipts[at];
      const frame = frames.find(({ begun }) => begun >= ts);
      assert.ok(frame, 'the last message is shown too');
      const arrival = Math.min(ts, this.#arrivals.get(keyOf(message)) ?? ts);
      const call = events.find(
        ({ name, pid, ts: at }) => at >= ts && name === 'FunctionCall' && pid === receipts[0]?.pid,
      );
      const handled = Math.min(call ? call.ts + (call.dur ?? 0) : ts, frame.begun);
      return [
        {
          ...timesOf([arrival, ts, handled, ...Object.values(frame)]),
          events: eventsOf(message).map(({ type }) => type),
        },
      ];
    });
  }
}

/**
 * The durations between the ends of the steps of a message, which are in microseconds.
 * @param {number[]} ends the first one is the beginning
 * @returns {Omit<ShownMessage, 'events'>}
 */
function timesOf(ends) {
  const msUntil = ends.map((end) => (end - ends[0]) / US_PER_MS);
  const [receipt, handler, wait, templates, layout, paint, screen] = msUntil.slice(1).map((ms, at) => ms - msUntil[at]);
  return {
    ms: msUntil.at(-1) ?? NaN,
    paintedMs: msUntil.at(-2) ?? NaN,
    steps: { receipt, handler, wait, templates, layout, paint, screen },
  };
}

/**
 * The key of a message. The copies of one `game` message, which the clients in a room receive, have the same key.
 * @param {ServerMessage} message
 */
const keyOf = (message) => (message.type === 'game' ? String(message.rev) : message.type);

/**
 * The presented frames of the process of a page, in their order.
 * @param {TraceEvent[]} events
 * @param {number} [pagePid]
 */
function framesOf(events, pagePid) {
  /** @type {Map<string, Frame>} */
  const frames = new Map();
  let id = '';
  for (const { name, ph, pid, ts, dur = 0, args } of events) {
    if (pid !== pagePid) continue;
    const frame = frames.get(id);
    if (name === 'AnimationFrame' && ph === 'b') id = args.id ?? '';
    else if (name === 'AnimationFrame::Render' && ph === 'b') {
      frames.set(id, { begun: ts, drawn: NaN, laidOut: NaN, painted: NaN, presented: NaN });
    } else if (name === 'AnimationFrame::StyleAndLayout' && frame) frame[ph === 'b' ? 'drawn' : 'laidOut'] = ts;
    else if (name === 'Layerize' && frame) frame.painted = ts + dur;
    else if (name === 'AnimationFrame::Presentation') {
      const presented = frames.get(args.id ?? '');
      if (presented) presented.presented = ts;
    }
  }
  return [...frames.values()].filter((frame) => Object.values(frame).every(Number.isFinite));
}

/**
 * Plays until the game is over, or for a number of steps. A step is one move, or the readiness of all for the next round. The
 * choices of the clients vary, but are the same in each run. The person clicks.
 * @param {Client[]} clients
 * @param {Person} person
 * @param {{ pauseMs: number, maxSteps?: number }} settings `pauseMs`: the pause before each step
 * @param {(text: string) => void} report is called with the progress
 */
export async function playBeside(clients, person, { pauseMs, maxSteps = Infinity }, report) {
  const [first] = clients;
  assert.ok(first);
  const seats = clients.map(({ seat }) => seat);
  const gamePlay = new GamePlay(clients, evenSequence());
  for (let step = 0; step < maxSteps; step += 1) {
    const client = await gamePlay.next();
    const { rev, view } = first.game;
    await pause(pauseMs);
    if (client) {
      const { legal } = client.game;
      await gamePlay.act(client, legal[Math.floor(gamePlay.random() * legal.length)]);
    } else if (view.to_act.some((seat) => !seats.includes(seat))) {
      await person.play(1);
      for (const other of clients) await other.waitFor(() => other.game.rev > rev);
    } else if (first.game.events.some(({ type }) => type === 'game_over')) {
      await person.page.locator('[data-screen=game-end]').waitFor();
      return;
    } else {
      report(`round ${view.table.round} is over`);
      await person.click(/Ready for round/);
      await gamePlay.ready();
    }
  }
}
