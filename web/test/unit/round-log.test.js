// The log of a round in words, and the hands that it shows.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import './fake-document.js';
import * as nyet from '../../js/nyet/announcements.js';
import { LANGUAGES } from '../../js/settings.js';
import * as sticheln from '../../js/sticheln/announcements.js';
import { actText } from '../../js/table/round-log.js';
import { plainText, textsIn } from '../texts.js';
import { person, sharedRoom } from './builders.js';
import { serverSamples } from './samples.js';

/** @import { NyetEvent, StichelnEvent } from '../../js/protocol.js' */

const logs = serverSamples.flatMap(({ title, message }) =>
  message.type === 'round_log' ? [{ title, ...message }] : [],
);
const room = sharedRoom({ chairs: ['Ann', 'Bob', 'Cem', 'Dora'].map((name) => person(name)) });

test('each act of the samples has a sentence, also about the own seat', () => {
  const acts = logs.flatMap(({ entries }) => entries.flatMap(({ act }) => act ?? []));
  assert.ok(new Set(acts.map(({ type }) => type)).size >= 17);
  for (const language of LANGUAGES) {
    const t = textsIn(language);
    for (const act of acts) {
      for (const ownSeat of [null, 0, 1, 2, 3]) {
        assert.match(actText(act, room, ownSeat, t), /^[^{}]+[^.{}]\.$/, `${language}: ${act.type}`);
      }
    }
  }
});

test('a person who has left is named by the seat', () => {
  const t = textsIn('en');
  assert.equal(actText({ type: 'removed', seat: 1 }, room, null, t), 'The host removes the person on seat 2.');
  assert.equal(actText({ type: 'stood', seat: 1 }, room, null, t), 'The person on seat 2 leaves.');
  assert.equal(actText({ type: 'stood_in', seat: 1 }, room, 1, t), 'A bot plays for you now.');
});

/** The events of a sample of a log. @param {string} title */
const eventsOf = (title) => logs.find((log) => log.title === title)?.entries.flatMap(({ events = [] }) => events) ?? [];

test('Sticheln shows the hands of a finished round, and none of a running one', () => {
  const finished = /** @type {StichelnEvent[]} */ (eventsOf('round_log: the finished round'));
  assert.equal(sticheln.dealtHands(finished, 4)?.flat().length, 60);
  const running = /** @type {StichelnEvent[]} */ (eventsOf('round_log: the running round'));
  assert.ok(running.some(({ type }) => type === 'revealed'));
  assert.equal(sticheln.dealtHands(running, 4), null);
});

/** A round of Nyet! in which each of two seats is dealt two cards. @type {NyetEvent[]} */
const ROUND = [
  { type: 'dealt', round: 1, opening: 0, cards: 2 },
  { type: 'played', seat: 0, card: 'red-7', leads: true, winning: true },
  { type: 'played', seat: 1, card: 'red-8', winning: true },
];

test('Nyet! shows hands only if no card stayed hidden and none was passed', () => {
  assert.equal(nyet.dealtHands(ROUND, 2), null, 'the cards that were laid aside are hidden');
  /** @type {NyetEvent} */
  const revealed = { type: 'discards_revealed', discards: [['blue-1'], ['green-2']] };
  assert.deepEqual(nyet.dealtHands([...ROUND, revealed], 2), [
    ['red-7', 'blue-1'],
    ['red-8', 'green-2'],
  ]);
  /** @type {NyetEvent[]} */
  const second = [
    { type: 'played', seat: 1, card: 'blue-1', leads: true, winning: true },
    { type: 'played', seat: 0, card: 'blue-2', winning: true },
  ];
  assert.deepEqual(nyet.dealtHands([...ROUND, ...second], 2), [
    ['red-7', 'blue-2'],
    ['red-8', 'blue-1'],
  ]);
  /** @type {NyetEvent} */
  const passed = { type: 'discards_done', discard: 'pass_left' };
  assert.equal(nyet.dealtHands([ROUND[0], passed, ...ROUND.slice(1), ...second], 2), null);
});

test('the line of a taken trick does not repeat its cards', () => {
  const t = textsIn('en');
  const state = /** @type {never} */ (/** @type {unknown} */ ({ room, you: { seat: null, host: false }, game: null }));
  const cards = ['red-7', 'blue-3', 'red-1'];
  const taken = sticheln.logText({ type: 'trick_taken', seat: 2, leader: 0, cards, points: -2 }, state, t);
  assert.equal(plainText(taken ?? ''), 'Cem takes the trick: 3 cards, −2.');
  const loot = nyet.logText({ type: 'trick_taken', seat: 2, leader: 0, cards, loot: ['red-1'] }, state, t);
  assert.match(plainText(loot ?? ''), /^Cem takes the trick\. .*red 1/);
});
