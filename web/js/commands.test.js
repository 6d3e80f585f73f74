import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  bot,
  gameMessage,
  person,
  roomMessage,
  STICHELN_OPTIONS,
  trickTable,
  view,
  welcomeMessage,
} from '../test/unit/builders.js';
import { createCommands } from './commands.js';
import { defaultSettings } from './settings.js';
import { initialState } from './state.js';
import { createStore } from './store.js';

/** @import { Chair, GameOptions } from './protocol.js' */
/** @import { Session } from './session.js' */
/** @import { Answer, Command } from './types.js' */

/** @type {Chair} */
const FREE = { kind: 'free' };
/** The chairs of a table where only the host sits. */
const CHAIRS = [person('Ann'), FREE, FREE, FREE];

/** A host before the game, and a session that keeps the commands until the test answers them. */
function host() {
  const store = createStore(initialState(defaultSettings(['en']), Date.now()));
  /** @type {{ command: Command, answer: (answer: Answer) => void, isCurrent: () => boolean }[]} */
  const sent = [];
  /** @type {Session['send']} */
  const send = (command, onId, isCurrent = () => true) =>
    new Promise((answer) => {
      onId?.(`id-${sent.length}`);
      sent.push({ command, answer, isCurrent });
    });
  let hasLeft = false;
  const commands = createCommands(store, () => (hasLeft ? null : { send }));
  const receivesRoom = (/** @type {GameOptions} */ options, /** @type {Chair[]} */ chairs = CHAIRS) => {
    store.dispatch({ type: 'message', message: roomMessage({ phase: 'lobby', chairs, options }) });
  };
  store.dispatch({ type: 'route', code: 'k7qm2x4p' });
  receivesRoom(STICHELN_OPTIONS);
  return {
    store,
    sent,
    commands,
    receivesRoom,
    leaves: () => {
      hasLeft = true;
    },
    changes: () => store.state().pendingChanges.map(({ change }) => change.options),
  };
}

test('a change of options repeats the changes that the room does not show yet', async () => {
  const { sent, commands, receivesRoom } = host();
  void commands.changeOptions({ edition: 'amigo-1993' });
  void commands.changeOptions({ show_running_score: true });
  const both = { ...STICHELN_OPTIONS, edition: 'amigo-1993', show_running_score: true };
  assert.deepEqual(sent[1].command, { type: 'configure', options: both });

  // The room shows the first change; the second one is repeated still.
  receivesRoom({ ...STICHELN_OPTIONS, edition: 'amigo-1993' });
  void commands.changeOptions({ end: { type: 'rounds', rounds: 3 } });
  assert.deepEqual(sent[2].command, { type: 'configure', options: { ...both, end: { type: 'rounds', rounds: 3 } } });
});

test('a change of options is kept until the room that follows its answer', async () => {
  const { sent, commands, receivesRoom, changes } = host();
  const change = commands.changeOptions({ edition: 'amigo-1993' });
  sent[0].answer('ok');
  await change;
  assert.deepEqual(changes(), [{ edition: 'amigo-1993' }]);
  receivesRoom({ ...STICHELN_OPTIONS, edition: 'nsv' });
  assert.deepEqual(changes(), []);
  void commands.changeOptions({ show_running_score: true });
  assert.deepEqual(sent[1].command, { type: 'configure', options: { ...STICHELN_OPTIONS, show_running_score: true } });
});

test('a refused change of options is dropped, and the person reads why', async () => {
  const { store, sent, commands, changes } = host();
  const first = commands.changeOptions({ end: { type: 'rounds', rounds: 0 } });
  void commands.changeOptions({ show_running_score: true });
  sent[0].answer('bad_options');
  await first;
  assert.deepEqual(changes(), [{ show_running_score: true }]);
  assert.equal(store.state().toasts.at(-1)?.key, 'refused.bad_options');
});

test('two quick clicks on "One more seat" ask for two more seats', async () => {
  const { sent, commands, receivesRoom } = host();
  const first = commands.changeSeats(1);
  void commands.changeSeats(1);
  assert.deepEqual(
    sent.map(({ command }) => command),
    [5, 6].map((seats) => ({ type: 'configure', seats })),
  );

  // The room shows the first chair; the second one is not forgotten.
  sent[0].answer('ok');
  await first;
  receivesRoom(STICHELN_OPTIONS, [...CHAIRS, FREE]);
  void commands.changeSeats(-1);
  assert.deepEqual(sent[2].command, { type: 'configure', seats: 5 });
});

test('a click counts from the seats of the room after a refusal', async () => {
  const { sent, commands } = host();
  const first = commands.changeSeats(1);
  sent[0].answer('game_in_progress');
  await first;
  void commands.changeSeats(1);
  assert.deepEqual(sent[1].command, { type: 'configure', seats: 5 });
});

test('no click asks for more seats than the game has, or for fewer than are needed', () => {
  const { sent, commands, receivesRoom } = host();
  for (let click = 0; click < 4; click += 1) void commands.changeSeats(1);
  assert.deepEqual(
    sent.map(({ command }) => command),
    [5, 6].map((seats) => ({ type: 'configure', seats })),
  );
  receivesRoom(STICHELN_OPTIONS, [...CHAIRS, FREE, FREE]);
  for (let click = 0; click < 5; click += 1) void commands.changeSeats(-1);
  assert.deepEqual(
    sent.slice(2).map(({ command }) => command),
    [5, 4, 3].map((seats) => ({ type: 'configure', seats })),
  );
});

test('a chair with somebody on it stays', () => {
  const { sent, commands, receivesRoom } = host();
  receivesRoom(STICHELN_OPTIONS, [...CHAIRS.slice(0, 3), bot('Bot', 'normal'), FREE]);
  void commands.changeSeats(-1);
  void commands.changeSeats(-1);
  assert.deepEqual(
    sent.map(({ command }) => command),
    [{ type: 'configure', seats: 4 }],
  );
});

test('a refused title has a text of its own', async () => {
  const { store, sent, commands } = host();
  const command = commands.command({ type: 'configure', title: 'x' });
  sent[0].answer('name_not_allowed');
  await command;
  assert.equal(store.state().toasts.at(-1)?.key, 'refused.title_not_allowed');
});

test('a command that is lost with the connection has a toast, unless the page has left the room', async () => {
  const { store, sent, commands, leaves } = host();
  const lost = commands.command({ type: 'admit', guest: 1, admit: true });
  sent[0].answer('not_connected');
  await lost;
  assert.deepEqual(
    store.state().toasts.map(({ key }) => key),
    ['refused.not_connected'],
  );
  const removed = commands.command({ type: 'ready', ready: true });
  store.dispatch({ type: 'connection', status: 'removed', retryAt: null });
  sent[1].answer('not_connected');
  await removed;
  const late = commands.command({ type: 'admit', guest: 2, admit: true });
  leaves();
  sent[2].answer('not_connected');
  await late;
  assert.equal(store.state().toasts.length, 1);
});

test('a move fits the game as long as its decision is open', async () => {
  const { store, sent, commands } = host();
  const hand = ['red-1', 'red-2'];
  /** @param {number} round @param {string[]} cards the own hand @param {string[]} legal */
  const receives = (round, cards, legal) => {
    const seen = view({ own: { hand: cards }, table: trickTable({ round }) });
    const actions = legal.map((card) => ({ type: /** @type {const} */ ('play'), card }));
    store.dispatch({ type: 'message', message: gameMessage(seen, [], { legal: actions }) });
  };
  store.dispatch({ type: 'connection', status: 'open', retryAt: null });
  receives(1, hand, hand);
  const move = commands.act({ type: 'play', card: 'red-1' });
  assert.equal(sent[0].isCurrent(), true);
  receives(1, hand, []);
  assert.equal(sent[0].isCurrent(), false, 'somebody else is to act');
  receives(1, ['red-1'], ['red-1']);
  assert.equal(sent[0].isCurrent(), false, 'a bot has played another card');
  receives(2, hand, hand);
  assert.equal(sent[0].isCurrent(), false, 'it is another round');
  receives(1, hand, hand);
  assert.equal(sent[0].isCurrent(), true);

  // The page that reconnects forgets the pending move, but no second move is made before the answer.
  store.dispatch({ type: 'message', message: welcomeMessage() });
  void commands.act({ type: 'play', card: 'red-2' });
  assert.equal(sent.length, 1);
  store.dispatch({ type: 'lift', keys: ['red-1'] });
  sent[0].answer('not_connected');
  await move;
  assert.deepEqual(store.state().lifted, [], 'a move that was dropped lifts no card');
  void commands.act({ type: 'play', card: 'red-2' });
  assert.equal(sent.length, 2);
});
