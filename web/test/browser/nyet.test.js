// People play Nyet! by clicking: board, teams, discards and tricks, each as it comes.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { assertFaultless, DESKTOP, LYING_PHONE, openBrowser, Person, PHONE, Server, SWIFT } from './harness.js';

const server = await Server.start();
const browser = await openBrowser();

const TABLET = { width: 768, height: 1024 };

/** How many rounds four people play; the game has eight as usual. */
const ROUNDS = Number(process.env.ROUNDS ?? 2);

test(`four people play a game of ${ROUNDS} rounds`, { timeout: 900_000 }, async () => {
  /** @type {Person[]} */
  const people = [];
  for (const [name, viewport] of /** @type {const} */ ([['Ann', DESKTOP], ['Bob', PHONE], ['Cem', LYING_PHONE], ['Dora', TABLET]])) {
    people.push(await Person.come(browser, server, name, { viewport, ...(name !== 'Ann' && SWIFT) }));
  }
  const [ann, ...others] = people;
  const link = await openNyet(ann, 4);
  if (ROUNDS !== 8) {
    await ann.page.getByRole('radiogroup', { name: 'The game lasts' }).getByText('rounds', { exact: true }).click();
    await ann.page.getByLabel('Rounds', { exact: true }).fill(String(ROUNDS));
    await ann.page.getByLabel('Rounds', { exact: true }).blur();
    await ann.sees(`${ROUNDS} rounds`);
  }
  await Promise.all(others.map((person) => person.sit(link)));
  for (const person of others) await person.click("I'm ready");
  await ann.sees('4 of 4 taken');
  await ann.click('Start');

  await Promise.all(people.map(playGame));
  const standings = await Promise.all(people.map(({ page }) => page.locator('.podium .st').allInnerTexts()));
  for (const seen of standings) assert.deepEqual(seen, standings[0]);
  const rounds = await ann.page.locator('[data-screen=game-end] .tbl thead th').allInnerTexts();
  assert.deepEqual(rounds, ['Player', ...Array.from({ length: ROUNDS }, (_, round) => `R${round + 1}`), 'Total']);
  assertFaultless(...people);
});

test('two people and a bot play a round', { timeout: 240_000 }, () => round(3));

test('the board can be played with keys', { timeout: 60_000 }, async () => {
  const ann = await Person.come(browser, server, 'Ann');
  await openNyet(ann, 2);
  await ann.click('Fill with bots & start');
  const { page } = ann;
  await page.locator('.tray.turn').waitFor();
  const free = page.locator('.sp:not([aria-disabled])');
  await free.first().waitFor();
  const name = () => page.evaluate(() => document.activeElement?.getAttribute('data-space'));

  await page.locator('.sp[tabindex="0"]').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Home');
  assert.equal(await name(), 'discard:none');
  await page.keyboard.press('ArrowRight');
  assert.equal(await name(), 'discard:one');
  if ((await page.locator('.sp:focus').getAttribute('aria-disabled')) === 'true') await page.keyboard.press('ArrowRight');
  const chosen = page.locator(`[data-space="${await name()}"]`);
  await page.keyboard.press('Enter');
  await chosen.and(page.locator('[aria-pressed="true"]')).waitFor();
  await page.keyboard.press('Escape');
  await chosen.and(page.locator('[aria-pressed="false"]')).waitFor();
  await page.keyboard.press('Enter');
  await chosen.and(page.locator('[aria-pressed="true"]')).waitFor();
  await page.keyboard.press('Enter');
  await chosen.and(page.locator('.no')).waitFor();
  assert.match((await chosen.getAttribute('aria-label')) ?? '', /ruled out by you/);
  assertFaultless(ann);
});

/**
 * A whole round, until it is scored.
 * @param {number} seats
 */
async function round(seats) {
  const ann = await Person.come(browser, server, 'Ann');
  const bob = await Person.come(browser, server, 'Bob', { viewport: PHONE, hasTouch: true, isMobile: true });
  const people = [ann, bob];
  const link = await openNyet(ann, seats);
  await bob.sit(link);
  for (let bots = 2; bots < seats; bots += 1) await ann.page.getByRole('button', { name: 'Add a bot' }).first().click();
  await ann.sees(`${seats} of ${seats} taken`);
  await bob.click("I'm ready");
  await ann.click('Start');
  await Promise.all(people.map(({ page }) => page.locator('.board .sp').first().waitFor()));

  const eve = await Person.come(browser, server, 'Eve', { viewport: DESKTOP });
  await eve.follow(link);
  await eve.sees('You are watching.');
  assert.equal(await eve.page.locator('.hand .cb').count(), 0);

  await Promise.all(people.map(playRound));
  await eve.page.locator('[data-screen=round-end]').waitFor();
  const totals = await Promise.all([ann, bob, eve].map(totalsOf));
  assert.equal(totals[0].length, seats);
  assert.deepEqual(totals[1], totals[0]);
  assert.deepEqual(totals[2], totals[0]);
  assertFaultless(ann, bob, eve);
}

/**
 * Opens a table of Nyet! and sits down.
 * @param {Person} person
 * @param {number} seats
 */
async function openNyet(person, seats) {
  const { page } = person;
  await person.goHome();
  await page.locator('#name').fill(person.name);
  await page.locator('.gamepick label').filter({ hasText: 'Nyet!' }).click();
  await page.locator('.seg label').filter({ hasText: String(seats) }).click();
  await person.click('Open a new table');
  await page.waitForURL(/\/t\/[0-9a-z]{8}$/);
  await person.seated();
  return page.url();
}

/**
 * Plays on until there is a ranking.
 * @param {Person} person
 */
async function playGame(person) {
  for (;;) {
    await playRound(person);
    const ready = person.page.locator('[data-screen=round-end] ~ .dock .pri[aria-pressed=false]');
    if (await person.page.locator('[data-screen=game-end]').isVisible()) return;
    await ready.click({ timeout: 1_000 }).catch(ignore);
    await person.page.locator('.board, [data-screen=game-end]').waitFor();
  }
}

/**
 * Does whatever is to be done, until the round is scored.
 * @param {Person} person
 */
async function playRound({ page }) {
  const confirm = page.locator('[data-play]:not([aria-disabled])');
  for (let step = 1; ; step += 1) {
    const next = await page.waitForFunction(whatNext, '', { timeout: 60_000 });
    const [what, moment] = String(await next.jsonValue()).split(';');
    if (what === 'over') return;
    if (what === 'taken') {
      await page.locator('.seats').click({ position: { x: 2, y: 2 }, timeout: 1_000 }).catch(ignore);
      continue;
    }
    if (what === 'on') {
      await page.locator('.tray .acts .pri').click({ timeout: 1_000 }).catch(ignore);
      continue;
    }
    const open = page.locator(/** @type {Record<string, string>} */ (OPEN)[what]);
    const count = await open.count();
    if (count === 0) continue;
    await open.nth((step * 5) % count).click();
    if (what === 'discard' && /2/.test(await page.locator('[data-play]').innerText())) await open.nth((step * 5 + 1) % count).click();
    if (what === 'team') {
      const bonus = page.locator('button.bonus');
      if ((await bonus.count()) > 0) await bonus.first().click();
    }
    // The button takes no click just after a card was lifted.
    while ((await (await page.waitForFunction(whatNext, moment)).jsonValue()) === 'lifted') {
      await confirm.click({ timeout: 500 }).catch(ignore);
    }
  }
}

/** What can be tapped in each phase. */
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
  if (known === '') return toDo() && `${toDo()};${moment}`;
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

/**
 * The totals in the order of the seats' names.
 * @param {Person} person
 */
async function totalsOf({ page, name }) {
  const rows = await page.locator('[data-screen=round-end] .tbl tbody tr').evaluateAll((rows) =>
    rows.map((row) => [row.querySelector('th')?.textContent?.trim() ?? '', row.querySelector('.tot')?.textContent?.trim() ?? '']),
  );
  return rows.map(([who, total]) => `${who === 'You' ? name : who} ${total}`).sort();
}

/** Somebody else was quicker, or it was too soon. */
const ignore = () => {};
