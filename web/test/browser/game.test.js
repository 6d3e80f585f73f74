// Four people play a whole game by clicking, while all sorts of things happen.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { DESKTOP, openBrowser, Person, PHONE, Server } from './harness.js';

test('four people play a whole game of four rounds', { timeout: 600_000 }, async () => {
  const server = await Server.start();
  const browser = await openBrowser();
  const sizes = [DESKTOP, PHONE, DESKTOP, PHONE];
  /** @type {Person[]} */
  const people = [];
  for (const [at, name] of ['Ann', 'Bob', 'Cem', 'Dora'].entries()) {
    people.push(await Person.come(browser, server, name, { viewport: sizes[at] }));
  }
  const [ann, bob, cem, dora] = people;
  const all = (/** @type {(person: Person) => Promise<unknown>} */ act) => Promise.all(people.map(act));

  const link = await ann.openTable({ seats: 4 });
  await all((person) => (person === ann ? ann.seated() : person.sit(link)));
  for (const person of [bob, cem, dora]) await person.click('Ready');
  await ann.page.getByText('4 of 4 taken').waitFor();
  await ann.click('Start');

  // The first round: everybody picks, and nobody sees what the others have picked.
  await ann.play(1);
  await bob.page.getByText('1 of 4 have picked').first().waitFor();
  assert.equal(await bob.page.locator('.seat .pinned').count(), 0);
  await Promise.all([bob, cem, dora].map((person) => person.play(1)));
  await all((person) => person.play(4));

  // Somebody reloads the page, and finds his hand again.
  const hand = await bob.hand();
  assert.equal(hand.length, 10);
  await bob.page.reload();
  await bob.page.locator('.hand .cb').first().waitFor();
  assert.deepEqual(await bob.hand(), hand);

  // A friend comes late, watches, and sees no hand.
  const eve = await Person.come(browser, server, 'Eve');
  await eve.page.goto(link);
  await eve.page.getByText('Seat: ').first().waitFor();
  assert.equal(await eve.page.locator('.hand .cb').count(), 0);

  await all((person) => person.play(10));

  // The second round: the server is killed in the middle, and comes back.
  await all((person) => person.play(7));
  const before = await Promise.all(people.map((person) => person.hand()));
  await server.end('SIGKILL');
  await ann.page.getByText(/Connection lost/).first().waitFor();
  assert.deepEqual(await ann.hand(), before[0], 'the table stays visible');
  await server.begin();
  await all((person) => person.page.getByText(/Connection lost/).waitFor({ state: 'detached' }));
  assert.deepEqual(await Promise.all(people.map((person) => person.hand())), before);
  await all((person) => person.play(8));

  // The third round: the server is ended in order.
  await all((person) => person.play(3));
  await server.end('SIGTERM');
  await dora.page.getByText(/The server restarts/).first().waitFor();
  await server.begin();
  await all((person) => person.play(12));

  // The fourth round, and the ranking.
  await all((person) => person.play(15));
  await all((person) => person.page.locator('[data-screen=game-end]').waitFor());
  const standings = await Promise.all(
    people.map((person) => person.page.locator('.podium .st').allInnerTexts()),
  );
  for (const seen of standings) assert.deepEqual(seen, standings[0]);
  await eve.page.locator('[data-screen=game-end]').waitFor();

  // Everybody wants to play again: same people, same link.
  await all((person) => person.click('Rematch'));
  await all((person) => person.page.locator('.hand .cb').nth(14).waitFor());
  assert.equal(ann.page.url(), link);

  for (const person of [...people, eve]) assert.deepEqual(person.faults, [], person.name);
});
