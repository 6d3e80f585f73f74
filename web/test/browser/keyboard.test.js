// A whole game can be played with the keyboard alone, and the focus is always visible.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { assertFaultless, openBrowser, Person, Server } from './harness.js';

/** The largest number of Tab presses to reach an element. */
const FAR = 80;

test('a whole game can be played by keyboard', { timeout: 240_000 }, async () => {
  const server = await Server.start();
  const ann = await Person.open(await openBrowser(), server, 'Ann');
  const { page } = ann;
  await ann.goHome();

  await goTo(ann, '#name');
  await page.keyboard.type('Ann');
  await goTo(ann, '.options input[type=radio]');
  await page.keyboard.press('ArrowLeft');
  await goTo(ann, '.btn.primary.big');
  await page.keyboard.press('Enter');
  await ann.waitUntilSeated();

  // One round is enough to see every screen.
  await goTo(ann, 'input[type=radio]', 'Length of the game');
  await page.keyboard.press('ArrowRight');
  await ann.page.getByLabel('Rounds', { exact: true }).waitFor();
  await goTo(ann, 'input', 'Rounds');
  await page.keyboard.press('Control+A');
  await page.keyboard.type('1');
  await page.keyboard.press('Tab');
  await ann.sees('1 round');
  await goTo(ann, '.dock .btn.primary');
  await page.keyboard.press('Enter');
  await page.locator('.hand .card-button').nth(14).waitFor();

  for (let left = 15; left > 0; left -= 1) {
    await page
      .locator('.tray.turn')
      .or(page.locator('.tray .tray-actions .primary:not([data-play])'))
      .first()
      .waitFor();
    if (await page.locator('.tray .tray-actions .primary:not([data-play])').isVisible()) {
      await goTo(ann, '.tray .tray-actions .primary');
      await page.keyboard.press('Enter');
    }
    await page.locator('.tray.turn .hand .card-button:not([aria-disabled])').first().waitFor();
    await playOne(ann, left);
  }

  await page.locator('[data-screen=game-end]').waitFor();
  await goTo(ann, '.dock .btn', 'Rematch');
  assert.equal(await page.locator('.podium li').count(), 3);
  assertFaultless(ann);
});

/**
 * Chooses a card with the arrows, lifts it, and plays it.
 * @param {Person} person
 * @param {number} left how many cards are in the hand
 */
async function playOne(person, left) {
  const { page } = person;
  await goTo(person, '.hand .card-button');
  if (left > 2) {
    await page.keyboard.press('ArrowRight');
    await assertSeen(person);
    await page.keyboard.press('End');
    await assertSeen(person);
    await page.keyboard.press('ArrowLeft');
  }
  await assertSeen(person);
  await page.keyboard.press('Enter');
  await page.locator('.hand .card-button[aria-pressed=true]').waitFor();
  // A second press plays the card, but only after a moment.
  for (;;) {
    await page.keyboard.press('Enter');
    const isGone = page.waitForFunction((left) => document.querySelectorAll('.hand .card-button').length < left, left, {
      timeout: 400,
    });
    if (
      await isGone.then(
        () => true,
        () => false,
      )
    )
      break;
    if ((await page.locator('.hand .card-button[aria-pressed=true]').count()) === 0) await page.keyboard.press('Enter');
  }
  assert.equal(await page.evaluate(() => document.activeElement === document.body), false);
}

/**
 * Presses Tab until an element has the focus. Each element on the way must be visible.
 * @param {Person} person
 * @param {string} selector
 * @param {string} [name] a part of what it is called
 */
async function goTo(person, selector, name = '') {
  const { page } = person;
  for (let presses = 0; presses < FAR; presses += 1) {
    const isThere = await page.evaluate(
      ({ selector, name }) => {
        const focused = document.activeElement;
        if (!focused?.matches(selector)) return false;
        const group = focused.closest('[role=radiogroup], fieldset');
        const label = group?.getAttribute('aria-labelledby');
        const texts = [
          focused.getAttribute('aria-label'),
          focused.closest('label')?.textContent,
          group?.getAttribute('aria-label'),
          label && document.getElementById(label)?.textContent,
          focused.textContent,
        ];
        return texts.some((text) => text?.includes(name));
      },
      { selector, name },
    );
    if (isThere) return;
    await page.keyboard.press('Tab');
    await assertSeen(person);
  }
  assert.fail(`${selector} ${name} is not reached by Tab`);
}

/**
 * Asserts that the element with the focus is on the screen, and has a visible outline.
 * @param {Person} person
 */
async function assertSeen({ page }) {
  const flaw = await page.evaluate(() => {
    const focused = document.activeElement;
    if (!focused || focused === document.body) return null;
    const shown = focused.matches('input[type=radio], input[type=checkbox]')
      ? (focused.closest('label') ?? focused)
      : focused;
    const box = shown.getBoundingClientRect();
    const name = focused.getAttribute('aria-label') ?? focused.textContent?.trim();
    if (box.bottom <= 0 || box.top >= innerHeight || box.width === 0) return `${name} is not on the screen`;
    const marks = [focused, shown].map((element) => getComputedStyle(element));
    const isMarked = marks.some(
      ({ outlineStyle, outlineWidth }) => outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2,
    );
    return isMarked ? null : `${focused.tagName} ${name} has no mark`;
  });
  assert.equal(flaw, null);
}
