// The lobby: chairs, names, house rules, bots and the list of rooms.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { assertFaultless, openBrowser, Person, Server, sitDown, startGame } from './harness.js';

const server = await Server.start({ options: ['--rooms-per-address', '100'] });
const browser = await openBrowser();

test('two taps before the page is drawn again both count', async () => {
  const [ann] = await people('Ann');
  const { page } = ann;
  await ann.goHome();
  await page.locator('#name').fill('Ann');
  const option = (/** @type {string} */ text) => page.locator('form label').filter({ hasText: text }).elementHandle();
  const [nyet, four] = [await option('Nyet!'), await option('4')];
  assert(nyet && four);

  // Both clicks come before the next frame. The option 4 still means 4, although it moves when Nyet! offers other
  // numbers.
  await page.evaluate(
    (labels) => {
      for (const label of labels) /** @type {HTMLElement} */ (label).click();
    },
    [nyet, four],
  );
  await page.locator('.segmented label').filter({ hasText: '2' }).waitFor();
  assert.equal((await four.innerText()).trim(), '4');
  assert(await four.evaluate((label) => label.querySelector('input')?.checked));
  await ann.click('Open a new table');
  await ann.waitUntilSeated();
  await ann.sees('1 of 4 taken');
  await ann.sees(/^Nyet! ·/);
  assertFaultless(ann);
});

test('two quick clicks on "One more seat" give two more seats', async () => {
  const [ann] = await people('Ann');
  await ann.openRoom({ seats: 4 });
  await ann.waitUntilSeated();
  const button = await ann.page.getByRole('button', { name: 'One more seat' }).elementHandle();
  // Both clicks come before the answer to the first one.
  await button?.evaluate((button) => {
    for (let click = 0; click < 2; click += 1) /** @type {HTMLElement} */ (button).click();
  });
  await ann.sees('1 of 6 taken');
  assertFaultless(ann);
});

test('the host changes the room, removes people, and gives the role to another person', async () => {
  const [ann, bob, cem] = await people('Ann', 'Bob', 'Cem');
  const link = await ann.openRoom({ seats: 4 });
  await ann.waitUntilSeated();
  await bob.sit(link);
  await cem.sit(link);
  await chair(cem, 0).getByText('host').waitFor();
  await chair(cem, 2).getByText('you').waitFor();
  assert.deepEqual(await names(cem), ['Ann', 'Bob', 'Cem', 'Free seat']);
  const ofHost = /Add a bot|One more seat|More about Ann|Start/;
  assert.equal(await cem.page.getByRole('button', { name: ofHost }).count(), 0);

  // Bots come and go.
  await ann.click('Add a bot');
  await cem.sees('4 of 4 taken');
  await chair(cem, 3).getByText('bot', { exact: true }).waitFor();
  await ann.click(/^Remove bot/);
  await cem.sees('3 of 4 taken');

  // The room grows as far as the game allows, and shrinks down to the people who sit there.
  await ann.click('One more seat');
  await cem.sees('3 of 5 taken');
  await ann.click('One more seat');
  await cem.sees('3 of 6 taken');
  await ann.page.getByRole('button', { name: 'One more seat' }).waitFor({ state: 'detached' });
  for (const seats of [5, 4, 3]) {
    await ann.click('One seat fewer');
    await cem.sees(`3 of ${seats} taken`);
  }
  await ann.page.getByRole('button', { name: 'One seat fewer' }).waitFor({ state: 'detached' });

  // Two change places.
  await ann.click('More about Cem');
  await ann.click('Move one seat up');
  await chair(bob, 1).getByText('Cem').waitFor();
  assert.deepEqual(await names(bob), ['Ann', 'Cem', 'Bob']);

  // Ann makes Bob the host.
  await ann.page.keyboard.press('Escape');
  await ann.click('More about Bob');
  await ann.click('Make Bob the host');
  await bob.sees('You are the host now.');
  await chair(cem, 2).getByText('host').waitFor();
  assert.equal(await chair(cem, 0).getByText('host').count(), 0);
  await ann.page.getByRole('button', { name: 'More about Bob' }).waitFor({ state: 'detached' });
  await bob.page.getByRole('button', { name: 'More about Ann' }).waitFor();

  // Ann stands up and watches. Cem leaves, and sees the home page.
  await ann.page.keyboard.press('Escape');
  await ann.click('More about Ann');
  await ann.click('Stand up');
  await ann.sees('You are watching. Take a seat to play.');
  await bob.sees('2 of 3 taken');
  await bob.sees('1 watching');
  await cem.click(/^Leave$/);
  await cem.sees('Public tables');
  await bob.sees('1 of 3 taken');
  assertFaultless(ann, bob, cem);
});

test('the host sets the level of each bot before the game and in it', async () => {
  const [ann, bob] = await people('Ann', 'Bob');
  const link = await ann.openRoom({ seats: 4 });
  await ann.waitUntilSeated();
  const fast = ann.page.locator('main').getByRole('checkbox', { name: 'Fast bots' });
  await fast.waitFor();
  await bob.sit(link);
  await fast.waitFor({ state: 'detached' });

  // One tap is enough, and the level is remembered.
  const levels = ann.page.getByRole('radiogroup', { name: 'Level of new bots' });
  assert.equal(await levels.getByRole('radio', { name: 'Normal' }).isChecked(), true);
  await ann.click('Add a bot');
  await chair(bob, 2).getByText('Normal · plays soundly, from experience').waitFor();
  await levels.getByText('Expert').click();
  await ann.page.reload();
  await ann.waitUntilSeated();
  assert.equal(await levels.getByRole('radio', { name: 'Expert' }).isChecked(), true);
  await ann.click('Add a bot');
  await chair(bob, 3).getByText('Expert · looks ahead, and gives nothing away').waitFor();
  await levels.waitFor({ state: 'detached' });
  assert.equal(await bob.page.locator('.seat-list').getByRole('combobox').count(), 0);

  // The host sets it on the chair of the bot, and in its dialog.
  const name = (await names(ann))[2];
  await ann.page.getByLabel(`Level of ${name}`).selectOption('Beginner');
  await chair(bob, 2).getByText('Beginner · plays quickly and simply').waitFor();
  await ann.click(`More about ${name}`);
  const dialog = ann.dialog(name);
  await dialog.getByRole('radiogroup', { name: 'Level' }).getByText('Normal').click();
  await chair(bob, 2).getByText('Normal · plays soundly').waitFor();
  await dialog.getByText('bot · Normal · plays soundly, from experience').waitFor();
  await ann.click('Close');

  // The host can set it during the game too, and a toast tells all players.
  await bob.click('I’m ready');
  await ann.click(/^Start$/);
  await Promise.all([ann, bob].map(({ page }) => page.locator('.hand .card-button').nth(14).waitFor()));
  await bob.page.getByRole('button', { name: `${name}, bot (Normal)` }).waitFor();
  await ann.page.getByRole('button', { name: `${name}, bot (Normal)` }).click();
  await dialog.getByRole('radiogroup', { name: 'Level' }).getByText('Expert').click();
  await bob.sees(`${name} plays as an expert now.`);
  await bob.page.getByRole('button', { name: `${name}, bot (Expert)` }).click();
  await bob.dialog(name).getByText('bot · Expert').waitFor();
  assert.equal(await bob.dialog(name).getByRole('radio').count(), 0);
  assertFaultless(ann, bob);
});

test('free seats are filled with bots of the chosen level, and one person alone may make them fast', async () => {
  const [ann] = await people('Ann');
  const { page } = ann;
  await ann.openRoom({ seats: 4 });
  await ann.waitUntilSeated();
  await page.getByRole('radiogroup', { name: 'Level of new bots' }).getByText('Beginner').click();
  await ann.click('Fill with bots & start');
  await page.locator('.hand .card-button').nth(14).waitFor();
  assert.equal(await page.getByRole('button', { name: /, bot \(Beginner\)/ }).count(), 3);
  await ann.click('Menu');
  await page.getByText('House rules', { exact: true }).click();
  const fast = page.getByRole('checkbox', { name: 'Fast bots' });
  assert.equal(await fast.isChecked(), false);
  await page.getByText('Fast bots', { exact: true }).click();
  await page.getByRole('checkbox', { name: 'Fast bots', checked: true }).waitFor();
  assertFaultless(ann);
});

test('all people see the house rules that the host sets', async () => {
  const [ann, bob] = await people('Ann', 'Bob');
  const link = await ann.openRoom({ seats: 4 });
  await ann.waitUntilSeated();
  await bob.sit(link);
  const set = (/** @type {string} */ rule, /** @type {string} */ value) =>
    ann.page.getByRole('radiogroup', { name: rule }).getByText(value, { exact: true }).click();
  const flip = (/** @type {string} */ rule) => ann.page.getByText(rule, { exact: true }).click();
  const reads = async (/** @type {string} */ rule, /** @type {string} */ value) => {
    const row = bob.page.locator('.rules > div').filter({ hasText: rule });
    await row.locator('dd').getByText(value, { exact: true }).waitFor();
  };
  await reads('Length of the game', '4 rounds');
  await reads('Leads first', 'drawn by lot');
  assert.equal(await bob.page.locator('main').getByRole('radio').count(), 0);
  assert.equal(await bob.page.locator('main').getByRole('checkbox').count(), 0);

  await set('Edition', 'Amigo (1993)');
  await reads('Edition', 'Amigo (1993)');
  await reads('Length of the game', '10 rounds');
  await set('Length of the game', 'by rounds');
  await change(ann, 'Rounds', '7');
  await reads('Length of the game', '7 rounds');
  await set('Length of the game', 'by points');
  await change(ann, 'Points', '60');
  await reads('Length of the game', 'until somebody has 60 points, at most 30 rounds');
  await bob.sees(
    /^Sticheln · 4 players · until somebody has 60 points, at most 30 rounds · about \d+ minutes, 265 at most$/,
  );
  await ann.page.getByLabel('Deals first').selectOption('Bob');
  await reads('Deals first', 'Bob');
  await bob.sees(/^In round 1 Bob deals, and Seat 3, to the left of the dealer, leads the first trick\./);
  await set('A trick of zeros only goes to', 'nobody');
  await reads('A trick of zeros only goes to', 'nobody');
  await bob.sees('The cards are set aside and count for nobody. The same player leads again.');
  await set('Time for a move', '45 s');
  await reads('Time for a move', '45 s');
  await set('Past tricks can be looked up', 'none');
  await reads('Past tricks can be looked up', 'none');
  await reads('Last trick stays open', 'no');
  await flip('Last trick stays open');
  await reads('Last trick stays open', 'yes');
  await reads('Past tricks can be looked up', 'the last');
  await flip('Points are shown during the round');
  await reads('Points are shown during the round', 'yes');
  await flip('Spectators may chat');
  await reads('Spectators may chat', 'no');
  await change(ann, 'Title', 'Sunday round');
  await bob.page.getByRole('heading', { name: 'Sunday round' }).waitFor();
  assert.match(await bob.page.title(), /^Sunday round/);
  await change(ann, 'Title', 'x'.repeat(41));
  await ann.sees('That is too long: at most 40 characters.');
  assertFaultless(ann, bob);
});

test('in Nyet! each person chooses their character, and everybody sees it', async () => {
  const [ann, bob] = await people('Ann', 'Bob');
  await ann.goHome();
  await ann.page.locator('#name').fill('Ann');
  await ann.page.locator('form label').filter({ hasText: 'Nyet!' }).click();
  await ann.click('Open a new table');
  await ann.waitUntilSeated();
  await bob.sit(ann.page.url());
  const select = (/** @type {Person} */ { page }) => page.getByLabel('Your character');
  await chair(bob, 0).getByText('bear, not chosen').waitFor();
  await select(bob).selectOption('bear');
  await chair(ann, 1).getByText('bear', { exact: true }).waitFor();
  await chair(bob, 0).getByText('wolf, not chosen').waitFor();
  assert.equal(await select(ann).locator('option[value=bear]').isDisabled(), true);
  await select(ann).selectOption('crane');
  await chair(bob, 0).getByText('crane', { exact: true }).waitFor();
  // The choice goes with the person to another chair, and into the game.
  await ann.click('More about Bob');
  await ann.click('Move one seat down');
  await ann.page.keyboard.press('Escape');
  await chair(ann, 2).getByText('bear', { exact: true }).waitFor();
  await ann.click('Start anyway');
  await bob.page.locator('.nyet-players').waitFor();
  const names = await bob.page
    .locator('[data-space^="start:"]')
    .evaluateAll((spaces) => spaces.slice(0, 2).map((space) => space.getAttribute('data-space')));
  assert.deepEqual(names, ['start:crane', 'start:bear']);
  assertFaultless(ann, bob);
});

test('two options that are changed before the server answers both count', async () => {
  const [ann, bob] = await people('Ann', 'Bob');
  const link = await ann.openRoom({ seats: 4 });
  await ann.waitUntilSeated();
  await bob.sit(link);
  const reads = async (/** @type {string} */ rule, /** @type {string} */ value) => {
    const row = bob.page.locator('.rules > div').filter({ hasText: rule });
    await row.locator('dd').getByText(value, { exact: true }).waitFor();
  };
  await reads('Edition', 'Nürnberger Spielkarten (NSV)');
  const labels = await Promise.all([
    ann.page.locator('.segmented label').filter({ hasText: 'Amigo (1993)' }).elementHandle(),
    ann.page.locator('.switch').filter({ hasText: 'Points are shown during the round' }).elementHandle(),
  ]);
  await ann.page.evaluate((labels) => {
    for (const label of labels) /** @type {HTMLElement} */ (label).click();
  }, labels);
  await reads('Points are shown during the round', 'yes');
  await reads('Edition', 'Amigo (1993)');
  assertFaultless(ann, bob);
});

test('a late message does not replace a text that somebody types', async () => {
  const [ann] = await people('Ann');
  await ann.openRoom({ seats: 3 });
  await ann.waitUntilSeated();
  const title = ann.page.getByLabel('Title', { exact: true });
  await title.evaluate((field) => {
    const input = /** @type {HTMLInputElement} */ (field);
    input.focus();
    input.value = 'Cards';
    input.dispatchEvent(new Event('change'));
    input.value = 'Cards at night';
  });
  await ann.page.getByRole('heading', { name: 'Cards', exact: true }).waitFor();
  assert.equal(await title.inputValue(), 'Cards at night');
  await title.press('End');
  await title.pressSequentially('!');
  await title.blur();
  await ann.page.getByRole('heading', { name: 'Cards at night!' }).waitFor();
  assert.equal(await title.inputValue(), 'Cards at night!');
  assertFaultless(ann);
});

test('a refused name is explained', async () => {
  const [ann, bob] = await people('Ann', 'Bob');
  const link = await ann.openRoom({ seats: 3 });
  await ann.waitUntilSeated();
  await bob.follow(link);
  const refusals = {
    '': 'Type a name.',
    Ann: 'Ann already sits here. Try “Ann 2”.',
    ANN: 'ANN already sits here. Try “ANN 2”.',
    '\u0410nn': '\u0410nn already sits here.',
    [`${'Bob'.repeat(6)}Bob`]: 'That is too long: at most 20 characters.',
    'B\u200bob': 'This name has characters that cannot be seen',
    'Bo\u0301\u0301\u0301\u0301b': 'too many accents on one letter',
  };
  for (const [name, words] of Object.entries(refusals)) {
    await bob.page.locator('#sit-name').fill(name);
    await bob.click(/^Sit down$/);
    await bob.page.locator('#sit-error').getByText(words).waitFor();
  }
  await bob.page.locator('#sit-name').fill('Bob');
  await bob.page.locator('li.free').last().getByRole('button', { name: 'Sit here' }).click();
  await ann.sees('2 of 3 taken');
  assert.deepEqual(await names(ann), ['Ann', 'Free seat', 'Bob']);

  // A name can be changed, and the new one has to be free as well.
  await bob.click('More about Bob');
  const field = bob.dialog('Bob').getByLabel('Your name');
  await field.fill('ann');
  await bob.click('Change name');
  await bob.sees('ann already sits here.');
  await field.fill('Robert');
  await bob.click('Change name');
  await chair(ann, 2).getByText('Robert').waitFor();
  assertFaultless(ann, bob);
});

test('a game starts with fewer people than seats', async () => {
  const [ann, bob, cem] = await people('Ann', 'Bob', 'Cem');
  for (const seats of [3, 4, 5, 6]) {
    await ann.openRoom({ seats });
    await ann.waitUntilSeated();
    await ann.sees(`1 of ${seats} taken`);
    assert.equal(await ann.page.locator('.seat-list > li').count(), seats);
  }
  const link = ann.page.url();
  await ann.sees('2 more players are needed.');
  assert.equal(await ann.page.getByRole('button', { name: 'Start', exact: true }).count(), 0);
  await bob.sit(link);
  await ann.sees('One more player is needed.');
  await cem.sit(link);
  await ann.sees('Waiting for Bob and Cem.');
  await bob.click('I’m ready');
  await chair(cem, 1).getByText('ready').waitFor();
  await ann.sees('Waiting for Cem.');
  await ann.page.getByRole('button', { name: 'Start anyway' }).waitFor();
  await cem.click('I’m ready');
  await cem.sees('Ann starts the game.');
  await ann.sees('3 seats are free. Start without them, or wait for somebody.');
  await ann.click(/^Start$/);
  await Promise.all([ann, bob, cem].map(({ page }) => page.locator('.hand .card-button').nth(14).waitFor()));
  assert.equal(await ann.page.locator('.seats.seats-3 > .seat').count(), 3);

  // The host ends the game, and starts the next one although Cem is not ready.
  await ann.click('Menu');
  await ann.click('End the game');
  await ann.dialog('End this game?').getByRole('button', { name: 'End the game' }).click();
  await ann.sees('Waiting for Bob and Cem.');
  await bob.click('I’m ready');
  await ann.sees('Waiting for Cem.');
  await ann.click('Start anyway');
  await cem.page.locator('.hand .card-button').nth(14).waitFor();
  assertFaultless(ann, bob, cem);
});

test('the home page lists the listed rooms, and leads back to the own seat', async () => {
  const [ann, bob] = await people('Ann', 'Bob');
  const { page } = ann;
  await ann.goHome();
  await page.locator('#name').fill('Ann');
  await page.getByText('Title, listing, password').click();
  await page.getByLabel('Title', { exact: true }).fill('Garden party');
  await ann.click('Open a new table');
  await ann.waitUntilSeated();
  const link = page.url();

  await bob.goHome();
  await bob.sees('No public table right now');
  await page.getByText('Listed on the home page', { exact: true }).click();
  await chair(ann, 0).waitFor();
  await bob.page.reload();
  const entry = bob.page.locator('.open-tables li').filter({ hasText: 'Garden party' });
  await entry.getByText('3 seats free').waitFor();
  await bob.sees('1 table, 1 seat taken');
  await entry.getByRole('link', { name: 'Join' }).click();
  await bob.page.waitForURL(link);
  await bob.sit();

  // On the home page Bob keeps the seat, and returns with one tap.
  await bob.page.getByRole('link', { name: 'Sticheln' }).click();
  await bob.sees('You are still sitting at “Garden party”.');
  await bob.sees('Not started yet.');
  await chair(ann, 1).getByText('connection lost a moment ago').waitFor();
  await bob.page.getByRole('link', { name: 'Back to the table' }).click();
  await bob.waitUntilSeated();
  await chair(ann, 1).getByText('connection lost a moment ago').waitFor({ state: 'detached' });

  // It is taken off the list again; the link still works.
  await page.getByText('Listed on the home page', { exact: true }).click();
  const [cem] = await people('Cem');
  await cem.goHome();
  await cem.sees('No public table right now');
  await cem.sit(link);
  await ann.sees('3 of 4 taken');
  await cem.page.goBack();
  await cem.sees('You are still sitting at “Garden party”.');
  await cem.click('Forget this table');
  await cem.seesNoMore('You are still sitting at');
  assertFaultless(ann, bob, cem);
});

test('the chosen language and colours stay', async () => {
  const [ann] = await people('Ann');
  const { page } = ann;
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await ann.goHome();
  const light = await paper();
  await ann.click('Colours: like the device');
  await ann.click('Colours: light');
  await page.getByRole('button', { name: 'Colours: dark' }).waitFor();
  assert.notEqual(await paper(), light);
  await ann.click('Deutsch');
  await ann.sees('Neuen Tisch aufmachen');
  await page.reload();
  await ann.sees('Neuen Tisch aufmachen');
  assert.equal(await page.locator('html').getAttribute('lang'), 'de');
  assert.notEqual(await paper(), light);
  assert.match(await page.title(), /Stichspiel/);

  // In a room the same switches are in the menu.
  await page.locator('#name').fill('Ann');
  await ann.click('Neuen Tisch aufmachen');
  await page.getByRole('heading', { name: 'Plätze' }).waitFor();
  await ann.click('Menü');
  await page.getByRole('radiogroup', { name: 'Sprache' }).getByText('English').click();
  await ann.dialog('Menu').getByRole('radiogroup', { name: 'Colours' }).getByText('light').click();
  await ann.click('Close');
  assert.equal(await paper(), light);
  await page.reload();
  await page.getByRole('heading', { name: 'Seats' }).waitFor();
  assert.equal(await page.locator('html').getAttribute('data-theme'), 'light');

  // A browser with German as its language gets German by default.
  const jonas = await Person.open(browser, server, 'Jonas', { locale: 'de-DE' });
  await jonas.goHome();
  await jonas.sees('Neuen Tisch aufmachen');
  assertFaultless(ann, jonas);
});

/** @param {string[]} names */
const people = (...names) => Promise.all(names.map((name) => Person.open(browser, server, name)));

/**
 * A chair on the page of a person.
 * @param {Person} person
 * @param {number} seat
 */
const chair = ({ page }, seat) => page.locator(`.seat-list [data-seat="${seat}"]`);

/**
 * The names on the chairs, as a person sees them.
 * @param {Person} person
 */
async function names({ page }) {
  const texts = await page.locator('.seat-list .name').allInnerTexts();
  return texts.map((text) => text.split('\n')[0].trim());
}

/**
 * Fills a field, and leaves it.
 * @param {Person} person
 * @param {string} label
 * @param {string} text
 */
async function change({ page }, label, text) {
  const field = page.getByLabel(label, { exact: true });
  await field.fill(text);
  await field.blur();
}

test('a new name from the own plate in a game closes its dialog', { timeout: 120_000 }, async () => {
  const [ann, bob, cem] = await people('Ann', 'Bob', 'Cem');
  await sitDown(ann, bob, cem);
  await startGame(ann, bob, cem);
  await Promise.all([ann, bob, cem].map((person) => person.play(1)));
  await ann.page.locator('.own-plate').click();
  await ann.dialog('Ann').getByLabel('Your name').fill('Anna');
  await ann.click('Change name');
  await ann.page.locator('dialog.modal').waitFor({ state: 'detached', timeout: 10_000 });
  assertFaultless(ann, bob, cem);
});
