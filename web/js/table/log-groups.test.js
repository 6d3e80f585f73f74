import assert from 'node:assert/strict';
import { test } from 'node:test';

import { serverSamples } from '../../test/unit/samples.js';
import { handsOf, logGroups } from './log-groups.js';

/** @import { RoundLog } from '../protocol.js' */

/** The logs that the server has really sent. @type {RoundLog[]} */
const logs = serverSamples.flatMap(({ message }) => (message.type === 'round_log' ? [message] : []));
const finished = /** @type {RoundLog} */ (logs.find(({ entries }) => JSON.stringify(entries).includes('round_scored')));
const running = /** @type {RoundLog} */ (logs.find((log) => log !== finished));

test('the lines are in groups: before the first trick, each trick, after the last one', () => {
  const groups = logGroups(finished);
  assert.deepEqual(
    groups.map(({ kind }) => kind),
    ['start', ...Array.from({ length: 14 }, () => 'trick'), 'end'],
  );
  assert.deepEqual(
    groups.filter(({ kind }) => kind === 'trick').map(({ trick }) => trick),
    Array.from({ length: 14 }, (_, at) => at + 1),
  );
  for (const { lines } of groups.filter(({ kind }) => kind === 'trick')) {
    const kinds = lines.map((line) => ('event' in line ? line.event.type : 'act'));
    assert.deepEqual(kinds.slice(0, 4), ['played', 'played', 'played', 'played']);
    assert.ok(['trick_taken', 'set_aside'].includes(kinds[4]));
  }
  const acts = groups.flatMap(({ lines }) => lines).filter((line) => 'act' in line);
  assert.ok(acts.length > 15);
});

test('cards that are revealed after the last trick are in the last group', () => {
  const groups = logGroups({
    type: 'round_log',
    round: 1,
    entries: [
      {
        rev: 1,
        at: 0,
        events: [
          { type: 'played', seat: 1, card: 'red-7', leads: true, winning: true },
          { type: 'cards_revealed', discard: 'none', discards: [[], []], undealt: ['red-8'] },
          { type: 'round_scored', round: 1, scores: [], totals: [] },
        ],
      },
    ],
  });
  assert.deepEqual(
    groups.map(({ kind, lines }) => [kind, lines.length]),
    [
      ['trick', 1],
      ['end', 2],
    ],
  );
});

test('the tricks of a running round begin after those that are left out', () => {
  const [first] = logGroups({ ...running, tricks_left_out: 3 }).filter(({ kind }) => kind === 'trick');
  assert.equal(first.trick, 4);
});

test('a move for a person is a line with the move', () => {
  const [{ lines }] = logGroups({
    entries: [
      {
        rev: 1,
        at: 0,
        events: [
          { type: 'acted_for', seat: 1, by: 'clock' },
          { type: 'played', seat: 1, card: 'red-7', leads: true, winning: true },
          { type: 'played', seat: 2, card: 'red-8', winning: true },
        ],
      },
    ],
  });
  const by = lines.map((line) => ('event' in line ? (line.actedFor?.by ?? null) : null));
  assert.deepEqual(by, ['clock', null]);
});

test('hands are shown if each of their cards became known', () => {
  const events = finished.entries.flatMap(({ events = [] }) => events);
  const revealed = events.find((event) => event.type === 'revealed');
  const picks = revealed?.type === 'revealed' ? revealed.picks.map((card) => [card]) : [];
  const hands = handsOf(events, picks);
  assert.deepEqual(
    hands?.map((hand) => hand.length),
    [15, 15, 15, 15],
  );
  assert.equal(new Set(hands?.flat()).size, 60);
  assert.equal(handsOf(events, [[], [], [], []]), null);
});
