import assert from 'node:assert/strict';
import { test } from 'node:test';

import '../test/unit/fake-document.js';

import { textsIn } from '../test/texts.js';
import { gameState, NOW, pageState, person, roomState, view } from '../test/unit/builders.js';
import { bannerTexts, HOST_WARNED_MS } from './banners.js';

/** @import { RoomState, State } from './types.js' */

/** The own person on seat 0, who is not the host. */
const PLAYER = { seat: 0, host: false };

/**
 * The texts of the banners at a table, without texts their keys.
 * @param {Partial<RoomState>} room
 * @param {Partial<State>} [fields]
 */
function textsAt(room, fields = {}) {
  const settings = { ...pageState().settings, sound: true };
  return bannerTexts(pageState({ room: roomState(room), you: room.you ?? PLAYER, settings, ...fields }));
}

/** The texts of the banners when these people agree to the end. @param {...string} agreeing */
const agreed = (...agreeing) =>
  textsAt({
    agreements_needed: 3,
    you: PLAYER,
    chairs: ['Ann', 'Bob', 'Cem'].map((name) => person(name, agreeing.includes(name) ? { agrees_to_end: true } : {})),
  });

test('the banner of an early end has a form for the own person, alone and with others', () => {
  assert.deepEqual(agreed('Bob'), ['agree.banner']);
  assert.deepEqual(agreed('Bob', 'Cem'), ['agree.banner']);
  assert.deepEqual(agreed('Ann'), ['agree.banner.you']);
  assert.deepEqual(agreed('Ann', 'Bob'), ['agree.banner.youToo']);
  const de = textsIn('de');
  const text = (/** @type {string} */ names, /** @type {number} */ n) => de('agree.banner', { names, n, max: 3 });
  assert.equal(text('Bob', 1), 'Bob möchte das Spiel beenden (1 von 3).');
  assert.equal(text('Bob und Cem', 2), 'Bob und Cem möchten das Spiel beenden (2 von 3).');
});

test('an idle host is shown to the others at once, and to the host later', () => {
  const awaited = (/** @type {boolean} */ host, /** @type {number} */ left) =>
    textsAt({ phase: 'lobby', host: host ? 0 : 1, you: { seat: 0, host }, host_passes_at: NOW + left });
  assert.deepEqual(awaited(false, 180_000), ['host.awaited']);
  assert.deepEqual(awaited(true, HOST_WARNED_MS + 1), []);
  assert.deepEqual(awaited(true, HOST_WARNED_MS), ['host.awaited.you']);
  assert.deepEqual(textsAt({ phase: 'lobby', host: 1 }), []);
});

test('a warned person is told so in place of the time that the others have waited', () => {
  const idle = { since: NOW - 150_000, warn_at: NOW };
  const told = (/** @type {number} */ clock) =>
    textsAt(
      { chairs: [person('Ann', { idle, stand_in_from: NOW + 30_000 }), person('Bob'), person('Cem')] },
      { clock, game: gameState(view()) },
    );
  assert.deepEqual(told(NOW - 1), ['idle.you']);
  assert.deepEqual(told(NOW), ['idle.warn']);
  Object.assign(idle, { warned: true });
  assert.deepEqual(told(NOW - 1), ['idle.warn'], 'the clock of a hidden page is late');
});

test('lost moves are named, at most six of them', () => {
  const ann = { name: null, card: 'red-7' };
  const bob = { name: 'Bob', card: null };
  const told = (/** @type {import('./types.js').LostState} */ lost) => textsAt({ phase: 'lobby' }, { lost });
  assert.deepEqual(told({ changes: 3, moves: [] }), ['lost.changes']);
  assert.deepEqual(told({ changes: 3, moves: [ann, bob] }), ['lost.moves']);
  const en = textsIn('en');
  const moves = [en('lost.card', { name: 'Ann', card: 'red 7' }), 'Bob'].join(', ');
  assert.equal(
    en('lost.moves', { n: 2, moves }),
    'The database has lost the last moves: Ann (red 7), Bob. The game goes on from before them.',
  );
});
