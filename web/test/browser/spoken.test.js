// A screen reader announces a whole trick, word for word as in `recordings/spoken.*.txt`.
//
// UPDATE_SPOKEN=1 regenerates these files.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';

import { LANGUAGES } from '../../js/settings.js';
import { eventsOf } from '../messages.js';
import { RECORDINGS_FOLDER, recordingOf } from './recordings.js';
import { ScenePage } from './scene-page.js';
import { Server } from './server.js';
import { DESKTOP } from './viewports.js';

const server = await Server.start();
const scenePage = await ScenePage.open(server, { viewport: DESKTOP });

for (const language of LANGUAGES) {
  test(`every event of a trick is announced: ${language}`, { timeout: 180_000 }, async () => {
    const { messages, marks } = recordingOf('sticheln4');
    const first = messages.findIndex((message) => eventsOf(message).some(({ type }) => type === 'trick_taken'));
    await scenePage.load({ recording: 'sticheln4', mark: 'picked' }, { language });
    await scenePage.advanceClock(1000);
    await scenePage.page.evaluate(recordAnnouncements);
    for (const message of messages.slice(marks.picked, first + 2)) {
      await scenePage.receive(message, 6000);
    }
    const announced = await scenePage.page.evaluate(
      () => /** @type {Window & typeof globalThis & { announced: string[] }} */ (window).announced,
    );
    const file = new URL(`spoken.${language}.txt`, RECORDINGS_FOLDER);
    const text = `${announced.join('\n').replaceAll('\u00a0', ' ')}\n`;
    if (process.env.UPDATE_SPOKEN === '1') writeFileSync(file, text);
    assert.equal(text, readFileSync(file, 'utf8'));
    assert.deepEqual(scenePage.errors.splice(0), []);
  });
}

test('late announcements are made too, and none twice', { timeout: 180_000 }, async () => {
  const { messages } = recordingOf('sticheln4');
  await scenePage.load({ recording: 'sticheln4', mark: 'pick' });
  await scenePage.advanceClock(1000);
  await scenePage.page.evaluate(recordAnnouncements);
  for (const message of messages) {
    await scenePage.receive(message, 6000);
  }
  /** @type {string[]} */
  const announced = await scenePage.page.evaluate(
    () => /** @type {Window & typeof globalThis & { announced: string[] }} */ (window).announced,
  );
  const lines = announced.filter((line) => line.startsWith('log: ')).join('\n');
  const events = messages.flatMap(eventsOf).filter(({ type }) => ['revealed', 'played', 'trick_taken'].includes(type));
  assert.equal(lines.match(/ (leads?|plays?|takes?) /g)?.length, events.length);
});

/** Runs in the page: records the texts of live regions. */
function recordAnnouncements() {
  /** @type {string[]} */
  const announced = [];
  Object.assign(window, { announced });
  const textOf = (/** @type {Node} */ node) => (node.textContent ?? '').trim().replace(/[ \n]+/g, ' ');
  /** @type {Map<Element, string>} */
  const regions = new Map();
  const note = (/** @type {Element} */ region, /** @type {string} */ role) => {
    const text = textOf(region);
    if (regions.get(region) === text) return;
    regions.set(region, text);
    if (text) announced.push(`${role}: ${text}`);
  };
  new MutationObserver((changes) => {
    for (const { addedNodes, target } of changes) {
      const at = target instanceof Element ? target : target.parentElement;
      if (at?.closest('[role=log]')) {
        for (const node of addedNodes) if (node instanceof Element) announced.push(`log: ${textOf(node)}`);
      }
      for (const role of ['status', 'alert']) {
        const region = at?.closest(`[role=${role}]`);
        if (region) note(region, role);
      }
    }
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
}
