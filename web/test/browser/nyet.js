// People at a table of Nyet!, who play by clicking: board, teams, discards and tricks, each as it comes.

import { PATIENCE } from './harness.js';

/** @import { Person } from './harness.js' */

/**
 * Opens a table of Nyet! and sits down.
 * @param {Person} person
 * @param {number} seats
 */
export async function openNyet(person, seats) {
  const { page } = person;
  await person.goHome();
  await page.locator('#name').fill(person.name);
  await page.locator('.gamepick label').filter({ hasText: 'Nyet!' }).click();
  await page
    .locator('.seg label')
    .filter({ hasText: String(seats) })
    .click();
  await person.click('Open a new table');
  await page.waitForURL(/\/t\/[0-9a-z]{8}$/);
  await person.seated();
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
    const ready = person.page.locator('[data-screen=round-end] ~ .dock .pri[aria-pressed=false]');
    while ((await person.finds(screen, null)) === 'round-end') await ready.click({ timeout: 1_000 }).catch(ignore);
  }
}

/**
 * Makes all moves until the round is scored.
 * @param {Person} person
 */
export async function playRound(person) {
  const { page } = person;
  const confirm = page.locator('[data-play]:not([aria-disabled])');
  for (let step = 1; ; step += 1) {
    const [what, moment] = String(await person.finds(whatNext, '', PATIENCE)).split(';');
    if (what === 'over') return;
    if (what === 'taken') {
      await page
        .locator('.seats')
        .click({ position: { x: 2, y: 2 }, timeout: 1_000 })
        .catch(ignore);
      continue;
    }
    if (what === 'on') {
      await page.locator('.tray .acts .pri').click({ timeout: 1_000 }).catch(ignore);
      continue;
    }
    const open = page.locator(/** @type {Record<string, string>} */ (OPEN)[what]);
    const count = await open.count();
    if (count === 0) continue;
    // A control may be about to go, such as a choice that has just been sent: then the page is read again.
    const isClicked = await open
      .nth((step * 5) % count)
      .click({ timeout: 2_000 })
      .then(always, ignore);
    if (!isClicked) continue;
    await person.drawn();
    if (what === 'discard' && /2/.test(await page.locator('[data-play]').innerText()))
      await open.nth((step * 5 + 1) % count).click();
    if (what === 'team') {
      const bonus = page.locator('button.bonus');
      if ((await bonus.count()) > 0) await bonus.first().click();
    }
    // The button takes no click just after a card was lifted.
    while ((await person.finds(whatNext, moment)) === 'lifted') {
      await confirm.click({ timeout: 500 }).catch(ignore);
    }
  }
}

/**
 * Runs in the page: which screen of a round is there. One whose player is ready for the next round is on the way.
 */
function screen() {
  if (document.querySelector('[data-screen=round-end] ~ .dock .pri[aria-pressed=true]')) return null;
  return (
    document.querySelector('[data-screen]')?.getAttribute('data-screen') ??
    (document.querySelector('.board') ? 'board' : null)
  );
}

/** The controls of each phase. */
const OPEN = {
  board: '.sp:not([aria-disabled])',
  team: 'button.mate:not(.bonus)',
  discard: '.hand .cb:not([aria-disabled])',
  trick: '.hand .cb:not([aria-disabled])',
};

/**
 * Runs in the page: what is to be done there, once there is something, and in which moment. Of a moment that is known,
 * whether what was lifted can be confirmed, or is done: this seat may well be on turn again at once.
 * @param {string} known
 */
function whatNext(known) {
  const moment = [toDo(), document.querySelectorAll('.hand .cb, .sp:not(.no)').length].join();
  if (known === '') return toDo() === null ? null : `${toDo()};${moment}`;
  if (moment !== known) return 'done';
  return document.querySelector('[data-play]:not([aria-disabled])') ? 'lifted' : null;

  function toDo() {
    if (document.querySelector('[data-screen]')) return 'over';
    const button = document.querySelector('.tray .acts .pri');
    if (button && !button.hasAttribute('data-play')) return 'on';
    if (document.querySelector('.seats[data-kind=taken]')) return 'taken';
    if (!document.querySelector('.tray.turn')) return null;
    if (document.querySelector('.board')) return 'board';
    if (document.querySelector('.mates')) return 'team';
    const kind = document.querySelector('.seats')?.getAttribute('data-kind');
    return kind === 'discard' || kind === 'trick' ? kind : null;
  }
}

/** Somebody else was quicker, or it was too soon. */
const ignore = () => {};
const always = () => true;
