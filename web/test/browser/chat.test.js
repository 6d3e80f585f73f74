// Players and spectators chat, react and nudge.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { assertFaultless, openBrowser, Person, PHONE, Server, seatTwo } from './harness.js';

const server = await Server.start();
const browser = await openBrowser();

describe('chat', { timeout: 300_000 }, () => {
  test('the chat is beside the table on a desktop and in a sheet on a phone', async () => {
    const ann = await Person.open(browser, server, 'Ann');
    const bob = await Person.open(browser, server, 'Bob', { viewport: PHONE, hasTouch: true, isMobile: true });
    const link = await ann.openRoom({ seats: 3 });
    await ann.waitUntilSeated();
    await bob.sit(link);

    // In the lobby there is a mark on the phone, until the lines are read.
    await say(ann, 'Who brings the biscuits?');
    await bob.click('Chat, 1 new line');
    await seesLine(bob, 'Who brings the biscuits?');
    await say(bob, 'I do.');
    await seesLine(ann, 'I do.');
    await bob.click('Close');
    assert.equal(await bob.page.getByRole('button', { name: /new line/ }).count(), 0);

    await ann.click('Fill with bots & start');
    await ann.page.locator('.hand .card-button').nth(14).waitFor();
    await ann.page.locator('.side .chat').getByText('Who brings the biscuits?').waitFor();
    await bob.page.locator('.hand .card-button').nth(14).waitFor();
    assert.equal(await bob.page.locator('.chat-lines').filter({ visible: true }).count(), 0);
    await say(ann, 'Good luck!');
    await say(ann, 'You will need it.');
    await bob.page.getByRole('button', { name: 'Chat, 2 new lines' }).waitFor();
    assert.equal(await bob.page.locator('.chat-button .unread-dot').isVisible(), true);

    // All lines are still there after a reload.
    await bob.page.reload();
    await bob.click(/^Chat/);
    for (const text of ['Who brings the biscuits?', 'I do.', 'Good luck!', 'You will need it.'])
      await seesLine(bob, text);
    const names = await bob.page.locator('.chat-lines li > b').filter({ visible: true }).allInnerTexts();
    assert.deepEqual(names, ['Ann', 'Bob', 'Ann', 'Ann']);
    await bob.click('Close');

    // Bob hides the chat for themselves.
    await bob.click(/^Chat/);
    await bob.click('Hide');
    await bob.sees('You have hidden the chat.');
    await bob.click('Close');
    await say(ann, 'Hello?');
    await bob.page.reload();
    await bob.page.locator('.hand .card-button').first().waitFor();
    assert.equal(await bob.page.locator('.chat-button .unread-dot').count(), 0);
    await bob.click(/^Chat/);
    await bob.sees('You have hidden the chat.');
    await bob.click('Show');
    await seesLine(bob, 'Hello?');
    assertFaultless(ann, bob);
  });

  test('a line of chat has at most 200 characters as people count them', async () => {
    const [cem, dora] = await seatTwo(browser, server, 'Cem', 'Dora');
    const field = cem.page.getByPlaceholder('Say something');
    const family = '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}';
    await field.fill('x'.repeat(159));
    assert.equal(await cem.page.locator('.chat-form output').innerText(), '');
    await field.fill('x'.repeat(190));
    await cem.sees('10 characters left');
    await field.fill('x'.repeat(201));
    await cem.sees('One character too many');
    await field.press('Enter');
    assert.equal((await field.inputValue()).length, 201, 'it is not sent, and not lost');
    const marks = `e${'\u0301'.repeat(4)}`.repeat(190);
    await field.fill(marks);
    await cem.sees('Too many accents and signs in one line');
    await field.press('Enter');
    assert.equal(await field.inputValue(), marks, 'it is not sent, and not lost');
    await field.fill(`${'x'.repeat(150)}${family.repeat(50)}`);
    await cem.sees('0 characters left');
    await field.press('Enter');
    await seesLine(dora, `${'x'.repeat(150)}${family.repeat(50)}`);
    assert.equal(await dora.page.locator('.chat-lines li').count(), 1);
    assertFaultless(cem, dora);
  });

  test('spectators may chat as long as the host allows it', async () => {
    const [eve, fay] = await seatTwo(browser, server, 'Eve', 'Fay');
    const gus = await Person.open(browser, server, 'Gus');
    await gus.follow(eve.page.url());
    await say(gus, 'May I join?');
    await seesLine(fay, 'May I join?');
    assert.equal(await fay.page.locator('.chat-lines li > b').innerText(), 'Spectator');
    assert.equal(await gus.page.getByRole('group', { name: 'Reactions' }).count(), 0);
    await eve.page.getByText('Spectators may chat', { exact: true }).click();
    await gus.sees('At this table only players chat.');
    assert.equal(await gus.page.getByPlaceholder('Say something').count(), 0);
    await say(fay, 'Later.');
    await seesLine(gus, 'Later.');
    await eve.page.getByText('Spectators may chat', { exact: true }).click();
    await say(gus, 'Thank you.');
    await seesLine(eve, 'Thank you.');
    assertFaultless(eve, fay, gus);
  });

  test('eight reactions are shown, and a person whom all wait for can be nudged', async () => {
    const [hal, ida] = await seatTwo(browser, server, 'Hal', 'Ida');
    await react(hal, 'Thanks!');
    await ida.page.locator('.seat-list li').filter({ hasText: 'Hal' }).locator('.reacted .reaction').waitFor();

    await hal.click('Fill with bots & start');
    for (const { page } of [hal, ida]) await page.locator('.hand .card-button').nth(14).waitFor();
    const drawings = new Set();
    const names = [
      'Ha ha!',
      'Ouch!',
      'Well played!',
      'Hm, let me think',
      'Hurry up!',
      'Sorry!',
      'Thanks!',
      'Good game!',
    ];
    for (const [at, name] of names.entries()) {
      // The server limits the reactions of one player, so the two take turns.
      const [one, other] = at % 2 === 0 ? [hal, ida] : [ida, hal];
      const paths = one.page.getByRole('button', { name }).locator('.reaction path');
      const drawn = await paths.evaluateAll((paths) => paths.map((path) => path.getAttribute('d')).join());
      await react(one, name);
      await other.page.waitForFunction((drawn) => {
        const paths = [...document.querySelectorAll('.plate .reacted path')];
        return paths.map((path) => path.getAttribute('d')).join() === drawn;
      }, drawn);
      drawings.add(drawn);
    }
    assert.equal(drawings.size, names.length);
    await ida.page.locator('.reacted').waitFor({ state: 'detached' });

    // Everybody has picked but one.
    await hal.playDownTo(14);
    await hal.page.getByRole('button', { name: /^Ida, choosing/ }).click();
    await hal.click('Nudge');
    await ida.sees('Hal nudges you: it is your turn.');
    await hal.sees('You nudged Ida.');
    await hal.click('Nudge');
    await hal.sees('Not so fast.');
    assertFaultless(hal, ida);
  });
});

/**
 * Shows a reaction.
 * @param {Person} person
 * @param {string} name
 */
const react = ({ page }, name) => page.getByRole('group', { name: 'Reactions' }).getByRole('button', { name }).click();

/**
 * Types a line, and sends it.
 * @param {Person} person
 * @param {string} text
 */
async function say({ page }, text) {
  const field = page.getByPlaceholder('Say something').filter({ visible: true });
  await field.fill(text);
  await field.press('Enter');
  await field.and(page.locator(':placeholder-shown')).waitFor();
}

/**
 * Waits until a line can be read.
 * @param {Person} person
 * @param {string} text
 */
const seesLine = ({ page }, text) =>
  page.locator('.chat-lines p').filter({ visible: true }).getByText(text, { exact: true }).waitFor();
