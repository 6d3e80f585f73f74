import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  AHEAD,
  at,
  bot,
  gameMessage,
  HOST,
  NOW,
  ofNewerServer,
  person,
  ROOM_CODE,
  roomMessage,
  sheetMessage,
  trickTable,
  view,
  welcomeMessage,
} from '../test/unit/builders.js';
import { muteKey, SPECTATORS } from './mutes.js';
import { reduce } from './reduce.js';
import { defaultSettings } from './settings.js';
import { initialState, isMyTurn, isSoundOffered, isTableScreen, standInFrom } from './state.js';

/** @import { ActedForEvent, Chair, Game, GameEvent, Level, PlayedEvent, PresenceState, Reaction, RoomPhase, Seat, ServerMessage, StichelnRevealedEvent, StichelnRoundEndTable, StichelnRoundScoredEvent, StichelnSetAsideEvent, StichelnTrickTakenEvent, TableState, You } from './protocol.js' */
/** @import { ConnectionStatus, DialogName, Prompt, State, TimedUpdate } from './types.js' */

/** A state after updates. @param {TimedUpdate[]} updates */
const after = (...updates) => updates.reduce(reduce, initialState(defaultSettings(['en']), NOW));

const message = (/** @type {ServerMessage} */ message, now = NOW) => at({ type: 'message', message }, now);
const room = (/** @type {Partial<TableState>} */ table = {}, /** @type {You} */ you = HOST, now = NOW) =>
  message(roomMessage(table, you), now);
/**
 * A `game` message.
 * @param {Parameters<typeof view>[0]} [seen] the fields of its view
 * @param {GameEvent[]} [events]
 * @param {Partial<Game>} [fields]
 * @param {number} [now]
 */
const game = (seen, events, fields, now) => message(gameMessage(view(seen), events, fields), now);
const events = (/** @type {GameEvent[]} */ ...events) => game({}, events);

const welcome = message(welcomeMessage());
const opened = at({ type: 'route', code: ROOM_CODE });
const caughtUp = at({ type: 'caught_up' });
const SPECTATOR = { seat: null, host: false };

/** @type {StichelnTrickTakenEvent} */
const TAKEN = { type: 'trick_taken', seat: 1, leader: 0, cards: ['red-1', 'blue-2', 'red-3'], points: -2 };
/** @type {StichelnRevealedEvent} */
const REVEALED = { type: 'revealed', picks: ['red-1', 'red-2', 'red-3'], leader: 2 };
/** @type {StichelnRoundScoredEvent} */
const SCORED = { type: 'round_scored', round: 1, scores: [], totals: [] };
/** @type {StichelnRoundEndTable} */
const ROUND_END = { ...trickTable(), phase: 'round_end', scores: [], next_leader: 1 };

/** The table of the held view, during a trick. @param {State} state */
function heldTrick({ hold }) {
  const table = hold?.view.table;
  assert.ok(table?.phase === 'trick' && 'tricks_played' in table);
  return table;
}

test('the first route is home', () => {
  assert.equal(after().route, 'home');
});

test('going to a room resets the state of the last one', () => {
  const state = after(opened, message(sheetMessage()), room(), at({ type: 'route', code: 'abcdefgh' }));
  assert.equal(state.room, null);
  assert.equal(state.sheet, null);
  assert.equal(state.code, 'abcdefgh');
});

test('errors of one screen are not shown on the next', () => {
  const busy = at({ type: 'busy', form: 'sit', busy: true });
  const wrong = at({ type: 'error', form: 'sit', error: { key: 'refused.not_connected' } });
  const state = after(opened, busy, wrong, at({ type: 'route', code: null }));
  assert.deepEqual(state.errors, {});
  assert.deepEqual(state.busy, {});
});

test('a finished trick stays for a while, and then the game is shown', () => {
  const next = trickTable({ trick: { cards: [], leader: 1 }, tricks_played: 1 });
  const state = after(opened, room(), caughtUp, game(), game({ table: next }, [TAKEN]));
  assert.equal(state.hold?.kind, 'taken');
  assert.deepEqual(heldTrick(state).trick, { cards: TAKEN.cards, leader: 0, lead: 'red', winning: 1 });
  assert.equal(heldTrick(state).tricks_played, 0);
  assert.deepEqual(state.hold.view.to_act, []);
  assert.deepEqual(state.game?.view.table, next);
  assert.equal(reduce(state, { type: 'tick', now: NOW + 1199 }).hold, state.hold);
  assert.equal(reduce(state, { type: 'tick', now: NOW + 1200 }).hold, null);
  assert.equal(reduce(state, { type: 'end_hold', now: NOW }).hold, null);
});

test('a trick of zeros is shown for a while too, and has no taker', () => {
  /** @type {StichelnSetAsideEvent} */
  const aside = { type: 'set_aside', leader: 0, cards: ['red-0'] };
  assert.equal(heldTrick(after(opened, room(), caughtUp, events(aside))).trick.winning, undefined);
});

test('the reveal lasts five seconds, even if cards are played', () => {
  const shown = after(opened, room(), caughtUp, events({ type: 'picked', seat: 2 }, REVEALED));
  assert.equal(shown.hold?.kind, 'reveal');
  assert.equal(shown.hold.until, NOW + 5000);
  const later = reduce(shown, events(TAKEN));
  assert.equal(later.hold?.kind, 'reveal');
});

test('several tricks at once are one hold', () => {
  const other = { ...TAKEN, cards: ['red-9', 'blue-9', 'red-8'] };
  const state = after(opened, room(), caughtUp, events(TAKEN, other));
  assert.deepEqual(state.hold?.event, other);
  assert.equal(reduce(state, { type: 'tick', now: NOW + 1200 }).hold, null);
});

test('events before the page was caught up cause no hold', () => {
  assert.equal(after(opened, room(), events(TAKEN)).hold, null);
});

/** A reconnect of a page that has shown a trick. */
const RECONNECTED = [opened, welcome, room(), game(), caughtUp, welcome, room()];

/** The cards of the trick that a state shows at each time, without repetitions. @param {State} state */
function tricksShown(state) {
  /** @type {(string | null)[]} */
  const shown = [];
  for (let time = NOW; time <= NOW + 3000; time += 10) {
    const { hold } = reduce(state, { type: 'tick', now: time });
    shown.push(hold?.event.type === 'trick_taken' ? hold.event.cards[0] : null);
  }
  return shown.filter((card, at) => card !== shown[at - 1]);
}

/** Tricks that begin with these cards. @param {string[]} cards @returns {GameEvent[]} */
const tricksFrom = (...cards) => cards.map((card) => ({ ...TAKEN, cards: [card, 'blue-2', 'red-3'] }));

test('missed tricks are shown one after the other, in at most 2.5 seconds', () => {
  const three = ['red-4', 'red-5', 'red-6'];
  const few = after(...RECONNECTED, events(...tricksFrom(...three)));
  assert.deepEqual(tricksShown(few), [...three, null]);
  assert.equal(reduce(few, { type: 'tick', now: NOW + 1799 }).hold?.kind, 'taken');
  assert.equal(reduce(few, { type: 'tick', now: NOW + 1800 }).hold, null);
  assert.deepEqual(heldTrick(few).trick.cards, ['red-4', 'blue-2', 'red-3']);

  const many = Array.from({ length: 12 }, (_, at) => `blue-${at}`);
  const state = after(...RECONNECTED, events(...tricksFrom(...many)));
  assert.deepEqual(tricksShown(state), [...many, null]);
  assert.equal(reduce(state, { type: 'tick', now: NOW + 2499 }).hold?.kind, 'taken');
  assert.equal(reduce(state, { type: 'tick', now: NOW + 2500 }).hold, null);
});

test('one click ends all missed tricks', () => {
  const state = after(...RECONNECTED, events(...tricksFrom('red-4', 'red-5')), { type: 'end_hold', now: NOW });
  assert.deepEqual(tricksShown(state), [null]);
});

test('a new trick ends the missed ones', () => {
  const state = after(
    ...RECONNECTED,
    events(...tricksFrom('red-4', 'red-5')),
    caughtUp,
    events(...tricksFrom('red-6')),
  );
  assert.deepEqual(tricksShown(state), ['red-6', null]);
});

test('missed tricks of an earlier round are not shown', () => {
  /** @type {GameEvent} */
  const dealt = { type: 'dealt', round: 2, opening: 0, cards: 15 };
  const [old, next] = tricksFrom('red-4', 'red-5');
  assert.deepEqual(tricksShown(after(...RECONNECTED, events(old, dealt, REVEALED, next))), [null, 'red-5', null]);
});

test('the lobby ends the missed tricks', () => {
  const state = after(...RECONNECTED, events(...tricksFrom('red-4', 'red-5')), room({ phase: 'lobby' }));
  assert.deepEqual(tricksShown(state), [null]);
});

test('the last trick of a round stays before the scores', () => {
  const state = after(opened, room(), caughtUp, game(), game({ table: ROUND_END }, [TAKEN, SCORED]));
  assert.equal(state.hold?.view.table.phase, 'trick');
  assert.ok(isTableScreen(state));
  assert.ok(!isTableScreen(reduce(state, { type: 'end_hold', now: NOW })));
});

test('a game remembers data of past events', () => {
  const state = after(opened, room(), caughtUp, events(TAKEN));
  assert.deepEqual(state.game?.memory, { lastTrick: { cards: TAKEN.cards, points: -2 } });
  const dealt = events({ type: 'dealt', round: 2, opening: 0, cards: 15 });
  assert.deepEqual(reduce(state, dealt).game?.memory, { lastTrick: null });
});

test('a card that is sent stays lifted until it has left the hand', () => {
  const sent = after(opened, room(), game(), at({ type: 'move_sent', id: 'a-1', card: 'red-1' }));
  assert.deepEqual(sent.lifted, ['red-1']);
  assert.equal(reduce(sent, game()).pendingMove?.card, 'red-1');
  const played = reduce(sent, game({ own: { hand: ['blue-2'] } }));
  assert.equal(played.pendingMove, null);
  assert.deepEqual(played.lifted, []);
});

test('of three equal cards one is lifted and one is played', () => {
  const equal = { own: { hand: ['red-1', 'red-1', 'red-1'] } };
  const lifted = after(opened, room(), game(equal), at({ type: 'lift', keys: ['red-1 2'] }));
  const sent = reduce(lifted, { type: 'move_sent', id: 'a-1', card: 'red-1', now: NOW });
  assert.deepEqual(sent.lifted, ['red-1 2']);
  assert.equal(reduce(sent, game(equal)).pendingMove?.card, 'red-1', 'nothing has left the hand');
  const played = reduce(sent, game({ own: { hand: ['red-1', 'red-1'] } }));
  assert.equal(played.pendingMove, null);
  assert.deepEqual(played.lifted, []);
});

test('a refused card is put down', () => {
  const sent = after(opened, room(), game(), at({ type: 'move_sent', id: 'a-1', card: 'red-1' }));
  const back = reduce(sent, { type: 'move_failed', id: 'a-1', now: NOW });
  assert.equal(back.pendingMove, null);
  assert.deepEqual(back.lifted, []);
});

test('a deadline is counted by the clock of this device', () => {
  const deadline = NOW + AHEAD + 9000;
  const state = after(opened, welcome, room(), game({}, [], { deadline }));
  assert.equal(state.game?.deadline, NOW + 9000);
  const played = game({}, [{ type: 'played', seat: 2, card: 'red-1', winning: false }], { deadline }, NOW + 4000);
  const later = reduce(state, played);
  assert.equal(later.game?.deadline, NOW + 9000, 'no event moves it');
  assert.equal(reduce(later, game()).game?.deadline, null);
});

test('each connection compares the clocks anew', () => {
  const state = after(opened, welcome, room());
  const again = reduce(state, message(welcomeMessage({ now: NOW - 70_000 }), NOW + 5000));
  assert.equal(again.clockSkew, -75_000);
});

test('only new lines of others count as unread', () => {
  const line = (/** @type {number} */ at, seat = 1) =>
    message({ type: 'chat', at, seat, name: ['Ann', 'Bob'][seat], text: 'hello' });
  const first = after(opened, room(), line(1), line(2), caughtUp);
  assert.equal(first.chat.unread, 0);
  const news = reduce(reduce(first, line(3)), line(4, 0));
  assert.equal(news.chat.unread, 1);
  const back = [welcome, room(), line(1), line(2), line(3), line(4, 0), line(5), caughtUp];
  const again = back.reduce(reduce, news);
  assert.equal(again.chat.lines.length, 5);
  assert.equal(again.chat.unread, 2);
  assert.equal(reduce(again, { type: 'open', dialog: 'chat', now: NOW }).chat.unread, 0);
});

test('muted people have no unread lines and no reactions', () => {
  const line = message({ type: 'chat', at: 3, seat: 1, name: 'Bob', text: 'hello' });
  const ofSpectator = message({ type: 'chat', at: 4, seat: null, name: null, spectator: 4, text: 'hello' });
  const muted = after(opened, room(), caughtUp, at({ type: 'muted', names: ['Bob', SPECTATORS] }));
  const heard = [line, ofSpectator, message({ type: 'reacted', seat: 1, reaction: 'laugh' })].reduce(reduce, muted);
  assert.deepEqual([heard.chat.unread, heard.reactions], [0, []]);
  assert.equal(heard.chat.lines.length, 2, 'the lines can be shown again');
  assert.equal(reduce(reduce(muted, at({ type: 'muted', names: [] })), line).chat.unread, 1);
  const ofCem = message({ type: 'reacted', seat: 2, reaction: 'laugh' });
  assert.equal(reduce(muted, ofCem).reactions.length, 1);
});

test('muted people stay muted under another name and on another chair', () => {
  const muted = after(opened, room(), caughtUp, at({ type: 'muted', names: ['Bob'] }));
  const renamed = reduce(muted, room({ chairs: [person('Ann'), person('Rob'), person('Cem')] }));
  assert.deepEqual(renamed.muted, ['Bob', 'Rob']);
  const moved = reduce(muted, room({ chairs: [person('Ann'), person('Cem'), person('Bob')] }));
  assert.deepEqual(moved.muted, ['Bob']);
});

test('a muted spectator is followed by number, also after a restart of the server', () => {
  const watchedBy = (/** @type {string} */ name) => room({ spectators: [{ spectator: 1, name }] });
  const nameless = muteKey({ spectator: 2 });
  const muted = after(opened, welcome, watchedBy('Eve'), caughtUp, at({ type: 'muted', names: ['Eve', nameless] }));
  const renamed = reduce(muted, watchedBy('Eva'));
  assert.deepEqual(renamed.muted, ['Eve', nameless, 'Eva']);
  const reconnected = [welcome, watchedBy('Eva'), caughtUp].reduce(reduce, muted);
  assert.deepEqual(reconnected.muted, ['Eve', nameless, 'Eva']);
  const other = room({ spectators: [{ spectator: 1_767_225_600_000_001, name: 'Fay' }] });
  const restarted = [welcome, other, caughtUp].reduce(reduce, muted);
  assert.deepEqual(restarted.muted, ['Eve', nameless]);
});

test('the sound is offered at the first table only', () => {
  const first = after(opened, room(), caughtUp);
  assert.equal(isSoundOffered(first), true);
  assert.equal(isSoundOffered(after(opened, room({}, SPECTATOR), caughtUp)), false);
  assert.equal(isSoundOffered(reduce(first, at({ type: 'settings', settings: { sound: true } }))), false);
  const next = [at({ type: 'route', code: 'bbbb2222' }), room()].reduce(reduce, first);
  assert.equal(next.experience.soundOffered, true);
  assert.equal(isSoundOffered(next), false);
});

test('while somebody streams their screen, no line is unread', () => {
  const line = message({ type: 'chat', at: 3, seat: 1, name: 'Bob', text: 'hello' });
  const streamer = after(opened, room(), caughtUp, line, at({ type: 'settings', settings: { streamer: true } }));
  assert.equal(reduce(streamer, line).chat.unread, 0);
});

test('only the last 50 lines are kept', () => {
  const lines = Array.from({ length: 60 }, (_, at) => message({ type: 'chat', at, seat: 1, name: 'Bob', text: 'x' }));
  assert.equal(after(opened, room(), caughtUp, ...lines).chat.lines.length, 50);
});

test('a reaction is shown for four seconds, one for each seat', () => {
  const react = (/** @type {Reaction} */ reaction) => message({ type: 'reacted', seat: 1, reaction });
  const state = after(opened, room(), react('laugh'), react('ouch'));
  assert.deepEqual(state.reactions, [{ seat: 1, reaction: 'ouch', until: NOW + 4000 }]);
  assert.deepEqual(reduce(state, { type: 'tick', now: NOW + 4000 }).reactions, []);
});

test('a toast names a person who is away and comes back, but not one who is lost', () => {
  const chairs = (/** @type {PresenceState} */ presence) => [person('Ann'), person('Bob', { presence }), person('Cem')];
  const lost = after(opened, room(), caughtUp, room({ chairs: chairs('lost') }));
  assert.deepEqual(lost.toasts, []);
  const away = reduce(lost, room({ chairs: chairs('away') }));
  assert.equal(away.toasts.at(-1)?.key, 'news.left');
  assert.equal(reduce(away, room()).toasts.at(-1)?.key, 'news.back');
});

test('a bot may be asked to stand in from the time on the chair, by the clock of this device', () => {
  const bob = person('Bob', { presence: 'lost', stand_in_from: NOW + AHEAD + 3000 });
  const state = after(opened, welcome, room({ chairs: [person('Ann'), bob, { kind: 'free' }] }));
  const times = state.room?.chairs.map((chair) => standInFrom(chair, state));
  assert.deepEqual(times, [null, NOW + 3000, null]);
});

test('a card that a bot plays for a person is marked until the next trick', () => {
  /** @returns {PlayedEvent} */
  const played = (/** @type {Seat} */ seat) => ({ type: 'played', seat, card: 'red-1', winning: false });
  /** @returns {PlayedEvent} */
  const led = (/** @type {Seat} */ seat) => ({ ...played(seat), leads: true });
  /** @returns {ActedForEvent} */
  const byBotFor = (/** @type {Seat} */ seat) => ({ type: 'acted_for', seat, by: 'bot' });
  const on = (/** @type {State} */ state, /** @type {GameEvent[]} */ ...happened) => reduce(state, events(...happened));
  const byBot = (/** @type {State} */ state) => state.game?.byBot;
  const first = on(after(opened, room(), caughtUp, game()), byBotFor(1), led(1));
  assert.deepEqual(byBot(first), [1]);
  const third = on(first, played(2), byBotFor(0), played(0));
  assert.deepEqual(byBot(third), [1, 0]);
  assert.deepEqual(byBot(on(third, TAKEN)), [1, 0]);
  assert.deepEqual(byBot(on(third, TAKEN, led(1))), []);
  assert.deepEqual(byBot(on(third, { type: 'dealt', round: 2, opening: 0, cards: 15 })), []);
  // Its other actions are no cards.
  const picked = on(after(opened, room(), game()), byBotFor(1), { type: 'picked', seat: 1 });
  assert.deepEqual(byBot(on(picked, led(1))), []);
});

test('a toast names a person whose time was over, once the page is caught up', () => {
  const late = [0, 1].flatMap(
    /** @returns {GameEvent[]} */ (seat) => [
      { type: 'acted_for', seat, by: 'clock' },
      { type: 'picked', seat },
    ],
  );
  const newsAfter = (/** @type {TimedUpdate[]} */ ...before) =>
    after(opened, room(), ...before, events(...late)).toasts.map(({ key, args }) => [key, args?.name]);
  assert.deepEqual(newsAfter(caughtUp), [
    ['news.timeUp.you', 'Ann'],
    ['news.timeUp', 'Bob'],
  ]);
  assert.deepEqual(newsAfter(), []);
});

test('a toast names a bot with a new level', () => {
  const chairs = (/** @type {Level} */ level) => [person('Ann'), person('Bob'), bot('Bobbin', level)];
  const news = (/** @type {RoomPhase} */ phase, /** @type {Level} */ level) => {
    const rooms = [room({ phase, chairs: chairs('normal') }), caughtUp, room({ phase, chairs: chairs(level) })];
    return after(opened, ...rooms).toasts.map(({ key, args }) => [key, args?.name]);
  };
  assert.deepEqual(news('playing', 'expert'), [['news.level.expert', 'Bobbin']]);
  assert.deepEqual(news('playing', 'normal'), []);
  // In the lobby its chair shows it.
  assert.deepEqual(news('lobby', 'expert'), []);
});

test('the newest sheet is kept when the room and the game change', () => {
  const newest = sheetMessage([[1, 2, -3]]);
  const first = after(opened, message(sheetMessage()));
  assert.deepEqual(first.sheet?.rounds, [], 'it comes before the first `room`');
  const state = after(
    opened,
    message(sheetMessage()),
    room(),
    game(),
    message(newest),
    room({ phase: 'over' }),
    game(),
  );
  assert.deepEqual(state.sheet, newest);
});

test('the lobby has no game', () => {
  const state = after(opened, message(sheetMessage()), room(), game(), room({ phase: 'lobby' }));
  assert.equal(state.game, null);
  assert.equal(state.sheet, null);
  assert.ok(!isTableScreen(state));
});

test('the newest view decides whose turn it is', () => {
  assert.ok(isMyTurn(after(opened, room(), game())));
  assert.ok(!isMyTurn(after(opened, room(), game({ to_act: [1] }))));
  assert.ok(!isMyTurn(after(opened, room({ phase: 'paused' }), game())));
  // The view of somebody who plays from the next round on has no seat.
  assert.ok(!isMyTurn(after(opened, room(), game({ seat: null }))));
});

test('a toast welcomes a connection that was lost for long', () => {
  const open = at({ type: 'connection', status: 'open', retryAt: null });
  const lost = after(opened, open, room(), at({ type: 'connection', status: 'waiting', retryAt: NOW + 500 }));
  assert.equal(lost.connection.since, NOW);
  assert.deepEqual(reduce(lost, { ...open, now: NOW + 900 }).toasts, []);
  assert.equal(reduce(lost, { ...open, now: NOW + 2900 }).toasts[0].key, 'state.back');
});

test('a restart is shown until the server is back', () => {
  const connection = (/** @type {ConnectionStatus} */ status) => at({ type: 'connection', status, retryAt: null });
  const restart = after(
    opened,
    connection('open'),
    room(),
    connection('restarting'),
    connection('connecting'),
    connection('waiting'),
  );
  assert.ok(restart.connection.isRestart);
  assert.ok(!reduce(restart, connection('open')).connection.isRestart);
});

test('a server that cannot save is shown until it is back or restarts', () => {
  const connection = (/** @type {ConnectionStatus} */ status) => at({ type: 'connection', status, retryAt: null });
  const unsaved = after(opened, connection('open'), room(), connection('unsaved'), connection('connecting'));
  assert.ok(unsaved.connection.isUnsaved && !unsaved.connection.isRestart);
  assert.ok(!reduce(unsaved, connection('open')).connection.isUnsaved);
  assert.ok(!reduce(unsaved, connection('restarting')).connection.isUnsaved);
});

test('a handover code expires by the clock of this device', () => {
  const offer = message({ type: 'handover', code: 'abc', expires_at: NOW + AHEAD + 9000 });
  const state = after(opened, welcome, room(), offer);
  assert.equal(state.prompt?.kind, 'offer_handover');
  assert.equal(reduce(state, { type: 'tick', now: NOW + 8999 }).offeredHandover?.code, 'abc');
  const old = reduce(state, { type: 'tick', now: NOW + 9000 });
  assert.deepEqual([old.offeredHandover, old.prompt?.kind], [null, 'offer_handover']);
});

test('a person with a seat sees no note that the seat has moved', () => {
  const moved = after(opened, room(), at({ type: 'seat_moved' }));
  assert.equal(reduce(moved, room({}, SPECTATOR)).prompt?.kind, 'seat_moved');
  assert.equal(reduce(moved, room()).prompt, null);
});

test('the dialog of a chair follows its person or bot, and closes when they have left', () => {
  const [ann, bob, cem, free] = [person('Ann'), person('Bob'), person('Cem'), { kind: /** @type {const} */ ('free') }];
  const promptIn = (/** @type {Chair[]} */ before, /** @type {Chair[]} */ chairs) =>
    promptAfter({ kind: 'chair', seat: 1 }, HOST, before, chairs);
  assert.deepEqual(promptIn([ann, bob, cem], [ann, bob, free]), { kind: 'chair', seat: 1 });
  assert.deepEqual(promptIn([ann, bob, cem], [ann, cem, bob]), { kind: 'chair', seat: 2 });
  assert.equal(promptIn([ann, bob, cem], [ann, free, cem]), null);
  assert.equal(promptIn([ann, bob, cem], [ann, cem]), null);
  assert.equal(promptIn([ann, bob, cem], [ann, bot('Bobbin', 'normal'), cem]), null);
  assert.deepEqual(promptIn([ann, bot('Bobbin', 'normal'), cem], [ann, bot('Bobbin', 'expert'), cem]), {
    kind: 'chair',
    seat: 1,
  });
});

test('the dialog of a chair stays with its person if several have the same name', () => {
  const [ann, other, free] = [person('Ann'), person('?'), { kind: /** @type {const} */ ('free') }];
  const promptIn = (/** @type {Seat} */ seat, /** @type {Chair[]} */ before, /** @type {Chair[]} */ chairs) =>
    promptAfter({ kind: 'chair', seat }, HOST, before, chairs);
  // Nothing has moved.
  for (const seat of [1, 2]) {
    assert.deepEqual(promptIn(seat, [ann, other, other], [ann, other, other]), { kind: 'chair', seat });
  }
  // One of them has moved, or has left.
  assert.deepEqual(promptIn(1, [ann, other, other, free], [ann, free, other, other]), { kind: 'chair', seat: 3 });
  assert.deepEqual(promptIn(2, [ann, other, other, free], [ann, free, other, other]), { kind: 'chair', seat: 2 });
  assert.equal(promptIn(1, [ann, other, other], [ann, free, other]), null);
  assert.deepEqual(promptIn(2, [ann, other, other], [ann, free, other]), { kind: 'chair', seat: 2 });
  // It cannot be told where each of them sits now.
  assert.equal(promptIn(1, [ann, other, other, free, free], [ann, free, free, other, other]), null);
  // One of them has changed their name.
  assert.deepEqual(promptIn(1, [ann, other, other], [ann, person('Zoe'), other]), { kind: 'chair', seat: 1 });
});

test('lines of chat have different keys, also those of the same time', () => {
  const line = (/** @type {Seat} */ seat, now = NOW) => message({ type: 'chat', at: now, seat, name: '?', text: 'Hi' });
  const { lines } = after(opened, room(), line(0), line(1), line(1, NOW + 1), line(1)).chat;
  assert.deepEqual(
    lines.map(({ at, number }) => [at - NOW, number]),
    [
      [0, 0],
      [0, 1],
      [1, 0],
      [0, 2],
    ],
  );
});

test('each of several people with the same name has their own news', () => {
  const [ann, here, away] = [person('Ann'), person('?'), person('?', { presence: 'away' })];
  const playing = (/** @type {Chair[]} */ ...others) => room({ phase: 'playing', chairs: [ann, ...others] });
  const both = after(opened, playing(here, here), game({}), caughtUp, playing(away, here), playing(away, away));
  assert.deepEqual(
    both.toasts.map(({ key, args }) => [key, args?.name]),
    [
      ['news.left', '?'],
      ['news.left', '?'],
    ],
  );
  const again = [playing(here, away), playing(away, away)].reduce(reduce, both);
  assert.deepEqual(
    again.toasts.map(({ key }) => key),
    ['news.left', 'news.back', 'news.left'],
    'a toast replaces the one that says the same of the same person',
  );
});

test('the dialog of a chair stays open when its person changes their name', () => {
  const [ann, bob, cem, rob] = [person('Ann'), person('Bob'), person('Cem'), person('Rob')];
  const promptIn = (/** @type {Chair[]} */ before, /** @type {Chair[]} */ chairs) =>
    promptAfter({ kind: 'chair', seat: 1 }, HOST, before, chairs);
  assert.deepEqual(promptIn([ann, bob, cem], [ann, rob, cem]), { kind: 'chair', seat: 1 });
  // They have left, and chairs have moved.
  assert.equal(promptIn([ann, bob, cem], [ann, cem]), null);
  // Somebody else has taken the chair of a person who was away.
  assert.equal(promptIn([ann, person('Bob', { presence: 'away' }), cem], [ann, rob, cem]), null);
  // A bot keeps its name.
  assert.equal(promptIn([ann, bot('Bobbin', 'normal')], [ann, bot('Needle', 'normal')]), null);
});

test('a spectator is about to take the place of the same bot after chairs have moved', () => {
  const [ann, cem, free] = [person('Ann'), person('Cem'), { kind: /** @type {const} */ ('free') }];
  const sit = (/** @type {Chair[]} */ chairs) =>
    promptAfter({ kind: 'sit', seat: 1 }, SPECTATOR, [ann, bot('Bobbin', 'normal'), cem], chairs);
  assert.deepEqual(sit([ann, cem, bot('Bobbin', 'normal')]), { kind: 'sit', seat: 2 });
  assert.deepEqual(sit([ann, free, cem]), { kind: 'sit', seat: 1 });
});

/**
 * The prompt after the chairs of a room have changed.
 * @param {Prompt} prompt
 * @param {You} you
 * @param {Chair[]} before
 * @param {Chair[]} chairs
 */
function promptAfter(prompt, you, before, chairs) {
  const open = after(opened, room({ chairs: before }, you), at({ type: 'prompt', prompt }));
  return reduce(open, room({ chairs }, you)).prompt;
}

test('the dialog of the own chair follows the own seat, whatever its name', () => {
  const [ann, bob, anna] = [person('Ann'), person('Bob'), person('Anna')];
  const open = after(opened, room({ chairs: [ann, bob] }), at({ type: 'prompt', prompt: { kind: 'chair', seat: 0 } }));
  assert.deepEqual(reduce(open, room({ chairs: [anna, bob] })).prompt, { kind: 'chair', seat: 0 });
  const moved = room({ chairs: [bob, anna] }, { seat: 1, host: true });
  assert.deepEqual(reduce(open, moved).prompt, { kind: 'chair', seat: 1 });
  assert.equal(reduce(open, room({ chairs: [bob, ann] }, SPECTATOR)).prompt, null);
});

test('a device that shows a handover code learns that its seat has moved', () => {
  const offer = message({ type: 'handover', code: 'abc', expires_at: NOW + AHEAD + 9000 });
  const offering = after(opened, welcome, room(), offer);
  assert.equal(reduce(offering, room()).prompt?.kind, 'offer_handover');
  const moved = reduce(offering, room({}, SPECTATOR));
  assert.deepEqual([moved.prompt?.kind, moved.offeredHandover], ['seat_moved', null]);
});

test('a removed person does not read that their seat has moved', () => {
  const offer = message({ type: 'handover', code: 'abc', expires_at: NOW + AHEAD + 9000 });
  const removed = at({ type: 'connection', status: 'removed', retryAt: null });
  assert.equal(after(opened, welcome, room(), offer, removed, room({}, SPECTATOR)).prompt, null);
});

/** The questions about a game, as the host is asked them. @type {readonly Prompt[]} */
const GAME_QUESTIONS = [{ kind: 'leave' }, { kind: 'end', isHost: true }];

test('the list of games stays while people come and go in the lobby, and ends with the room', () => {
  const games = { type: /** @type {const} */ ('games'), games: [] };
  const lobby = room({ phase: 'lobby' });
  const shown = after(opened, lobby, at({ type: 'games_asked' }), message(games));
  assert.deepEqual(shown.gameList, { games: [], isBusy: false, error: null });
  const changed = reduce(shown, room({ phase: 'lobby', chairs: [person('Ann'), bot('Bobbin', 'expert')] }));
  assert.deepEqual(changed.gameList, shown.gameList);
  assert.equal(reduce(changed, at({ type: 'route', code: 'abcdefgh' })).gameList, null);
});

test('dialogs and questions of a game are closed when the game ends in the lobby', () => {
  const lobby = room({ phase: 'lobby' });
  for (const dialog of /** @type {const} */ (['scores', 'past_tricks', 'log'])) {
    assert.equal(after(opened, room(), game(), at({ type: 'open', dialog }), lobby).dialog, null, dialog);
  }
  for (const prompt of GAME_QUESTIONS) {
    assert.equal(after(opened, room(), game(), at({ type: 'prompt', prompt }), lobby).prompt, null, prompt.kind);
  }
  assert.equal(after(opened, room(), at({ type: 'open', dialog: 'chat' }), lobby).dialog, 'chat');
});

test('the log that was asked for last is shown, until another game begins', () => {
  const asked = (/** @type {number} */ round) => at({ type: 'log_asked', round });
  const log = (/** @type {number} */ round) => message({ type: 'round_log', round, entries: [] });
  const playing = after(opened, room(), game(), at({ type: 'open', dialog: 'log' }), asked(1));
  assert.deepEqual(playing.roundLog, { round: 1, log: null, isBusy: true, error: null });
  assert.equal(reduce(playing, log(2)).roundLog?.log, null, 'the answer to an earlier request');
  const read = reduce(playing, log(1));
  assert.deepEqual([read.roundLog?.log?.round, read.roundLog?.isBusy], [1, false]);
  assert.ok(reduce(read, asked(1)).roundLog?.log, 'it stays while it is read again');
  assert.equal(reduce(read, asked(2)).roundLog?.log, null);
  const refused = reduce(reduce(read, asked(1)), at({ type: 'log_refused', round: 1, error: { key: 'refused.busy' } }));
  assert.deepEqual([refused.roundLog?.error?.key, refused.roundLog?.log?.round], ['refused.busy', 1]);
  const dealt = (/** @type {number} */ round) => {
    const update = /** @type {{ message: object }} */ (/** @type {unknown} */ (game()));
    const events = [{ type: 'dealt', round, opening: 0, cards: 15 }];
    return /** @type {TimedUpdate} */ ({ ...update, message: { ...update.message, events } });
  };
  assert.equal(reduce(read, dealt(2)).dialog, 'log');
  const rematch = reduce(read, dealt(1));
  assert.deepEqual([rematch.dialog, rematch.roundLog], [null, null]);
});

test('the log of an old game is dropped if the beginning of the new one was missed', () => {
  const inRound = (/** @type {number} */ round, fields = {}) => game({ table: trickTable({ round }) }, [], fields);
  const log = message({ type: 'round_log', round: 2, entries: [] });
  const sheet = message(sheetMessage([[3, -1, 4]]));
  const asked = [at({ type: 'open', dialog: 'log' }), at({ type: 'log_asked', round: 2 }), log];
  const reading = after(opened, sheet, room(), inRound(2), ...asked);
  const gap = { gap: true };
  const shown = (/** @type {TimedUpdate[]} */ ...updates) => {
    const { dialog, roundLog } = updates.reduce(reduce, reading);
    return [dialog, roundLog?.log?.round];
  };
  const [kept, dropped] = [
    ['log', 2],
    [null, undefined],
  ];
  assert.deepEqual(shown(welcome, sheet, room(), inRound(2, gap)), kept, 'a gap in the same round');
  assert.deepEqual(
    shown(
      welcome,
      message(
        sheetMessage([
          [3, -1, 4],
          [0, 0, 1],
        ]),
      ),
      inRound(3, gap),
    ),
    kept,
    'a later round',
  );
  assert.deepEqual(shown(inRound(1, gap)), dropped, 'an earlier round');
  const other = message(sheetMessage([[1, 1, 1]]));
  assert.deepEqual(shown(welcome, other, room(), inRound(2, gap)), dropped, 'the same round of another game');
  assert.deepEqual(shown(welcome, room({ game: 'nyet' })), dropped, 'a game with other rules');
});

test('a game with other rules does not keep the view of the last one', () => {
  const state = after(opened, message(sheetMessage([[3, -1, 4]])), room(), game(), room({ game: 'nyet' }));
  assert.deepEqual([state.game, state.sheet?.rounds.length], [null, 1]);
});

test('the dialog with all hands closes when the hands are no longer shown', () => {
  const hands = [{ hand: ['red-1'] }, { hand: ['red-2'] }, { hand: ['red-3'] }];
  const seen = { seat: null, own: undefined };
  const open = (/** @type {DialogName} */ dialog) =>
    after(opened, room({}, SPECTATOR), game({ ...seen, hands }), at({ type: 'open', dialog }));
  assert.equal(reduce(open('hands'), game({ ...seen, hands })).dialog, 'hands');
  assert.equal(reduce(open('hands'), game({ ...seen, table: ROUND_END })).dialog, null);
  assert.equal(reduce(open('scores'), game({ ...seen, table: ROUND_END })).dialog, 'scores');
});

test('questions without an answer are closed with the seat or the role of the host', () => {
  const asked = (/** @type {Prompt} */ prompt) => after(opened, room(), game(), at({ type: 'prompt', prompt }));
  for (const prompt of GAME_QUESTIONS) {
    assert.equal(reduce(asked(prompt), room({}, SPECTATOR)).prompt, null, prompt.kind);
    assert.deepEqual(reduce(asked(prompt), room()).prompt, prompt);
  }
  const player = { seat: 0, host: false };
  assert.equal(reduce(asked({ kind: 'end', isHost: true }), room({}, player)).prompt, null, 'no longer the host');
  const proposal = after(opened, room({}, player), at({ type: 'prompt', prompt: { kind: 'end', isHost: false } }));
  assert.equal(reduce(proposal, room({}, player)).prompt?.kind, 'end');
  assert.equal(reduce(proposal, room()).prompt, null, 'the host now');
});

test('the note that the link is selected goes with the next dialog or prompt', () => {
  const selected = after(opened, room(), at({ type: 'link_selected' }));
  assert.ok(selected.isLinkSelected);
  assert.ok(!reduce(selected, at({ type: 'open', dialog: null })).isLinkSelected);
  assert.ok(!reduce(selected, at({ type: 'prompt', prompt: null })).isLinkSelected);
});

test('the intro starts with the first seat in a game, but never during the own turn', () => {
  const guest = { seat: 1, host: false };
  const lobby = room({ phase: 'lobby' }, guest);
  const watching = after(opened, room({ phase: 'lobby' }, SPECTATOR), caughtUp);
  assert.equal(watching.introCard, null);
  const sitting = reduce(watching, lobby);
  assert.equal(sitting.introCard, 0);
  const next = reduce(sitting, { type: 'intro_card', card: 1, now: NOW });
  assert.equal(reduce(next, lobby).introCard, 1);
  const turn = reduce(reduce(next, room()), game());
  assert.equal(turn.introCard, 'done');
  assert.equal(reduce(turn, game({ to_act: [1] })).introCard, 'done', 'and does not come back');
  const known = reduce(watching, {
    type: 'experience',
    experience: { explainedGames: ['sticheln'], games: 0, soundOffered: false },
    now: NOW,
  });
  assert.equal(reduce(known, lobby).introCard, null);
});

test('the intro never covers the lobby that somebody has just opened', () => {
  const lobby = room({ phase: 'lobby' });
  const sitting = after(opened, lobby, caughtUp);
  assert.equal(sitting.introCard, null);
  assert.equal(after(opened, room({ phase: 'lobby', host: null }, { seat: 0, host: false }), caughtUp).introCard, null);
  assert.equal(reduce(sitting, at({ type: 'intro_card', card: 0 })).introCard, 0, 'they can ask for it');
  assert.equal(reduce(sitting, room()).introCard, 'done', 'and it does not cover their game');
});

test('unknown messages change only the clock', () => {
  const state = after(opened, room());
  assert.deepEqual(reduce(state, message(ofNewerServer({ type: 'news_of_tomorrow' }))), state);
});

test('an update does not modify the state before it', () => {
  const state = Object.freeze(after(opened, room(), game()));
  reduce(state, events(TAKEN));
  assert.deepEqual(state.game?.memory, { lastTrick: null });
});

/** A card that replaces the own pick. */
const swap = (/** @type {string} */ card) => /** @type {const} */ ({ type: 'pick', card });

test('a choice that is replaced is shown without a new revision', () => {
  const own = { hand: ['red-1', 'red-2'], pick: 'blue-3' };
  const chosen = game({ to_act: [1], own }, [], { rev: 4, changes: [swap('red-1'), swap('red-2')] });
  const sent = after(opened, room(), chosen, at({ type: 'move_sent', id: 'a-1', card: 'red-1' }));
  // Another seat chooses meanwhile.
  const others = reduce(sent, game({ to_act: [], own }, [], { rev: 5, changes: [swap('red-1')] }));
  assert.equal(others.pendingMove?.card, 'red-1');
  const swapped = { hand: ['blue-3', 'red-2'], pick: 'red-1' };
  const shown = reduce(others, game({ to_act: [1], own: swapped }, [], { rev: 5, changes: [swap('blue-3')] }));
  assert.equal(shown.pendingMove, null);
  assert.deepEqual(shown.lifted, []);
});

test('a card that was lifted to replace a choice is put down when the choice is final', () => {
  const own = { hand: ['red-1', 'red-2'], pick: 'blue-3' };
  const chosen = game({ to_act: [1], own }, [], { changes: [swap('red-1')] });
  const lifted = after(opened, room(), chosen, at({ type: 'lift', keys: ['red-1'] }));
  assert.deepEqual(reduce(lifted, chosen).lifted, ['red-1']);
  assert.deepEqual(reduce(lifted, game({ to_act: [0], own: { hand: own.hand } })).lifted, []);
});

test('the host is shown the waiting room until it is empty', () => {
  const guests = [{ guest: 3, name: 'Gus' }];
  const full = message({ ...roomMessage(), guests });
  const shown = after(opened, full, at({ type: 'prompt', prompt: { kind: 'guests' } }));
  assert.deepEqual(shown.room?.guests, guests);
  assert.equal(reduce(shown, full).prompt?.kind, 'guests');
  assert.equal(reduce(shown, room()).prompt, null);
});

test('the host reads that newcomers wait, and a claimant that the seat is gone', () => {
  const keys = (/** @type {State} */ { toasts }) => toasts.map(({ key }) => key);
  const host = after(opened, room(), caughtUp);
  assert.deepEqual(keys(reduce(host, room({ waiting_room: true }))), ['news.waitingRoom']);
  const player = after(opened, room({}, { seat: 1, host: false }), caughtUp);
  assert.deepEqual(keys(reduce(player, room({}, SPECTATOR))), ['news.seatRestored']);
  assert.deepEqual(keys(reduce(player, room({ waiting_room: true }, { seat: 1, host: false }))), []);
});

test('the end of a pause is told, but not the end of a game in it', () => {
  const keys = (/** @type {RoomPhase} */ from, /** @type {RoomPhase} */ to) =>
    after(opened, welcome, room({ phase: from }), caughtUp, room({ phase: to })).toasts.map(({ key }) => key);
  assert.deepEqual(keys('paused', 'playing'), ['news.resumed']);
  for (const phase of /** @type {const} */ (['over', 'lobby', 'paused'])) assert.deepEqual(keys('paused', phase), []);
  assert.deepEqual(keys('lobby', 'playing'), []);
});

test('what a failover has lost leaves the table, and is named until its banner is closed', () => {
  const before = after(opened, room(), caughtUp, game(), events(TAKEN), at({ type: 'lift', keys: ['red-1'] }));
  assert.ok(before.game && before.hold);
  /** @type {import('./protocol.js').GameEvent[]} */
  const lostEvents = [
    { type: 'picked', seat: 1 },
    { type: 'played', seat: 0, card: 'red-7', winning: true },
    { type: 'played', seat: 1, card: 'blue-3', winning: false },
    TAKEN,
  ];
  const lost = reduce(before, at({ type: 'changes_lost', lost: { changes: 3, events: lostEvents } }));
  assert.deepEqual([lost.game, lost.hold, lost.lifted], [null, null, []]);
  const bob = lost.room?.chairs[1];
  const name = bob?.kind === 'person' || bob?.kind === 'bot' ? bob.name : '';
  assert.deepEqual(lost.lost, {
    changes: 3,
    moves: [
      { name, card: null },
      { name: null, card: 'red-7' },
      { name, card: 'blue-3' },
    ],
  });
  // A lower revision is accepted.
  const again = reduce(lost, game());
  assert.equal(again.game?.rev, 2);
  assert.notEqual(again.lost, null);
  assert.equal(reduce(again, at({ type: 'close_lost' })).lost, null);
});
