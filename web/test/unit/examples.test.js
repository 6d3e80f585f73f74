// The worked examples of the help agree with the vectors of the rules.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import './fake-document.js';
import * as nyet from '../../js/nyet/examples.js';
import * as sticheln from '../../js/sticheln/examples.js';
import { EDITIONS, ZEROS } from '../../js/sticheln/lobby.js';
import { textsOf } from '../texts.js';

/** @import { Edition } from '../../js/protocol.js' */

/**
 * A case of the vectors. The fields depend on the kind.
 * @typedef {{ id: string, source: string, input: Record<string, unknown>, expect: Record<string, unknown> }} Vector
 */

/** @param {string} name @returns {Vector[]} */
const vectors = (name) =>
  JSON.parse(readFileSync(new URL(`../../../crates/rules/tests/vectors/${name}.json`, import.meta.url), 'utf8')).cases;

/** The vector with these fields in its input. @param {Vector[]} cases @param {Record<string, unknown>} wanted */
const find = (cases, wanted) =>
  cases.find(({ input }) =>
    Object.entries(wanted).every(([field, value]) => JSON.stringify(input[field]) === JSON.stringify(value)),
  );

test('the tricks of Sticheln are all those of the rule texts', () => {
  const cases = vectors('sticheln-tricks');
  for (const edition of EDITIONS) {
    for (const { id, leader, cards, winner } of sticheln.TRICKS[edition]) {
      const vector = find(cases, { edition, leader, plays: cards });
      assert.deepEqual([vector?.source, vector?.expect.winner], ['text', winner], id);
    }
    const ofText = cases.filter(({ source, input }) => source === 'text' && input.edition === edition);
    const zeros = edition === 'nsv' ? 1 : 0;
    assert.equal(sticheln.TRICKS[edition].length + zeros, ofText.length, edition);
  }
});

test('a trick of zeros has the taker of its rule', () => {
  const cases = vectors('sticheln-tricks');
  /** @type {Record<string, Edition>} */
  const editions = { nobody: 'nsv', leader: 'amigo-1993' };
  for (const rule of ZEROS) {
    const { leader, cards, winner } = sticheln.ZEROS_TRICK[rule];
    const vector = find(cases, { edition: editions[rule], leader, plays: cards });
    assert.equal(vector?.expect.winner, winner, rule);
  }
});

test('the scores of Sticheln are those of the rule texts', () => {
  const cases = vectors('sticheln-scores');
  for (const edition of EDITIONS) {
    for (const example of sticheln.SCORES[edition]) {
      const vector = cases.find(({ source, input }) => {
        const taken = /** @type {string[]} */ (input.captured);
        const isOwn = (/** @type {string} */ card) => card.split('-')[0] === example.picked.split('-')[0];
        const isSame = JSON.stringify(taken.filter(isOwn).sort()) === JSON.stringify([...example.own].sort());
        const others = taken.filter((card) => !isOwn(card)).length;
        const isEdition = source === 'text' && input.edition === edition && input.picked === example.picked;
        return isEdition && isSame && others === example.others;
      });
      assert.equal(vector?.expect.score, sticheln.scoreOf(example), `${edition} ${example.picked}`);
    }
  }
});

test('the board, the following card and the tricks of Nyet! agree with the vectors', () => {
  const board = vectors('nyet-board').find(({ id }) => id === 'text-example');
  assert.deepEqual(board?.expect.result, nyet.BOARD);
  const { led, hand, legal, trump, supertrump } = nyet.FOLLOW;
  const follow = vectors('nyet-legal').find(({ id }) => id === 'text-follow');
  const { hand: known, ...input } = follow?.input ?? {};
  assert.deepEqual(input, { trick: [led], trump, supertrump });
  assert.deepEqual(follow?.expect.legal, legal);
  assert.deepEqual(
    hand.filter((card) => /** @type {string[]} */ (known).includes(card)),
    known,
    'with one more card of another colour',
  );
  for (const { id, leader, cards, teams, winner, ...suits } of nyet.TRICKS) {
    const vector = find(vectors('nyet-tricks'), { leader, plays: cards, teams });
    assert.deepEqual([vector?.input.trump, vector?.input.supertrump], [suits.trump, suits.supertrump], id);
    assert.equal(vector?.expect.winner, winner, id);
    assert.equal(/** @type {string[]} */ (vector?.expect.loot ?? []).length, 1, id);
  }
});

test('the results of Nyet! agree with the vectors', () => {
  const cases = vectors('nyet-scores');
  for (const [players, { points, teams }] of Object.entries(nyet.RESULTS)) {
    if (players === '5') continue; // The text of the rules has it without the tricks of each seat.
    const isSame = (/** @type {Vector} */ { input }) => {
      const of = /** @type {number[]} */ (input.teams);
      const sum = (/** @type {string} */ field, /** @type {number} */ team) =>
        /** @type {number[]} */ (input[field]).reduce((sum, n, seat) => sum + (of[seat] === team ? n : 0), 0);
      const found = [0, 1].map((team) => ({ tricks: sum('tricks_won', team), loot: sum('loot_counts', team) }));
      const wanted = teams.map(({ tricks, loot }) => ({ tricks, loot }));
      return (
        input.points === points && of.length === Number(players) && JSON.stringify(found) === JSON.stringify(wanted)
      );
    };
    const scores = /** @type {number[]} */ (cases.find(isSame)?.expect.scores);
    const expected = teams.map((team) => nyet.pointsOf(team, points) * (team.doubled ? 2 : 1));
    assert.deepEqual([...new Set(scores)].sort(), [...new Set(expected)].sort(), players);
  }
  const five = nyet.RESULTS[5];
  assert.deepEqual(
    five.teams.map((team) => nyet.pointsOf(team, five.points)),
    [14, 16],
    'section 7 of the rules',
  );
});

test('each example has its texts', () => {
  const texts = textsOf('en');
  const ids = [...EDITIONS.flatMap((edition) => sticheln.TRICKS[edition]), ...Object.values(sticheln.ZEROS_TRICK)];
  for (const { id } of ids) {
    for (const key of [`sticheln.example.${id}`, `sticheln.example.${id}.text`]) assert.ok(key in texts, key);
  }
  for (const { id } of nyet.TRICKS) {
    for (const key of [`nyet.example.${id}`, `nyet.example.${id}.text`]) assert.ok(key in texts, key);
  }
  for (const players of Object.keys(nyet.RESULTS)) assert.ok(`nyet.example.result.${players}` in texts, players);
});
