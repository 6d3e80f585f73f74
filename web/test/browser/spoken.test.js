// A screen reader announces a whole trick, word for word as in `recordings/spoken.*.txt`.
//
// UPDATE_SPOKEN=1 regenerates these files.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';

import { DESKTOP, Server } from './harness.js';
import { FOLDER, recordingOf } from './recordings.js';
import { Stage } from './stage.js';

const server = await Server.start();
const stage = await Stage.open(server, { viewport: DESKTOP });

for (const language of /** @type {const} */ (['en', 'de'])) {
  test(`every event of a trick is announced: ${language}`, { timeout: 180_000 }, async () => {
    const { news, marks } = recordingOf('four');
    const first = news.findIndex(({ events }) => events?.some((/** @type {any} */ { type }) => type === 'trick_taken'));
    await stage.show({ recording: 'four', mark: 'picked' }, { language });
    await stage.wait(1000);
    await stage.page.evaluate(listen);
    for (const message of news.slice(marks.picked, first + 2)) {
      await stage.tell(message, 6000);
    }
    const told = await stage.page.evaluate(() => /** @type {any} */ (window).told);
    const file = new URL(`spoken.${language}.txt`, FOLDER);
    const text = `${told.join('\n').replaceAll('\u00a0', ' ')}\n`;
    if (process.env.UPDATE_SPOKEN === '1') writeFileSync(file, text);
    assert.equal(text, readFileSync(file, 'utf8'));
    assert.deepEqual(stage.faults.splice(0), []);
  });
}

test('late announcements are made too, and none twice', { timeout: 180_000 }, async () => {
  const { news } = recordingOf('four');
  await stage.show({ recording: 'four', mark: 'pick' });
  await stage.wait(1000);
  await stage.page.evaluate(listen);
  for (const message of news) {
    await stage.tell(message, 6000);
  }
  /** @type {string[]} */
  const told = await stage.page.evaluate(() => /** @type {any} */ (window).told);
  const lines = told.filter((line) => line.startsWith('log: ')).join('\n');
  const events = news
    .flatMap(({ events = [] }) => events)
    .filter(({ type }) => ['revealed', 'played', 'trick_taken'].includes(type));
  assert.equal(lines.match(/ (leads?|plays?|takes?) /g)?.length, events.length);
});

/** Runs in the page: writes down what is put into live regions. */
function listen() {
  /** @type {string[]} */
  const told = [];
  Object.assign(window, { told });
  const textOf = (/** @type {Node} */ node) => (node.textContent ?? '').trim().replace(/[ \n]+/g, ' ');
  /** @type {Map<Element, string>} */
  const regions = new Map();
  const note = (/** @type {Element} */ region, /** @type {string} */ role) => {
    const text = textOf(region);
    if (regions.get(region) === text) return;
    regions.set(region, text);
    if (text) told.push(`${role}: ${text}`);
  };
  new MutationObserver((changes) => {
    for (const { addedNodes, target } of changes) {
      const at = target instanceof Element ? target : target.parentElement;
      if (at?.closest('[role=log]')) {
        for (const node of addedNodes) if (node instanceof Element) told.push(`log: ${textOf(node)}`);
      }
      for (const role of ['status', 'alert']) {
        const region = at?.closest(`[role=${role}]`);
        if (region) note(region, role);
      }
    }
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
}
