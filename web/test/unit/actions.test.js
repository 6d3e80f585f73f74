import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createActions } from '../../js/actions.js';
import { defaultSettings } from '../../js/settings.js';
import { initialState } from '../../js/state.js';
import { createStore } from '../../js/store.js';

const OPTIONS = { edition: 'nsv', end: null, show_running_score: false };

/** The chairs of a table where only the host sits. */
const CHAIRS = [{ kind: 'person', name: 'Ann' }, { kind: 'free' }, { kind: 'free' }, { kind: 'free' }];

/** A host before the game, and a session that keeps the commands until the test answers them. */
function host() {
  const store = createStore(initialState(defaultSettings(['en']), Date.now()));
  const sent = [];
  const session = {
    send: (command, onId) =>
      new Promise((answer) => {
        onId?.(`id-${sent.length}`);
        sent.push({ command, answer });
      }),
  };
  const actions = createActions(store, { session: () => session, go: async () => {} });
  const receivesRoom = (options, chairs = CHAIRS) => {
    const table = { game: 'sticheln', phase: 'lobby', host: 0, chairs, options };
    store.dispatch({ type: 'message', message: { type: 'room', rev: 1, you: { seat: 0, host: true }, table } });
  };
  store.dispatch({ type: 'page', code: 'k7qm2x4p' });
  receivesRoom(OPTIONS);
  return {
    store,
    sent,
    actions,
    receivesRoom,
    changes: () => store.state().pendingChanges.map(({ change }) => change.options),
  };
}

test('a change of options repeats the changes that the room does not show yet', async () => {
  const { sent, actions, receivesRoom } = host();
  void actions.changeOptions({ edition: 'amigo-1993' });
  void actions.changeOptions({ show_running_score: true });
  const both = { ...OPTIONS, edition: 'amigo-1993', show_running_score: true };
  assert.deepEqual(sent[1].command, { type: 'configure', options: both });

  // The room shows the first change; the second one is repeated still.
  receivesRoom({ ...OPTIONS, edition: 'amigo-1993' });
  void actions.changeOptions({ end: { type: 'rounds', rounds: 3 } });
  assert.deepEqual(sent[2].command.options, { ...both, end: { type: 'rounds', rounds: 3 } });
});

test('a change of options is kept until the room that follows its answer', async () => {
  const { sent, actions, receivesRoom, changes } = host();
  const change = actions.changeOptions({ edition: 'amigo-1993' });
  sent[0].answer('ok');
  await change;
  assert.deepEqual(changes(), [{ edition: 'amigo-1993' }]);
  receivesRoom({ ...OPTIONS, edition: 'nsv' });
  assert.deepEqual(changes(), []);
  void actions.changeOptions({ show_running_score: true });
  assert.deepEqual(sent[1].command.options, { ...OPTIONS, show_running_score: true });
});

test('a refused change of options is dropped, and the person reads why', async () => {
  const { store, sent, actions, changes } = host();
  const first = actions.changeOptions({ end: { type: 'rounds', rounds: 0 } });
  void actions.changeOptions({ show_running_score: true });
  sent[0].answer('bad_options');
  await first;
  assert.deepEqual(changes(), [{ show_running_score: true }]);
  assert.equal(store.state().toasts.at(-1)?.key, 'refused.bad_options');
});

test('two quick clicks on "One more seat" ask for two more seats', async () => {
  const { sent, actions, receivesRoom } = host();
  const first = actions.changeSeats(1);
  void actions.changeSeats(1);
  assert.deepEqual(
    sent.map(({ command }) => command),
    [
      { type: 'configure', seats: 5 },
      { type: 'configure', seats: 6 },
    ],
  );

  // The room shows the first chair; the second one is not forgotten.
  sent[0].answer('ok');
  await first;
  receivesRoom(OPTIONS, [...CHAIRS, { kind: 'free' }]);
  void actions.changeSeats(-1);
  assert.deepEqual(sent[2].command, { type: 'configure', seats: 5 });
});

test('a click counts from the seats of the room after a refusal', async () => {
  const { sent, actions } = host();
  const first = actions.changeSeats(1);
  sent[0].answer('game_running');
  await first;
  void actions.changeSeats(1);
  assert.deepEqual(sent[1].command, { type: 'configure', seats: 5 });
});

test('no click asks for more seats than the game has, or for fewer than are needed', () => {
  const { sent, actions, receivesRoom } = host();
  for (let click = 0; click < 4; click += 1) void actions.changeSeats(1);
  assert.deepEqual(
    sent.map(({ command }) => command.seats),
    [5, 6],
  );
  receivesRoom(OPTIONS, [...CHAIRS, { kind: 'free' }, { kind: 'free' }]);
  for (let click = 0; click < 5; click += 1) void actions.changeSeats(-1);
  assert.deepEqual(
    sent.slice(2).map(({ command }) => command.seats),
    [5, 4, 3],
  );
});

test('a chair with somebody on it stays', () => {
  const { sent, actions, receivesRoom } = host();
  receivesRoom(OPTIONS, [...CHAIRS.slice(0, 3), { kind: 'bot', name: 'Bot', level: 'normal' }, { kind: 'free' }]);
  void actions.changeSeats(-1);
  void actions.changeSeats(-1);
  assert.deepEqual(
    sent.map(({ command }) => command.seats),
    [4],
  );
});
