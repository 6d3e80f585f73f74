// Every screen on a phone, on a phone held sideways and on a desktop, by day and by night: nothing is cut off, and
// everything that is needed can be reached. With SCREENSHOTS=folder each of them is kept there as a picture.

import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { assertFaultless, DESKTOP, LYING_PHONE, openBrowser, Person, PHONE, Server } from './harness.js';

/** @typedef {import('playwright-core').Page} Page */

const FOLDER = process.env.SCREENSHOTS;
const SIZES = [PHONE, LYING_PHONE, DESKTOP];
const LONG_NAMES = ['Ann', 'Annegret-Charlotte A', 'W'.repeat(20)];
const LONG_TITLE = 'Donnerstagsrunde im Schwarzen Walfisch A';

if (FOLDER) await mkdir(FOLDER, { recursive: true });
const server = await Server.start();
const browser = await openBrowser();

test('three people and somebody who watches, on screens of three sizes', { timeout: 180_000 }, async () => {
  const people = await Promise.all(LONG_NAMES.map((name, at) => Person.come(browser, server, name, device(SIZES[at]))));
  const [ann, bob, cem] = people;
  const all = (/** @type {(person: Person) => Promise<unknown>} */ act) => Promise.all(people.map(act));
  const look = (/** @type {string} */ screen) => all((person) => inspect(person, screen));

  await all((person) => person.goHome());
  await look('home');
  const link = await ann.openTable({ seats: 3 });
  await ann.seated();
  await ann.page.getByLabel('Name of the table').fill(LONG_TITLE);
  await ann.page.getByLabel('Name of the table').blur();
  await ann.page.getByText('Listed on the home page').click();
  await ann.page.getByRole('radiogroup', { name: 'The game lasts' }).getByText('rounds', { exact: true }).click();
  await ann.page.getByLabel('Rounds', { exact: true }).fill('2');
  await ann.page.getByLabel('Rounds', { exact: true }).blur();
  await ann.sees('2 rounds');
  await bob.sit(link);
  await cem.goHome();
  await cem.sees(LONG_TITLE);
  await inspect(cem, 'home-listed');
  await cem.sit(link);
  await all(hurries);
  await look('lobby');

  await ann.click('Start anyway');
  await all(({ page }) => page.locator('.hand .cb').nth(14).waitFor());
  await all(({ page }) => page.locator('.hand .cb').nth(7).click());
  await look('pick');
  await all((person) => person.click(/^Lay .* face down$/));
  await all(({ page }) => page.locator('.slot.flip').nth(2).waitFor());
  await look('reveal');

  await all((person) => person.playDownTo(10));
  const leader = await Promise.any(people.map(onTurn));
  await leader.play(1);
  await all(({ page }) => page.locator('.seats[data-kind=trick] .slot.laid').waitFor());
  await look('trick');

  const eve = await Person.come(browser, server, 'Eve');
  await eve.follow(link);
  await eve.sees('You are watching.');
  for (const size of SIZES) {
    await eve.page.setViewportSize(size);
    await inspect(eve, 'spectator');
  }

  await all((person) => person.playDownTo(0));
  await all(({ page }) => page.locator('[data-screen=round-end]').waitFor());
  await look('round-end');
  await all((person) => person.play(15));
  await all(({ page }) => page.locator('[data-screen=game-end]').waitFor());
  await look('game-end');
  assertFaultless(...people, eve);
});

test('six at a table, with bots, on screens of three sizes', { timeout: 120_000 }, async () => {
  const ann = await Person.come(browser, server, 'Ann', { locale: 'de-DE' });
  const { page } = ann;
  await ann.goHome();
  await page.locator('#name').fill('Ann');
  await page.locator('.seg label').filter({ hasText: '6' }).click();
  await ann.click('Neuen Tisch aufmachen');
  await ann.seated();
  await ann.click('Mit Bots auffüllen & los');
  await page.locator('.hand .cb').nth(14).waitFor();
  await page.locator('.hand .cb').first().click();
  for (const size of SIZES) {
    await page.setViewportSize(size);
    await inspect(ann, 'pick-6');
  }
  await page.locator('.tray .acts .pri').click();
  await page.locator('.seat .slot.flip').nth(5).waitFor();
  // The reveal ends by itself, if nobody is quicker.
  await page.locator('.tray .acts .pri:not([data-play])').click({ timeout: 2_000 }).catch(() => {});
  await page.locator('.tray.turn').waitFor({ timeout: 30_000 });
  await page.locator('.hand .cb').first().click();
  for (const size of SIZES) {
    await page.setViewportSize(size);
    await inspect(ann, 'trick-6');
  }
  assertFaultless(ann);
});

/**
 * A device with a screen of this size: what is not a desktop is touched.
 * @param {{ width: number, height: number }} viewport
 */
const device = (viewport) => (viewport === DESKTOP ? { viewport } : { viewport, hasTouch: true, isMobile: true });

/** @param {Person} person */
async function hurries(person) {
  person.isHasty = true;
  await person.click('Menu');
  await person.page.getByText('Play with one tap').click();
  await person.click('Close');
}

/**
 * Somebody, as soon as it is his turn.
 * @param {Person} person
 */
async function onTurn(person) {
  await person.page.locator('.tray.turn').waitFor();
  return person;
}

/**
 * Looks at a screen, by day and by night.
 * @param {Person} person
 * @param {string} screen
 */
async function inspect({ page }, screen) {
  const { width, height } = /** @type {{ width: number, height: number }} */ (page.viewportSize());
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    const name = `${screen}-${width}x${height}-${colorScheme}`;
    await page.emulateMedia({ colorScheme });
    if (FOLDER) {
      const fullPage = await page.locator('body.shell').isVisible();
      await page.screenshot({ path: join(FOLDER, `${name}.png`), fullPage });
    }
    assert.deepEqual(await flaws(page), [], name);
  }
}

/**
 * What is too wide, or cannot be reached.
 * @param {Page} page
 */
function flaws(page) {
  return page.evaluate((width) => {
    const found = [];
    const root = document.documentElement;
    if (root.scrollWidth > width) found.push(`the page is ${root.scrollWidth} wide`);
    for (const part of document.querySelectorAll('.side, .tray, .felt, .bar, .panel, .dock')) {
      const isWider = part.clientWidth > 0 && part.scrollWidth > part.clientWidth;
      if (isWider) found.push(`${part.className} is ${part.scrollWidth - part.clientWidth} too wide`);
    }
    for (const button of document.querySelectorAll('.hand .cb, .btn.pri')) {
      const name = button.getAttribute('data-card') ?? button.textContent?.trim();
      const { left, right } = button.getBoundingClientRect();
      if (left < 0 || right > width) found.push(`${name} is beside the screen`);
      button.scrollIntoView({ block: 'nearest' });
      const { top, bottom } = button.getBoundingClientRect();
      if (top < 0 || top > innerHeight - 44) found.push(`${name} is outside`);
      // Of cards that overlap, and of those of which only the top is seen, a part is enough.
      const lowest = Math.min(bottom, innerHeight);
      const points = [0.1, 0.3, 0.5, 0.7, 0.9].flatMap((x) =>
        [0.2, 0.5, 0.8].map((y) => [left + x * (right - left), top + y * (lowest - top)]),
      );
      const hits = points.filter(([x, y]) => button.contains(document.elementFromPoint(x, y)));
      if (hits.length < 3) found.push(`${name} is covered`);
    }
    scrollTo(0, 0);
    return found;
  }, page.viewportSize()?.width ?? 0);
}
