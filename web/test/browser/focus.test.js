// The focus is never lost: dialogs keep it and give it back, and a vanished element passes it to the heading.
//
// Announcements are heard in dialogs too.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { DESKTOP, Server } from './harness.js';
import { recordingOf } from './recordings.js';
import { Stage } from './stage.js';

const server = await Server.start();
const stage = await Stage.open(server, { viewport: DESKTOP });
const { page } = stage;

/** With how many messages a round begins, and ends: from the first choice to the first card, and the last cards. */
const [FIRST, LAST] = [14, -6];
const TURN = { recording: 'four', mark: 'turn' };

describe('dialogs', { timeout: 120_000 }, () => {
  test('a dialog keeps the focus, and returns it to the button that opened it', async () => {
    await stage.show(TURN);
    const opener = page.getByRole('button', { name: stage.t('menu.title') });
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

  test('if that button is gone, the main thing of the screen gets the focus', async () => {
    const { news, marks } = recordingOf('four');
    await stage.show(TURN);
    await page.locator('.plate').first().focus();
    await page.keyboard.press('Enter');
    await page.locator('dialog[open]').waitFor();
    await skip(news.slice(marks.turn, marks['round-end']));
    assert.equal(await holder(), 'dialog');
    await page.keyboard.press('Escape');
    await page.locator('dialog[open]').waitFor({ state: 'detached' });
    assert.equal(await holder(), 'H1');
  });

  for (const language of /** @type {const} */ (['en', 'de'])) {
    test(`an open dialog repeats each announcement of the table once: ${language}`, async () => {
      const { news, marks } = recordingOf('four');
      await stage.show(TURN, { language });
      await stage.wait(1000);
      const before = await page.locator('[role=log] p').count();
      await page.keyboard.press('?');
      await page.locator('dialog[open]').waitFor();
      await happens(news.slice(marks.turn, marks.turn + 4));
      const heard = (await page.locator('dialog[open] [data-repeats-page] p').allTextContents()).map(plain);
      const lines = (await page.locator('[role=log] p').allTextContents()).slice(before).map(plain);
      assert.ok(lines.length > 1);
      for (const line of lines) assert.equal(heard.filter((other) => other === line).length, 1, line);
      assert.ok(heard.includes(plain(await page.locator('.say-line').innerText())));
    });
  }
});

describe('the focus', { timeout: 120_000 }, () => {
  for (const [recording, first, selector] of [
    ['four', 'pick', '.hand .cb[tabindex="0"]'],
    ['nyet3', 'board', '.board [tabindex="0"]'],
    ['nyet4', 'board', '.board [tabindex="0"]'],
  ]) {
    test(`the focus survives every message: ${recording}`, async () => {
      const { news, marks } = recordingOf(recording);
      await stage.show({ recording, mark: first });
      await page.locator(selector).focus();
      const rest = news.slice(marks[first]);
      const holders = await happens(rest.slice(0, FIRST));
      await skip(rest.slice(FIRST, LAST));
      holders.push(...(await happens(rest.slice(LAST))));
      assert.deepEqual(
        holders.filter((kind) => kind === 'nothing'),
        [],
      );
      assert.equal(holders.at(-1), 'H1');
      assert.equal(await page.evaluate(() => scrollY), 0);
      assert.deepEqual(stage.faults.splice(0), []);
    });
  }

  test('the page takes no focus if nothing had it', async () => {
    const { news, marks } = recordingOf('four');
    await stage.show(TURN);
    await page.locator('.hand .cb').first().focus();
    await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement).blur());
    await skip(news.slice(marks.turn, marks['round-end'] - 1));
    assert.deepEqual(new Set(await happens(news.slice(marks['round-end'] - 1))), new Set(['nothing']));
  });
});

describe('lifted cards, questions and pauses', { timeout: 120_000 }, () => {
  test('the note of a pause has the focus, and the dock is inert', async () => {
    const { arrival, news } = recordingOf('nyet3');
    const room = [...arrival, ...news].filter(({ type }) => type === 'room').at(-1);
    await stage.show({ recording: 'nyet3', mark: 'round-end' });
    await stage.wait(6000);
    const ready = page.locator('.dock .btn.pri');
    await ready.focus();
    await stage.tell({ ...room, table: { ...room.table, phase: 'paused' } });
    assert.ok(await ready.evaluate((button) => button.closest('[inert]') !== null));
    assert.ok(await page.locator('#paused-title').evaluate((title) => title === document.activeElement));
    await stage.tell({ ...room, table: { ...room.table, phase: 'playing' } });
    assert.equal(await holder(), 'H1');
  });

  test('Escape puts down the seats that were chosen for a team', async () => {
    await stage.show({ recording: 'nyet4', mark: 'team' });
    await stage.wait(6000);
    const mate = page.locator('button.mate').first();
    await mate.focus();
    await page.keyboard.press('Enter');
    await page.locator('button.mate[aria-pressed=true]').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('button.mate[aria-pressed=true]').waitFor({ state: 'detached' });
    assert.ok(await mate.evaluate((button) => button === document.activeElement));
  });

  for (const [recording, mark, key] of [
    ['nyet3', 'round-end', 'play.break'],
    ['four', 'game-end', 'play.toLobby'],
    ['four', 'game-end', 'play.rematch.now'],
  ]) {
    test(`a refused key is explained: ${key}`, async () => {
      await stage.show({ recording, mark, answers: { refused: 'too_soon' } });
      await stage.wait(6000);
      await stage.click(stage.t(key));
      await page
        .getByRole('alert')
        .filter({ hasText: stage.t('refused.too_soon') })
        .waitFor();
    });
  }

  for (const [recording, digits] of [
    ['four', '1–6'],
    ['nyet4', '1–4'],
  ]) {
    test(`the digit keys stand for the colours of the game: ${recording}`, async () => {
      await stage.show({ recording, mark: 'turn' });
      await page.keyboard.press('?');
      await page
        .getByRole('row')
        .filter({ hasText: stage.t('keys.colour') })
        .getByText(digits, { exact: true })
        .waitFor();
    });
  }
});

/** Words as they are read out. @param {string} text */
const plain = (text) => text.trim().replace(/\s+/g, ' ');

/**
 * Tells the page what happens at the table, each time until nothing of it lies there any more.
 * @param {any[]} messages
 * @returns {Promise<string[]>} what has the focus after every step
 */
async function happens(messages) {
  const holders = [];
  for (const message of messages) {
    await page.evaluate(tell, [message]);
    holders.push(await holder());
    await page.evaluate(tell, []);
    holders.push(await holder());
  }
  return holders;
}

/**
 * Tells the page what happens, and lets it draw only what comes of it.
 * @param {any[]} messages
 */
async function skip(messages) {
  await page.evaluate(tell, messages);
  await page.evaluate(tell, []);
}

/** Runs in the page: tells it this, or lets time go by. @param {any[]} messages */
async function tell(messages) {
  const { stage } = /** @type {any} */ (window);
  const steps =
    messages.length > 0 ? [() => messages.forEach(stage.tell)] : [6000, 1000].map((ms) => () => stage.advance(ms));
  for (const step of steps) {
    step();
    await new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)));
  }
}

/** The kind of the focused element; `outside` if it is outside of the open dialog. */
function holder() {
  return page.evaluate(() => {
    const { activeElement: focused, body } = document;
    if (focused?.closest('dialog')) return 'dialog';
    if (!focused || focused === body) return 'nothing';
    return document.querySelector('dialog[open]') ? 'outside' : focused.tagName;
  });
}
