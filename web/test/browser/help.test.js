// The help, the cards of the first visit, and the text for old browsers explain the games.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { textsOf } from '../texts.js';
import { assertFaultless, openBrowser, Person, Server } from './harness.js';

const server = await Server.start();
const browser = await openBrowser();

describe('help', { timeout: 300_000 }, () => {
  test('three cards explain a game when somebody first sits down', async () => {
    const ann = await Person.open(browser, server, 'Ann', { isNew: true });
    const link = await ann.openRoom({ seats: 3 });
    await ann.sees('New to Sticheln? Three cards explain it.');
    assert.equal(await ann.page.getByRole('dialog').count(), 0, 'nothing covers the lobby that they have just opened');
    await ann.click('Show me');
    await ann.dialog('Pick a colour').getByText('1 of 3').waitFor();
    await ann.click('Next');
    const second = ann.dialog('Take it, or leave it?');
    const announced = (await second.locator('p').innerText()).replace(/\s+/g, ' ');
    assert.match(announced, /^blue was led\. .* yellow 2 beats blue 14\./);
    await ann.click('Next');
    await ann.dialog('What it costs').getByRole('button', { name: 'Let’s play' }).click();
    await ann.dialog('What it costs').waitFor({ state: 'detached' });
    await ann.page.reload();
    await ann.waitUntilSeated();
    assert.equal(await ann.page.getByRole('dialog').count(), 0, 'once');
    assert.equal(await ann.page.getByText('New to Sticheln?').count(), 0, 'the offer too');

    const ben = await Person.open(browser, server, 'Ben', { isNew: true });
    await ben.follow(link);
    await ben.page.locator('#sit-name').fill('Ben');
    assert.equal(await ben.page.getByRole('dialog').count(), 0, 'not to those who watch');
    await ben.click(/^Sit down$/);
    await ben.dialog('Pick a colour').waitFor();
    // The game begins: it is Ben's turn to pick, and the cards do not cover the hand.
    await ann.click('Fill with bots & start');
    await ben.dialog('Pick a colour').waitFor({ state: 'detached' });
    await ben.play(1);
    assertFaultless(ann, ben);
  });

  test('the help has exactly the rules of the edition of the room', async () => {
    const cem = await Person.open(browser, server, 'Cem');
    // The server never gets the choice of the edition: the help shows a change that the room does not show yet.
    await cem.page.routeWebSocket(/socket/, (socket) => {
      const upstream = socket.connectToServer();
      let isConfigured = false;
      socket.onMessage((message) => {
        isConfigured ||= String(message).includes('"configure"');
        if (!isConfigured) upstream.send(message);
      });
    });
    /** @type {string[]} */
    const asked = [];
    cem.page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await cem.openRoom({ seats: 3 });
    await cem.waitUntilSeated();
    assert.ok(!asked.some((path) => path.endsWith('help.en.json')), 'it is fetched when it is wanted');
    await cem.page.getByText('Amigo (1993)').click();
    await cem.page.getByText('usual (10 rounds)').waitFor();
    await cem.click('Menu');
    await cem.click('Help');
    const help = cem.dialog('How to play Sticheln');
    const lines = help.locator('.facts-list').first().locator('li');
    await lines.first().waitFor();
    const shown = await lines.allInnerTexts();
    const rules = textsOf('en');
    const textOf = (/** @type {string | Record<string, string>} */ entry) =>
      typeof entry === 'string' ? entry : entry.other;
    const isOfOther = (/** @type {string} */ key) =>
      /\.nsv$|\.nobody$|\.target$|\.agreed$|\.usual\.|\.named\./.test(key);
    const expected = Object.keys(rules).filter((key) => key.startsWith('sticheln.rules.') && !isOfOther(key));
    assert.deepEqual(
      shown.map((line) => line.replace(/^– ?/, '')),
      expected.map((key) => textOf(rules[key]).replace('{n}', '10')),
    );
    assert.equal(await help.getByRole('row').filter({ hasText: 'jump to a colour' }).count(), 1);
    // The worked examples of the edition are drawn with the cards of the page.
    assert.equal(await help.locator('.example').count(), 9);
    assert.equal(await help.getByRole('img', { name: 'yellow 14' }).count(), 1);
    await help.getByText('Cleo scores −13.').waitFor();
    assertFaultless(cem);
  });

  test('the home page has help for both games in both languages', async () => {
    const dora = await Person.open(browser, server, 'Dora');
    await dora.goHome();
    await dora.page.getByRole('link', { name: 'How to play Nyet!' }).click();
    const nyet = dora.dialog('How to play Nyet!');
    await nyet.getByText('Each colour has three 1s').waitFor();
    await nyet.getByText('16 with 3').waitFor();
    assert.equal(await nyet.locator('.example-board .free').count(), 5);
    await nyet.getByText('Sticheln', { exact: true }).click();
    await dora.dialog('How to play Sticheln').getByText('as many rounds as there are players').waitFor();
    await dora.page.keyboard.press('Escape');
    await dora.click('Deutsch');
    await dora.page.getByRole('link', { name: 'So geht Nyet!' }).click();
    await dora.dialog('So geht Nyet!').getByText('Jede Farbe hat drei 1er').waitFor();
    assertFaultless(dora);
  });

  test('a browser that cannot run the page shows an explanation', async () => {
    const emil = await Person.open(browser, server, 'Emil');
    await emil.page.addInitScript(() => Reflect.deleteProperty(window, 'HTMLDialogElement'));
    await emil.page.goto(server.url);
    await emil.sees('This browser is too old');
    await emil.sees('Dieser Browser ist zu alt');
    assert.equal(await emil.page.locator('main:not(#old)').count(), 0);
    assertFaultless(emil);
    const page = await (await fetch(server.url)).text();
    assert.match(page, /<noscript>.*needs JavaScript\..*braucht JavaScript\..*<\/noscript>/);
  });
});
