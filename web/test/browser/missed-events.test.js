// A page that was not connected for some moves shows the game as it is, and tells once what it has missed.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { GamePlay } from './clients.js';
import { openFullRoom } from './first-screens.js';
import { assertFaultless, openBrowser, Person, Server, TcpProxy } from './harness.js';
import { WITH_ANIMATIONS } from './person.js';

/** @import { Person as AnyPerson } from './person.js' */

/** The announcements that contain this text. @param {AnyPerson} person @param {string} text */
const announcements = async ({ page }, text) =>
  (await page.locator('[role=log] p').allTextContents()).filter((line) => line.includes(text));

/** Waits until the page shows a card of the trick on the table. @param {AnyPerson} person @param {string} card */
const seesCard = ({ page }, card) => {
  const name = new RegExp(`^${card.replace('-', '\\s')}$`, 'i');
  return page.locator('.slot.laid').getByRole('img', { name }).waitFor();
};

/** Runs in the page: counts from now on the changes of the page in which a finished trick lies on the table. */
function countTakenTricks() {
  const counting = /** @type {Window & typeof globalThis & { taken: number }} */ (window);
  counting.taken = 0;
  const observer = new MutationObserver(() => {
    if (document.querySelector('.seats[data-kind=taken]')) counting.taken += 1;
  });
  observer.observe(document.body, { subtree: true, childList: true, attributes: true });
}

/** Runs in the page: the number of these changes. */
const takenTricks = () => /** @type {Window & typeof globalThis & { taken: number }} */ (window).taken;

for (const options of [{}, WITH_ANIMATIONS]) {
  const how = 'reducedMotion' in options ? 'with animations' : 'with reduced motion';
  test(`missed moves are told once, ${how}`, { timeout: 180_000 }, async () => {
    const server = await Server.start();
    const browser = await openBrowser();
    const proxy = await TcpProxy.to(server);
    const { clients, code } = await openFullRoom(server, 'sticheln', 3);
    const [ann] = clients;
    const eve = await Person.open(browser, proxy, 'Eve', options);
    await eve.follow(`${server.url}t/${code}`);
    const play = new GamePlay(clients, () => 0);
    await ann.send('start');
    await play.play(() => ann.table.phase === 'trick' && ann.table.trick.cards.length === 1);
    await seesCard(eve, ann.table.trick.cards[0]);

    proxy.disconnect();
    await eve.page.locator('body[data-disconnected]').waitFor();
    const before = ann.table.tricks_played;
    await play.play(() => ann.table.tricks_played === before + 2 && ann.table.trick.cards.length === 2);
    await eve.page.evaluate(countTakenTricks);
    proxy.reconnect();
    for (const card of ann.table.trick.cards) await seesCard(eve, card);
    await eve.page.locator('[role=log]').getByText('You were disconnected.').waitFor({ state: 'attached' });
    const told = await announcements(eve, 'You were disconnected.');
    assert.equal(told.length, 1);
    assert.match(told[0], /2 cards were played to the trick on the table\. Some moves are not shown\.$/);
    assert.equal((await eve.page.evaluate(takenTricks)) > 0, options === WITH_ANIMATIONS, how);
    const next = await play.next();
    assert.ok(next);
    await play.act(next, next.game.legal[0]);
    await play.play(() => ann.table.trick.cards.length === 1);
    await seesCard(eve, ann.table.trick.cards[0]);
    assert.equal((await announcements(eve, 'You were disconnected.')).length, 1);
    assertFaultless(eve);
  });
}
