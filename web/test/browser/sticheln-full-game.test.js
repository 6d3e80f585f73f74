// Five people with screens of all sizes click through a whole game; one reloads, one comes late.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { KEYS } from '../../js/storage.js';
import {
  assertFaultless,
  assertSameStandings,
  assertTokensNotLogged,
  openBrowser,
  openPeople,
  Person,
  Server,
  sitDown,
  startGame,
} from './harness.js';

test('five people play a whole game', { timeout: 600_000 }, async () => {
  const server = await Server.start({ options: ['--log', 'sticheln=trace'] });
  const browser = await openBrowser();
  const people = await openPeople(browser, Array(5).fill(server));
  const [ann, bob, ...others] = people;
  const all = (/** @type {(person: Person) => Promise<unknown>} */ act) => Promise.all(people.map(act));

  const link = await sitDown(ann, bob, ...others);
  await ann.setRounds(1);
  await startGame(ann, bob, ...others);

  // Everybody picks, and nobody sees what the others have picked.
  await ann.play(1);
  await bob.page.getByText('1 of 5 has picked').first().waitFor();
  assert.equal(await bob.page.locator('.seat .pinned').count(), 0);
  await Promise.all([bob, ...others].map((person) => person.play(1)));
  await all((person) => person.play(4));

  // Bob reloads the page, and has the same hand.
  const hand = await bob.hand();
  assert.equal(hand.length, 10);
  await bob.page.reload();
  await bob.page.locator('.hand .card-button').first().waitFor();
  assert.deepEqual(await bob.hand(), hand);

  // A friend comes late, watches, and sees no hand.
  const eve = await Person.open(browser, server, 'Eve');
  await eve.page.goto(link);
  await eve.page.getByText('Seat: ').first().waitFor();
  assert.equal(await eve.page.locator('.hand .card-button').count(), 0);

  // The last cards, and the ranking.
  await all((person) => person.play(10));
  await assertSameStandings(...people);
  await eve.page.locator('[data-screen=game-end]').waitFor();

  // Everybody wants to play again: same people, same link.
  await all((person) => person.click('Rematch'));
  await all((person) => person.page.locator('.hand .card-button').nth(14).waitFor());
  assert.equal(ann.page.url(), link);

  // The page stores nothing else than README says.
  const stored = await ann.page.evaluate(() => [...Object.keys(localStorage), ...Object.keys(sessionStorage)]);
  const keys = stored.map((key) => (key.startsWith(KEYS.tokenPrefix) ? KEYS.tokenPrefix : key));
  assert.deepEqual(
    keys.filter((key) => !Object.values(KEYS).includes(/** @type {typeof KEYS.name} */ (key))),
    [],
  );
  assert.ok(keys.includes(KEYS.tokenPrefix) && keys.includes(KEYS.experience), `${keys}`);

  assertFaultless(...people, eve);
  assertTokensNotLogged(server, ...people, eve);
});
