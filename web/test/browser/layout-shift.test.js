// No element at the table shifts while others play.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { eventsOf } from '../messages.js';
import { recordingOf } from './recordings.js';
import { ScenePage } from './scene-page.js';
import { Server } from './server.js';
import { DESKTOP, PHONE, PHONE_LANDSCAPE } from './viewports.js';

/** @import { LayoutShift } from './first-screens.js' */
/** @typedef {Window & typeof globalThis & { moved: () => Promise<string[]> }} WindowWithShifts */

/** The number of messages that the page receives in each test. */
const MESSAGES = 14;
/** The recordings, each with the mark at which cards are played, and the seat of the viewer. */
const TABLES = { sticheln4: ['reveal', 0], nyet4: ['turn', 0], spectator: ['trick', null] };

const server = await Server.start();
const scenePage = await ScenePage.open(server, { viewport: PHONE });

for (const [recording, [mark, own]] of Object.entries(TABLES)) {
  for (const size of [PHONE, PHONE_LANDSCAPE, DESKTOP]) {
    test(`no element shifts: ${recording}, ${size.width}x${size.height}`, { timeout: 180_000 }, async () => {
      const { messages, marks } = recordingOf(recording);
      const from = marks[/** @type {string} */ (mark)];
      await scenePage.resize(size);
      await scenePage.load(
        { recording, mark: /** @type {string} */ (mark) },
        { language: size === PHONE_LANDSCAPE ? 'de' : 'en' },
      );
      await scenePage.advanceClock(8000);
      await scenePage.page.evaluate(recordShifts);
      let played = 0;
      for (const message of messages.slice(from, from + MESSAGES)) {
        const events = eventsOf(message);
        if (events.some(({ type }) => type === 'round_scored')) break;
        await scenePage.receive(message, 4000);
        const moved = await scenePage.page.evaluate(() => /** @type {WindowWithShifts} */ (window).moved());
        // The own hand closes the gap after an own card was played.
        const isOwn = events.some((event) => event.type === 'played' && event.seat === own);
        if (!isOwn) assert.deepEqual(moved, [], JSON.stringify(events));
        played += events.filter(({ type }) => type === 'played').length;
      }
      assert.ok(played >= 8, `${played} cards`);
      assert.deepEqual(scenePage.errors.splice(0), []);
    });
  }
}

/** Runs in the page: records layout shifts. */
function recordShifts() {
  /** @type {string[]} */
  const found = [];
  const record = (/** @type {PerformanceEntryList} */ entries) => {
    for (const { sources } of /** @type {LayoutShift[]} */ (entries))
      for (const { node } of sources)
        found.push(
          (node?.parentElement ?? /** @type {Element | null} */ (node))?.outerHTML.slice(0, 160) ?? 'something',
        );
  };
  const observer = new PerformanceObserver((list) => record(list.getEntries()));
  observer.observe({ type: 'layout-shift' });
  const moved = async () => {
    for (let frame = 0; frame < 3; frame += 1) await new Promise((next) => requestAnimationFrame(next));
    record(observer.takeRecords());
    return found.splice(0);
  };
  Object.assign(window, { moved });
}
