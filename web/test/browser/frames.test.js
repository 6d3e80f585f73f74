// The trace of frames that `measure.js` prints has a frame on the screen for each message about the game.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ofType } from '../messages.js';
import { SLOW_PHONE } from './first-load.js';
import { openFullRoom, UNLIMITED } from './first-screens.js';
import { FrameTrace, playBeside } from './frames.js';
import { assertFaultless, openBrowser, Person, Server } from './harness.js';

const MOVES = 6;

const server = await Server.start({ options: UNLIMITED });
const browser = await openBrowser();

test('each message about the game is followed by a frame', { timeout: 120_000 }, async () => {
  const { clients, code } = await openFullRoom(server, 'sticheln', 3, 2);
  const ann = await Person.open(browser, server, 'Ann', SLOW_PHONE);
  const trace = await FrameTrace.start(browser, ann, clients);
  await ann.sit(new URL(`t/${code}`, server.url).href);
  await ann.click('I’m ready');
  await clients[0]?.send('start');
  await playBeside(clients, ann, { pauseMs: 0, maxMoves: MOVES }, () => {});
  await ann.page.locator('.seats[data-kind=trick]').waitFor();
  const shown = await trace.end();
  const messages = ofType(clients[0]?.received ?? [], 'game');
  assert.deepEqual(
    shown.map(({ events }) => events),
    messages.map(({ events }) => events.map(({ type }) => type)),
  );
  // The deal, the three picks, and the other moves.
  assert.equal(shown.length, 1 + MOVES);
  for (const { ms } of shown) assert.ok(ms > 0 && ms < 60_000, `${ms} ms`);
  assertFaultless(ann);
});
