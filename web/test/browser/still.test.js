// No element at the table shifts while others play.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { DESKTOP, LYING_PHONE, PHONE, Server } from './harness.js';
import { recordingOf } from './recordings.js';
import { Stage } from './stage.js';

/** So many messages of a recording are told. */
const MESSAGES = 14;
/** Tables, the moment from which on cards are played there, and the seat that looks on. */
const TABLES = { four: ['reveal', 0], nyet4: ['turn', 0], spectator: ['trick', null] };

const server = await Server.start();
const stage = await Stage.open(server, { viewport: PHONE });

for (const [recording, [mark, own]] of Object.entries(TABLES)) {
  for (const size of [PHONE, LYING_PHONE, DESKTOP]) {
    test(`${recording}, ${size.width}x${size.height}`, { timeout: 180_000 }, async () => {
      const { news, marks } = recordingOf(recording);
      const from = marks[/** @type {string} */ (mark)];
      await stage.resize(size);
      await stage.show(
        { recording, mark: /** @type {string} */ (mark) },
        { language: size === LYING_PHONE ? 'de' : 'en' },
      );
      await stage.wait(8000);
      await stage.page.evaluate(watch);
      let played = 0;
      for (const message of news.slice(from, from + MESSAGES)) {
        const events = message.events ?? [];
        if (events.some((/** @type {any} */ { type }) => type === 'round_scored')) break;
        await stage.tell(message, 4000);
        const moved = await stage.page.evaluate(() => /** @type {any} */ (window).moved());
        // The own hand closes up when a card of it was played.
        const isOwn = events.some((/** @type {any} */ { type, seat }) => type === 'played' && seat === own);
        if (!isOwn) assert.deepEqual(moved, [], JSON.stringify(events));
        played += events.filter((/** @type {any} */ { type }) => type === 'played').length;
      }
      assert.ok(played >= 8, `${played} cards`);
      assert.deepEqual(stage.faults.splice(0), []);
    });
  }
}

/** Runs in the page: notices what moves. */
function watch() {
  /** @type {string[]} */
  const found = [];
  const hear = (/** @type {any[]} */ entries) => {
    for (const { sources } of entries)
      for (const { node } of sources) found.push((node?.parentElement ?? node)?.outerHTML.slice(0, 160) ?? 'something');
  };
  const observer = new PerformanceObserver((list) => hear(list.getEntries()));
  observer.observe({ type: 'layout-shift' });
  const moved = async () => {
    for (let frame = 0; frame < 3; frame += 1) await new Promise((next) => requestAnimationFrame(next));
    hear(observer.takeRecords());
    return found.splice(0);
  };
  Object.assign(window, { moved });
}
