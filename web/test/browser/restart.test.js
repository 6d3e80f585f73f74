// A game survives when the server is killed, and when it is restarted in order.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  assertFaultless,
  DESKTOP,
  MOVING,
  ONE_TAP,
  openBrowser,
  Person,
  PHONE,
  PHONE_LANDSCAPE,
  Server,
  sitDown,
} from './harness.js';

test('a game survives that the server is killed or restarted', { timeout: 600_000 }, async () => {
  const server = await Server.start({ options: ['--log', 'sticheln=trace'] });
  const browser = await openBrowser();
  const ann = await Person.open(browser, server, 'Ann', { viewport: DESKTOP, ...MOVING });
  const bob = await Person.open(browser, server, 'Bob', { viewport: PHONE, ...ONE_TAP });
  const cem = await Person.open(browser, server, 'Cem', { viewport: PHONE_LANDSCAPE, ...ONE_TAP });
  const people = [ann, bob, cem];
  const all = (/** @type {(person: Person) => Promise<unknown>} */ act) => Promise.all(people.map(act));
  await sitDown(ann, bob, cem);
  await ann.setRounds(2);
  for (const person of [bob, cem]) await person.click('Ready');
  await ann.sees('3 of 3 taken');
  await ann.click('Start');
  await all((person) => person.play(15));

  // In the second round the server is killed and started again.
  await all((person) => person.play(7));
  const before = await Promise.all(people.map((person) => person.hand()));
  await server.end('SIGKILL');
  await ann.page
    .getByText(/Connection lost/)
    .first()
    .waitFor();
  assert.deepEqual(await ann.hand(), before[0], 'the table stays visible');
  await server.begin();
  await all((person) => person.seesNoMore('Connection lost'));
  assert.deepEqual(await Promise.all(people.map((person) => person.hand())), before);

  // Then the server is stopped with SIGTERM, and started again.
  await all((person) => person.play(3));
  await server.end('SIGTERM');
  await cem.page
    .getByText(/The server restarts/)
    .first()
    .waitFor();
  await server.begin();
  await all((person) => person.play(5));
  await all((person) => person.page.locator('[data-screen=game-end]').waitFor());
  const standings = await Promise.all(people.map((person) => person.page.locator('.podium .st').allInnerTexts()));
  for (const seen of standings) assert.deepEqual(seen, standings[0]);

  assertFaultless(...people);
  // Each browser has sent its token, and the log has none of them.
  for (const { name, secrets } of people) {
    assert.equal(secrets.size, 1, name);
    for (const secret of secrets) assert.ok(!server.log.includes(secret), name);
  }
});
