// Each `game` message has a time in a `FrameTrace`.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ofType } from '../messages.js';
import { PHONE_OPTIONS } from './first-load.js';
import { openFullRoom, UNLIMITED } from './first-screens.js';
import { FrameTrace, playBeside } from './frames.js';
import { assertFaultless, openBrowser, Person, Server } from './harness.js';

const STEPS = 6;

const server = await Server.start({ options: UNLIMITED });
const browser = await openBrowser();

test('each `game` message is followed by a frame', { timeout: 120_000 }, async () => {
  const { clients, code } = await openFullRoom(server, 'sticheln', 3, 2);
  const ann = await Person.open(browser, server, 'Ann', PHONE_OPTIONS);
  const trace = await FrameTrace.start(browser, ann, clients);
  await ann.sit(new URL(`t/${code}`, server.url).href);
  await ann.click('I’m ready');
  await clients[0]?.send('start');
  await playBeside(clients, ann, { pauseMs: 0, maxSteps: STEPS }, () => {});
  await ann.page.locator('.seats[data-kind=trick]').waitFor();
  const shown = await trace.end();
  const messages = ofType(clients[0]?.received ?? [], 'game');
  // For a busy client the server gathers the events of several messages in one.
  const events = shown.flatMap(({ events }) => events);
  assert.deepEqual(
    events,
    messages.flatMap(({ events }) => events.map(({ type }) => type)),
  );
  assert.equal(events.filter((type) => type === 'picked' || type === 'played').length, STEPS);
  for (const { ms, paintedMs, parts } of shown) {
    assert.ok(paintedMs > 0 && ms > paintedMs && ms < 60_000, `${paintedMs} ms, ${ms} ms`);
    const durations = Object.values(parts);
    assert.ok(
      durations.every((duration) => duration > -0.001),
      JSON.stringify(parts),
    );
    const sum = durations.reduce((sum, duration) => sum + duration, 0);
    assert.ok(Math.abs(sum - ms) < 0.001, `the parts take ${sum} ms, the message ${ms} ms`);
  }
  assertFaultless(ann);
});
