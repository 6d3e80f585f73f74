// A player is away from a room with a turn time: a bot plays one card when the time is up.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { assertFaultless, openBrowser, Person, Server, sitDown, TURN_TIMEOUT_MS } from './harness.js';

const browser = await openBrowser();

test('in a room with a turn time a bot acts for an absent person without a click', { timeout: 300_000 }, async () => {
  const server = await Server.start({ options: ['--timeout-percent', '40'] });
  const gus = await Person.open(browser, server, 'Gus');
  const hal = await Person.open(browser, server, 'Hal');
  const ida = await Person.open(browser, server, 'Ida');
  await sitDown(gus, hal, ida);
  await gus.page.getByRole('radiogroup', { name: 'Time for a move' }).getByText('30 s').click();
  await ida.sees('30 s');
  // Gus begins, so it is not Hal's turn yet when Hal returns.
  await gus.page.getByLabel('Leads first').selectOption('Gus');
  await ida.page.locator('.rules > div').filter({ hasText: 'Leads first' }).getByText('Gus', { exact: true }).waitFor();
  await gus.click('Start');

  await hal.page.locator('.hand .card-button').nth(14).waitFor();
  await hal.page.close();
  await Promise.all([gus.play(1), ida.play(1)]);
  await gus.plate('Hal', 'away').waitFor();
  assert.equal(await gus.page.getByRole('button', { name: 'Let a bot stand in' }).count(), 0);
  const timeIsOver = { timeout: TURN_TIMEOUT_MS };
  await Promise.all([
    gus.sees('The colours are revealed', timeIsOver),
    ida.sees('The colours are revealed', timeIsOver),
    gus.sees('Time was up: a bot has moved for Hal.', timeIsOver),
  ]);
  await gus.page.locator('[role=log]').getByText('Time is up, a bot moves for Hal.').waitFor({ state: 'attached' });
  assert.equal(await gus.plate('Hal', 'a bot stands in').count(), 0, 'it was that one card');

  // Hal returns from the home page with one click, and plays their own turn.
  const back = await hal.tab();
  await back.goHome();
  await back.sees('You are still sitting at');
  await back.page.getByRole('link', { name: 'Back to the table' }).click();
  await back.page.locator('.hand .card-button').nth(13).waitFor();
  assert.equal((await back.hand()).length, 14);
  await gus.plate('Hal', 'away').waitFor({ state: 'detached' });
  await Promise.all([gus, back, ida].map((person) => person.playDownTo(13)));
  assertFaultless(gus, hal, ida);
});
