import assert from 'node:assert/strict';
import { test } from 'node:test';

import { reduce } from '../../js/reduce.js';
import { defaultSettings } from '../../js/settings.js';
import { initialState, isMyTurn, isTableScreen } from '../../js/state.js';

const NOW = 1_000_000;
const PERSON = { kind: 'person', presence: 'here', ready: false, stood_in: false };
const CHAIRS = ['Ann', 'Bob', 'Cem'].map((name) => ({ ...PERSON, name }));
const STATE = {
  game: 'sticheln',
  phase: 'playing',
  host: 0,
  chairs: CHAIRS,
  options: {},
  turn_seconds: 30,
  spectator_chat: true,
  spectators: 0,
};
const TABLE = { round: 1, phase: 'trick', hand_counts: [2, 2, 2], captured: [0, 0, 0], tricks_played: 0 };

/** A state after events, each told at `NOW` unless it says otherwise. */
function after(...events) {
  return events.reduce(
    (state, event) => reduce(state, { now: NOW, ...event }),
    initialState(defaultSettings(['en']), NOW),
  );
}

const message = (message, now = NOW) => ({ type: 'message', message, now });
const table = { type: 'page', code: 'k7qm2x4p' };
const caughtUp = { type: 'caught_up' };
const room = ({ rev, you, ...table } = {}) =>
  message({ type: 'room', rev: rev ?? 1, you: you ?? { seat: 0, host: true }, table: { ...STATE, ...table } });
const game = ({
  seat = 0,
  events = [],
  table = {},
  own = { hand: ['red-1', 'blue-2'] },
  to_act = [0],
  deadline,
  now,
} = {}) =>
  message(
    { type: 'game', rev: 2, events, view: { seat, table: { ...TABLE, ...table }, own, to_act }, legal: [], deadline },
    now,
  );

const TAKEN = { type: 'trick_taken', seat: 1, leader: 0, cards: ['red-1', 'blue-2', 'red-3'], points: -2 };
const REVEALED = { type: 'revealed', picks: ['red-1', 'red-2', 'red-3'], leader: 2 };

test('the first page is home', () => {
  assert.equal(after().page, 'home');
});

test('going to a table resets the state of the last one', () => {
  const state = after(table, room(), { type: 'page', code: 'abcdefgh' });
  assert.equal(state.room, null);
  assert.equal(state.code, 'abcdefgh');
});

test('errors of one page are not shown on the next', () => {
  const wrong = { type: 'error', form: 'sit', error: { key: 'refused.not_connected' } };
  const state = after(table, { type: 'busy', form: 'sit', busy: true }, wrong, { type: 'page', code: null });
  assert.deepEqual(state.errors, {});
  assert.deepEqual(state.busy, {});
});

test('a finished trick stays for a while, and then the game is shown', () => {
  const next = { trick: { cards: [], leader: 1 }, tricks_played: 1 };
  const state = after(table, room(), caughtUp, game(), game({ events: [TAKEN], table: next }));
  assert.equal(state.pause.kind, 'trick');
  assert.deepEqual(state.pause.view.table.trick, { cards: TAKEN.cards, leader: 0, lead: 'red', winning: 1 });
  assert.equal(state.pause.view.table.tricks_played, 0);
  assert.deepEqual(state.pause.view.to_act, []);
  assert.equal(state.game.view.table.tricks_played, 1);
  assert.equal(reduce(state, { type: 'tick', now: NOW + 1199 }).pause, state.pause);
  assert.equal(reduce(state, { type: 'tick', now: NOW + 1200 }).pause, null);
  assert.equal(reduce(state, { type: 'end_pause', now: NOW }).pause, null);
});

test('a trick of zeros is shown for a while too, and has no taker', () => {
  const state = after(table, room(), caughtUp, game({ events: [{ type: 'set_aside', leader: 0, cards: ['red-0'] }] }));
  assert.equal(state.pause.view.table.trick.winning, undefined);
});

test('the reveal lasts five seconds, even if cards are played', () => {
  const shown = after(table, room(), caughtUp, game({ events: [{ type: 'picked', seat: 2 }, REVEALED] }));
  assert.equal(shown.pause.kind, 'reveal');
  assert.equal(shown.pause.until, NOW + 5000);
  const later = reduce(shown, game({ events: [TAKEN] }));
  assert.equal(later.pause.kind, 'reveal');
});

test('several tricks at once are one pause', () => {
  const other = { ...TAKEN, cards: ['red-9', 'blue-9', 'red-8'] };
  const state = after(table, room(), caughtUp, game({ events: [TAKEN, other] }));
  assert.deepEqual(state.pause.event, other);
  assert.equal(reduce(state, { type: 'tick', now: NOW + 1200 }).pause, null);
});

test('events before the page was caught up cause no pause', () => {
  assert.equal(after(table, room(), game({ events: [TAKEN] })).pause, null);
});

test('the last trick of a round stays before the scores', () => {
  const end = { phase: 'round_end', hand_counts: [0, 0, 0], scores: [], next_leader: 1, tricks_played: 14 };
  const state = after(table, room(), caughtUp, game(), game({ events: [TAKEN, { type: 'round_scored' }], table: end }));
  assert.equal(state.pause.view.table.phase, 'trick');
  assert.ok(isTableScreen(state));
  assert.ok(!isTableScreen(reduce(state, { type: 'end_pause', now: NOW })));
});

test('a game remembers facts of past events', () => {
  const state = after(table, room(), caughtUp, game({ events: [TAKEN] }));
  assert.deepEqual(state.game.memory, { lastTrick: { cards: TAKEN.cards, points: -2 } });
  assert.equal(reduce(state, game({ events: [{ type: 'dealt' }], table: { round: 2 } })).game.memory.lastTrick, null);
});

test('a card that is sent stays lifted until it has left the hand', () => {
  const sent = after(table, room(), game(), { type: 'sending', id: 'a-1', card: 'red-1' });
  assert.deepEqual(sent.lifted, ['red-1']);
  assert.equal(reduce(sent, game()).sending.card, 'red-1');
  const played = reduce(sent, game({ own: { hand: ['blue-2'] } }));
  assert.equal(played.sending, null);
  assert.deepEqual(played.lifted, []);
});

test('of three equal cards one is lifted and one is played', () => {
  const equal = { own: { hand: ['red-1', 'red-1', 'red-1'] } };
  const lifted = after(table, room(), game(equal), { type: 'lift', keys: ['red-1 2'] });
  const sent = reduce(lifted, { type: 'sending', id: 'a-1', card: 'red-1', now: NOW });
  assert.deepEqual(sent.lifted, ['red-1 2']);
  assert.equal(reduce(sent, game(equal)).sending.card, 'red-1', 'nothing has left the hand');
  const played = reduce(sent, game({ own: { hand: ['red-1', 'red-1'] } }));
  assert.equal(played.sending, null);
  assert.deepEqual(played.lifted, []);
});

test('a refused card is put down', () => {
  const sent = after(table, room(), game(), { type: 'sending', id: 'a-1', card: 'red-1' });
  const back = reduce(sent, { type: 'not_sent', id: 'a-1', now: NOW });
  assert.equal(back.sending, null);
  assert.deepEqual(back.lifted, []);
});

test('a deadline is counted by the clock of this device', () => {
  const ahead = 500_000;
  const state = after(table, room(), game({ events: [{ type: 'played' }], deadline: NOW + ahead + 30_000 }));
  assert.equal(state.game.deadline, NOW + 30_000);
  const later = reduce(state, game({ events: [{ type: 'picked' }], deadline: NOW + ahead + 30_000, now: NOW + 4000 }));
  assert.equal(later.game.deadline, NOW + 30_000);
});

test('only new lines of others count as unread', () => {
  const line = (at, seat = 1) => message({ type: 'chat', at, seat, name: CHAIRS[seat].name, text: 'hello' });
  const first = after(table, room(), line(1), line(2), caughtUp);
  assert.equal(first.chat.unread, 0);
  const news = reduce(reduce(first, line(3)), line(4, 0));
  assert.equal(news.chat.unread, 1);
  const back = [
    message({ type: 'welcome', you: { seat: 0, host: true } }),
    room(),
    line(1),
    line(2),
    line(3),
    line(4, 0),
    line(5),
    caughtUp,
  ];
  const again = back.reduce(reduce, news);
  assert.equal(again.chat.lines.length, 5);
  assert.equal(again.chat.unread, 2);
  assert.equal(reduce(again, { type: 'open', dialog: 'chat', now: NOW }).chat.unread, 0);
});

test('only the last 50 lines are kept', () => {
  const lines = Array.from({ length: 60 }, (_, at) => message({ type: 'chat', at, seat: 1, name: 'Bob', text: 'x' }));
  assert.equal(after(table, room(), caughtUp, ...lines).chat.lines.length, 50);
});

test('a reaction is shown for four seconds, one for each seat', () => {
  const react = (reaction) => message({ type: 'reacted', seat: 1, reaction });
  const state = after(table, room(), react('laugh'), react('ouch'));
  assert.deepEqual(state.reactions, [{ seat: 1, reaction: 'ouch', until: NOW + 4000 }]);
  assert.deepEqual(reduce(state, { type: 'tick', now: NOW + 4000 }).reactions, []);
});

test('an absence is counted from the first message about it', () => {
  const gone = (presence) => CHAIRS.map((chair, seat) => (seat === 1 ? { ...chair, presence } : chair));
  const lost = after(table, room(), caughtUp, room({ chairs: gone('lost') }));
  const away = reduce(lost, { ...room({ chairs: gone('away') }), now: NOW + 5000 });
  assert.deepEqual(away.awaySince, [null, NOW, null]);
  assert.equal(away.toasts.at(-1).key, 'live.left');
  assert.deepEqual(reduce(away, room()).awaySince, [null, null, null]);
});

test('a card that a bot plays for a person is marked until the next trick', () => {
  const forSomebody = (seat, event) => [
    { type: 'acted_for', seat, by: 'bot' },
    { type: 'played', seat, card: 'red-1', ...event },
  ];
  const on = (state, ...events) => reduce(state, game({ events }));
  const byBot = (state) => state.game.byBot;
  const first = on(after(table, room(), caughtUp, game()), ...forSomebody(1, { leads: true }));
  assert.deepEqual(byBot(first), [1]);
  const third = on(first, { type: 'played', seat: 2, card: 'red-2' }, ...forSomebody(0, {}));
  assert.deepEqual(byBot(third), [1, 0]);
  assert.deepEqual(byBot(on(third, TAKEN)), [1, 0]);
  assert.deepEqual(byBot(on(third, TAKEN, { type: 'played', seat: 1, card: 'red-3', leads: true })), []);
  assert.deepEqual(byBot(on(third, { type: 'dealt', round: 2 })), []);
  // Its other actions are no cards.
  const picked = on(
    after(table, room(), game()),
    { type: 'acted_for', seat: 1, by: 'bot' },
    { type: 'picked', seat: 1 },
  );
  assert.deepEqual(byBot(on(picked, { type: 'played', seat: 1, card: 'red-1', leads: true })), []);
});

test('a toast names a person whose time was over, once the page is caught up', () => {
  const events = [0, 1].flatMap((seat) => [
    { type: 'acted_for', seat, by: 'clock' },
    { type: 'picked', seat },
  ]);
  const told = (...before) =>
    after(table, room(), ...before, game({ events })).toasts.map(({ key, args }) => [key, args.name]);
  assert.deepEqual(told(caughtUp), [
    ['news.clock.you', 'Ann'],
    ['news.clock', 'Bob'],
  ]);
  assert.deepEqual(told(), []);
});

test('a toast names a bot with a new level', () => {
  const bot = (level) => [CHAIRS[0], CHAIRS[1], { kind: 'bot', name: 'Bobbin', level }];
  const news = (phase, level) =>
    after(table, room({ phase, chairs: bot('normal') }), caughtUp, room({ phase, chairs: bot(level) })).toasts.map(
      ({ key, args }) => [key, args.name],
    );
  assert.deepEqual(news('playing', 'expert'), [['news.level.expert', 'Bobbin']]);
  assert.deepEqual(news('playing', 'normal'), []);
  // In the lobby its chair shows it.
  assert.deepEqual(news('lobby', 'expert'), []);
});

test('the lobby has no game', () => {
  const state = after(table, room(), game(), room({ phase: 'lobby' }));
  assert.equal(state.game, null);
  assert.ok(!isTableScreen(state));
});

test('the newest view decides whose turn it is', () => {
  assert.ok(isMyTurn(after(table, room(), game())));
  assert.ok(!isMyTurn(after(table, room(), game({ to_act: [1] }))));
  assert.ok(!isMyTurn(after(table, room({ phase: 'paused' }), game())));
  // The view of somebody who plays from the next round on has no seat.
  assert.ok(!isMyTurn(after(table, room(), game({ seat: null }))));
});

test('a toast welcomes a connection that was lost for long', () => {
  const open = { type: 'link', status: 'open' };
  const lost = after(table, open, room(), { type: 'link', status: 'waiting', retryAt: NOW + 500 });
  assert.equal(lost.link.since, NOW);
  assert.deepEqual(reduce(lost, { ...open, now: NOW + 900 }).toasts, []);
  assert.equal(reduce(lost, { ...open, now: NOW + 2900 }).toasts[0].key, 'state.back');
});

test('a restart is shown until the server is back', () => {
  const link = (status) => ({ type: 'link', status });
  const restart = after(table, link('open'), room(), link('restarting'), link('connecting'), link('waiting'));
  assert.ok(restart.link.isRestart);
  assert.ok(!reduce(restart, { ...link('open'), now: NOW }).link.isRestart);
});

test('a server that cannot save is shown until it is back or restarts', () => {
  const link = (status) => ({ type: 'link', status });
  const unsaved = after(table, link('open'), room(), link('unsaved'), link('connecting'));
  assert.ok(unsaved.link.isUnsaved && !unsaved.link.isRestart);
  assert.ok(!reduce(unsaved, { ...link('open'), now: NOW }).link.isUnsaved);
  assert.ok(!reduce(unsaved, { ...link('restarting'), now: NOW }).link.isUnsaved);
});

test('a handover code expires by the clock of this device', () => {
  const state = after(table, room(), message({ type: 'handover', code: 'abc', expires_at: 7_000_000 }));
  assert.equal(state.prompt.kind, 'handover');
  assert.equal(reduce(state, { type: 'tick', now: NOW + 119_999 }).offer.code, 'abc');
  const old = reduce(state, { type: 'tick', now: NOW + 120_000 });
  assert.deepEqual([old.offer, old.prompt.kind], [null, 'handover']);
});

test('a person with a seat sees no note that the seat has moved', () => {
  const moved = after(table, room(), { type: 'seat_moved' });
  assert.equal(reduce(moved, room({ you: { seat: null, host: false } })).prompt.kind, 'moved');
  assert.equal(reduce(moved, room()).prompt, null);
});

test('the wait for the next round is counted by the clock of this device', () => {
  const ahead = 5_000_000;
  const free = room({ turn_seconds: null });
  const round = { table: { phase: 'round_end' }, to_act: [], deadline: NOW + ahead + 30_000 };
  const state = after(table, free, game({ events: [{ type: 'round_scored' }], ...round }));
  assert.equal(state.game.deadline, NOW + 30_000);
  const later = reduce(state, game({ ...round, now: NOW + 4000 }));
  assert.equal(later.game.deadline, NOW + 30_000);
  const stranger = after(table, free, game(round));
  assert.equal(stranger.game.deadline, NOW + 30_000, 'never longer than it can be');
});

test('the intro starts with the first seat in a game, but never during the own turn', () => {
  const lobby = { phase: 'lobby', game: 'sticheln' };
  const watching = after(table, room({ ...lobby, you: { seat: null, host: false } }), caughtUp);
  assert.equal(watching.introCard, null);
  const sitting = reduce(watching, room(lobby));
  assert.equal(sitting.introCard, 0);
  const next = reduce(sitting, { type: 'intro_card', card: 1, now: NOW });
  assert.equal(reduce(next, room(lobby)).introCard, 1);
  const turn = reduce(reduce(next, room({ game: 'sticheln' })), game());
  assert.equal(turn.introCard, 'done');
  assert.equal(reduce(turn, game({ to_act: [1] })).introCard, 'done', 'and does not come back');
  const known = reduce(watching, {
    type: 'experience',
    experience: { explainedGames: ['sticheln'], games: 0 },
    now: NOW,
  });
  assert.equal(reduce(known, room(lobby)).introCard, null);
});

test('unknown messages change only the clock', () => {
  const state = after(table, room());
  assert.deepEqual(reduce(state, message({ type: 'news_of_tomorrow' })), state);
  assert.deepEqual(reduce(state, { type: 'nonsense', now: NOW }), state);
});

test('an update does not modify the state before it', () => {
  const state = Object.freeze(after(table, room(), game()));
  reduce(state, game({ events: [TAKEN] }));
  assert.equal(state.game.memory.lastTrick, null);
});
