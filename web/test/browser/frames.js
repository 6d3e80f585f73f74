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
 * A frame of the page, in the times of a trace. `painted`: when the main thread had painted it.
 * @typedef {{ begun: number, painted: number, presented: number }} Frame
 */
/**
 * The milliseconds of the parts of a message's time: until the page receives it, then scripts, style and layout, paint, the
 * rest of the main thread with the wait for the frame, and the other threads of the browser until the frame is on the screen.
 * @typedef {Record<'receipt' | 'scripts' | 'layout' | 'paint' | 'wait' | 'screen', number>} Parts
 */
/**
 * `ms`: the time until the frame of a message was on the screen. `paintedMs`: the time until the main thread had painted it.
 * `events`: the types of its events.
 * @typedef {{ ms: number, paintedMs: number, parts: Parts, events: string[] }} ShownMessage
 */

/** The category with the received messages and the frames. More categories slow the page down. */
const CATEGORIES = ['-*', 'devtools.timeline'];
/** The part of a message's time to which an event of the main thread belongs. @type {Record<string, 'scripts' | 'layout' | 'paint'>} */
const PART_OF = {
  EventDispatch: 'scripts',
  FunctionCall: 'scripts',
  FireAnimationFrame: 'scripts',
  TimerFire: 'scripts',
  UpdateLayoutTree: 'layout',
  Layout: 'layout',
  PrePaint: 'paint',
  Paint: 'paint',
  Layerize: 'paint',
};
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
      const ms = { receipt: (ts - arrival) / US_PER_MS, ...partsBetween(events, receipts[0].pid, ts, frame.painted) };
      return [
        {
          ms: (frame.presented - arrival) / US_PER_MS,
          paintedMs: (frame.painted - arrival) / US_PER_MS,
          parts: { ...ms, screen: (frame.presented - frame.painted) / US_PER_MS },
          events: eventsOf(message).map(({ type }) => type),
        },
      ];
    });
  }
}

/**
 * The parts of the time of the main thread between two times. An event within another one is a part of it.
 * @param {TraceEvent[]} events
 * @param {number} pagePid
 * @param {number} begin
 * @param {number} end
 * @returns {Omit<Parts, 'receipt' | 'screen'>}
 */
function partsBetween(events, pagePid, begin, end) {
  const parts = { scripts: 0, layout: 0, paint: 0, wait: (end - begin) / US_PER_MS };
  let last = begin;
  for (const { name, pid, ts, dur = 0 } of events) {
    const part = PART_OF[name];
    if (!part || pid !== pagePid || ts < last || ts >= end) continue;
    last = ts + dur;
    parts[part] += dur / US_PER_MS;
    parts.wait -= dur / US_PER_MS;
  }
  return parts;
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
      frames.set(id, { begun: ts, painted: NaN, presented: NaN });
    } else if (name === 'Layerize' && frame) frame.painted = ts + dur;
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
