import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOW, welcomeMessage } from '../test/unit/builders.js';
import { openConnection, outcomeOfClose, UnansweredCommands } from './connection.js';

/** @import { Clock, Socket } from './connection.js' */
/** @import { ClientMessage, Closing, Code, ServerMessage } from './protocol.js' */
/** @import { Command, ConnectionStatus } from './types.js' */

const TOKEN = 'A'.repeat(43);
/** @type {ServerMessage} */
const WELCOME = welcomeMessage();
/** @type {ServerMessage} */
const CHAT_LINE = { type: 'chat', at: NOW, seat: 0, name: 'Ann', text: 'hi' };
/** The close codes after which a connection ends for good, and the status that each leads to. */
const FINAL = /** @type {[number, ConnectionStatus][]} */ ([
  [4001, 'elsewhere'],
  [4003, 'removed'],
  [4004, 'gone'],
  [4005, 'damaged'],
  [4006, 'closed'],
]);

/** A clock whose time passes only in `pass`. @implements {Clock} */
class FakeClock {
  time = 0;
  /** @type {Set<{ at: number, callback: () => void }>} */
  timers = new Set();

  now() {
    return this.time;
  }

  /** @param {number} ms @param {() => void} callback */
  later(ms, callback) {
    const timer = { at: this.time + ms, callback };
    this.timers.add(timer);
    return () => void this.timers.delete(timer);
  }

  /** Calls back all timers that are due within a time. @param {number} ms */
  pass(ms) {
    const end = this.time + ms;
    for (;;) {
      const [next] = [...this.timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (!next) break;
      this.timers.delete(next);
      this.time = next.at;
      next.callback();
    }
    this.time = end;
  }
}

/** A socket whose server is the test. @implements {Socket} */
class FakeSocket {
  readyState = 0;
  /** @type {ClientMessage[]} */
  sent = [];
  /** @type {Socket['onopen']} */
  onopen = null;
  /** @type {Socket['onmessage']} */
  onmessage = null;
  /** @type {Socket['onclose']} */
  onclose = null;
  /** @type {Socket['onerror']} */
  onerror = null;

  /** @param {string} text */
  send(text) {
    this.sent.push(JSON.parse(text));
  }

  close() {
    this.readyState = 3;
  }

  opens() {
    this.readyState = 1;
    this.onopen?.({});
  }

  /** @param {ServerMessage} message */
  says(message) {
    this.onmessage?.({ data: JSON.stringify(message) });
  }

  breaks(code = 1006) {
    this.readyState = 3;
    this.onclose?.({ code });
  }

  /**
   * The messages of a type that the client has sent.
   * @template {ClientMessage['type']} T
   * @param {T} type
   */
  sentOf(type) {
    return this.sent.filter(
      /** @returns {message is Extract<ClientMessage, { type: T }>} */ (message) => message.type === type,
    );
  }

  /** @param {ClientMessage} message @param {Code} [code] the refusal, if it is one */
  answers(message, code) {
    this.says(code ? { type: 'refused', id: message.id, code } : { type: 'ok', id: message.id });
  }

  welcomes() {
    this.opens();
    this.says(WELCOME);
    this.answers(this.sentOf('hello')[0]);
  }
}

/**
 * A connection with its first socket, and everything that it reports.
 * @param {() => Promise<boolean | null>} roomExists
 */
function setUp(roomExists = async () => true) {
  const clock = new FakeClock();
  /** @type {FakeSocket[]} */
  const sockets = [];
  /** @type {ServerMessage['type'][]} */
  const received = [];
  /** @type {[status: ConnectionStatus, retryAt: number | null][]} */
  const statuses = [];
  /** @type {Code[]} */
  const refusals = [];
  /** @type {{ rev: number | null, generation: number }} */
  const seen = { rev: null, generation: 0 };
  let catchUps = 0;
  const connection = openConnection({
    open: () => {
      const socket = new FakeSocket();
      sockets.push(socket);
      return socket;
    },
    token: TOKEN,
    seen: () => seen,
    onMessage: (message) => received.push(message.type),
    onStatus: (status, retryAt) => statuses.push([status, retryAt]),
    onCaughtUp: () => {
      catchUps += 1;
    },
    onRefused: (code) => refusals.push(code),
    roomExists,
    clock,
    random: () => 0.5,
  });
  /** The newest socket. */
  const socket = () => sockets[sockets.length - 1];
  /** The newest status. */
  const status = () => statuses[statuses.length - 1][0];
  /** The time from now until the next attempt. */
  const wait = () => {
    const [, retryAt] = statuses[statuses.length - 1];
    assert.ok(retryAt !== null);
    return retryAt - clock.now();
  };
  return {
    seen,
    clock,
    sockets,
    received,
    statuses,
    refusals,
    connection,
    socket,
    status,
    wait,
    catchUps: () => catchUps,
  };
}

test('a connection sends hello with the token, and opens with its answer', () => {
  const { socket, statuses, received } = setUp();
  socket().opens();
  const [hello] = socket().sentOf('hello');
  assert.equal(hello.token, TOKEN);
  assert.ok(!('password' in hello));
  socket().says(WELCOME);
  socket().answers(hello);
  assert.deepEqual(statuses, [
    ['connecting', null],
    ['open', null],
  ]);
  assert.deepEqual(received, ['welcome']);
});

test('the first answered ping ends the catching up', () => {
  const { socket, catchUps } = setUp();
  socket().welcomes();
  assert.equal(catchUps(), 0);
  socket().answers(socket().sentOf('ping')[0]);
  assert.equal(catchUps(), 1);
});

test('each command gets its own answer', async () => {
  const { socket, connection } = setUp();
  socket().welcomes();
  const [sit, start] = [connection.send({ type: 'sit', name: 'Ann' }), connection.send({ type: 'start' })];
  socket().answers(socket().sentOf('start')[0], 'not_host');
  socket().answers(socket().sentOf('sit')[0]);
  assert.deepEqual(await Promise.all([sit, start]), ['ok', 'not_host']);
});

test('ids are short and unique', () => {
  const { socket, connection } = setUp();
  socket().welcomes();
  for (let i = 0; i < 2000; i += 1) void connection.send({ type: 'ping' });
  const ids = socket().sent.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
  assert.ok(ids.every((id) => id.length <= 36));
});

test('unanswered commands are sent again in order with the same ids', async () => {
  const { socket, connection, clock } = setUp();
  socket().welcomes();
  const answer = connection.send({ type: 'act', action: { type: 'play', card: 'red-7' } });
  void connection.send({ type: 'chat', text: 'hi' });
  const [act, chat] = socket().sent.slice(-2);
  socket().breaks();
  const late = connection.send({ type: 'queue', queue: true });
  clock.pass(500);
  assert.equal(socket().sent.length, 0);
  socket().welcomes();
  const again = () => socket().sent.filter(({ type }) => !['hello', 'ping'].includes(type));
  assert.deepEqual(again(), [], 'the state of the room comes first');
  socket().answers(socket().sentOf('ping')[0]);
  assert.deepEqual(again().slice(0, 2), [act, chat]);
  assert.equal(again()[2].type, 'queue');
  socket().answers(act);
  socket().answers(again()[2]);
  assert.deepEqual(await Promise.all([answer, late]), ['ok', 'ok']);
  void connection.send({ type: 'ready', ready: true });
  assert.equal(socket().sentOf('ready').length, 1, 'the page has caught up');
  socket().breaks();
  clock.pass(500);
  socket().welcomes();
  socket().answers(socket().sentOf('ping')[0]);
  assert.deepEqual(socket().sentOf('act'), []);
});

test('a command that does not fit the state of the room any more is not sent again', async () => {
  const { socket, connection, clock } = setUp();
  socket().welcomes();
  let isCurrent = true;
  const act = connection.send(
    { type: 'act', action: { type: 'play', card: 'red-7' } },
    () => {},
    () => isCurrent,
  );
  for (const [again, current] of /** @type {[number, boolean][]} */ ([
    [1, true],
    [0, false],
  ])) {
    socket().breaks();
    clock.pass(5000);
    socket().welcomes();
    isCurrent = current;
    socket().answers(socket().sentOf('ping')[0]);
    assert.equal(socket().sentOf('act').length, again);
  }
  assert.equal(await act, 'not_connected');
});

test('a command while the page catches up follows the earlier ones', () => {
  const { socket, connection, clock } = setUp();
  socket().welcomes();
  void connection.send({ type: 'chat', text: 'one' });
  socket().breaks();
  clock.pass(500);
  socket().welcomes();
  void connection.send({ type: 'chat', text: 'two' });
  assert.deepEqual(socket().sentOf('chat'), []);
  socket().answers(socket().sentOf('ping')[0]);
  assert.deepEqual(
    socket()
      .sentOf('chat')
      .map((message) => 'text' in message && message.text),
    ['one', 'two'],
  );
});

/**
 * Commands that could concern another person or another game later.
 * @type {readonly Command[]}
 */
const FOR_ONE_CONNECTION = [
  { type: 'admit', guest: 3, admit: true },
  { type: 'remove_spectator', spectator: 3 },
  { type: 'mute_spectator', spectator: 3, muted: true },
  { type: 'answer_claim', claim: 3, agree: true },
  { type: 'remove', seat: 1 },
  { type: 'swap', a: 1, b: 2 },
  { type: 'give_host', seat: 1 },
  { type: 'stand_in', seat: 1 },
  { type: 'ready', ready: true },
  { type: 'start' },
  { type: 'rematch' },
  { type: 'pause' },
  { type: 'end' },
  { type: 'agree_to_end', agree: true },
];

/** Commands that have the same effect later. @type {readonly Command[]} */
const REPEATED = [
  { type: 'back' },
  { type: 'choose_character', character: 'x' },
  { type: 'claim', name: 'Ann' },
  { type: 'configure', title: 'Tonight' },
  { type: 'handover' },
  { type: 'rename', name: 'Ann' },
  { type: 'round_log', round: 1 },
  { type: 'sit', name: 'Ann' },
  { type: 'stand' },
];

for (const command of REPEATED) {
  test(`${command.type} is sent again on a later connection`, async () => {
    const { socket, connection, clock } = setUp();
    socket().welcomes();
    const answer = connection.send(command);
    socket().breaks();
    clock.pass(500);
    socket().welcomes();
    socket().answers(socket().sentOf('ping')[0]);
    socket().answers(socket().sentOf(command.type)[0]);
    assert.equal(await answer, 'ok');
  });
}

for (const command of FOR_ONE_CONNECTION) {
  test(`${command.type} is never sent on a later connection`, async () => {
    const { socket, connection, clock } = setUp();
    socket().welcomes();
    const answered = connection.send(command);
    socket().answers(socket().sentOf(command.type)[0]);
    assert.equal(await answered, 'ok', 'it is sent while the connection is open');
    const unanswered = connection.send(command);
    const chat = connection.send({ type: 'chat', text: 'hi' });
    socket().breaks();
    const late = connection.send(command);
    clock.pass(500);
    socket().welcomes();
    socket().answers(socket().sentOf('ping')[0]);
    assert.deepEqual(socket().sentOf(command.type), []);
    assert.deepEqual(await Promise.all([unanswered, late]), ['not_connected', 'not_connected']);
    socket().answers(socket().sentOf('chat')[0]);
    assert.equal(await chat, 'ok', 'other commands are sent again');
  });
}

test('a message that is larger than the server takes is refused and not sent', async () => {
  const { socket, connection } = setUp();
  socket().welcomes();
  /** @param {string} text */
  const messageOf = (text) => JSON.stringify({ ...socket().sentOf('chat')[0], text });
  void connection.send({ type: 'chat', text: 'hi' });
  // A combining mark has two bytes in UTF-8.
  const marks = '\u0301'.repeat((8192 - messageOf('').length) / 2);
  const rest = 'e'.repeat(8192 - messageOf('').length - 2 * marks.length);
  void connection.send({ type: 'chat', text: rest + marks });
  assert.equal(socket().sentOf('chat').length, 2);
  assert.equal(Buffer.byteLength(JSON.stringify(socket().sentOf('chat')[1])), 8192);
  assert.equal(await connection.send({ type: 'chat', text: `${rest}${marks}e` }), 'too_large');
  assert.equal(socket().sentOf('chat').length, 2);
  socket().breaks();
  connection.wake();
  socket().welcomes();
  socket().answers(socket().sentOf('ping')[0]);
  assert.equal(socket().sentOf('chat').length, 2);
});

test('a message for which the server closes the socket is not sent again', async () => {
  const { socket, connection, clock, status } = setUp();
  socket().welcomes();
  const queue = connection.send({ type: 'queue', queue: true });
  const chat = connection.send({ type: 'chat', text: '\u0301'.repeat(100) });
  socket().breaks(1009);
  assert.equal(await chat, 'too_large');
  assert.equal(status(), 'waiting');
  clock.pass(500);
  // A close before the commands are sent is not about them.
  socket().opens();
  socket().breaks(1009);
  clock.pass(1000);
  socket().welcomes();
  socket().answers(socket().sentOf('ping')[0]);
  assert.deepEqual(socket().sentOf('chat'), []);
  const [again] = socket().sentOf('queue');
  socket().answers(again);
  assert.equal(await queue, 'ok');
});

for (const isLetIn of [true, false]) {
  test(`a client that was admitted and has to wait for the host is ${isLetIn ? 'let in' : 'turned away'}`, async () => {
    const { socket, connection, status } = setUp();
    socket().welcomes();
    socket().says({ type: 'waiting' });
    assert.equal(status(), 'guest');
    // The ping of before is refused, which says nothing about the room.
    const chat = connection.send({ type: 'chat', text: 'hi' });
    socket().answers(socket().sentOf('ping')[0], 'hello_first');
    assert.deepEqual(socket().sentOf('chat'), []);
    const [hello] = socket().sentOf('hello');
    if (isLetIn) {
      socket().answers(hello);
      assert.equal(status(), 'open');
      socket().answers(socket().sentOf('ping')[1]);
      socket().answers(socket().sentOf('chat')[0]);
      assert.equal(await chat, 'ok');
    } else {
      socket().answers(hello, 'not_admitted');
      assert.equal(status(), 'turned_away');
    }
  });
}

test('the back-off grows from half a second to ten seconds', () => {
  const { socket, clock, status, wait } = setUp();
  socket().welcomes();
  const waits = [];
  for (let i = 0; i < 7; i += 1) {
    socket().opens();
    socket().breaks();
    assert.equal(status(), 'waiting');
    waits.push(wait());
    clock.pass(wait());
  }
  assert.deepEqual(waits, [500, 1000, 2000, 4000, 8000, 10_000, 10_000]);
  socket().welcomes();
  socket().breaks();
  assert.equal(wait(), 500);
});

test('a device that wakes reconnects at once', () => {
  const { socket, sockets, connection, clock } = setUp();
  socket().welcomes();
  socket().breaks();
  connection.wake();
  assert.equal(sockets.length, 2);
  clock.pass(5000);
  assert.equal(sockets.length, 2);
});

test('a quiet server is pinged, and given up without an answer', () => {
  const { socket, sockets, clock, status } = setUp();
  socket().welcomes();
  socket().answers(socket().sentOf('ping')[0]);
  clock.pass(10_000);
  socket().says(CHAT_LINE);
  clock.pass(13_999);
  assert.equal(socket().sentOf('ping').length, 1);
  clock.pass(1);
  assert.equal(socket().sentOf('ping').length, 2);
  const old = socket();
  clock.pass(10_000);
  assert.equal(status(), 'waiting');
  clock.pass(500);
  assert.equal(sockets.length, 2);
  old.says(CHAT_LINE);
  old.breaks();
  assert.equal(status(), 'connecting');
});

test('a room that answers no command is given up', async () => {
  const { socket, clock, status, connection } = setUp();
  socket().welcomes();
  socket().answers(socket().sentOf('ping')[0]);
  clock.pass(4000);
  const answer = connection.send({ type: 'chat', text: 'hi' });
  clock.pass(3000);
  void connection.send({ type: 'queue', queue: true });
  clock.pass(6999);
  assert.equal(status(), 'open');
  clock.pass(1);
  assert.equal(status(), 'waiting');
  // A ping would be answered, so none is sent.
  assert.equal(socket().sentOf('ping').length, 1);
  clock.pass(500);
  socket().welcomes();
  socket().answers(socket().sentOf('ping')[0]);
  const [chat] = socket().sentOf('chat');
  const [queue] = socket().sentOf('queue');
  socket().answers(chat);
  assert.equal(await answer, 'ok');
  clock.pass(9999);
  socket().says(CHAT_LINE);
  clock.pass(9999);
  assert.equal(status(), 'open');
  socket().answers(queue);
  clock.pass(13_999);
  assert.equal(socket().sentOf('ping').length, 1);
  clock.pass(1);
  assert.equal(socket().sentOf('ping').length, 2);
});

test('hello tells the revision that the page has seen', () => {
  const { seen, connection, socket } = setUp();
  socket().opens();
  assert.ok(!('rev' in socket().sentOf('hello')[0]));
  seen.rev = 0;
  connection.reconnect();
  socket().opens();
  assert.equal(socket().sentOf('hello')[0].rev, 0);
  assert.ok(!('generation' in socket().sentOf('hello')[0]), 'servers without generations refuse it');
  Object.assign(seen, { rev: 3, generation: 2 });
  connection.reconnect();
  socket().opens();
  const [{ rev, generation }] = socket().sentOf('hello');
  assert.deepEqual([rev, generation], [3, 2]);
});

test('a server that does not answer hello is given up', () => {
  const { socket, clock, status } = setUp();
  socket().opens();
  clock.pass(10_000);
  assert.equal(status(), 'waiting');
});

for (const [code, status] of FINAL) {
  test(`a connection does not reconnect after close code ${code}`, () => {
    const { socket, sockets, clock, statuses, connection } = setUp();
    socket().welcomes();
    socket().breaks(code);
    clock.pass(60_000);
    connection.wake();
    assert.equal(sockets.length, 1);
    assert.deepEqual(statuses.at(-1), [status, null]);
    connection.reconnect();
    assert.equal(sockets.length, 2);
  });
}

test('a restart is waited for as long as the server says', () => {
  const { socket, sockets, clock, statuses, received } = setUp();
  socket().welcomes();
  socket().says({ type: 'closing', reason: 'restarting', retry_after_ms: 3000 });
  socket().breaks(4000);
  assert.deepEqual(statuses.at(-1), ['restarting', 3250]);
  assert.ok(!received.includes('closing'));
  clock.pass(3250);
  assert.equal(sockets.length, 2);
});

test('a client of a server that ends while others go on reconnects at once', async () => {
  const { socket, sockets, clock, statuses, status, connection } = setUp();
  socket().welcomes();
  const answer = connection.send({ type: 'chat', text: 'hello' });
  // The close of the socket is not awaited.
  socket().says({ type: 'closing', reason: 'moving', retry_after_ms: 0 });
  assert.equal(sockets.length, 2);
  assert.equal(status(), 'connecting');
  assert.ok(!statuses.some(([shown]) => shown === 'restarting'));
  socket().welcomes();
  socket().answers(socket().sentOf('ping')[0]);
  socket().answers(socket().sentOf('chat')[0]);
  assert.equal(await answer, 'ok');
  // A later loss is one like any other.
  socket().breaks();
  assert.equal(status(), 'waiting');
  clock.pass(60_000);
});

test('a server that cannot save is tried again, and shown as unsaved', () => {
  const { socket, clock, statuses, status } = setUp();
  socket().welcomes();
  for (let i = 0; i < 2; i += 1) {
    socket().says({ type: 'closing', reason: 'storage', retry_after_ms: 2000 });
    socket().breaks(4000);
    assert.deepEqual(statuses.at(-1), ['unsaved', clock.now() + 2250]);
    clock.pass(2250);
    socket().opens();
  }
  socket().breaks(4000);
  assert.equal(status(), 'restarting');
});

test('a client that was too fast reconnects later', () => {
  const { socket, wait } = setUp();
  socket().welcomes();
  socket().breaks(1008);
  assert.equal(wait(), 2000);
});

test('after three failed sockets the page looks for the room, and shows if it is gone', async () => {
  const { socket, clock, statuses } = setUp(async () => false);
  for (let i = 0; i < 3; i += 1) {
    socket().breaks();
    if (i < 2) clock.pass(20_000);
  }
  await new Promise((done) => setImmediate(done));
  assert.deepEqual(statuses.at(-1), ['gone', null]);
});

test('a room that cannot be reached is tried again', async () => {
  const { socket, sockets, clock, status } = setUp(async () => null);
  for (let i = 0; i < 3; i += 1) {
    socket().breaks();
    if (i < 2) clock.pass(20_000);
  }
  await new Promise((done) => setImmediate(done));
  assert.equal(status(), 'waiting');
  clock.pass(20_000);
  assert.ok(sockets.length > 3);
});

test('a room with a password asks for it, and admits with the right one', () => {
  const { socket, refusals, connection, status } = setUp();
  socket().opens();
  socket().answers(socket().sent[0], 'password_needed');
  assert.equal(status(), 'password');
  connection.tryPassword('wrong');
  assert.equal(socket().sentOf('hello')[1].password, 'wrong');
  socket().answers(socket().sent[1], 'wrong_password');
  connection.tryPassword('right');
  socket().answers(socket().sent[2]);
  assert.deepEqual(refusals, ['password_needed', 'wrong_password']);
  assert.equal(status(), 'open');
});

test('a password may be typed slowly, and is used again later', () => {
  const { socket, sockets, clock, connection, status } = setUp();
  socket().opens();
  socket().answers(socket().sent[0], 'password_needed');
  socket().breaks(4010);
  clock.pass(60_000);
  assert.equal(sockets.length, 1);
  assert.equal(status(), 'password');
  connection.tryPassword('right');
  socket().welcomes();
  assert.equal(socket().sentOf('hello')[0].password, 'right');
  socket().breaks();
  clock.pass(500);
  socket().opens();
  assert.equal(socket().sentOf('hello')[0].password, 'right');
});

test('a password that is lost on its way is sent again on the next connection', () => {
  for (const lose of [
    (/** @type {ReturnType<typeof setUp>} */ { socket }) => socket().breaks(),
    (/** @type {ReturnType<typeof setUp>} */ { clock }) => clock.pass(10_000),
  ]) {
    const given = setUp();
    const { socket, sockets, clock, connection, refusals, status } = given;
    socket().opens();
    socket().answers(socket().sent[0], 'password_needed');
    connection.tryPassword('wrong');
    lose(given);
    assert.equal(status(), 'waiting');
    clock.pass(500);
    assert.equal(sockets.length, 2);
    socket().opens();
    assert.equal(socket().sentOf('hello')[0].password, 'wrong');
    socket().answers(socket().sent[0], 'wrong_password');
    assert.deepEqual([status(), refusals], ['password', ['password_needed', 'wrong_password']]);
  }
});

test('a newcomer gives a name, and waits as long as the host takes', () => {
  const { socket, sockets, clock, refusals, connection, status } = setUp();
  socket().opens();
  socket().answers(socket().sent[0], 'name_needed');
  assert.equal(status(), 'guest_name');
  connection.tryGuestName('');
  socket().answers(socket().sent[1], 'name_empty');
  assert.deepEqual([status(), refusals], ['guest_name', ['name_needed', 'name_empty']]);
  connection.tryGuestName('Gus');
  const [, , hello] = socket().sentOf('hello');
  assert.equal(hello.name, 'Gus');
  socket().says({ type: 'waiting' });
  assert.equal(status(), 'guest');
  // No answer is expected meanwhile.
  clock.pass(120_000);
  assert.equal(sockets.length, 1);
  socket().answers(hello);
  assert.equal(status(), 'open');
});

test('a wait that the server ends goes on with the same name', () => {
  const { socket, clock, connection, status } = setUp();
  socket().opens();
  socket().answers(socket().sent[0], 'name_needed');
  connection.tryGuestName('Gus');
  socket().says({ type: 'waiting' });
  socket().breaks(4010);
  assert.equal(status(), 'waiting');
  clock.pass(500);
  socket().opens();
  assert.equal(socket().sentOf('hello')[0].name, 'Gus');
  socket().says({ type: 'waiting' });
  // The line is dead, and nobody says so.
  clock.pass(150_000);
  assert.equal(status(), 'waiting');
});

test('a guest who is turned away does not come back unasked', () => {
  const { socket, sockets, clock, connection, status } = setUp();
  socket().opens();
  socket().answers(socket().sent[0], 'name_needed');
  connection.tryGuestName('Gus');
  socket().says({ type: 'waiting' });
  socket().answers(socket().sent[1], 'not_admitted');
  clock.pass(60_000);
  assert.deepEqual([status(), sockets.length], ['turned_away', 1]);
  connection.reconnect();
  assert.equal(sockets.length, 2);
});

test('an announced end belongs to its connection only', () => {
  /** @type {ServerMessage} */
  const closing = { type: 'closing', reason: 'restarting', retry_after_ms: 1500 };
  const { socket, connection, status, wait } = setUp();
  socket().welcomes();
  socket().says(closing);
  connection.reconnect();
  socket().welcomes();
  socket().breaks();
  assert.deepEqual([status(), wait()], ['waiting', 500]);

  const locked = setUp();
  locked.socket().opens();
  locked.socket().answers(locked.socket().sent[0], 'password_needed');
  locked.socket().says(closing);
  locked.socket().breaks(4000);
  locked.connection.tryPassword('right');
  locked.socket().welcomes();
  locked.socket().breaks();
  assert.equal(locked.status(), 'waiting');
});

test('an ended connection answers all commands and never reconnects', async () => {
  const { socket, sockets, clock, statuses, connection } = setUp();
  socket().welcomes();
  const answer = connection.send({ type: 'start' });
  const before = statuses.length;
  connection.end();
  clock.pass(60_000);
  assert.equal(await answer, 'not_connected');
  assert.equal(await connection.send({ type: 'start' }), 'not_connected');
  assert.equal(sockets.length, 1);
  assert.equal(statuses.length, before);
});

test('text that is not JSON is ignored', () => {
  const { socket, received } = setUp();
  socket().welcomes();
  socket().onmessage?.({ data: '{' });
  assert.deepEqual(received, ['welcome']);
});

test('the close code determines what follows', () => {
  for (const [code, status] of FINAL) assert.deepEqual(outcomeOfClose(code, null, 9), { next: 'end', status });
  assert.deepEqual(outcomeOfClose(1006, null, 0), { next: 'back_off', minDelay: 0 });
  assert.deepEqual(outcomeOfClose(1008, null, 0), { next: 'back_off', minDelay: 2000 });
  assert.deepEqual(outcomeOfClose(1013, null, 2), { next: 'back_off', minDelay: 2000 });
  assert.deepEqual(outcomeOfClose(1006, null, 3), { next: 'look_for_room' });
});

test('an announced end determines the delay and the status', () => {
  /** @type {Closing} */
  const closing = { type: 'closing', reason: 'restarting', retry_after_ms: 1500 };
  const restart = { next: 'retry_when_told', status: 'restarting', delay: 1500 };
  assert.deepEqual(outcomeOfClose(1006, closing, 3), restart);
  assert.deepEqual(outcomeOfClose(4000, null, 0), { ...restart, delay: 500 });
  assert.deepEqual(outcomeOfClose(4000, { ...closing, reason: 'storage' }, 0), { ...restart, status: 'unsaved' });
  assert.deepEqual(outcomeOfClose(4000, { ...closing, reason: 'moving' }, 0), { next: 'reconnect' });
});

test('unanswered commands keep their order, and each is answered once', async () => {
  const commands = new UnansweredCommands();
  const add = (/** @type {string} */ id, /** @type {string} */ text) =>
    commands.add(id, { text, isRepeated: true, isCurrent: () => true });
  const answers = [add('1', 'one'), add('2', 'two'), add('3', 'three')];
  commands.answer('2', 'ok');
  commands.answer('2', 'not_host');
  assert.deepEqual(commands.takeUnsent(), ['one', 'three']);
  assert.deepEqual(commands.takeUnsent(), []);
  commands.endConnection();
  assert.deepEqual(commands.takeUnsent(), ['one', 'three']);
  assert.equal(commands.size, 2);
  commands.answerAll('not_connected');
  commands.endConnection();
  assert.deepEqual(commands.takeUnsent(), []);
  assert.equal(commands.size, 0);
  assert.deepEqual(await Promise.all(answers), ['not_connected', 'ok', 'not_connected']);
});
