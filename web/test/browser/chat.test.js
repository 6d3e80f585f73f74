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
    assert.equal(await fay.page.locator('.chat-lines li > b').innerText(), 'Spectator 3');
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

  test('a person can mute another one at this table, for themselves alone', async () => {
    const [jon, kim] = await seatTwo(browser, server, 'Jon', 'Kim');
    await say(kim, 'Before.');
    await seesLine(jon, 'Before.');
    await jon.click('Menu');
    await jon.dialog('Menu').getByRole('button', { name: 'More about Kim' }).click();
    await jon.click('Mute Kim');
    await jon.dialog('Kim').getByRole('button', { name: 'Hear Kim again' }).waitFor();
    await jon.page.keyboard.press('Escape');
    await jon.sees('Muted: Kim');
    assert.equal(await jon.page.locator('.chat-lines').getByText('Before.').count(), 0, 'earlier lines too');
    await react(kim, 'Ouch!');
    await say(kim, 'After.');
    await say(jon, 'I hear nothing.');
    await seesLine(kim, 'I hear nothing.');
    await seesLine(jon, 'I hear nothing.');
    assert.equal(await jon.page.locator('.chat-lines').getByText('After.').count(), 0);
    assert.equal(await jon.page.locator('.reacted').count(), 0);
    await jon.page.reload();
    await jon.sees('Muted: Kim');
    await jon.click('Show all');
    await seesLine(jon, 'After.');
    assertFaultless(jon, kim);
  });

  test('keys lead to the chat and to the reactions, and screen readers are told of both', async () => {
    const [leo, mia] = await seatTwo(browser, server, 'Leo', 'Mia');
    await leo.click('Fill with bots & start');
    for (const { page } of [leo, mia]) await page.locator('.hand .card-button').nth(14).waitFor();
    // On a desktop the chat is beside the table, on a phone in a sheet.
    await leo.page.keyboard.press('c');
    await leo.page.keyboard.type('Can you hear me?');
    await leo.page.keyboard.press('Enter');
    await mia.page.locator('[role=log]').getByText('Leo says: Can you hear me?').waitFor({ state: 'attached' });
    await leo.page.locator('.side .chat-form input').blur();
    await leo.page.keyboard.press('r');
    await leo.page.keyboard.press('Enter');
    await mia.page.locator('[role=log]').getByText('Leo: Ha ha!').waitFor({ state: 'attached' });
    await mia.page.setViewportSize(PHONE);
    await mia.page.keyboard.press('r');
    await mia.dialog('Chat').waitFor();
    await mia.page.locator('dialog[open] .reaction-row button').first().and(mia.page.locator(':focus')).waitFor();
    await mia.page.keyboard.press('Escape');
    await mia.dialog('Chat').waitFor({ state: 'detached' });
    await mia.page.keyboard.press('c');
    await mia.page.locator('dialog[open] .chat-form input:focus').waitFor();
    assertFaultless(leo, mia);
  });

  test('somebody who streams their screen shows neither code nor link nor chat', async () => {
    const [ned, ola] = await seatTwo(browser, server, 'Ned', 'Ola');
    await say(ola, 'A secret.');
    await seesLine(ned, 'A secret.');
    const code = new URL(ned.page.url()).pathname.slice(-8);
    const shown = async () => {
      const texts = await ned.page.locator('header, main, dialog').allInnerTexts();
      return texts.join(' ').toLowerCase().replaceAll('-', '');
    };
    assert.ok((await shown()).includes(code));
    await ned.click('Menu');
    await ned.page.getByText('I show my screen to others', { exact: true }).click();
    await ned.page.keyboard.press('Escape');
    await ned.page.getByRole('dialog').waitFor({ state: 'hidden' });
    await ned.page.getByRole('button', { name: 'Code, link and chat are hidden' }).waitFor();
    await ned.sees('Code and QR code are hidden, because you show your screen to others.');
    assert.ok(!(await shown()).includes(code));
    assert.ok(!(await shown()).includes('a secret'));
    assert.equal(await ned.page.locator('.qr, .chat-lines').count(), 0);
    await ned.click('Menu');
    assert.ok(!(await shown()).includes(code));
    await ned.click('Move my seat to another device');
    await ned.sees('Copy the link and send it to yourself.');
    assert.equal(await ned.page.locator('.qr, .handover').count(), 0);
    await ned.page.reload();
    await ned.page.getByRole('button', { name: 'Code, link and chat are hidden' }).waitFor();
    assertFaultless(ned, ola);
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
