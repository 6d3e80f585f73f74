// The focus is never lost: a dialog keeps it and gives it back, and where what had it goes away, what the screen is
// about gets it. What is said meanwhile is heard everywhere.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { assertFaultless, DESKTOP, openBrowser, Person, Server } from './harness.js';
import { recordingOf } from './recordings.js';
import { Stage } from './stage.js';

const server = await Server.start();
const stage = await Stage.open(server, { viewport: DESKTOP });
const { page } = stage;
const browser = await openBrowser();

const TURN = { recording: 'four', mark: 'turn' };

describe('dialogs', { timeout: 60_000 }, () => {
  test('a dialog keeps the focus, and gives it back to what opened it', async () => {
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

  test('if what opened it is gone, what the screen is about gets the focus', async () => {
    const { news, marks } = recordingOf('four');
    await stage.show({ recording: 'four', mark: 'turn' });
    await page.getByRole('button', { name: stage.t('bar.history') }).or(page.locator('.me-plate')).filter({ visible: true }).first().focus();
    await page.keyboard.press('Enter');
    await page.locator('dialog[open]').waitFor();
    for (const message of news.slice(marks.turn, marks['game-end'])) {
      await stage.tell(message);
      await stage.wait(6000);
    }
    assert.equal(await holder(), 'dialog');
    await page.keyboard.press('Escape');
    await page.locator('dialog[open]').waitFor({ state: 'detached' });
    assert.equal(await holder(), 'H1');
  });

  for (const language of /** @type {const} */ (['en', 'de'])) {
    test(`what is said at the table is said in an open dialog, once: ${language}`, async () => {
      const { news, marks } = recordingOf('four');
      await stage.show(TURN, { language });
      await stage.wait(1000);
      const before = await page.locator('[role=log] p').allInnerTexts();
      await page.keyboard.press('?');
      await page.locator('dialog[open]').waitFor();
      for (const message of news.slice(marks.turn, marks.turn + 6)) {
        await stage.tell(message);
        await stage.wait(6000);
      }
      const heard = await page.locator('dialog[open] [data-overheard] p').allTextContents();
      const lines = (await page.locator('[role=log] p').allTextContents()).slice(before.length);
      assert.ok(lines.length > 1);
      for (const line of lines) assert.equal(heard.filter((other) => other === line).length, 1, line);
      const sentence = (await page.locator('.say-line').textContent())?.trim().replace(/\s+/g, ' ');
      assert.equal(heard.at(-2) === sentence || heard.at(-1) === sentence, true, `${sentence}: ${heard.join(' / ')}`);
    });
  }
});

describe('the focus has a place', { timeout: 120_000 }, () => {
  for (const [recording, first, selector] of [
    ['four', 'pick', '.hand .cb[tabindex="0"]'],
    ['nyet4', 'board', '.board [tabindex="0"]'],
    ['nyet3', 'board', '.board [tabindex="0"]'],
  ]) {
    test(`whatever comes after what: ${recording}`, async () => {
      const { news, marks } = recordingOf(recording);
      await stage.show({ recording, mark: first });
      await page.locator(selector).focus();
      let scrolled = 0;
      for (const message of news.slice(marks[first])) {
        await stage.tell(message);
        assert.notEqual(await holder(), 'nothing', JSON.stringify(message.events));
        await stage.wait(6000);
        assert.notEqual(await holder(), 'nothing', JSON.stringify(message.events));
        scrolled = Math.max(scrolled, await page.evaluate(() => scrollY));
      }
      assert.equal(scrolled, 0);
      assert.deepEqual(stage.faults.splice(0), []);
    });
  }

  test('whoever has let go of it is given nothing', async () => {
    const { news, marks } = recordingOf('four');
    await stage.show(TURN);
    await page.locator('.hand .cb').first().focus();
    await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement).blur());
    for (const message of news.slice(marks.turn, marks['game-end'])) {
      await stage.tell(message);
      await stage.wait(6000);
    }
    assert.equal(await holder(), 'nothing');
  });
});

describe('parts that come late', { timeout: 60_000 }, () => {
  test('what happened before there were words for it is told then, once', async () => {
    const ann = await Person.come(browser, server, 'Ann');
    /** @type {(value?: unknown) => void} */
    let release = () => {};
    const held = new Promise((done) => (release = done));
    await ann.page.route('**/js/table/table.js', async (route) => {
      await held;
      await route.continue();
    });
    await ann.openTable({ seats: 3 });
    await ann.seated();
    await ann.click('Fill with bots & start');
    await ann.page.locator('.opening').waitFor();
    release();
    await ann.page.locator('.hand .cb').first().waitFor();
    const line = ann.page.locator('[role=log] p').filter({ hasText: 'Round 1' });
    await line.first().waitFor({ state: 'attached' });
    assert.equal(await line.count(), 1);
    assertFaultless(ann);
  });

  test('a part that did not come is asked for again', async () => {
    const ben = await Person.come(browser, server, 'Ben');
    ben.tolerated.push(/ERR_FAILED/);
    let asked = 0;
    await ben.page.route('**/js/table/table.js*', (route) => {
      asked += 1;
      return asked === 1 ? route.abort() : route.continue();
    });
    await ben.openTable({ seats: 3 });
    await ben.seated();
    await ben.click('Fill with bots & start');
    await ben.page.locator('.hand .cb').nth(14).waitFor();
    assert.ok(asked > 1);
    assertFaultless(ben);
  });
});

/** What has the focus: `nothing`, `dialog` for what is in one, `outside` of the one that is open, else its kind. */
function holder() {
  return page.evaluate(() => {
    const { activeElement: focused, body } = document;
    if (focused?.closest('dialog')) return 'dialog';
    if (!focused || focused === body) return 'nothing';
    return document.querySelector('dialog[open]') ? 'outside' : focused.tagName;
  });
}
