// Which events a page has seen, and which of them it has missed.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gameMessage, roomMessage, view, welcomeMessage } from '../test/unit/builders.js';
import { createSeenEvents } from './seen-events.js';

/** @import { GameEvent, RoomPhase } from './protocol.js' */

/** @type {GameEvent} */
const PLAYED = { type: 'played', seat: 1, card: 'red-2', winning: true };

/**
 * @param {number} rev
 * @param {{ gap?: boolean }} [fields]
 */
const gameAt = (rev, fields) => gameMessage(view(), [PLAYED], { rev, ...fields });

/** @param {RoomPhase} phase @param {number} rev */
const roomAt = (phase, rev) => ({ ...roomMessage({ phase }), rev });

test('the first events of a session are not missed', () => {
  const seen = createSeenEvents();
  assert.equal(seen.add(welcomeMessage()), false);
  assert.equal(seen.add(roomAt('playing', 2)), false);
  assert.equal(seen.add(gameAt(2)), false);
  assert.equal(seen.add(gameAt(3)), false);
  assert.equal(seen.seen().rev, 3);
});

test('the first events of each later connection are missed, and only these', () => {
  const seen = createSeenEvents();
  for (const message of [welcomeMessage(), roomAt('lobby', 1), gameAt(2)]) assert.equal(seen.add(message), false);
  for (const rev of [5, 8]) {
    assert.equal(seen.add(welcomeMessage()), false);
    assert.equal(seen.add(roomAt('playing', rev)), false);
    assert.equal(seen.add(gameAt(rev)), true);
    assert.equal(seen.add(gameAt(rev + 1)), false);
  }
});

test('no events are missed once a lobby is shown', () => {
  const seen = createSeenEvents();
  for (const message of [welcomeMessage(), gameAt(2), welcomeMessage(), roomAt('lobby', 9)]) seen.add(message);
  assert.equal(seen.add(gameAt(10)), false);
});

test('events with a gap are missed', () => {
  const seen = createSeenEvents();
  seen.add(welcomeMessage());
  assert.equal(seen.add(gameAt(2, { gap: true })), true);
  assert.equal(seen.add(gameAt(3)), false);
});

/** A welcome after a failover of the database. @param {number} lost_after */
const failedOver = (lost_after) => ({ ...welcomeMessage(), generation: 1, lost_after });

test('a failover loses the events after a revision', () => {
  const seen = createSeenEvents();
  for (const message of [welcomeMessage(), gameAt(2), gameAt(3), gameAt(5)]) seen.add(message);
  assert.equal(seen.takeLost(), null);
  seen.add(failedOver(3));
  assert.deepEqual(seen.seen(), { rev: 3, generation: 1 });
  assert.deepEqual(seen.takeLost(), { changes: 2, events: [PLAYED] });
  assert.equal(seen.takeLost(), null);
  // The same is announced again if the connection breaks before the game has come.
  seen.add(failedOver(3));
  assert.equal(seen.takeLost(), null);
  assert.equal(seen.add(gameAt(4)), true, 'the first events after it are missed');
  seen.add(failedOver(2));
  assert.deepEqual(seen.takeLost(), { changes: 2, events: [PLAYED, PLAYED] });
});

test('lost events are not named if they may be mixed with others', () => {
  for (const messages of [
    [gameAt(2), gameAt(5)],
    [gameAt(3), gameAt(5, { gap: true })],
  ]) {
    const seen = createSeenEvents();
    for (const message of [welcomeMessage(), ...messages]) seen.add(message);
    seen.add(failedOver(3));
    assert.deepEqual(seen.takeLost(), { changes: 2, events: [] });
  }
});

test('a newer generation that keeps everything loses nothing', () => {
  const seen = createSeenEvents();
  for (const message of [welcomeMessage(), gameAt(2), { ...welcomeMessage(), generation: 2 }]) seen.add(message);
  assert.equal(seen.takeLost(), null);
  assert.deepEqual(seen.seen(), { rev: 2, generation: 2 });
});
