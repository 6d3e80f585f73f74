// The pure functions of Nyet!: what is lifted, teams, the status line, announcements, holds.

import assert from 'node:assert/strict';
import { test } from 'node:test';

// Templates need a document, which lit-html touches when it is imported.
import './fake-document.js';

import { announcement } from '../../js/nyet/announcements.js';
import { trayButton } from '../../js/nyet/button.js';
import { displayOf } from '../../js/nyet/display.js';
import { nyet } from '../../js/nyet/game.js';
import { lobby, seatCharacters } from '../../js/nyet/lobby.js';
import { conditionsText, spaceText, teamsText } from '../../js/nyet/phrases.js';
import { statusLine } from '../../js/nyet/status-line.js';
import { teamChoice, toggleLift } from '../../js/nyet/team-choice.js';
import { holdAfter, reduce } from '../../js/reduce.js';
import { cardKeys, cardOfKey, stillLifted } from '../../js/state.js';
import { missedSummary } from '../../js/table/announcements.js';
import { lineText, plainText, textsIn } from '../texts.js';
import {
  at,
  bot,
  gameMessage,
  HOST,
  NOW,
  ofNewerServer,
  pageState,
  person,
  SHARED_GAME,
  sharedRoom,
} from './builders.js';

/** @import { Board, Chair, Character, Conditions, NyetAction, NyetCoveredEvent, NyetCoverTable, NyetDiscardTable, NyetEvent, NyetTableBase, NyetTeamAction, NyetTeamTable, NyetTrickTable, NyetView, SuitTrick, Teams } from '../../js/protocol.js' */
/** @import { Nyet, Row, Space } from '../../js/nyet/types.js' */
/** @import { DealtView, HoldState, PlayState, RoomState, State } from '../../js/types.js' */

const t = textsIn('en');

/** @type {Character[]} */
const CHARACTERS = ['bear', 'wolf', 'tiger', 'crane'];
/** @type {Conditions} */
const CONDITIONS = { start: 'wolf', start_seat: 1, discard: 'one', trump: 'red', supertrump: 'green', points: '-2' };
/** @type {Teams} */
const TEAMS = { of: [0, 0, 1, 1], bonus: null };
/** @type {RoomState<Nyet>} */
const room = {
  ...sharedRoom({ game: 'nyet', chairs: ['Ann', 'Bob', 'Cem', 'Dora'].map((name) => person(name)) }),
  options: {
    end: null,
    characters: CHARACTERS,
    no_trump_space: false,
    supertrump_loot: false,
  },
};
/** @type {Board} */
const BOARD = {
  start: { bear: null, wolf: null, tiger: 2, crane: 3 },
  discard: { none: null, one: null, two: null, one_not_1: null, pass_left: null },
  trump: { blue: 1, red: null, yellow: null, green: 2 },
  supertrump: { blue: null, red: null, yellow: null, green: null, none: null },
  points: { 1: 0, 2: 1, 3: 2, 4: 3, '-2': null },
};
/** The fields of a round that do not depend on its phase. @type {NyetTableBase} */
const ROUND = {
  round: 1,
  dealer: 0,
  characters: CHARACTERS,
  board: BOARD,
  hand_counts: [15, 15, 15, 15],
  undealt: 0,
  tricks_won: [0, 0, 0, 0],
  loot: [[], [], [], []],
};
/** @type {NyetCoverTable} */
const DURING_COVERING = { ...ROUND, phase: 'cover', turn: 0, covers_left: 16 };
/** @type {NyetTeamTable} */
const DURING_TEAMS = { ...ROUND, phase: 'team', conditions: { ...CONDITIONS, start_seat: 0 } };
/** @type {NyetDiscardTable} */
const DURING_DISCARD = {
  ...ROUND,
  phase: 'discard',
  conditions: { ...CONDITIONS, discard: 'two' },
  teams: TEAMS,
  discarded: [false, true, false, false],
};

/**
 * A table during a trick.
 * @param {SuitTrick} trick
 * @returns {NyetTrickTable}
 */
const nyetTrickTable = (trick) => ({ ...ROUND, phase: 'trick', conditions: CONDITIONS, teams: TEAMS, trick });

/** @type {NyetCoveredEvent} */
const COVERED = { type: 'covered', seat: 3, row: 'points', space: '4', covers_left: 9 };

/**
 * A state in which seat 0 looks at a table.
 * @param {Partial<PlayState<Nyet>> & { seen?: Partial<DealtView<NyetView>>, legal?: NyetAction[], covered?: NyetCoveredEvent }} [fields]
 *   `seen`: the fields of the view; `covered`: the space that was covered in the last message
 * @returns {PlayState<Nyet>}
 */
function nyetState({ seen, legal = [], covered, ...fields } = {}) {
  return {
    ...pageState({ you: HOST, isCaughtUp: true }),
    room,
    game: {
      ...SHARED_GAME,
      view: { seat: 0, own: { hand: [] }, to_act: [0], table: DURING_COVERING, ...seen },
      legal,
      changes: [],
      memory: { covered: covered ?? null },
    },
    hold: null,
    ...fields,
  };
}

/** The status line as a text. @param {PlayState<Nyet>} given */
const lineOf = (given) => lineText(statusLine(displayOf(given), given, t));

test('equal cards have different keys', () => {
  const hand = ['red-1', 'red-1', 'red-1', 'blue-2'];
  assert.deepEqual(cardKeys(hand), ['red-1', 'red-1 2', 'red-1 3', 'blue-2']);
  assert.deepEqual(cardKeys(hand).map(cardOfKey), hand);
});

test('lifted cards stay lifted as long as they are in the hand', () => {
  const still = (/** @type {string[]} */ lifted, /** @type {Partial<DealtView<NyetView>>} */ seen = {}) =>
    stillLifted(nyetState({ seen, lifted }));
  assert.deepEqual(still(['trump:red', 'trump:blue', 'red-1']), ['trump:red']);
  assert.deepEqual(still(['red-1 2', 'red-1 3'], { own: { hand: ['red-1', 'red-1'] } }), ['red-1 2']);
  assert.deepEqual(still(['seat:2']), []);
  assert.deepEqual(still(['seat:2'], { table: DURING_TEAMS }), ['seat:2']);
});

test('each seat deals equally often', () => {
  assert.deepEqual(
    [2, 3, 4, 5].map((seats) => nyet.rounds(room.options, seats)),
    [8, 9, 8, 10],
  );
});

test('the help has the rules of the options of a room', () => {
  const rules = (/** @type {Partial<Nyet['options']>} */ options) =>
    lobby.rules({ ...room, options: { ...room.options, ...options } }, null).join(' ');
  // Without texts a rule is its key.
  assert.match(rules({ end: null }), /nyet\.rules\.rounds nyet\.rules\.win$/);
  assert.match(rules({ end: { type: 'target', target: 50, max_rounds: 30 } }), /nyet\.rules\.target nyet\.rules\.win$/);
  assert.match(lobby.rules(null, null).join(' '), /nyet\.rules\.usual nyet\.rules\.variant nyet\.rules\.win$/);
  assert.match(rules({ supertrump_loot: false }), /nyet\.rules\.loot nyet\.rules\.noSupertrumpLoot/);
  assert.match(rules({ supertrump_loot: true }), /nyet\.rules\.loot nyet\.rules\.supertrumpLoot/);
  assert.match(rules({ no_trump_space: true }), /rules\.noTrump/);
  assert.doesNotMatch(rules({ no_trump_space: false }), /rules\.noTrump/);
});

test('the help has the rules for the players of a room', () => {
  const rules = (/** @type {number} */ players) =>
    lobby
      .rules({ ...room, chairs: Array(players).fill(person('Ann')) }, null)
      .map((key) => key.replace('nyet.rules.', ''));
  const ofNumber = (/** @type {number} */ players) => rules(players).filter((key) => /\.\d$/.test(key));
  assert.deepEqual(ofNumber(2), ['hand.2', 'absent.2', 'teams.2']);
  assert.deepEqual(ofNumber(3), ['hand.3', 'absent.3', 'teams.3', 'bonus.3']);
  assert.deepEqual(ofNumber(4), ['hand.4', 'absent.4', 'teams.4']);
  assert.deepEqual(ofNumber(5), ['hand.5', 'teams.5', 'bonus.5']);
  const all = lobby.rules(null, null).map((key) => key.replace('nyet.rules.', ''));
  for (const key of ['hands', 'characters', 'absent', 'start', 'teams', 'bonus', 'bonus.3', 'bonus.5', 'taker']) {
    assert.ok(all.includes(key), key);
  }
});

test('people without a choice get the remaining characters in their order', () => {
  const chairs = [person('Ann'), person('Bob', { character: 'bear' }), { kind: 'free' }, bot('Spool', 'normal')];
  const found = seatCharacters({
    ...room,
    chairs: /** @type {Chair[]} */ (chairs),
    options: { ...room.options, characters: ['bear', 'wolf', 'tiger', 'crane', 'eagle'] },
  });
  assert.deepEqual(
    found.map(({ character, isChosen }) => [character, isChosen]),
    [
      ['wolf', false],
      ['bear', true],
      [null, false],
      ['tiger', false],
    ],
  );
});

test('spaces have names', () => {
  const name = (/** @type {Row} */ row, /** @type {Space} */ space) => spaceText(row, space, CHARACTERS, 0, room, t);
  assert.equal(name('start', 'wolf'), 'Bob’s lead');
  assert.equal(name('start', 'bear'), 'your lead');
  assert.equal(name('discard', 'pass_left'), 'one card passed left');
  assert.equal(name('trump', 'none'), 'no trump');
  assert.equal(name('supertrump', 'red'), 'red supertrump');
  assert.equal(name('points', '-2'), '−2 points a trick');
});

test('the rules of a round are one sentence', () => {
  assert.equal(
    conditionsText(CONDITIONS, 0, room, t),
    'Bob leads, one card laid aside, red trump, green supertrump, −2 points a trick.',
  );
});

test('the own team is named first', () => {
  assert.equal(teamsText(TEAMS, 0, room, t), 'You and Bob against Cem and Dora');
  assert.equal(teamsText(TEAMS, 3, room, t), 'You and Cem against Ann and Bob');
  assert.equal(teamsText(TEAMS, null, room, t), 'Ann and Bob against Cem and Dora');
});

test('the status line names the space that would be covered, and the one that would stay', () => {
  assert.equal(lineOf(nyetState()), 'Cover a space. One space per row always stays free.');
  assert.match(lineOf(nyetState({ covered: COVERED })), /Dora has covered 4 points a trick\./);
  assert.equal(
    lineOf(nyetState({ lifted: ['trump:red'] })),
    'Cover a space. You cover red trump. Then it is settled: yellow trump.',
  );
  assert.match(lineOf(nyetState({ lifted: ['discard:one'] })), /4 spaces of the row stay free\.$/);
  assert.equal(
    lineOf(nyetState({ covered: COVERED, seen: { to_act: [2] } })),
    'Cem is choosing a space. Dora has covered 4 points a trick.',
  );
});

/** @type {NyetTeamAction[]} */
const TEAM_LEGAL = [1, 2, 3].map((seat) => ({ type: 'team', partners: [seat], bonus: null }));

test('with four seats one partner is chosen', () => {
  const none = nyetState({ seen: { table: DURING_TEAMS }, legal: TEAM_LEGAL });
  assert.equal(teamChoice(displayOf(none), none).teams, null);
  const one = { ...none, lifted: toggleLift([], 'seat', 2, 1) };
  const made = teamChoice(displayOf(one), one);
  assert.deepEqual(made.teams, { of: [0, 1, 0, 1], bonus: null });
  assert.deepEqual(made.action, TEAM_LEGAL[1]);
  assert.deepEqual(toggleLift(one.lifted, 'seat', 3, made.maxPartners), ['seat:3'], 'another takes the place');
  assert.deepEqual(toggleLift(one.lifted, 'seat', 2, made.maxPartners), []);
});

test('with five seats the holder of the x2 card is in the team of two', () => {
  /** @type {NyetTeamAction[]} */
  const legal = [
    { type: 'team', partners: [2], bonus: 0 },
    { type: 'team', partners: [2], bonus: 2 },
    { type: 'team', partners: [2, 3], bonus: 1 },
    { type: 'team', partners: [2, 3], bonus: 4 },
  ];
  const table = { ...DURING_TEAMS, hand_counts: Array(5).fill(12), tricks_won: Array(5).fill(0) };
  const lifted = (/** @type {string[]} */ keys) => {
    const given = nyetState({ seen: { table }, legal, lifted: keys });
    return teamChoice(displayOf(given), given);
  };
  assert.ok(lifted(['seat:2']).needsBonus);
  assert.deepEqual(lifted(['seat:2']).bonusSeats, [0, 2]);
  assert.deepEqual(lifted(['seat:2', 'x2:2']).action, legal[1]);
  assert.deepEqual(lifted(['seat:3', 'seat:2', 'x2:4']).action, legal[3]);
  assert.equal(lifted(['seat:2', 'seat:3', 'x2:0']).action, undefined, 'the start player is not in that pair');
});

test('the status line says which suit to follow, and the worth of a card', () => {
  const table = nyetTrickTable({ leader: 3, lead: 'blue', cards: ['blue-4'], winning: 3 });
  const hand = ['blue-1', 'blue-9', 'red-3'];
  const legal = ['blue-1', 'blue-9'].map((card) => /** @type {const} */ ({ type: 'play', card }));
  const hints = { winning: [false, true, true], points: [-2, 0, 0] };
  const given = (/** @type {string[]} */ lifted) => nyetState({ seen: { table, own: { hand }, hints }, legal, lifted });
  const start = 'Your turn. Dora is winning with blue 4.';
  assert.equal(lineOf(given([])), `${start} Follow blue.`);
  assert.equal(lineOf(given(['blue-9'])), `${start} Blue 9 would take the trick.`);
  assert.equal(lineOf(given(['blue-1'])), `${start} Blue 1 would lose the trick and be loot for Dora: −2.`);
});

test('two cards are laid aside together', () => {
  const table = DURING_DISCARD;
  const given = nyetState({ seen: { table, own: { hand: ['red-1', 'red-1'] }, to_act: [0, 2, 3] } });
  assert.equal(displayOf(given).maxLifted, 2);
  assert.match(lineOf(given), /^Lay two cards aside\./);
  const done = nyetState({ seen: { table, own: { hand: ['red-1'], discard: ['red-1'] }, to_act: [2] } });
  assert.equal(displayOf(done).maxLifted, 0);
  assert.equal(lineOf(done), 'You lay aside: Red 1. 1 of 4 has chosen. Waiting for Cem.');
});

test('the own choice of cards stays pending while other seats choose theirs', () => {
  const hand = ['red-1', 'red-2', 'blue-3'];
  const before = nyetState({ seen: { table: DURING_DISCARD, own: { hand }, to_act: [0, 2, 3] } });
  /** @param {State} state @param {Partial<DealtView<NyetView>>} seen @param {number} rev */
  const shown = (state, seen, rev) =>
    reduce(state, at({ type: 'message', message: gameMessage({ ...before.game.view, ...seen }, [], { rev }) }));
  const sent = reduce({ ...before, lifted: ['red-1', 'red-2'] }, at({ type: 'move_sent', id: 'a-1', card: null }));
  const others = shown(sent, { to_act: [0, 2] }, 2);
  assert.deepEqual([others.pendingMove?.id, others.lifted], ['a-1', ['red-1', 'red-2']]);
  const own = shown(others, { to_act: [2], own: { hand: ['blue-3'], discard: ['red-1', 'red-2'] } }, 3);
  assert.deepEqual([own.pendingMove, own.lifted], [null, []]);
  const trick = shown(others, { table: nyetTrickTable({ leader: 0, cards: [] }), to_act: [0] }, 4);
  assert.equal(trick.pendingMove, null, 'the phase is over');
});

test('a trick that the page did not see begin has the suit of its first card', () => {
  const { view } = nyetState({ seen: { table: nyetTrickTable({ leader: 1, cards: [] }) } }).game;
  /** @param {string} first @param {Partial<Conditions>} [changed] */
  const lead = (first, changed = {}) => {
    const table = { ...nyetTrickTable({ leader: 1, cards: [] }), conditions: { ...CONDITIONS, ...changed } };
    const cards = [first, 'red-9', 'red-2', 'blue-1'];
    const held = nyet.heldView({ type: 'trick_taken', seat: 2, leader: 1, cards, loot: [] }, { ...view, table }, null);
    return held.table.phase === 'trick' ? held.table.trick.lead : null;
  };
  assert.deepEqual(
    ['blue-4', 'red-4', 'green-1', 'green-2', 'red-1'].map((card) => lead(card)),
    ['blue', 'trump', 'trump', 'green', 'trump'],
  );
  assert.equal(lead('red-4', { trump: 'none' }), 'red');
  assert.equal(lead('green-1', { supertrump: 'none' }), 'green');
});

test('settled conditions stay for a while, and a finished trick shows its loot', () => {
  const given = nyetState({ seen: { table: nyetTrickTable({ leader: 1, cards: [] }) } });
  const { view } = given.game;
  /** @returns {HoldState<Nyet>} */
  const holdOf = (/** @type {Nyet['hold']} */ kind, /** @type {number} */ ms, /** @type {NyetEvent} */ event) => ({
    kind,
    until: NOW + ms,
    view: nyet.heldView(event, view, view),
    event,
  });

  const settled = holdOf('settled', 5000, { type: 'board_settled', conditions: CONDITIONS });
  assert.deepEqual(holdAfter(nyet, given, [settled.event], view), settled);
  const held = { ...given, hold: settled };
  assert.match(lineOf(held), /^These are the rules of the round\. Bob leads/);
  const formed = holdAfter(nyet, held, [{ type: 'teams_formed', seat: 1, teams: TEAMS }], view);
  assert.equal(formed, null, 'what has to be read is not cut short');
  const cards = ['red-4', 'red-9', 'red-2', 'blue-1'];
  const trick = holdOf('taken', 1200, { type: 'trick_taken', seat: 2, leader: 1, cards, loot: ['blue-1'] });
  assert.deepEqual(holdAfter(nyet, given, [trick.event], view), trick);
  assert.equal(lineOf({ ...given, hold: trick }), 'Cem takes the trick. Loot: blue 1.');
});

test('the missed rules, discards and teams of the running round are told', (context) => {
  const teams = { of: [0, 1, 0, 1], bonus: 1 };
  /** @type {NyetEvent[]} */
  const events = [
    { type: 'board_settled', conditions: CONDITIONS },
    { type: 'discarded', seat: 2 },
    { type: 'discards_done', discard: 'one' },
    { type: 'teams_formed', seat: 1, teams },
  ];
  const told = (/** @type {NyetEvent[]} */ missed) =>
    missedSummary({ events: missed }, { ...nyetState(), isCaughtUp: false }, t).map(plainText);
  // The whole table adds symbols to a document, which this test does not have.
  const table = /** @type {unknown} */ ({ announcement });
  nyet.table.value = /** @type {typeof nyet.table.value} */ (table);
  context.after(() => {
    nyet.table.value = null;
  });
  const rules = plainText(announcement(events[0], nyetState(), t));
  assert.match(rules, /red trump, green supertrump/);
  assert.deepEqual(told(events), [
    `You were disconnected. ${rules} All have laid cards aside. You and Cem against Bob and Dora. Bob holds ×2.`,
  ]);
  assert.deepEqual(told(events.slice(0, 2)), [`You were disconnected. ${rules} Cem has chosen.`]);
  assert.deepEqual(told([...events, { type: 'dealt', round: 2, opening: 1, cards: 15 }]), [
    'You were disconnected. Round 2 is dealt: 15 cards each.',
  ]);
});

test('each event has a line', () => {
  const announced = (/** @type {NyetEvent} */ event) => announcement(event, nyetState(), t);
  assert.equal(
    announced({ type: 'covered', seat: 1, row: 'trump', space: 'red', covers_left: 9 }),
    'Bob covers red trump.',
  );
  assert.equal(
    announced({ type: 'covered', seat: 0, row: 'start', space: 'wolf', covers_left: 9 }),
    'You cover Bob’s lead.',
  );
  assert.match(plainText(announced({ type: 'board_settled', conditions: CONDITIONS })), /red trump, green supertrump/);
  const teams = { of: [1, 0, 1], bonus: 1 };
  assert.equal(announced({ type: 'teams_formed', seat: 1, teams }), 'You and Cem against Bob. Bob holds ×2.');
  assert.equal(announced({ type: 'discarded', seat: 0 }), 'You have chosen.');
  assert.equal(announced({ type: 'discards_done', discard: 'pass_left' }), 'All cards have gone left.');
  const cards = ['red-4', 'blue-1'];
  assert.equal(
    plainText(announced({ type: 'trick_taken', seat: 0, leader: 1, cards, loot: ['blue-1'] })),
    'You take the trick: red 4, blue 1. Loot: blue 1.',
  );
  assert.equal(announced(ofNewerServer({ type: 'of_later_days' })), null);
});

test('a discard may be replaced', () => {
  const discard = (/** @type {string[]} */ ...cards) => /** @type {const} */ ({ type: 'discard', cards });
  const seen = {
    table: { ...DURING_DISCARD, discarded: [true, true, false, false] },
    own: { hand: ['blue-2', 'blue-9', 'red-4'], discard: ['blue-2', 'blue-9'] },
    to_act: [2, 3],
  };
  const given = nyetState({ seen });
  given.game.changes = [discard('blue-2', 'red-4'), discard('blue-9', 'red-4')];
  const display = displayOf(given);
  assert.equal(display.mayChange, true);
  assert.equal(display.maxLifted, 2);
  assert.match(lineOf(given), /^You lay aside: Blue 2 and blue 9\. You can still choose again\. Waiting for/);
  const button = (/** @type {string[]} */ ...lifted) => trayButton(displayOf(given), { ...given, lifted });
  assert.deepEqual(button(), {}, 'it names the seats that the game waits for');
  assert.equal(button('blue-2').action, undefined);
  assert.equal(button('blue-2', 'blue-9').action, undefined, 'this is the choice already');
  assert.deepEqual(button('red-4', 'blue-2').action, discard('blue-2', 'red-4'));
});
