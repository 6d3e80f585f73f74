// Spectators give a name, are muted and removed by the host, and wait for a free seat.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { GamePlay } from './clients.js';
import { openFullRoom } from './first-screens.js';
import { assertFaultless, openBrowser, Person, PHONE, Server, seatTwo } from './harness.js';

const server = await Server.start();
const browser = await openBrowser();

describe('spectators', { timeout: 300_000 }, () => {
  test('a spectator gives a name, and the host mutes and removes them', async () => {
    const [ann, bob] = await seatTwo(browser, server, 'Ann', 'Bob');
    const eve = await Person.open(browser, server, 'Eve', { viewport: PHONE, hasTouch: true, isMobile: true });
    await eve.follow(ann.page.url());
    await eve.click('More about Spectator 3');
    const own = eve.dialog('Spectator 3');
    await own.getByLabel('Your name').fill('Bob');
    await own.getByRole('button', { name: 'Use this name' }).click();
    await own.getByRole('alert').getByText('Bob').waitFor();
    await own.getByLabel('Your name').fill('Eve');
    await own.getByRole('button', { name: 'Use this name' }).click();
    await own.waitFor({ state: 'detached' });
    await bob.click('More about Eve');

    // A person mutes for themselves, the host for everybody.
    await bob.dialog('Eve').getByRole('button', { name: 'Mute Eve' }).waitFor();
    assert.equal(await bob.dialog('Eve').getByRole('button', { name: 'Remove Eve' }).count(), 0);
    await ann.click('More about Eve');
    await ann.click('Mute Eve for everybody');
    await eve.click(/^Chat/);
    await eve.sees('The host has muted you.');
    await ann.click('End the mute of Eve');
    await eve.page.getByPlaceholder('Say something').last().waitFor();
    await eve.click('Close');

    await ann.click('Remove Eve');
    await ann.dialog('Remove Eve?').getByRole('button', { name: 'Remove', exact: true }).click();
    await eve.dialog('You were removed from the table').waitFor();
    await eve.sees('The host has removed you.');
    await bob.dialog('Eve').waitFor({ state: 'detached' });
    assertFaultless(ann, bob, eve);
  });

  test('the next free seat is offered to the first in the queue', async () => {
    const cem = await Person.open(browser, server, 'Cem');
    const dora = await Person.open(browser, server, 'Dora');
    const fay = await Person.open(browser, server, 'Fay');
    const link = await cem.openRoom({ seats: 3 });
    await cem.waitUntilSeated();
    await dora.sit(link);
    await fay.sit(link);
    await cem.click('Start anyway');
    await fay.page.locator('.hand .card-button').first().waitFor();
    const gus = await Person.open(browser, server, 'Gus');
    const hal = await Person.open(browser, server, 'Hal');
    await gus.follow(link);
    await gus.click('Wait for a seat');
    await gus.sees('In the queue: place 1');
    await hal.follow(link);
    await hal.page.getByRole('button', { name: 'Wait for a seat' }).waitFor();

    await dora.click('Menu');
    await dora.click('Leave the table');
    await dora.dialog('Leave for good?').getByRole('button', { name: 'Leave', exact: true }).click();
    await gus.sees(/A seat is free for you\. It is kept for \d+ s\./);
    assert.equal(await hal.page.getByRole('button', { name: 'Sit down here' }).count(), 0);
    await gus.click('Sit down here');
    const form = gus.page.getByRole('dialog');
    await form.getByLabel('Your name').fill('Gus');
    await form.getByRole('button', { name: 'Sit down', exact: true }).click();
    await gus.sees('A bot plays this round.');
    assertFaultless(cem, dora, fay, gus, hal);
  });

  test('a person who sits down during a round is asked for the next one', async () => {
    const { clients, code } = await openFullRoom(server, 'sticheln', 3);
    const [host, other, third] = clients;
    await host.send('start');
    await host.waitFor(() => host.hasGame);
    await third.send('stand');
    const gus = await Person.open(browser, server, 'Gus');
    await gus.follow(`${server.url}t/${code}`);
    await gus.click('Sit down here');
    const form = gus.page.getByRole('dialog');
    await form.getByLabel('Your name').fill('Gus');
    await form.getByRole('button', { name: 'Sit down', exact: true }).click();
    await gus.sees('A bot plays this round.');

    const game = new GamePlay([host, other], () => 0);
    const isOver = () => host.table.phase === 'round_end';
    while (!isOver()) {
      await game.play();
      await Promise.race([host.waitFor(() => host.isOnTurn || isOver()), other.waitFor(() => other.isOnTurn)]);
    }
    await gus.click('Ready for round 2');
    await game.ready();
    await gus.page.locator('.hand .card-button').nth(14).waitFor();
    assertFaultless(gus);
  });

  test('a spectator whom everybody allows it sees all hands, and everybody sees a sign', async () => {
    const [ida, jon] = await seatTwo(browser, server, 'Ida', 'Jon');
    const kim = await Person.open(browser, server, 'Kim');
    await kim.follow(ida.page.url());
    await kim.click('More about Spectator 3');
    await kim.sees('With a name you can ask to see all hands.');
    await kim.dialog('Spectator 3').getByLabel('Your name').fill('Kim');
    await kim.click('Use this name');
    await kim.click('More about Kim');
    await kim.click('Ask to see all hands');
    await kim.page.keyboard.press('Escape');
    await ida.sees('Kim asks to see your hand in the next round. 0 of 2 allow it.');
    await ida.click('Allow');
    await jon.sees('Kim asks to see your hand in the next round. 1 of 2 allow it.');
    await jon.click('Allow');
    await kim.sees('2 of 2 allow it.');
    await ida.click('Fill with bots & start');
    await jon.sees('Kim sees all hands in this round, also yours.');
    await kim.sees('You see all hands. Until this round ends you only watch.');
    await kim.click('All hands');
    const hands = kim.dialog('All hands').locator('.open-hands ol');
    await hands.nth(2).waitFor();
    assert.equal(await hands.count(), 3);
    // The bot has picked a card, which is hidden from the others.
    await kim.dialog('All hands').getByText('picked, still face down').first().waitFor();
    assert.ok((await hands.getByRole('listitem').count()) >= 42);
    await kim.page.keyboard.press('Escape');
    assert.equal(await kim.page.getByPlaceholder('Say something').count(), 0);
    assertFaultless(ida, jon, kim);
  });
});
