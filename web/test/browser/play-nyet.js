// Plays Nyet! by clicking: the board, teams, discards and tricks.

import { clickUnlessGone } from './click.js';
import { CORNER, TURN_TIMEOUT_MS } from './person.js';

/** @import { Person } from './person.js' */

/**
 * Opens a room of Nyet! and sits down.
 * @param {Person} person
 * @param {number} seats
 */
export async function openNyet(person, seats) {
  const { page } = person;
  await person.goHome();
  await page.locator('#name').fill(person.name);
  await page.locator('.game-choice label').filter({ hasText: 'Nyet!' }).click();
  await page
    .locator('.segmented label')
    .filter({ hasText: String(seats) })
    .click();
  await person.click('Open a new table');
  await page.waitForURL(/\/t\/[0-9a-z]{8}$/);
  await person.waitUntilSeated();
  return page.url();
}

/**
 * Plays on until there is a ranking.
 * @param {Person} person
 */
export async function playGame(person) {
  for (;;) {
    await playRound(person);
    if ((await person.finds(screen, null)) === 'game-end') return;
    // If all others are ready, the next round may come before the click.
    const ready = person.page.locator('[data-screen=round-end] ~ .dock .primary[aria-pressed=false]');
    while ((await person.finds(screen, null)) === 'round-end') await clickUnlessGone(ready);
  }
}

/**
 * Plays until the round is scored.
 * @param {Person} person
 */
export async function playRound(person) {
  const { page } = person;
  const confirm = page.locator('[data-play]:not([aria-disabled])');
  for (let step = 1; ; step += 1) {
    const [action, moment] = String(await person.finds(nextAction, '', TURN_TIMEOUT_MS)).split(';');
    if (action === 'over') return;
    if (action === 'taken') {
      await clickUnlessGone(page.locator('.seats[data-kind=taken]'), CORNER);
      continue;
    }
    if (action === 'continue') {
      await clickUnlessGone(page.locator('.tray .tray-actions .primary:not([data-play])'));
      continue;
    }
    const choices = page.locator(/** @type {Record<string, string>} */ (CHOICES)[action]);
    const count = await choices.count();
    if (count === 0) continue;
    // A choice that was sent a moment ago can disappear before the click. Then the loop asks for the next action again.
    if (!(await clickUnlessGone(choices.nth((step * 5) % count)))) continue;
    await person.waitForFrame();
    if (action === 'discard' && /2/.test(await page.locator('[data-play]').innerText()))
      await choices.nth((step * 5 + 1) % count).click();
    if (action === 'team') {
      const bonus = page.locator('button.bonus');
      if ((await bonus.count()) > 0) await bonus.first().click();
    }
    // The button ignores clicks for a moment after a card was lifted.
    while ((await person.finds(nextAction, moment)) === 'unconfirmed') {
      await clickUnlessGone(confirm);
    }
  }
}

/**
 * Runs in the page: the name of the screen. Null if the player is ready for the next round, because the screen changes
 * soon.
 */
function screen() {
  if (document.querySelector('[data-screen=round-end] ~ .dock .primary[aria-pressed=true]')) return null;
  return (
    document.querySelector('[data-screen]')?.getAttribute('data-screen') ??
    (document.querySelector('.board') ? 'board' : null)
  );
}

/** The selectors of what can be chosen in each phase. */
const CHOICES = {
  board: '.space:not([aria-disabled])',
  team: 'button.team-member:not(.bonus)',
  discard: '.hand .card-button:not([aria-disabled])',
  trick: '.hand .card-button:not([aria-disabled])',
};

/**
 * Runs in the page. Returns the next action and its moment, `ACTION;MOMENT`. A moment is the action with the number of
 * cards and free spaces: the seat can have the same action twice in a row. With `previous`, reports whether the action
 * of that moment is still unconfirmed or done. Null if there is nothing to do yet.
 * @param {string} previous the moment of the previous action, or an empty string
 */
function nextAction(previous) {
  const moment = [action(), document.querySelectorAll('.hand .card-button, .space:not(.covered)').length].join();
  if (previous === '') return action() === null ? null : `${action()};${moment}`;
  if (moment !== previous) return 'done';
  return document.querySelector('[data-play]:not([aria-disabled])') ? 'unconfirmed' : null;

  function action() {
    if (document.querySelector('[data-screen]')) return 'over';
    const button = document.querySelector('.tray .tray-actions .primary');
    if (button && !button.hasAttribute('data-play')) return 'continue';
    if (document.querySelector('.seats[data-kind=taken]')) return 'taken';
    if (!document.querySelector('.tray.turn')) return null;
    if (document.querySelector('.board')) return 'board';
    if (document.querySelector('.team-members')) return 'team';
    const kind = document.querySelector('.seats')?.getAttribute('data-kind');
    return kind === 'discard' || kind === 'trick' ? kind : null;
  }
}
