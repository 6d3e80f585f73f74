// The host drops out: the room waits, a bot stands in, and the host gets the seat back.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  assertFaultless,
  ONE_TAP,
  openBrowser,
  Person,
  Server,
  sitDown,
  TcpProxy,
  TURN_TIMEOUT_MS,
} from './harness.js';

const browser = await openBrowser();

test('the host is lost, a bot stands in, and the host comes back', { timeout: 300_000 }, async () => {
  const server = await Server.start({ options: ['--timeout-percent', '40'] });
  const proxy = await TcpProxy.to(server);
  const ann = await Person.open(browser, proxy, 'Ann', ONE_TAP);
  const bob = await Person.open(browser, server, 'Bob', ONE_TAP);
  const cem = await Person.open(browser, server, 'Cem', ONE_TAP);
  const eve = await Person.open(browser, server, 'Eve');
  await sitDown(ann, bob, cem);
  await ann.click('Start');
  await Promise.all([bob.play(1), cem.play(1)]);
  await eve.follow(ann.page.url());
  await eve.sees('You are watching.');

  // The connection of the host breaks during their turn: their plate has a mark, and no text says it.
  const before = await ann.hand();
  const isLost = bob.plate('Ann', 'connection lost').waitFor();
  const texts = bob.finds(textsAboutLoss, null);
  const bobIsTold = bob.sees('Ann lost the connection. The table waits for');
  const firstBanner = cem.finds(buttonOfBannerAboutAnn, null);
  const isHost = bob.sees('You are the host now.', { timeout: TURN_TIMEOUT_MS });
  proxy.disconnect();
  await isLost;
  assert.deepEqual(await texts, []);
  await ann.sees(/Connection lost. Trying again in .* Your seat is safe/);
  assert.deepEqual(await ann.hand(), before, 'the table stays visible');

  // After five seconds a banner tells everybody. Nobody can let a bot stand in yet.
  await bob.plate('Ann', 'away').waitFor();
  await bobIsTold;
  assert.equal(await firstBanner, 'no button');

  // After twelve seconds in this room another player is host, and any player can let a bot stand in.
  await isHost;
  await cem.plate('Bob', 'host').waitFor();
  for (const person of [cem, eve]) await person.sees('Ann is away, and it is their turn.');
  assert.equal(await eve.page.getByRole('button', { name: 'Let a bot stand in' }).count(), 0);
  await cem.click('Let a bot stand in');
  await bob.plate('Ann', 'a bot stands in').waitFor();
  await Promise.all([bob.playDownTo(12), cem.playDownTo(12)]);

  // Ann reconnects automatically, and gets the seat back with one click.
  proxy.reconnect();
  await ann.sees('A bot is playing for you. Your seat is still yours.');
  await ann.seesNoMore('Connection lost');
  await ann.sees('Connected again.');
  await bob.sees('Ann is back.');
  await bob.plate('Ann', 'a bot stands in').waitFor();
  await ann.click('I’m back');
  await ann.seesNoMore('A bot is playing for you');
  await bob.plate('Ann', 'a bot stands in').waitFor({ state: 'detached' });
  await Promise.all([ann, bob, cem].map((person) => person.playDownTo(10)));
  assert.equal((await ann.hand()).length, 10);
  assert.equal(await ann.page.getByText('You are the host now.').count(), 0);
  await ann.plate('Bob', 'host').waitFor();

  // Cem leaves for good. A bot keeps the chair until a spectator takes it.
  await cem.click('Menu');
  await cem.click('Leave the table');
  await cem.sees('A bot plays on with your cards');
  await cem.dialog('Leave for good?').getByRole('button', { name: 'Leave' }).click();
  await cem.sees('Public tables');
  assert.equal(await cem.page.getByText('You are still sitting').count(), 0);
  await bob.sees(/Cem has left\. \w+, a bot, plays on\./);
  await eve.sees(/You are watching\. Bot \w+ would make room\./);
  assert.equal((await eve.hand()).length, 0);
  await eve.click('Sit down here');
  await eve.page.getByLabel('Your name').fill('Eve');
  await eve.click(/^Sit down$/);
  await bob.sees('Eve sits down.');
  // Eve does not see the cards of that hand, and plays from the next round on.
  await eve.sees('You play from the next round.');
  assert.equal((await eve.hand()).length, 0);
  await Promise.all([ann, bob].map((person) => person.playDownTo(0)));
  await Promise.all([ann, bob, eve].map((person) => person.play(1)));
  assert.equal((await eve.hand()).length, 14);
  assertFaultless(ann, bob, cem, eve);
});

/** Runs in the page: the texts about Ann, as soon as a plate has the mark of a lost connection. */
function textsAboutLoss() {
  if (document.querySelectorAll('.seat.lost').length !== 1) return null;
  const texts = [...document.querySelectorAll('.banner, .toast')].map(({ textContent }) => textContent ?? '');
  return texts.filter((text) => text.includes('Ann'));
}

/** Runs in the page: the button of the first banner about Ann, as soon as there is one. A later banner has a button. */
function buttonOfBannerAboutAnn() {
  const banners = [...document.querySelectorAll('.banner')];
  const banner = banners.find(({ textContent }) =>
    textContent?.includes('Ann lost the connection. The table waits for'),
  );
  return banner ? (banner.querySelector('button')?.textContent ?? 'no button') : null;
}
