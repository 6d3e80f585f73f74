// A seat is used by one tab at a time; seats move, and codes, passwords and removal are enforced.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { assertFaultless, openBrowser, Person, PHONE, Server } from './harness.js';

const server = await Server.start();
const browser = await openBrowser();

describe('seats and access', { timeout: 300_000 }, () => {
  test('of two tabs with one seat the newest plays', async () => {
    const ann = await Person.open(browser, server, 'Ann');
    const sockets = countSockets(ann);
    await ann.openRoom({ seats: 3 });
    await ann.waitUntilSeated();
    await ann.click('Fill with bots & start');
    await ann.page.locator('.hand .card-button').nth(14).waitFor();

    const second = await ann.tab();
    const secondSockets = countSockets(second);
    await second.page.goto(ann.page.url());
    await second.page.locator('.hand .card-button').nth(14).waitFor();
    const older = ann.dialog('You are playing in another tab');
    await older.getByText('This tab is inactive').waitFor();
    await second.playDownTo(14);
    assert.equal(await older.isVisible(), true);

    // The older tab takes the seat back, and keeps it.
    await older.getByRole('button', { name: 'Play here instead' }).click();
    await second.dialog('You are playing in another tab').waitFor();
    await older.waitFor({ state: 'detached' });
    await ann.playDownTo(13);
    assert.equal(await second.dialog('You are playing in another tab').isVisible(), true);
    assert.deepEqual([sockets(), secondSockets()], [2, 1], 'nobody connects unasked');
    assertFaultless(ann);
  });

  test('a code moves a seat to another device', async () => {
    const bea = await Person.open(browser, server, 'Bea');
    const link = await bea.openRoom({ seats: 3 });
    await bea.waitUntilSeated();
    await bea.click('Fill with bots & start');
    await bea.page.locator('.hand .card-button').nth(14).waitFor();
    const hand = await bea.hand();
    await bea.click('Menu');
    await bea.click('Move my seat to another device');
    const offer = bea.dialog('Move your seat');
    await offer.getByText(/Valid for \d+ more seconds/).waitFor();
    const code = await offer.locator('.handover').innerText();
    assert.match(code, /^\w{4} \w{4}$/);

    const phone = await Person.open(browser, server, 'Bea', { viewport: PHONE, hasTouch: true, isMobile: true });
    await phone.follow(link);
    await phone.sees('You are watching.');
    assert.deepEqual(await phone.hand(), []);
    await phone.click('Menu');
    await phone.click('I have a code for my seat');
    const entry = phone.dialog('I have a code for my seat');
    await entry.getByLabel('Code').fill('2222 2222');
    await entry.getByRole('button', { name: 'Take my seat' }).click();
    await entry.getByText('This code is wrong or too old.').waitFor();
    await entry.getByLabel('Code').fill(code.toUpperCase());
    await entry.getByRole('button', { name: 'Take my seat' }).click();
    await entry.waitFor({ state: 'detached' });
    await phone.page.locator('.hand .card-button').nth(14).waitFor();
    assert.deepEqual(await phone.hand(), hand);

    // The old device can only watch.
    await bea.dialog('Your seat has moved').getByRole('button', { name: 'Watch' }).click();
    await bea.sees('You are watching.');
    await bea.waitUntilWithoutHand();
    await phone.playDownTo(13);
    assertFaultless(bea, phone);
  });

  test('a removed person sees a note, and waits for the host', async () => {
    const cem = await Person.open(browser, server, 'Cem');
    const dora = await Person.open(browser, server, 'Dora');
    const link = await cem.openRoom({ seats: 3 });
    await cem.waitUntilSeated();
    await dora.sit(link);
    await cem.click('More about Dora');
    await cem.click('Remove Dora');
    await cem.sees('1 of 3 taken');
    const note = dora.dialog('You were removed from the table');
    await note.getByText('The host has removed you from your seat.').waitFor();
    await note.getByRole('button', { name: 'Watch' }).click();
    const knock = dora.dialog('Who is there?');
    await knock.getByLabel('Your name').fill('Dora');
    await knock.getByRole('button', { name: 'Knock' }).click();
    await dora.dialog('The host is asked').waitFor();
    await cem.sees('Dora wants to come in.');
    await cem.click('Turn away');
    await dora.dialog('The host said no').getByRole('button', { name: 'Ask again' }).click();
    // A stranger waits too. The host is shown both.
    const eli = await Person.open(browser, server, 'Eli');
    await eli.follow(link);
    await eli.dialog('Who is there?').getByLabel('Your name').fill('Eli');
    await eli.click('Knock');
    await cem.sees('2 people want to come in.');
    await cem.click('Show');
    await cem.click('Turn Eli away');
    await cem.click('Let Dora in');
    await dora.sees('You are watching. Take a seat to play.');
    await cem.page.getByText('Newcomers wait for me').click();

    // Dora sits down again, and is removed during the game: a bot plays on.
    await dora.sit();
    await cem.click('Fill with bots & start');
    await cem.page.getByRole('button', { name: /^Dora/ }).click();
    await cem.click('Remove Dora');
    await cem.sees(/Dora has left\. \w+, a bot, plays on\./);
    await note.getByRole('button', { name: 'Watch' }).click();
    // The page knows the name already.
    await cem.click('Let in');
    await dora.sees('You are watching.');
    await dora.waitUntilWithoutHand();
    assertFaultless(cem, dora, eli);
  });

  test('a lost seat is given back by the others', async () => {
    // A seat can be claimed 1.5 s after the connection was lost.
    const quick = await Server.start({ options: ['--timeout-percent', '5'] });
    const ann = await Person.open(browser, quick, 'Ann');
    const bob = await Person.open(browser, quick, 'Bob');
    const link = await ann.openRoom({ seats: 3 });
    await bob.sit(link);
    await ann.click('Fill with bots & start');
    await bob.page.locator('.hand .card-button').nth(14).waitFor();
    await bob.page.close();
    await ann.plate('Bob', 'away').waitFor();

    // Another browser has another token.
    const again = await Person.open(browser, quick, 'Bob');
    await again.follow(link);
    await again.sees('You are watching.');
    await again.page.getByRole('button', { name: 'Menu' }).click();
    await again.click('I have lost my seat');
    const form = again.dialog('I have lost my seat');
    await form.getByLabel('Your name at the table').fill('Rob');
    await form.getByRole('button', { name: 'Ask the others' }).click();
    await form.getByText('Nobody at the table has this name.').waitFor();
    await form.getByLabel('Your name at the table').fill('Bob');
    await form.getByRole('button', { name: 'Ask the others' }).click();
    await again.sees('You have asked for the seat of Bob.');
    await ann.sees('Somebody wants the seat of Bob back.');
    await ann.click('Agree');
    await again.sees('You play from the next round.');
    assert.deepEqual(await again.hand(), [], 'the hand of the round stays hidden');

    // The old browser has found its token again.
    const old = await bob.tab();
    await old.page.goto(link);
    // The bot has picked for Bob.
    await old.page.locator('.hand .card-button').nth(13).waitFor();
    await again.sees('You are watching.');
    assertFaultless(ann, bob, again);
  });

  test('the host sets and removes a password during a game', async () => {
    const ann = await Person.open(browser, server, 'Ann');
    const link = await ann.openRoom({ seats: 3 });
    await ann.click('Fill with bots & start');
    await ann.page.locator('.hand .card-button').nth(14).waitFor();
    await ann.page.getByRole('button', { name: 'Menu' }).click();
    await ann.page.getByText('House rules').click();
    await ann.page.getByLabel('Password').fill('open sesame');
    await ann.page.getByRole('button', { name: 'Set', exact: true }).click();
    await ann.sees('The password is set.');
    const eve = await Person.open(browser, server, 'Eve');
    await eve.follow(link);
    await eve.dialog('This table has a password').waitFor();
    await ann.click('Remove the password');
    await ann.page.getByText('Remove the password').waitFor({ state: 'detached' });
    await eve.page.reload();
    await eve.sees('You are watching.');
    assertFaultless(ann, eve);
  });

  test('a code leads to its room, and a wrong code shows an error', async () => {
    const eve = await Person.open(browser, server, 'Eve');
    eve.browserLog.expectNotFound();
    await eve.page.goto(new URL('t/22222222', server.url).href);
    await eve.sees('This table is gone');
    await eve.page.getByRole('main').getByRole('link', { name: 'To the home page' }).click();

    const code = eve.page.getByLabel('Table code');
    const enter = async (/** @type {string} */ text) => {
      await code.fill(text);
      await eve.click(/^Join$/);
    };
    await enter('');
    await eve.sees('Type the eight characters of the code.');
    await enter('K1QM-2X4P');
    await eve.sees('A code has eight characters, like K7QM-2X4P. It has no 0, 1, I, L or O.');
    await enter('K7QM-2X4P');
    await eve.sees('There is no table with this code.');
    assert.equal(eve.page.url(), server.url);

    const fay = await Person.open(browser, server, 'Fay');
    const link = await fay.openRoom();
    const shown = await fay.page.locator('.invitation .code').innerText();
    assert.match(shown, /^[2-9A-Z]{4}-[2-9A-Z]{4}$/);
    await enter(shown);
    await eve.page.waitForURL(link);
    await eve.sit();
    await fay.sees('2 of 4 taken');
    assertFaultless(eve, fay);
  });

  test('a room with a password admits people who know it', async () => {
    const gus = await Person.open(browser, server, 'Gus');
    const { page } = gus;
    await gus.goHome();
    await page.locator('#name').fill('Gus');
    await page.getByText('Title, listing, password').click();
    await page.getByLabel('Password').fill('open sesame');
    await gus.click('Open a new table');
    await gus.waitUntilSeated();
    await gus.sees('This table has a password: tell it to your friends as well.');

    const hal = await Person.open(browser, server, 'Hal');
    await hal.follow(page.url());
    const passwordDialog = hal.dialog('This table has a password');
    const enter = async (/** @type {string} */ text) => {
      await passwordDialog.getByLabel('Password').fill(text);
      await passwordDialog.getByRole('button', { name: 'Come in' }).click();
    };
    await passwordDialog.waitFor();
    assert.equal(await hal.page.getByText('Gus').count(), 0, 'nothing is seen from outside');
    // A longer text could make the first message larger than a message may be.
    await passwordDialog.getByLabel('Password').pressSequentially('x'.repeat(161));
    assert.equal((await passwordDialog.getByLabel('Password').inputValue()).length, 160);
    await enter('close sesame');
    await passwordDialog.getByText('That is not the password.').waitFor();
    await enter('open sesame');
    await passwordDialog.waitFor({ state: 'detached' });
    await hal.sit();
    await gus.sees('2 of 4 taken');

    // An admitted person returns without the password.
    await hal.page.reload();
    await hal.waitUntilSeated();
    assert.equal(await passwordDialog.count(), 0);

    // The host removes the password, and everybody is admitted.
    await gus.click('Remove the password');
    await gus.seesNoMore('This table has a password');
    const ida = await Person.open(browser, server, 'Ida');
    await ida.sit(page.url());
    await gus.sees('3 of 4 taken');
    assertFaultless(gus, hal, ida);
  });
});

/**
 * Counts the sockets that a tab opens from now on.
 * @param {Person} person
 */
function countSockets({ page }) {
  let count = 0;
  page.on('websocket', () => (count += 1));
  return () => count;
}
