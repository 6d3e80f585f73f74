// A page that stays open keeps no more memory with each game.
//
// GAMES=100 feeds 100 games to one page instead of 4.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UNLIMITED } from './first-screens.js';
import { assertFaultless, openBrowser, Person, PHONE, Server, WITH_ANIMATIONS } from './harness.js';
import { memoryAfterGames } from './page-memory.js';

/** The number of games for one page, and the number after which its memory should not grow. */
const GAMES = Number(process.env.GAMES ?? 4);
const WARM = 2;
/**
 * The largest growth for each further game: no listener, and fewer nodes and bytes than a dozen of the hundreds of
 * messages of a game. It is not 0, because the page keeps the last announcements, which differ in length.
 */
const MOST_KEPT = { nodes: 20, listeners: 0.9, reachableBytes: 6144 };

const server = await Server.start({ options: UNLIMITED });
const browser = await openBrowser();

for (const game of ['sticheln', 'nyet']) {
  test(`memory is flat over ${GAMES} games (${game})`, { timeout: 900_000 + GAMES * 30_000 }, async () => {
    const ann = await Person.open(browser, server, 'Ann', { viewport: PHONE, ...WITH_ANIMATIONS });
    const settings = { game, players: 4, games: [WARM, GAMES] };
    const memories = await memoryAfterGames(server, ann, settings, console.log);
    const [warm, now] = [memories.get(WARM), memories.get(GAMES)];
    assert.ok(warm && now && GAMES > WARM);
    for (const [what, most] of /** @type {[keyof typeof MOST_KEPT, number][]} */ (Object.entries(MOST_KEPT))) {
      const kept = (now[what] - warm[what]) / (GAMES - WARM);
      assert.ok(kept <= most, `${what}: ${kept} more with each game, ${warm[what]} became ${now[what]}`);
    }
    assertFaultless(ann);
  });
}
