// The people in one room: they come with screens of all sizes, sit down, start a game and compare the end.

import assert from 'node:assert/strict';

import { ONE_TAP, Person } from './person.js';
import { DESKTOP, PHONE, PHONE_LANDSCAPE, SMALL_PHONE, TABLET } from './viewports.js';

/** @import { Browser } from 'playwright-core' */
/** @import { PersonOptions } from './person.js' */
/** @import { Server } from './server.js' */

/** The people and their screens. The first one is the host. */
const PEOPLE = /** @type {const} */ ([
  ['Ann', DESKTOP],
  ['Bob', PHONE],
  ['Cem', PHONE_LANDSCAPE],
  ['Dora', TABLET],
  ['Emil', SMALL_PHONE],
]);

/**
 * Opens a browser context for each person of a room. All but the host play cards with one tap.
 * @param {Browser} browser
 * @param {{ url: string }[]} servers the server of each person, or a proxy in front of it
 * @param {PersonOptions} [hostOptions]
 */
export const openPeople = (browser, servers, hostOptions = {}) =>
  Promise.all(
    servers.map((server, seat) => {
      const [name, viewport] = PEOPLE[seat];
      return Person.open(browser, server, name, { viewport, ...(seat === 0 ? hostOptions : ONE_TAP) });
    }),
  );

/**
 * The host opens a room, and the others sit down there. Returns the link.
 * @param {Person} host
 * @param {Person[]} others
 */
export async function sitDown(host, ...others) {
  for (const person of [host, ...others]) person.dismissesTricks = true;
  const link = await host.openRoom({ seats: others.length + 1 });
  await host.waitUntilSeated();
  for (const person of others) await person.sit(link);
  return link;
}

/**
 * Opens a room for three, at which a guest sits down.
 * @param {Browser} browser
 * @param {Server} server
 * @param {string} host
 * @param {string} guest
 * @param {PersonOptions} [guestOptions]
 * @returns {Promise<[Person, Person]>} the host and the guest
 */
export async function seatTwo(browser, server, host, guest, guestOptions = {}) {
  const [one, other] = [
    await Person.open(browser, server, host),
    await Person.open(browser, server, guest, guestOptions),
  ];
  const link = await one.openRoom({ seats: 3 });
  await one.waitUntilSeated();
  await other.sit(link);
  return [one, other];
}

/**
 * All people say that they are ready, the host starts the game, and all see the table.
 * @param {Person} host
 * @param {Person[]} others
 */
export async function startGame(host, ...others) {
  for (const person of others) await person.click('I’m ready');
  const count = others.length + 1;
  await host.sees(`${count} of ${count} taken`);
  await host.click('Start');
  await Promise.all([host, ...others].map(({ page }) => page.locator('.tray').waitFor()));
}

/**
 * Asserts that all people see the same standings at the end of the game.
 * @param {Person[]} people
 */
export async function assertSameStandings(...people) {
  await Promise.all(people.map(({ page }) => page.locator('[data-screen=game-end]').waitFor()));
  const standings = await Promise.all(people.map(({ page }) => page.locator('.podium .step').allInnerTexts()));
  for (const seen of standings) assert.deepEqual(seen, standings[0]);
}

/**
 * Asserts that each browser has sent one token, and that the log of the server has none of them.
 * @param {Server} server
 * @param {Person[]} people
 */
export function assertTokensNotLogged(server, ...people) {
  for (const { name, browserLog } of people) {
    const { secrets } = browserLog;
    assert.equal(secrets.size, 1, name);
    for (const secret of secrets) assert.ok(!server.log.includes(secret), name);
  }
}

/**
 * Asserts that there was no error in any browser, and no secret in any address, referrer or form.
 * @param {Person[]} people
 */
export function assertFaultless(...people) {
  for (const { name, browserLog } of people) assert.deepEqual(browserLog.errors, [], name);
  const secrets = people.flatMap(({ browserLog }) => [...browserLog.secrets]);
  for (const request of people.flatMap(({ browserLog }) => browserLog.requests)) {
    for (const secret of secrets) assert.ok(!request.includes(secret), `a secret: ${request}`);
  }
}
