import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gameState, ROOM_CODE, trickTable, view } from '../../test/unit/builders.js';
import { countUp } from './count-up.js';

/** @import { StichelnRoundEndTable } from '../protocol.js' */

/**
 * A finished round of a room.
 * @param {Partial<StichelnRoundEndTable>} fields
 */
const finished = (fields = {}, code = ROOM_CODE) => {
  /** @type {StichelnRoundEndTable} */
  const table = { ...trickTable(), phase: 'round_end', scores: [], next_leader: 1, ...fields };
  return { code, game: gameState(view({ table })) };
};

test('the sums of each finished round count up once', async () => {
  let counted = 0;
  const querySelectorAll = () => {
    counted += 1;
    return [];
  };
  Object.assign(globalThis, {
    document: { documentElement: { dataset: {} }, querySelectorAll },
    matchMedia: () => ({ matches: false }),
  });
  const countsOf = async (/** @type {ReturnType<typeof finished>} */ state) => {
    const before = counted;
    for (let drawn = 0; drawn < 2; drawn += 1) countUp(state);
    await Promise.resolve();
    return counted - before;
  };
  assert.equal(await countsOf(finished()), 1);
  assert.equal(await countsOf(finished()), 0, 'drawn again');
  assert.equal(await countsOf(finished({}, 'abcdefgh')), 1, 'round 1 of another room');
  assert.equal(await countsOf(finished({ captured: [3, 0, 0] }, 'abcdefgh')), 1, 'round 1 of the next game');
});
