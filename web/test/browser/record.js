// Records messages of the real server at tables for the scenes. Cards, codes and times differ from game to game, and
// pictures can only be compared if they do not. To record anew:
//
//   node web/test/browser/record.js

import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { Server } from './harness.js';
import { CODE, FOLDER } from './recordings.js';
import { Seat, Table } from './seats.js';

/** @import { Recording } from './recordings.js' */

const NAMES = ['Ada', 'Mira', 'Jonas', 'Selim', 'Annegret', 'Tom'];
const LONG = [
  'W'.repeat(20),
  'Annegret-Charlotte A',
  'Mmmmmmmmmm Wwwwwwwww',
  'Donaudampfschifffahr',
  'Łucja-Ágnes Öztürk Ş',
  'WWWWWWWWWWWWWWWWWWWX',
];
const SWIFT = [
  '--messages-per-second',
  '100000',
  '--messages-at-once',
  '100000',
  '--rooms-per-address',
  '1000',
  '--upgrades-per-minute',
  '10000',
];

/** The recordings by name. */
const RECORDINGS = {
  lobby,
  guest,
  bots,
  nyetLobby,
  empty,
  four,
  three,
  five,
  six,
  long,
  zeros,
  tie,
  spectator,
  absent,
  stoodIn,
  byBot,
  talk,
  nyet2: nyet(2),
  nyet3: nyet(3),
  nyet4: nyet(4),
  nyet5: nyet(5),
  nyetLong,
};

/** @param {string[]} names of what is to be recorded; else everything is */
async function record(names) {
  const server = await Server.start({ options: SWIFT });
  for (const [name, make] of Object.entries(RECORDINGS)) {
    if (names.length > 0 && !names.includes(name)) continue;
    const recording = await make(server.url);
    await writeFile(new URL(`${name}.json`, FOLDER), written(recording));
    console.log(name, Object.keys(recording.marks).join(', '));
  }
  await server.end('SIGKILL');
  process.exit();
}

/** Opens a table for a host alone, a guest, and a table that is full. @param {string} url */
async function lobby(url) {
  const {
    seats: [ada],
    code,
  } = await opened(url, { seats: 4, names: 1, title: 'Donnerstagsrunde' });
  const film = new Film(ada);
  film.mark('host');
  const mira = await Seat.come(url, code, 'Mira');
  await mira.says('ready', { ready: true });
  await Seat.come(url, code, 'Jonas');
  await ada.until(() => ada.room.chairs[2].kind === 'person');
  film.mark('three');
  await ada.says('add_bot', { level: 'normal' });
  await ada.until(() => ada.room.chairs[3].kind === 'bot');
  film.mark('full');
  await ada.says('configure', {
    turn_seconds: 60,
    listed: true,
    options: { ...ada.room.options, end: { type: 'target', target: 100, max_rounds: 20 }, edition: 'amigo-1993' },
  });
  await ada.until(() => ada.room.turn_seconds === 60);
  film.mark('configured');
  return film.cut();
}

/** @param {string} url */
async function guest(url) {
  const {
    seats: [, mira],
  } = await opened(url, { seats: 4, names: 3, title: 'Donnerstagsrunde' });
  const film = new Film(mira);
  film.mark('guest');
  await mira.says('ready', { ready: true });
  await mira.until(() => mira.room.chairs[1].ready);
  film.mark('ready');
  return film.cut();
}

/** @param {string} url */
async function bots(url) {
  const {
    seats: [ada],
    code,
  } = await opened(url, { seats: 6, names: 1, title: null, password: 'swordfish' });
  for (const level of ['beginner', 'normal', 'expert', 'normal']) await ada.says('add_bot', { level });
  const film = new Film(ada);
  await Seat.come(url, code, 'W'.repeat(20), 'swordfish');
  await ada.until(() => ada.room.chairs.every((/** @type {any} */ chair) => chair.kind !== 'free'));
  film.mark('bots');
  return film.cut();
}

/** @param {string} url */
async function nyetLobby(url) {
  const {
    seats: [ada],
  } = await opened(url, { game: 'nyet', seats: 4, names: 3, title: null });
  const film = new Film(ada);
  film.mark('lobby');
  return film.cut();
}

/** Somebody who has not sat down. @param {string} url */
async function empty(url) {
  const { code } = await opened(url, { seats: 4, names: 2, title: 'Donnerstagsrunde' });
  const film = new Film(await Seat.come(url, code));
  film.mark('lobby');
  return film.cut();
}

/** A game of two rounds; the second one is seen from the first card to the ranking. @param {string} url */
async function four(url) {
  const options = { end: { type: 'rounds', rounds: 2 }, show_running_score: true, show_history: 'all' };
  const { table, seats } = await playing(url, { seats: 4, options });
  await table.playRounds();
  const [ada] = seats;
  const film = new Film(ada);
  film.mark('pick');
  const [, mira] = seats;
  await table.act(mira, mira.game.legal[4]);
  await table.act(ada, ada.game.legal[2]);
  film.mark('picked');
  await table.play(() => ada.table.phase === 'trick');
  film.mark('reveal');
  await table.play(() => ada.table.tricks_played >= 2 && ada.table.trick.cards.length === 1 && !ada.isOnTurn);
  film.mark('waiting');
  await table.play(() => ada.table.tricks_played >= 3 && ada.table.trick.cards.length >= 2 && ada.isOnTurn);
  film.mark('turn');
  await table.act(ada, ada.game.legal[1]);
  film.mark('sent');
  await table.play(() => lastEvent(ada) === 'trick_taken');
  film.mark('taken');
  await table.play(() => ada.isOnTurn && ada.table.trick?.cards.length === 0);
  film.mark('lead');
  await ada.says('pause');
  await ada.until(() => ada.room.phase === 'paused');
  film.mark('paused');
  await ada.says('resume');
  await ada.until(() => ada.room.phase === 'playing');
  await table.play();
  film.mark('round-end');
  for (const seat of seats.slice(1)) await seat.says('ready', { ready: true });
  await ada.until(() => ada.room.chairs.filter((/** @type {any} */ chair) => chair.ready).length === 3);
  film.mark('game-end');
  return film.cut();
}

/** @param {string} url */
async function three(url) {
  const {
    table,
    seats: [ada],
  } = await playing(url, { seats: 3 });
  const film = new Film(ada);
  film.mark('pick');
  await table.play(() => ada.table.phase === 'trick');
  film.mark('reveal');
  await table.play(() => ada.isOnTurn && ada.table.trick.cards.length === 2);
  film.mark('turn');
  await table.play();
  film.mark('round-end');
  return film.cut();
}

/** The edition of 1993. @param {string} url */
async function five(url) {
  const options = { edition: 'amigo-1993', end: { type: 'rounds', rounds: 3 } };
  const {
    table,
    seats: [ada],
  } = await playing(url, { seats: 5, options, turn_seconds: 60 });
  const film = new Film(ada);
  await table.play(() => ada.table.phase === 'trick');
  film.mark('reveal');
  await table.play(() => ada.isOnTurn && ada.table.trick.cards.length >= 3);
  film.mark('turn');
  await table.play(() => lastEvent(ada) === 'trick_taken' && ada.table.tricks_played > 4);
  film.mark('taken');
  return film.cut();
}

/** @param {string} url */
async function six(url) {
  const {
    table,
    seats: [ada],
  } = await playing(url, { seats: 6, options: { edition: 'amigo-1993', show_running_score: true } });
  const film = new Film(ada);
  film.mark('pick');
  await table.play(() => ada.table.phase === 'trick');
  film.mark('reveal');
  await table.play(() => ada.isOnTurn && ada.table.trick.cards.length >= 4);
  film.mark('turn');
  await table.play();
  film.mark('round-end');
  return film.cut();
}

/** Names as wide as they may be, and scores of three digits. @param {string} url */
async function long(url) {
  const options = { end: { type: 'rounds', rounds: 12 }, show_running_score: true };
  const { table, seats } = await playing(url, {
    seats: 6,
    options,
    names: LONG,
    title: 'Donnerstagsrunde im Schwarzen Walfisch A',
  });
  const [ada] = seats;
  await table.playRounds(11);
  const film = new Film(ada);
  film.mark('pick');
  await table.play(() => ada.table.phase === 'trick');
  film.mark('reveal');
  await table.play(() => ada.isOnTurn && ada.table.trick.cards.length >= 3);
  film.mark('turn');
  await table.play();
  for (const seat of seats.slice(1)) await seat.says('ready', { ready: true });
  await ada.until(() => ada.room.chairs.filter((/** @type {any} */ chair) => chair.ready).length === 5);
  film.mark('game-end');
  return film.cut();
}

/** Zeros lie on the table, and nothing else. @param {string} url */
async function zeros(url) {
  for (;;) {
    const { table, seats } = await playing(url, { seats: 3 });
    const [ada] = seats;
    const film = new Film(ada);
    const isZero = (/** @type {any} */ action) => action.card.endsWith('-0');
    const zerosFirst = (/** @type {Seat} */ _, /** @type {any[]} */ legal) =>
      legal.find((action) => isZero(action) === (ada.table.phase === 'trick')) ?? legal[0];
    await table.play(() => ada.isOnTurn && lying(ada).length === 2, zerosFirst);
    const own = ada.game.legal.find(isZero);
    if (!own || !lying(ada).every((/** @type {string} */ card) => card.endsWith('-0'))) continue;
    film.mark('turn');
    await table.act(ada, own);
    film.mark('aside');
    return film.cut();
  }
}

/** @param {Seat} seat */
const lying = (seat) => seat.table.trick?.cards ?? [];

/** Two have the same, and nobody has more. @param {string} url */
async function tie(url) {
  for (;;) {
    const {
      table,
      seats: [ada],
    } = await playing(url, { seats: 3, options: { end: { type: 'rounds', rounds: 1 } } });
    const film = new Film(ada);
    await table.play();
    const places = ada.room.standings ?? [];
    await ada.until(() => ada.room.phase === 'over');
    const totals = ada.room.sheet.totals ?? places;
    const best = Math.max(...totals);
    if (totals.filter((/** @type {number} */ total) => total === best).length < 2) continue;
    film.mark('game-end');
    return film.cut();
  }
}

/** @param {string} url */
async function spectator(url) {
  const {
    table,
    seats: [ada],
    code,
  } = await playing(url, { seats: 4 });
  const eve = await Seat.come(url, code);
  await eve.until(() => eve.game !== null);
  const film = new Film(eve);
  await table.play(() => ada.table.phase === 'trick');
  await table.play(() => ada.table.tricks_played === 2 && lying(ada).length === 2);
  await eve.until(() => eve.game.rev >= ada.game.rev);
  film.mark('trick');
  await table.play();
  await eve.until(() => eve.game.rev >= ada.game.rev);
  film.mark('round-end');
  return film.cut();
}

/** All wait for somebody who is gone. @param {string} url */
async function absent(url) {
  const { table, seats } = await playing(url, { seats: 4 });
  const [ada] = seats;
  const film = new Film(ada);
  await table.play(() => ada.table.phase === 'trick');
  await table.play(() => seats[2].isOnTurn && lying(ada).length > 0);
  seats[2].drop();
  await ada.until(() => ada.room.chairs[2].presence === 'away');
  film.mark('away');
  return film.cut();
}

/** A bot plays for somebody who is back. @param {string} url */
async function stoodIn(url) {
  const { table, seats } = await playing(url, { seats: 4 });
  const [, mira, jonas] = seats;
  await table.play(() => mira.table.phase === 'trick' && jonas.isOnTurn);
  jonas.drop();
  await calledFor(2, mira);
  await mira.until(() => mira.room.chairs[2].stood_in);
  await jonas.connect();
  await jonas.until(() => jonas.room.chairs[2].stood_in);
  const film = new Film(jonas);
  film.mark('back');
  return film.cut();
}

/** A bot lays a card for somebody who is away. @param {string} url */
async function byBot(url) {
  const { table, seats } = await playing(url, { seats: 4 });
  const [, mira, jonas] = seats;
  await table.play(() => mira.table.phase === 'trick' && mira.table.trick.cards.length > 0 && jonas.isOnTurn);
  jonas.drop();
  await calledFor(2, mira);
  const film = new Film(mira);
  await mira.until(() =>
    mira.heard.some(({ events = [] }) => events.some((/** @type {any} */ { type }) => type === 'acted_for')),
  );
  film.mark('laid');
  return film.cut();
}

/**
 * Somebody lets a bot stand in, as soon as that may be.
 * @param {number} seat
 * @param {Seat} friend
 */
async function calledFor(seat, friend) {
  await friend.until(() => friend.room.chairs[seat].presence === 'away');
  for (;;) {
    try {
      return await friend.says('stand_in', { seat });
    } catch {
      await new Promise((next) => setTimeout(next, 1000));
    }
  }
}

/** People talk. @param {string} url */
async function talk(url) {
  const { table, seats } = await playing(url, { seats: 4 });
  const [ada, mira, jonas] = seats;
  await table.play(() => ada.table.phase === 'trick');
  const film = new Film(ada);
  await mira.says('chat', { text: 'Who has the blue 9?' });
  await jonas.says('chat', {
    text: `Not me. But this is a long line, which has to be broken somewhere, if it is to be read: ${'W'.repeat(80)}`,
  });
  await ada.says('chat', { text: 'Hm.' });
  await mira.says('react', { reaction: 'laugh' });
  await ada.until(() => ada.heard.at(-1).type === 'reacted');
  film.mark('talk');
  return film.cut();
}

/**
 * A round of Nyet! in which the seat that is looked at chooses the teams, and cards are laid aside or passed.
 * @param {number} seats
 */
function nyet(seats) {
  return async (/** @type {string} */ url) => {
    for (;;) {
      const { table, seats: all } = await playing(url, {
        game: 'nyet',
        seats,
        options: { end: { type: 'rounds', rounds: seats === 3 ? 2 : 1 } },
      });
      const [ada] = all;
      const film = new Film(ada);
      await table.play(() => ada.isOnTurn && covered(ada) >= 8);
      film.mark('board');
      await table.play(() => ada.table.phase !== 'nyet');
      film.mark('settled');
      const { start_seat: starter, discard } = ada.table.conditions;
      if ((seats > 2 && starter !== 0) || discard === 'none') continue;
      if (seats > 2) {
        film.mark('team');
        await table.act(ada, ada.game.legal.at(-1));
      }
      film.mark('discard');
      await table.act(ada, ada.game.legal[3]);
      film.mark('discarded');
      await table.play(() => ada.table.phase === 'trick');
      await table.play(
        () =>
          ada.isOnTurn &&
          ada.table.tricks_won.some((/** @type {number} */ won) => won > 1) &&
          lying(ada).length === seats - 1,
      );
      film.mark('turn');
      await table.play(() => lastEvent(ada) === 'trick_taken' && ada.table.loot.flat().length > 1);
      film.mark('taken');
      await table.play();
      film.mark(seats === 3 ? 'round-end' : 'game-end');
      return film.cut();
    }
  };
}

/** The last of many rounds of Nyet!: names as wide as they may be, scores of three digits, and some below zero. @param {string} url */
async function nyetLong(url) {
  const rounds = 12;
  for (;;) {
    const { table, seats } = await playing(url, {
      game: 'nyet',
      seats: 5,
      options: { end: { type: 'rounds', rounds } },
      names: LONG.slice(0, 5),
      title: 'Donnerstagsrunde im Schwarzen Walfisch A',
    });
    const [ada] = seats;
    await table.playRounds(rounds - 1);
    const { totals, rounds: scored } = ada.room.sheet;
    const isLong = Math.max(...totals) >= 100 && scored.flat().some((/** @type {any} */ { points }) => points <= -10);
    const film = new Film(ada);
    await table.play(() => ada.isOnTurn && covered(ada) >= 8);
    film.mark('board');
    await table.play(() => ada.table.phase !== 'nyet');
    const { start_seat: starter, discard } = ada.table.conditions;
    if (!isLong || starter !== 0 || discard === 'none') continue;
    film.mark('team');
    await table.act(ada, ada.game.legal.at(-1));
    film.mark('discard');
    await table.play(() => ada.table.phase === 'trick');
    await table.play(() => ada.isOnTurn && ada.table.loot.flat().length > 2 && lying(ada).length > 1);
    film.mark('turn');
    await table.play(() => lastEvent(ada) === 'trick_taken');
    film.mark('taken');
    await table.play();
    film.mark('game-end');
    return film.cut();
  }
}

/** How many spaces of the board are covered. @param {Seat} seat */
const covered = ({ table }) =>
  Object.values(table.board)
    .flatMap(Object.values)
    .filter((by) => by !== null).length;

/** @param {Seat} seat */
const lastEvent = (seat) => seat.game.events?.at(-1)?.type;

/**
 * A table in the lobby.
 * @param {string} url
 * @param {{ game?: string, seats: number, names?: number | string[], title?: string | null, options?: object, password?: string }} wish
 */
async function opened(url, { game = 'sticheln', seats, names = seats, title = 'Donnerstagsrunde', options, password }) {
  const answer = await fetch(`${url}api/rooms`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      game,
      seats,
      ...(title && { title }),
      ...(options && { options }),
      ...(password && { password }),
    }),
  });
  const { room: code } = await answer.json();
  const sitting = [];
  for (const name of typeof names === 'number' ? NAMES.slice(0, names) : names)
    sitting.push(await Seat.come(url, code, name, password));
  for (const seat of sitting)
    await seat.until(
      () => seat.room.chairs.filter((/** @type {any} */ chair) => chair.kind === 'person').length === sitting.length,
    );
  return { code, seats: sitting };
}

/**
 * A table at which the first round is dealt.
 * @param {string} url
 * @param {Parameters<typeof opened>[1] & { turn_seconds?: number }} wish
 */
async function playing(url, { turn_seconds, ...wish }) {
  const { code, seats } = await opened(url, wish);
  if (turn_seconds) await seats[0].says('configure', { turn_seconds });
  await seats[0].says('start');
  const table = new Table(seats, Math.random);
  await table.next();
  return { code, seats, table };
}

/** The messages to a seat from now on. */
class Film {
  /** @type {Record<string, number>} */
  #marks = {};

  /** @param {Seat} seat */
  constructor(seat) {
    const last = (/** @type {string} */ type) => seat.heard.filter((message) => message.type === type).slice(-1);
    const game = last('game').map((game) => ({ ...game, events: [] }));
    this.seat = seat;
    this.at = Date.now();
    this.start = seat.heard.length;
    this.arrival = [
      ...last('welcome').map((welcome) => ({ ...welcome, you: seat.room.you })),
      ...last('room'),
      ...(seat.room.phase === 'lobby' ? [] : game),
    ];
  }

  /** A scene is reached. @param {string} name */
  mark(name) {
    this.#marks[name] = this.seat.heard.length - this.start;
  }

  /** @returns {Recording} */
  cut() {
    const last = Math.max(...Object.values(this.#marks));
    const news = this.seat.heard.slice(this.start, this.start + last);
    for (const message of this.arrival) if (message.room) message.room = CODE;
    return { at: this.at, arrival: this.arrival, news, marks: this.#marks };
  }
}

/**
 * A recording with one message on each line.
 * @param {Recording} recording
 */
function written({ at, arrival, news, marks }) {
  const lines = (/** @type {any[]} */ messages) => messages.map((message) => JSON.stringify(message)).join(',\n');
  return `{"at":${at},"marks":${JSON.stringify(marks)},"arrival":[\n${lines(arrival)}\n],"news":[\n${lines(news)}\n]}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await record(process.argv.slice(2));
