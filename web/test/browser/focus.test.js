// The focus is never lost: dialogs keep it and give it back, and a vanished element passes it to the heading.
//
// Dialogs repeat announcements.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { LANGUAGES } from '../../js/settings.js';
import { ofType } from '../messages.js';
import { recordingOf } from './recordings.js';
import { ScenePage } from './scene-page.js';
import { Server } from './server.js';
import { DESKTOP } from './viewports.js';

/** @import { FakedWindow } from './scene-page.js' */
/** @import { ServerMessage } from '../../js/protocol.js' */

const server = await Server.start();
const scenePage = await ScenePage.open(server, { viewport: DESKTOP });
const { page } = scenePage;

/** The messages at the beginning and at the end of a round: up to the first card, and the last cards. */
const [FIRST, LAST] = [14, -6];
const TURN = { recording: 'sticheln4', mark: 'turn' };

describe('dialogs', { timeout: 120_000 }, () => {
  test('a dialog keeps the focus, and returns it to the button that opened it', async () => {
    await scenePage.load(TURN);
    const opener = page.getByRole('button', { name: scenePage.t('menu.title') });
    await opener.focus();
    await page.keyboard.press('Enter');
    await page.locator('dialog[open]').waitFor();
    const stops = await page.locator('dialog[open]').locator('button, a, input, select').count();
    for (const key of ['Tab', 'Shift+Tab']) {
      for (let presses = 0; presses < stops + 3; presses += 1) {
        await page.keyboard.press(key);
        assert.notEqual(await holder(), 'outside');
      }
    }
    await page.keyboard.press('Escape');
    await page.locator('dialog[open]').waitFor({ state: 'detached' });
    assert.ok(await opener.evaluate((button) => button === document.activeElement));
  });

  test('if that button is gone, the heading of the screen gets the focus', async () => {
    const { messages, marks } = recordingOf('sticheln4');
    await scenePage.load(TURN);
    await page.locator('.plate').first().focus();
    await page.keyboard.press('Enter');
    await page.locator('dialog[open]').waitFor();
    await skip(messages.slice(marks.turn, marks['round-end']));
    assert.equal(await holder(), 'dialog');
    await page.keyboard.press('Escape');
    await page.locator('dialog[open]').waitFor({ state: 'detached' });
    assert.equal(await holder(), 'H1');
  });

  for (const language of LANGUAGES) {
    test(`an open dialog repeats each announcement of the table once: ${language}`, async () => {
      const { messages, marks } = recordingOf('sticheln4');
      await scenePage.load(TURN, { language });
      await scenePage.advanceClock(1000);
      const before = await page.locator('[role=log] p').count();
      await page.keyboard.press('?');
      await page.locator('dialog[open]').waitFor();
      await happens(messages.slice(marks.turn, marks.turn + 4));
      const repeated = (await page.locator('dialog[open] [data-repeats-page] p').allTextContents()).map(plain);
      const lines = (await page.locator('[role=log] p').allTextContents()).slice(before).map(plain);
      assert.ok(lines.length > 1);
      for (const line of lines) assert.equal(repeated.filter((other) => other === line).length, 1, line);
      assert.ok(repeated.includes(plain(await page.locator('.status-line').innerText())));
    });
  }
});

describe('the focus', { timeout: 120_000 }, () => {
  for (const [recording, first, selector] of [
    ['sticheln4', 'pick', '.hand .card-button[tabindex="0"]'],
    ['nyet3', 'board', '.board [tabindex="0"]'],
    ['nyet4', 'board', '.board [tabindex="0"]'],
  ]) {
    test(`the focus survives every message: ${recording}`, async () => {
      const { messages, marks } = recordingOf(recording);
      await scenePage.load({ recording, mark: first });
      await page.locator(selector).focus();
      const rest = messages.slice(marks[first]);
      const holders = await happens(rest.slice(0, FIRST));
      await skip(rest.slice(FIRST, LAST));
      holders.push(...(await happens(rest.slice(LAST))));
      assert.deepEqual(
        holders.filter((kind) => kind === 'nothing'),
        [],
      );
      assert.equal(holders.at(-1), 'H1');
      assert.equal(await page.evaluate(() => scrollY), 0);
      assert.deepEqual(scenePage.errors.splice(0), []);
    });
  }

  test('after blur, the page does not move the focus', async () => {
    const { messages, marks } = recordingOf('sticheln4');
    await scenePage.load(TURN);
    await page.locator('.hand .card-button').first().focus();
    await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement).blur());
    await skip(messages.slice(marks.turn, marks['round-end'] - 1));
    assert.deepEqual(new Set(await happens(messages.slice(marks['round-end'] - 1))), new Set(['nothing']));
  });
});

describe('lifted cards, questions and the note of a pause', { timeout: 120_000 }, () => {
  test('the note of a pause has the focus, and the dock is inert', async () => {
    const { snapshot, messages } = recordingOf('nyet3');
    const room = ofType([...snapshot, ...messages], 'room').at(-1);
    assert.ok(room);
    await scenePage.load({ recording: 'nyet3', mark: 'round-end' });
    await scenePage.advanceClock(6000);
    const ready = page.locator('.dock .btn.primary');
    await ready.focus();
    await scenePage.receive({ ...room, table: { ...room.table, phase: 'paused' } });
    assert.ok(await ready.evaluate((button) => button.closest('[inert]') !== null));
    assert.ok(await page.locator('#paused-title').evaluate((title) => title === document.activeElement));
    await scenePage.receive({ ...room, table: { ...room.table, phase: 'playing' } });
    assert.equal(await holder(), 'H1');
  });

  test('Escape puts down the seats that were chosen for a team', async () => {
    await scenePage.load({ recording: 'nyet4', mark: 'team' });
    await scenePage.advanceClock(6000);
    const member = page.locator('button.team-member').first();
    await member.focus();
    await page.keyboard.press('Enter');
    await page.locator('button.team-member[aria-pressed=true]').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('button.team-member[aria-pressed=true]').waitFor({ state: 'detached' });
    assert.ok(await member.evaluate((button) => button === document.activeElement));
  });

  for (const [recording, mark, key] of [
    ['nyet3', 'round-end', 'play.pause'],
    ['sticheln4', 'game-end', 'play.toLobby'],
    ['sticheln4', 'game-end', 'play.rematch.now'],
  ]) {
    test(`a refused key is explained: ${key}`, async () => {
      await scenePage.load({ recording, mark, answers: { refused: 'too_soon' } });
      await scenePage.advanceClock(6000);
      await scenePage.click(scenePage.t(key));
      await page
        .getByRole('alert')
        .filter({ hasText: scenePage.t('refused.too_soon') })
        .waitFor();
    });
  }

  for (const [recording, digits] of [
    ['sticheln4', '1–6'],
    ['nyet4', '1–4'],
  ]) {
    test(`the digit keys stand for the colours of the game: ${recording}`, async () => {
      await scenePage.load({ recording, mark: 'turn' });
      await page.keyboard.press('?');
      await page
        .getByRole('row')
        .filter({ hasText: scenePage.t('keys.colour') })
        .getByText(digits, { exact: true })
        .waitFor();
    });
  }
});

/** A text as a screen reader reads it. @param {string} text */
const plain = (text) => text.trim().replace(/\s+/g, ' ');

/**
 * Makes the page receive messages, and lets the time for showing each of them pass.
 * @param {ServerMessage[]} messages
 * @returns {Promise<string[]>} what has the focus after every step
 */
async function happens(messages) {
  const holders = [];
  for (const message of messages) {
    await page.evaluate(receiveOrWait, [message]);
    holders.push(await holder());
    await page.evaluate(receiveOrWait, []);
    holders.push(await holder());
  }
  return holders;
}

/**
 * Makes the page receive messages at once, so that it draws only the result.
 * @param {ServerMessage[]} messages
 */
async function skip(messages) {
  await page.evaluate(receiveOrWait, messages);
  await page.evaluate(receiveOrWait, []);
}

/** Runs in the page: receives messages, or moves the clock forward if there are none. @param {ServerMessage[]} messages */
async function receiveOrWait(messages) {
  const { fakes } = /** @type {FakedWindow} */ (window);
  const steps =
    messages.length > 0 ? [() => messages.forEach(fakes.receive)] : [6000, 1000].map((ms) => () => fakes.advance(ms));
  for (const step of steps) {
    step();
    await new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)));
  }
}

/** The kind of element that has the focus: `outside` is outside of the open dialog. */
function holder() {
  return page.evaluate(() => {
    const { activeElement: focused, body } = document;
    if (focused?.closest('dialog')) return 'dialog';
    if (!focused || focused === body) return 'nothing';
    return document.querySelector('dialog[open]') ? 'outside' : focused.tagName;
  });
}
