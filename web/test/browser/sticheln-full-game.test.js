// Five people with screens of all sizes click through a whole game; one reloads, one comes late.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  assertFaultless,
  DESKTOP,
  ONE_TAP,
  openBrowser,
  Person,
  PHONE,
  PHONE_LANDSCAPE,
  Server,
  sitDown,
} from './harness.js';

const SMALL_PHONE = { width: 320, height: 568 };
const TABLET = { width: 768, height: 1024 };

test('five people play a whole game', { timeout: 600_000 }, async () => {
  const server = await Server.start({ options: ['--log', 'sticheln=trace'] });
  const browser = await openBrowser();
  /** @type {Person[]} */
  const people = [];
  const come = async (/** @type {string} */ name, /** @type {{ width: number, height: number }} */ viewport) =>
    void people.push(await Person.open(browser, server, name, { viewport, ...(name !== 'Ann' && ONE_TAP) }));
  await come('Ann', DESKTOP);
  await come('Bob', PHONE);
  await come('Cem', PHONE_LANDSCAPE);
  await come('Dora', TABLET);
  await come('Emil', SMALL_PHONE);
  const [ann, bob] = people;
  const all = (/** @type {(person: Person) => Promise<unknown>} */ act) => Promise.all(people.map(act));

  const link = await sitDown(ann, ...people.slice(1));
  await ann.setRounds(1);
  for (const person of people.slice(1)) await person.click('Ready');
  await ann.page.getByText('5 of 5 taken').waitFor();
  await ann.click('Start');

  // Everybody picks, and nobody sees what the others have picked.
  await ann.play(1);
  await bob.page.getByText('1 of 5 have picked').first().waitFor();
  assert.equal(await bob.page.locator('.seat .pinned').count(), 0);
  await Promise.all(people.slice(1).map((person) => person.play(1)));
  await all((person) => person.play(4));

  // Bob reloads the page, and has the same hand.
  const hand = await bob.hand();
  assert.equal(hand.length, 10);
  await bob.page.reload();
  await bob.page.locator('.hand .cb').first().waitFor();
  assert.deepEqual(await bob.hand(), hand);

  // A friend comes late, watches, and sees no hand.
  const eve = await Person.open(browser, server, 'Eve');
  await eve.page.goto(link);
  await eve.page.getByText('Seat: ').first().waitFor();
  assert.equal(await eve.page.locator('.hand .cb').count(), 0);

  // The last cards, and the ranking.
  await all((person) => person.play(10));
  await all((person) => person.page.locator('[data-screen=game-end]').waitFor());
  const standings = await Promise.all(people.map((person) => person.page.locator('.podium .st').allInnerTexts()));
  for (const seen of standings) assert.deepEqual(seen, standings[0]);
  await eve.page.locator('[data-screen=game-end]').waitFor();

  // Everybody wants to play again: same people, same link.
  await all((person) => person.click('Rematch'));
  await all((person) => person.page.locator('.hand .cb').nth(14).waitFor());
  assert.equal(ann.page.url(), link);

  assertFaultless(...people, eve);
  // Each browser has sent its token, and the log has none of them.
  for (const { name, secrets } of [...people, eve]) {
    assert.equal(secrets.size, 1, name);
    for (const secret of secrets) assert.ok(!server.log.includes(secret), name);
  }
});
