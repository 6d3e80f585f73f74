// One of five players drops out in a round, a bot stands in, and the player gets the seat back.

import { test } from 'node:test';

import {
  assertFaultless,
  DESKTOP,
  ONE_TAP,
  openBrowser,
  Person,
  PHONE,
  PHONE_LANDSCAPE,
  Server,
  sitDown,
  TcpProxy,
} from './harness.js';

const SMALL_PHONE = { width: 320, height: 568 };
const TABLET = { width: 768, height: 1024 };

test('any player lets a bot stand in for a player who is away', { timeout: 300_000 }, async () => {
  const server = await Server.start({ options: ['--patience-percent', '10'] });
  const browser = await openBrowser();
  const proxy = await TcpProxy.to(server);
  const ann = await Person.open(browser, server, 'Ann', { viewport: DESKTOP });
  const bob = await Person.open(browser, server, 'Bob', { viewport: PHONE, ...ONE_TAP });
  const cem = await Person.open(browser, server, 'Cem', { viewport: PHONE_LANDSCAPE, ...ONE_TAP });
  const dora = await Person.open(browser, server, 'Dora', { viewport: TABLET, ...ONE_TAP });
  const emil = await Person.open(browser, proxy, 'Emil', { viewport: SMALL_PHONE, ...ONE_TAP });
  const people = [ann, bob, cem, dora, emil];
  for (const person of [ann, dora]) await person.installFakeClock();
  await sitDown(ann, bob, cem, dora, emil);
  for (const person of people.slice(1)) await person.click('Ready');
  await ann.sees('5 of 5 taken');
  await ann.click('Start');
  await Promise.all(people.map((person) => person.play(3)));

  // This table waits for less time than the pages show, so their clocks are moved forward.
  proxy.disconnect();
  const goOn = Promise.all(people.slice(0, 4).map((person) => person.playDownTo(10)));
  for (const person of [ann, dora]) {
    await person.sees('Emil dropped out. The table waits for');
    await person.fastForward(30);
    await person.sees('Emil is away, and it is their turn.');
  }
  await dora.click('Let a bot stand in');
  await goOn;
  proxy.reconnect();
  await emil.click("I'm back");
  await Promise.all(people.map((person) => person.playDownTo(8)));
  assertFaultless(...people);
});
