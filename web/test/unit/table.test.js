// The pure functions of the table, and of Sticheln: cards, seating, status line, announcements, chart.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutesAndSeconds, nameList } from '../../js/i18n.js';

import './fake-document.js';

import { plannedRounds } from '../../js/games.js';
import { displayOf as stichelnDisplay } from '../../js/sticheln/display.js';
import { sticheln } from '../../js/sticheln/game.js';
import { table as stichelnTable } from '../../js/sticheln/table.js';
import { announcements, missedSummary } from '../../js/table/announcements.js';
import { cardName, cardOf, countByColour, sortCards } from '../../js/table/card-text.js';
import { chartPoints, cumulate, gridLines, spreadLabels } from '../../js/table/chart-layout.js';
import { displayOf } from '../../js/table/display.js';
import { capital, pointsText, signed } from '../../js/table/format.js';
import { rematchText } from '../../js/table/game-end.js';
import { mayHold } from '../../js/table/round-end.js';
import { clockwise, sidesOf } from '../../js/table/seating.js';
import { statusLine } from '../../js/table/status-line.js';
import { lineText, plainText, textsIn } from '../texts.js';
import {
  bot,
  HOST,
  NOW,
  ofNewerServer,
  pageState,
  person,
  SHARED_GAME,
  STICHELN_OPTIONS,
  sharedRoom,
  trickTable,
  view,
} from './builders.js';

/** @import { GameEvent, StichelnAction, StichelnOptions, StichelnPickTable, StichelnTrickTable } from '../../js/protocol.js' */
/** @import { HoldState, PlayState, RoomState } from '../../js/types.js' */
/** @import { Sticheln } from '../../js/sticheln/types.js' */

await sticheln.table.load();
const t = textsIn('en');

/** @type {RoomState<Sticheln>} */
const room = {
  ...sharedRoom({ chairs: [person('Ann'), person('Bob'), person('Cem'), bot('Bobbin', 'beginner')] }),
  options: STICHELN_OPTIONS,
};
const AMIGO = /** @type {StichelnOptions} */ ({ ...STICHELN_OPTIONS, edition: 'amigo-1993' });
const PICKS = ['red-1', 'red-2', 'red-0', 'green-0'];

/** The fields of a round with four seats that do not depend on its phase. */
const ROUND = {
  round: 1,
  first_leader: 3,
  hand_counts: [14, 14, 14, 14],
  captured: [0, 0, 0, 0],
  tricks_played: 0,
};

/**
 * A table during a trick that seat 3 leads.
 * @param {Partial<StichelnTrickTable>} [fields]
 */
const stichelnTrickTable = (fields) =>
  trickTable({ ...ROUND, picks: PICKS, trick: { leader: 3, cards: [] }, ...fields });

/**
 * A table during the pick.
 * @param {boolean[]} picked
 * @returns {StichelnPickTable}
 */
const duringPick = (picked) => ({ ...ROUND, phase: 'pick', picked });

/**
 * The hold after an event.
 * @param {Sticheln['hold']} kind
 * @param {Sticheln['event']} event
 * @returns {HoldState<Sticheln>}
 */
const holdAfter = (kind, event) => ({ kind, until: 2200, view: view({ table: stichelnTrickTable() }), event });

/**
 * A state in which seat 0 looks at a table.
 * @param {Partial<PlayState<Sticheln>> & { seen?: Parameters<typeof view>[0], legal?: StichelnAction[] }} [fields] `seen`: the
 *   fields of the view
 * @returns {PlayState<Sticheln>}
 */
function stichelnState({ seen, legal = [], ...fields } = {}) {
  return {
    ...pageState({ you: HOST }),
    room,
    game: {
      ...SHARED_GAME,
      view: view({ own: { hand: [] }, to_act: [], table: stichelnTrickTable(), ...seen }),
      legal,
      changes: [],
      memory: { lastTrick: null },
    },
    hold: null,
    ...fields,
  };
}

/** The status line as a text. @param {PlayState<Sticheln>} given */
const lineOf = (given, translate = t) => lineText(statusLine(displayOf(given), given, translate));

test('a hand is sorted by colour, then by number', () => {
  const hand = ['grey-2', 'blue-10', 'orange-3', 'red-7', 'blue-9', 'yellow-0', 'red-0'];
  const expected = ['red-0', 'red-7', 'orange-3', 'yellow-0', 'blue-9', 'blue-10', 'grey-2'];
  assert.deepEqual(sortCards(hand), expected);
  assert.equal(hand[0], 'grey-2', 'what was given is left alone');
});

test('colours are counted in their order', () => {
  assert.deepEqual(countByColour(['blue-1', 'red-2', 'blue-3']), [
    { colour: 'red', count: 1 },
    { colour: 'blue', count: 2 },
  ]);
});

test('six digit keys stand for the six colours of an edition', () => {
  assert.deepEqual(sticheln.colours(STICHELN_OPTIONS), ['red', 'yellow', 'green', 'blue', 'purple', 'grey']);
  assert.equal(sticheln.colours(null).length, 6);
  const colours = ['red', 'orange', 'yellow', 'green', 'blue', 'purple'];
  assert.deepEqual(sticheln.colours(AMIGO), colours);
});

test('seats are listed clockwise, the own one last', () => {
  assert.deepEqual(clockwise(4, 0), [1, 2, 3, 0]);
  assert.deepEqual(clockwise(6, 4), [5, 0, 1, 2, 3, 4]);
  for (const seats of [2, 3, 4, 5, 6]) assert.equal(sidesOf(seats).length, seats - 1);
});

test('cards of a trick belong to the seats from the leader on', () => {
  const trick = { leader: 3, cards: ['green-11', 'red-10'] };
  assert.equal(cardOf(trick, 3, 4), 'green-11');
  assert.equal(cardOf(trick, 0, 4), 'red-10');
  assert.equal(cardOf(trick, 1, 4), undefined);
});

test('the number of rounds is known unless the game ends with points', () => {
  assert.equal(plannedRounds(room), 4);
  assert.equal(plannedRounds({ ...room, options: AMIGO }), 10);
  const rounds = /** @type {const} */ ({ type: 'rounds', rounds: 7 });
  assert.equal(plannedRounds({ ...room, options: { ...STICHELN_OPTIONS, end: rounds } }), 7);
  const target = /** @type {const} */ ({ type: 'target', target: 100, max_rounds: 20 });
  assert.equal(plannedRounds({ ...room, options: { ...STICHELN_OPTIONS, end: target } }), null);
});

test('numbers and names are formatted for the language', () => {
  assert.deepEqual([signed(3), signed(0), signed(-3)], ['+3', '±0', '−3']);
  assert.deepEqual([pointsText(3), pointsText(0), pointsText(-0), pointsText(-3)], ['3', '0', '0', '−3']);
  assert.equal(minutesAndSeconds(41), '0:41');
  assert.equal(minutesAndSeconds(125), '2:05');
  assert.equal(cardName('red-10', t), 'red\u00a010');
  assert.equal(capital('écru'), 'Écru');
  assert.equal(nameList(['Ann'], t), 'Ann');
  assert.equal(nameList(['Ann', 'Bob', 'you'], t), 'Ann, Bob and you');
});

test('the status line of a pick says the cost of the lifted card', () => {
  const table = duringPick([false, true, false, false]);
  const given = stichelnState({ seen: { table, own: { hand: ['red-2'] }, to_act: [0, 2, 3] }, lifted: ['red-2'] });
  assert.equal(lineOf(given), 'Which colour do you want to avoid? Red 2 stays in front of you and already counts −2.');
});

test('after the own pick the status line names the missing seats', () => {
  const table = duringPick([true, true, false, true]);
  const given = stichelnState({ seen: { table, own: { hand: [], pick: 'red-2' }, to_act: [2] } });
  assert.equal(lineOf(given), 'Red 2 lies face down. 3 of 4 have picked. Waiting for Cem.');
});

test('the status line names the winning seat and card', () => {
  const table = stichelnTrickTable({ trick: { leader: 3, lead: 'green', cards: ['green-11', 'red-10'], winning: 0 } });
  assert.equal(
    lineOf(stichelnState({ seen: { table, to_act: [1] } })),
    'Bob is choosing a card. You are winning with red 10.',
  );
});

test('hints add the effect of the lifted card', () => {
  const table = stichelnTrickTable({ trick: { leader: 3, lead: 'green', cards: ['green-11'], winning: 3 } });
  const hand = ['red-10', 'yellow-0', 'green-5', 'blue-2'];
  const hints = { winning: [true, false, false, true], points: [-10, 1, -5, 1] };
  const legal = hand.map((card) => /** @type {const} */ ({ type: 'play', card }));
  const { settings } = pageState();
  const given = stichelnState({ seen: { table, own: { hand }, hints, to_act: [0] }, legal });
  const lift = (/** @type {string | null} */ card, isHinted = true) =>
    lineOf({ ...given, lifted: card ? [card] : [], settings: { ...settings, hints: isHinted } });
  const start = 'Your turn. Bobbin is winning with green 11.';
  assert.equal(lift(null), `${start} 2 of your cards would beat it.`);
  assert.equal(lift('green-5'), `${start} Green 5 would lose the trick and cost Bobbin 5 points.`);
  assert.equal(lift('yellow-0'), `${start} Yellow 0 would lose the trick and give Bobbin 1 point.`);
  assert.equal(lift('blue-2'), `${start} Blue 2 would take the trick.`);
  assert.equal(lift('red-10'), `${start} Red 10 would take the trick and cost you 10 points.`);
  assert.equal(lift('green-5', false), start);
});

test('the status line of a finished trick names its taker and its points', () => {
  const cards = ['green-11', 'red-10', 'red-4', 'red-3'];
  const hold = holdAfter('taken', { type: 'trick_taken', leader: 3, cards, seat: 0, points: -16 });
  assert.equal(lineOf(stichelnState({ hold })), 'You take the trick: −16.');
  const display = displayOf(stichelnState({ hold, seen: { table: stichelnTrickTable({ tricks_played: 1 }) } }));
  assert.equal(display.kind, 'taken');
  assert.equal(display.trick?.winning, 0);
  assert.equal(display.trick?.lead, 'green');
  assert.equal(display.trickNumber, 1);
  assert.deepEqual(display.toAct, [], 'nobody is waited for while it lies there');
});

test('a trick of zeros is explained in both editions', () => {
  const cards = ['red-0', 'blue-0', 'green-0', 'yellow-0'];
  const aside = holdAfter('taken', { type: 'set_aside', leader: 1, cards });
  assert.match(lineOf(stichelnState({ hold: aside })), /^All zeros: nobody takes the trick\..*Bob leads again\.$/);
  const leader = holdAfter('taken', { type: 'trick_taken', leader: 1, cards, seat: 1, points: 3 });
  assert.equal(
    lineOf(stichelnState({ hold: leader })),
    'All zeros: the player who led takes them. Bob takes the trick: +3.',
  );
});

test('a reveal shows all colours even if the trick has begun', () => {
  const hold = holdAfter('reveal', { type: 'revealed', picks: PICKS, leader: 3 });
  const given = stichelnState({ hold, seen: { to_act: [3] } });
  const display = stichelnDisplay(given);
  assert.equal(display.kind, 'reveal');
  assert.deepEqual(display.picks, PICKS);
  assert.match(lineOf(given), /^Bobbin leads the first trick\. In this round each red card/);
});

test('the status line tells spectators that they watch', () => {
  const seen = { seat: null, own: undefined, to_act: [3] };
  const given = stichelnState({ seen, viewpoint: 2 });
  assert.equal(lineOf(given), 'You are watching. Bobbin leads.');
  assert.equal(displayOf(given).south, 2);
  assert.equal(displayOf(stichelnState({ seen, viewpoint: 9 })).south, 0);
});

test('a pick may be replaced until the last one is in', () => {
  const pick = (/** @type {string} */ card) => /** @type {const} */ ({ type: 'pick', card });
  const { picks: _, trick: __, ...shared } = stichelnTrickTable();
  const picking = { ...shared, phase: /** @type {const} */ ('pick'), picked: [true, false, true, true] };
  const own = { hand: ['red-7', 'red-9'], pick: 'blue-5' };
  const given = stichelnState({ seen: { table: picking, own, to_act: [1] } });
  given.game.changes = [pick('red-7'), pick('red-9')];
  assert.equal(displayOf(given).mayChange, true);
  assert.match(lineOf(given), /^Blue 5 lies face down\. You can still swap it\. Waiting for/);
  assert.deepEqual(
    stichelnTable.trayButton(stichelnDisplay(given), given),
    {},
    'it names the seats that the game waits for',
  );
  const lifted = { ...given, lifted: ['red-9'] };
  assert.match(lineOf(lifted), /^Blue 5 lies face down\. Red 9 stays in front of you/);
  assert.deepEqual(stichelnTable.trayButton(stichelnDisplay(lifted), lifted).action, pick('red-9'));
  const paused = { ...given, room: { ...room, phase: /** @type {const} */ ('paused') } };
  assert.equal(displayOf(paused).mayChange, false);
});

test('a paused table waits for nobody', () => {
  const given = stichelnState({ seen: { to_act: [0] }, room: { ...room, phase: 'paused' } });
  assert.equal(displayOf(given).yours, false);
  assert.equal(lineOf(given), 'The game is paused.');
});

test('the next round can be delayed only while a time is set for it, and once', () => {
  const given = stichelnState({ seen: { to_act: [] } });
  const may = (/** @type {number | null} */ deadline, hasHeld = false) =>
    mayHold({
      room: { ...given.room, chairs: [person('Ann', hasHeld ? { holds: true } : {})] },
      you: HOST,
      game: { ...given.game, deadline },
    });
  assert.deepEqual([may(NOW + 9000), may(null), may(NOW + 9000, true)], [true, false, false]);
});

test('the time left is counted in whole seconds', () => {
  const given = stichelnState({ seen: { to_act: [0] } });
  given.game.deadline = NOW + 40_500;
  assert.equal(displayOf(given).secondsLeft, 41);
  assert.equal(displayOf({ ...given, clock: NOW + 60_000 }).secondsLeft, 0);
});

const announced = (/** @type {GameEvent[]} */ events, translate = t) =>
  announcements(events, stichelnState(), translate).map(plainText);

test('each event has a line', () => {
  const cards = ['blue-7', 'red-6', 'yellow-5', 'blue-9'];
  assert.deepEqual(
    announced([
      { type: 'dealt', round: 2, opening: 3, cards: 15 },
      { type: 'picked', seat: 1 },
      { type: 'played', seat: 2, card: 'blue-7', leads: true, winning: true },
      { type: 'played', seat: 3, card: 'red-6', winning: true },
      { type: 'played', seat: 0, card: 'yellow-5', winning: false },
      { type: 'trick_taken', seat: 0, leader: 2, cards, points: -3 },
      { type: 'set_aside', leader: 1, cards: [] },
      { type: 'acted_for', seat: 1, by: 'bot' },
      { type: 'played', seat: 1, card: 'red-6', winning: false },
      { type: 'acted_for', seat: 0, by: 'clock' },
      ofNewerServer({ type: 'something_new' }),
    ]),
    [
      'Round 2 is dealt: 15 cards each.',
      'Bob has picked.',
      'Cem leads blue 7.',
      'Bobbin plays red 6, now winning.',
      'You play yellow 5.',
      'You take the trick: blue 7, red 6, yellow 5, blue 9. −3.',
      'All zeros: nobody takes the trick, Bob leads again.',
      'A bot moves for Bob.',
      'Bob plays red 6.',
      'Time is up, a bot moves for you.',
    ],
  );
});

test('missed events are one announcement', () => {
  const cards = ['blue-7', 'red-6', 'yellow-5', 'blue-9'];
  const taken = (/** @type {number} */ seat) =>
    /** @type {GameEvent} */ ({ type: 'trick_taken', seat, leader: 2, cards, points: 0 });
  const scores = [-34, 6, 0, 7].map((points) => ({ minus_cards: [], minus: 0, plus: 0, points }));
  /** @type {GameEvent[]} */
  const events = [
    { type: 'played', seat: 2, card: 'blue-7', leads: true, winning: true },
    taken(1),
    taken(0),
    { type: 'acted_for', seat: 1, by: 'bot' },
    taken(1),
    { type: 'round_scored', round: 1, scores, totals: [] },
    { type: 'dealt', round: 2, opening: 3, cards: 15 },
    { type: 'played', seat: 2, card: 'blue-7', leads: true, winning: true },
    { type: 'played', seat: 3, card: 'blue-8', winning: true },
  ];
  const told = (/** @type {Parameters<typeof missedSummary>[0]} */ message, translate = t) =>
    missedSummary(message, { ...stichelnState(), isCaughtUp: false }, translate).map(plainText);
  assert.deepEqual(told({ events }), [
    'You were disconnected. Tricks since then: You 1, Bob 2. Round 1 is scored: You −34, Bob +6, Cem ±0, Bobbin +7. Round 2 is dealt: 15 cards each. 2 cards were played to the trick on the table.',
  ]);
  assert.deepEqual(told({ events: events.slice(0, 1), gap: true }), [
    'You were disconnected. One card was played to the trick on the table. Some moves are not shown.',
  ]);
  assert.deepEqual(told({ events: events.slice(2, 3), gap: true }, textsIn('de')), [
    'Du warst nicht verbunden. Stiche seitdem: Du 1. Manche Züge werden nicht gezeigt.',
  ]);
  assert.deepEqual(told({ events: [] }), [], 'there is nothing to tell');
  const slow = missedSummary({ events: [], gap: true }, { ...stichelnState(), isCaughtUp: true }, t);
  assert.deepEqual(slow, ['The connection is slow. Some moves are not shown.']);
});

test('missed events of the running round are told, those of earlier rounds are not', () => {
  const reveal = (/** @type {number} */ leader, own = 'red-1') =>
    /** @type {GameEvent} */ ({ type: 'revealed', picks: [own, 'blue-2', 'red-0', 'green-0'], leader });
  const dealt = (/** @type {number} */ round) =>
    /** @type {GameEvent} */ ({ type: 'dealt', round, opening: 3, cards: 15 });
  const scored = (/** @type {number} */ round) => {
    const scores = [1, 2, 3, 4].map((points) => ({ minus_cards: [], minus: 0, plus: 0, points }));
    return /** @type {GameEvent} */ ({ type: 'round_scored', round, scores, totals: [] });
  };
  const told = (/** @type {GameEvent[]} */ events, translate = t) =>
    missedSummary({ events }, { ...stichelnState(), isCaughtUp: false }, translate).map(plainText);
  const avoids = 'Bob avoids blue, with blue 2. Cem avoids red, with red 0. Bobbin avoids green, with green 0.';
  assert.deepEqual(told([reveal(1)]), [
    `You were disconnected. You avoid red, with red 1. ${avoids} Bob leads the first trick.`,
  ]);
  const scores = 'You +1, Bob +2, Cem +3, Bobbin +4';
  assert.deepEqual(told([dealt(1), reveal(1), scored(1), dealt(2), reveal(0, 'blue-1')]), [
    `You were disconnected. Round 1 is scored: ${scores}. Round 2 is dealt: 15 cards each. You avoid blue, with blue 1. ${avoids} You lead the first trick.`,
  ]);
  assert.deepEqual(told([dealt(2), reveal(1), scored(2)]), [`You were disconnected. Round 2 is scored: ${scores}.`]);
  assert.deepEqual(told([scored(2), { type: 'game_over', ranks: [4, 3, 2, 1], totals: [] }]), [
    `You were disconnected. Round 2 is scored: ${scores}. Bobbin wins.`,
  ]);
});

test('missed tricks that nobody took, and missed moves of a bot for the own seat, are counted', () => {
  const aside = /** @type {GameEvent} */ ({ type: 'set_aside', leader: 1, cards: [] });
  const acted = (/** @type {number} */ seat) => /** @type {GameEvent} */ ({ type: 'acted_for', seat, by: 'clock' });
  const told = (/** @type {GameEvent[]} */ events, translate = t) =>
    missedSummary({ events }, { ...stichelnState(), isCaughtUp: false }, translate).map(plainText);
  assert.deepEqual(told([aside, acted(0), acted(1)]), [
    'You were disconnected. Nobody took one trick. A bot moved for you once.',
  ]);
  assert.deepEqual(told([acted(1)]), [], 'moves for others are not told');
  assert.deepEqual(told([aside, acted(0), aside, acted(0)], textsIn('de')), [
    'Du warst nicht verbunden. 2 Stiche hat niemand bekommen. Ein Bot hat 2-mal für dich gespielt.',
  ]);
});

test('the reveal, the scores and the end are announced', () => {
  const scores = [-34, 6, 0, 7].map((points) => ({ minus_cards: [], minus: 0, plus: 0, points }));
  assert.deepEqual(
    announced([
      { type: 'revealed', picks: ['red-1', 'blue-2', 'red-0', 'green-0'], leader: 0 },
      { type: 'round_scored', round: 1, scores, totals: [] },
      { type: 'game_over', ranks: [4, 1, 3, 1], totals: [] },
      { type: 'game_over', ranks: [1, 2, 3, 4], totals: [] },
      { type: 'game_over', ranks: [1, 3, 4, 1], totals: [] },
    ]),
    [
      'You avoid red, with red 1. Bob avoids blue, with blue 2. Cem avoids red, with red 0. Bobbin avoids green, with green 0. You lead the first trick.',
      'Round 1 is scored: You −34, Bob +6, Cem ±0, Bobbin +7.',
      'Bob and Bobbin share the win',
      'You win',
      'You share the win with Bobbin',
    ],
  );
});

test('German announcements address one person', () => {
  const de = textsIn('de');
  assert.deepEqual(announced([{ type: 'played', seat: 0, card: 'blue-7', leads: true, winning: true }], de), [
    'Du spielst Blau 7 aus.',
  ]);
});

test('the chart adds the rounds up', () => {
  const played = [
    [-34, 6],
    [9, -22],
  ];
  assert.deepEqual(cumulate(played, 2), [
    [0, -34, -25],
    [0, 6, -16],
  ]);
});

test('the grid holds zero and all values', () => {
  for (const totals of [
    [[0]],
    [
      [0, -34, -25],
      [0, 6, -16],
    ],
    [[0, 120]],
    [[0, -1500, 900]],
  ]) {
    const lines = gridLines(totals);
    assert.ok(lines.includes(0));
    assert.ok(lines.length >= 3 && lines.length <= 11, String(lines));
    assert.ok(Math.min(...totals.flat()) >= lines[0] && Math.max(...totals.flat()) <= lines[lines.length - 1]);
  }
});

test('points of the chart lie on their lines', () => {
  const [[start, end]] = chartPoints([[0, 10]], 1);
  assert.deepEqual([start.x, end.x], [32, 248]);
  const lines = gridLines([[0, 10]]);
  assert.equal(end.y, 204 - (190 * (10 - lines[0])) / (lines[lines.length - 1] - lines[0]));
  assert.ok(start.y > end.y);
});

test('names at the ends of lines do not overlap', () => {
  const heights = spreadLabels([204, 203, 100, 204, 99]);
  const sortedHeights = [...heights].sort((a, b) => a - b);
  sortedHeights.forEach((height, at) => {
    assert.ok(at === 0 || height - sortedHeights[at - 1] >= 18);
    assert.ok(height <= 210);
  });
  assert.ok(heights[4] < heights[2] && heights[1] < heights[0], 'their order stays');
});

test('a person without a hand in the last round reads that they want a rematch', () => {
  const chairs = [person('Ann'), person('Bob'), person('Gus', { ready: true })];
  const you = { seat: 2, host: false };
  const state = stichelnState({ seen: { seat: null, own: undefined }, you, room: { ...room, you, chairs } });
  assert.equal(rematchText(state), 'play.rematch.waits');
});
