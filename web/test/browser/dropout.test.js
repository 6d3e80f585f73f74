// One of five players drops out in a round, a bot stands in, and the player gets the seat back.

import { test } from 'node:test';

import {
  assertFaultless,
  DESKTOP,
  Line,
  LYING_PHONE,
  openBrowser,
  Person,
  PHONE,
  Server,
  SWIFT,
  sitDown,
} from './harness.js';

const SMALL_PHONE = { width: 320, height: 568 };
const TABLET = { width: 768, height: 1024 };

test('any player lets a bot stand in for a player who is away', { timeout: 300_000 }, async () => {
  const server = await Server.start({ options: ['--patience-percent', '10'] });
  const browser = await openBrowser();
  const line = await Line.to(server);
  const ann = await Person.come(browser, server, 'Ann', { viewport: DESKTOP });
  const bob = await Person.come(browser, server, 'Bob', { viewport: PHONE, ...SWIFT });
  const cem = await Person.come(browser, server, 'Cem', { viewport: LYING_PHONE, ...SWIFT });
  const dora = await Person.come(browser, server, 'Dora', { viewport: TABLET, ...SWIFT });
  const emil = await Person.come(browser, line, 'Emil', { viewport: SMALL_PHONE, ...SWIFT });
  const people = [ann, bob, cem, dora, emil];
  for (const person of [ann, dora]) await person.hasOwnClock();
  await sitDown(ann, bob, cem, dora, emil);
  for (const person of people.slice(1)) await person.click('Ready');
  await ann.sees('5 of 5 taken');
  await ann.click('Start');
  await Promise.all(people.map((person) => person.play(3)));

  // The table has waited for longer than it has to as soon as the pages say that Emil is away; they leap over the rest.
  line.cut();
  const goOn = Promise.all(people.slice(0, 4).map((person) => person.playDownTo(10)));
  for (const person of [ann, dora]) {
    await person.sees('Emil dropped out. The table waits for');
    await person.leaps(30);
    await person.sees('Emil is away, and it is their turn.');
  }
  await dora.click('Let a bot stand in');
  await goOn;
  line.mend();
  await emil.click("I'm back");
  await Promise.all(people.map((person) => person.playDownTo(8)));
  assertFaultless(...people);
});
