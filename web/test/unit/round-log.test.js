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

/** The second trick of that round. @type {NyetEvent[]} */
const SECOND_TRICK = [
  { type: 'played', seat: 1, card: 'blue-1', leads: true, winning: true },
  { type: 'played', seat: 0, card: 'blue-2', winning: true },
];

test('Nyet! shows the hands of a round with the cards that were laid aside', () => {
  assert.equal(nyet.dealtHands(ROUND, 2), null, 'some cards are not known');
  /** @type {NyetEvent} */
  const revealed = { type: 'cards_revealed', discard: 'one', discards: [['blue-1'], ['green-2']], undealt: ['red-3'] };
  assert.deepEqual(nyet.dealtHands([...ROUND, revealed], 2), [
    ['red-7', 'blue-1'],
    ['red-8', 'green-2'],
  ]);
  assert.deepEqual(nyet.dealtHands([...ROUND, ...SECOND_TRICK], 2), [
    ['red-7', 'blue-2'],
    ['red-8', 'blue-1'],
  ]);
});

test('Nyet! shows the hands of a round as they were before cards were passed', () => {
  /** @type {NyetEvent} */
  const revealed = { type: 'cards_revealed', discard: 'pass_left', discards: [['blue-1'], ['blue-2']], undealt: [] };
  assert.deepEqual(nyet.dealtHands([...ROUND, ...SECOND_TRICK, revealed], 2), [
    ['red-7', 'blue-1'],
    ['red-8', 'blue-2'],
  ]);
  const three = ['blue-1', 'blue-2', 'blue-3'].map((card) => [card]);
  const played = ['blue-3', 'blue-1', 'blue-2'].map((card, seat) => {
    /** @type {NyetEvent} */
    const event = { type: 'played', seat, card, winning: false };
    return event;
  });
  /** @type {NyetEvent} */
  const dealt = { type: 'dealt', round: 1, opening: 0, cards: 1 };
  assert.deepEqual(
    nyet.dealtHands([dealt, ...played, { ...revealed, discards: three }], 3),
    three,
    'passed to the left',
  );
});

test('the log of Nyet! names the cards that were laid aside, passed or not dealt', () => {
  const t = textsIn('en');
  const state = /** @type {never} */ (/** @type {unknown} */ ({ room, you: { seat: 1, host: false }, game: null }));
  const lineOf = (/** @type {NyetEvent} */ event) => plainText(nyet.logText(event, state, t) ?? '');
  assert.equal(
    lineOf({ type: 'cards_revealed', discard: 'one', discards: [['red-1'], ['blue-2']], undealt: ['green-3'] }),
    'Ann laid aside red 1. You laid aside blue 2. Not dealt: green 3.',
  );
  assert.equal(
    lineOf({ type: 'cards_revealed', discard: 'pass_left', discards: [['red-1'], ['blue-2']], undealt: [] }),
    'Ann passed red 1. You passed blue 2.',
  );
  assert.equal(
    lineOf({ type: 'cards_revealed', discard: 'none', discards: [[], []], undealt: ['green-3', 'green-4'] }),
    'Not dealt: green 3 and green 4.',
  );
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
