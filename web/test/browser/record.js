// Records messages of the real server for scenes. Cards, codes and times differ from game to game; with a recording the
// screenshots are the same in every run. To regenerate all recordings, or those with these names:
//
//   node web/test/browser/record.js [NAME]

import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { eventsOf } from '../messages.js';
import { Client, createRoom, GamePlay } from './clients.js';
import { UNLIMITED } from './first-screens.js';
import { RECORDINGS_FOLDER, REPLAY_STEP_MS, ROOM_CODE } from './recordings.js';
import { Server } from './server.js';

/** @import { ServerMessage } from '../../js/protocol.js' */
/** @import { AnyAction, Received } from './clients.js' */
/** @import { Recording } from './recordings.js' */

const NAMES = ['Ada', 'Mira', 'Jonas', 'Selim', 'Annegret', 'Tom'];
const LONG_NAMES = [
  'W'.repeat(20),
  'Annegret-Charlotte A',
  'Mmmmmmmmmm Wwwwwwwww',
  'Donaudampfschifffahr',
  'Łucja-Ágnes Öztürk Ş',
  'WWWWWWWWWWWWWWWWWWWX',
];

/** The functions that make the recordings, by name. */
const RECORDINGS = {
  lobby,
  guest,
  bots,
  nyetLobby,
  lobbySpectator,
  sticheln4,
  sticheln3,
  sticheln5,
  sticheln6,
  longNames,
  zeros,
  tie,
  spectator,
  playerAway,
  standInReturn,
  standInPlays,
  talk,
  nyet2: nyet(2),
  nyet3: nyet(3),
  nyet4: nyet(4),
  nyet5: nyet(5),
  nyetUndealt,
  nyetLongNames,
};

/**
 * Makes recordings and writes them to files.
 * @param {string[]} names the default is all of them
 */
async function record(names) {
  const server = await Server.start({ options: UNLIMITED });
  for (const [name, make] of Object.entries(RECORDINGS)) {
    if (names.length > 0 && !names.includes(name)) continue;
    const recording = await make(server.url);
    await writeFile(new URL(`${name}.json`, RECORDINGS_FOLDER), textOf(recording));
    console.log(name, Object.keys(recording.marks).join(', '));
  }
  await server.end('SIGKILL');
  process.exit();
}

/** The host in the lobby: alone, with guests, at a full room, and with other options. @param {string} url */
async function lobby(url) {
  const {
    clients: [ada],
    code,
  } = await openLobby(url, { seats: 4, names: 1, title: 'Donnerstagsrunde' });
  const recorder = new Recorder(ada);
  recorder.mark('host');
  const mira = await Client.join(url, code, 'Mira');
  await mira.send('ready', { ready: true });
  await Client.join(url, code, 'Jonas');
  await ada.waitFor(() => ada.room.chairs[2].kind === 'person');
  recorder.mark('three');
  await ada.send('add_bot', { level: 'normal' });
  await ada.waitFor(() => ada.room.chairs[3].kind === 'bot');
  recorder.mark('full');
  await ada.send('configure', {
    turn_seconds: 60,
    listed: true,
    options: { ...ada.room.options, end: { type: 'target', target: 100, max_rounds: 20 }, edition: 'amigo-1993' },
  });
  await ada.waitFor(() => ada.room.turn_seconds === 60);
  recorder.mark('configured');
  return recorder.finish();
}

/** @param {string} url */
async function guest(url) {
  const {
    clients: [, mira],
  } = await openLobby(url, { seats: 4, names: 3, title: 'Donnerstagsrunde' });
  const recorder = new Recorder(mira);
  recorder.mark('guest');
  await mira.send('ready', { ready: true });
  await mira.waitFor(() => mira.room.chairs[1].ready);
  recorder.mark('ready');
  return recorder.finish();
}

/** @param {string} url */
async function bots(url) {
  const {
    clients: [ada],
    code,
  } = await openLobby(url, { seats: 6, names: 1, title: null, password: 'swordfish' });
  for (const level of ['beginner', 'normal', 'expert', 'normal']) await ada.send('add_bot', { level });
  const recorder = new Recorder(ada);
  await Client.join(url, code, 'W'.repeat(20), 'swordfish');
  await ada.waitFor(() => ada.room.chairs.every((chair) => chair.kind !== 'free'));
  recorder.mark('bots');
  return recorder.finish();
}

/** @param {string} url */
async function nyetLobby(url) {
  const {
    clients: [ada, mira],
  } = await openLobby(url, { game: 'nyet', seats: 4, names: 3, title: null });
  await mira.send('choose_character', { character: 'crane' });
  await ada.send('choose_character', { character: 'wolf' });
  const recorder = new Recorder(ada);
  recorder.mark('lobby');
  return recorder.finish();
}

/** A spectator in the lobby. @param {string} url */
async function lobbySpectator(url) {
  const { code } = await openLobby(url, { seats: 4, names: 2, title: 'Donnerstagsrunde' });
  const recorder = new Recorder(await Client.join(url, code));
  recorder.mark('lobby');
  return recorder.finish();
}

/** The second round of a game of two, from the first card to the ranking. @param {string} url */
async function sticheln4(url) {
  const options = { end: { type: 'rounds', rounds: 2 }, show_running_score: true, show_history: 'all' };
  const { gamePlay, clients } = await startRecordedGame(url, { seats: 4, options });
  await gamePlay.playRounds();
  const [ada] = clients;
  const recorder = new Recorder(ada);
  recorder.mark('pick');
  const [, mira] = clients;
  await gamePlay.act(mira, mira.game.legal[4]);
  await gamePlay.act(ada, ada.game.legal[2]);
  recorder.mark('picked');
  await gamePlay.play(() => ada.table.phase === 'trick');
  recorder.mark('reveal');
  await gamePlay.play(() => ada.table.tricks_played >= 2 && ada.table.trick.cards.length === 1 && !ada.isOnTurn);
  recorder.mark('waiting');
  await gamePlay.play(() => ada.table.tricks_played >= 3 && ada.table.trick.cards.length >= 2 && ada.isOnTurn);
  recorder.mark('turn');
  await gamePlay.act(ada, ada.game.legal[1]);
  recorder.mark('sent');
  await gamePlay.play(() => lastEvent(ada) === 'trick_taken');
  recorder.mark('taken');
  await gamePlay.play(() => ada.isOnTurn && ada.table.trick?.cards.length === 0);
  recorder.mark('lead');
  await ada.send('pause');
  await ada.waitFor(() => ada.room.phase === 'paused');
  recorder.mark('paused');
  await ada.send('resume');
  await ada.waitFor(() => ada.room.phase === 'playing');
  await gamePlay.play();
  recorder.mark('round-end');
  for (const seat of clients.slice(1)) await seat.send('ready', { ready: true });
  await ada.waitFor(() => ada.room.chairs.filter((chair) => chair.ready).length === 3);
  recorder.mark('game-end');
  return recorder.finish();
}

/** @param {string} url */
async function sticheln3(url) {
  const {
    gamePlay,
    clients: [ada],
  } = await startRecordedGame(url, { seats: 3 });
  const recorder = new Recorder(ada);
  recorder.mark('pick');
  await gamePlay.play(() => ada.table.phase === 'trick');
  recorder.mark('reveal');
  await gamePlay.play(() => ada.isOnTurn && ada.table.trick.cards.length === 2);
  recorder.mark('turn');
  await gamePlay.play();
  recorder.mark('round-end');
  return recorder.finish();
}

/** The edition of 1993. @param {string} url */
async function sticheln5(url) {
  const options = { edition: 'amigo-1993', end: { type: 'rounds', rounds: 3 } };
  const {
    gamePlay,
    clients: [ada],
  } = await startRecordedGame(url, { seats: 5, options, turn_seconds: 60 });
  const recorder = new Recorder(ada);
  await gamePlay.play(() => ada.table.phase === 'trick');
  recorder.mark('reveal');
  await gamePlay.play(() => ada.isOnTurn && ada.table.trick.cards.length >= 3);
  recorder.mark('turn');
  await gamePlay.play(() => lastEvent(ada) === 'trick_taken' && ada.table.tricks_played > 4);
  recorder.mark('taken');
  return recorder.finish();
}

/** @param {string} url */
async function sticheln6(url) {
  const {
    gamePlay,
    clients: [ada],
  } = await startRecordedGame(url, { seats: 6, options: { edition: 'amigo-1993', show_running_score: true } });
  const recorder = new Recorder(ada);
  recorder.mark('pick');
  await gamePlay.play(() => ada.table.phase === 'trick');
  recorder.mark('reveal');
  await gamePlay.play(() => ada.isOnTurn && ada.table.trick.cards.length >= 4);
  recorder.mark('turn');
  await gamePlay.play();
  recorder.mark('round-end');
  return recorder.finish();
}

/** Names as wide as they may be, and scores of three digits. @param {string} url */
async function longNames(url) {
  const options = { end: { type: 'rounds', rounds: 12 }, show_running_score: true };
  const { gamePlay, clients } = await startRecordedGame(url, {
    seats: 6,
    options,
    names: LONG_NAMES,
    title: 'Donnerstagsrunde im Schwarzen Walfisch A',
  });
  const [ada] = clients;
  await gamePlay.playRounds(11);
  const recorder = new Recorder(ada);
  recorder.mark('pick');
  await gamePlay.play(() => ada.table.phase === 'trick');
  recorder.mark('reveal');
  await gamePlay.play(() => ada.isOnTurn && ada.table.trick.cards.length >= 3);
  recorder.mark('turn');
  await gamePlay.play();
  for (const seat of clients.slice(1)) await seat.send('ready', { ready: true });
  await ada.waitFor(() => ada.room.chairs.filter((chair) => chair.ready).length === 5);
  recorder.mark('game-end');
  return recorder.finish();
}

/** A trick of zeros only. @param {string} url */
async function zeros(url) {
  for (;;) {
    const { gamePlay, clients } = await startRecordedGame(url, { seats: 3 });
    const [ada] = clients;
    const recorder = new Recorder(ada);
    const isZero = (/** @type {AnyAction} */ action) => action.card.endsWith('-0');
    const zerosFirst = (/** @type {Client} */ _, /** @type {AnyAction[]} */ legal) =>
      legal.find((action) => isZero(action) === (ada.table.phase === 'trick')) ?? legal[0];
    await gamePlay.play(() => ada.isOnTurn && lying(ada).length === 2, zerosFirst);
    const own = ada.game.legal.find(isZero);
    if (!own || !lying(ada).every((card) => card.endsWith('-0'))) continue;
    recorder.mark('turn');
    await gamePlay.act(ada, own);
    recorder.mark('aside');
    return recorder.finish();
  }
}

/** @param {Client} seat */
const lying = (seat) => seat.table.trick?.cards ?? [];

/** Two players share the highest total. @param {string} url */
async function tie(url) {
  for (;;) {
    const {
      gamePlay,
      clients: [ada],
    } = await startRecordedGame(url, { seats: 3, options: { end: { type: 'rounds', rounds: 1 } } });
    const recorder = new Recorder(ada);
    await gamePlay.play();
    await ada.waitFor(() => ada.room.phase === 'over');
    const { totals } = ada.sheet;
    const best = Math.max(...totals);
    if (totals.filter((total) => total === best).length < 2) continue;
    recorder.mark('game-end');
    return recorder.finish();
  }
}

/** @param {string} url */
async function spectator(url) {
  const {
    gamePlay,
    clients: [ada],
    code,
  } = await startRecordedGame(url, { seats: 4 });
  const eve = await Client.join(url, code);
  await eve.waitFor(() => eve.hasGame);
  const recorder = new Recorder(eve);
  await gamePlay.play(() => ada.table.phase === 'trick');
  await gamePlay.play(() => ada.table.tricks_played === 2 && lying(ada).length === 2);
  await eve.waitFor(() => eve.game.rev >= ada.game.rev);
  recorder.mark('trick');
  await gamePlay.play();
  await eve.waitFor(() => eve.game.rev >= ada.game.rev);
  recorder.mark('round-end');
  return recorder.finish();
}

/** The room waits for a player who is away. @param {string} url */
async function playerAway(url) {
  const { gamePlay, clients } = await startRecordedGame(url, { seats: 4 });
  const [ada] = clients;
  const recorder = new Recorder(ada);
  await gamePlay.play(() => ada.table.phase === 'trick');
  await gamePlay.play(() => clients[2].isOnTurn && lying(ada).length > 0);
  clients[2].disconnect();
  await ada.waitFor(() => ada.room.chairs[2].presence === 'away');
  recorder.mark('away');
  return recorder.finish();
}

/** A player returns to a seat for which a bot stands in. @param {string} url */
async function standInReturn(url) {
  const { gamePlay, clients } = await startRecordedGame(url, { seats: 4 });
  const [, mira, jonas] = clients;
  await gamePlay.play(() => mira.table.phase === 'trick' && jonas.isOnTurn);
  jonas.disconnect();
  await callStandIn(2, mira);
  await mira.waitFor(() => mira.room.chairs[2].stood_in);
  await jonas.connect();
  await jonas.waitFor(() => jonas.room.chairs[2].stood_in);
  const recorder = new Recorder(jonas);
  recorder.mark('back');
  return recorder.finish();
}

/** A bot plays a card for a player who is away. @param {string} url */
async function standInPlays(url) {
  const { gamePlay, clients } = await startRecordedGame(url, { seats: 4 });
  const [, mira, jonas] = clients;
  await gamePlay.play(() => mira.table.phase === 'trick' && mira.table.trick.cards.length > 0 && jonas.isOnTurn);
  jonas.disconnect();
  await callStandIn(2, mira);
  const recorder = new Recorder(mira);
  await mira.waitFor(() => mira.received.flatMap(eventsOf).some(({ type }) => type === 'acted_for'));
  recorder.mark('laid');
  return recorder.finish();
}

/**
 * Lets a bot stand in for an absent player, as soon as the server allows it.
 * @param {number} seat
 * @param {Client} friend
 */
async function callStandIn(seat, friend) {
  await friend.waitFor(() => friend.room.chairs[seat].presence === 'away');
  for (;;) {
    try {
      return await friend.send('stand_in', { seat });
    } catch {
      await new Promise((next) => setTimeout(next, 1000));
    }
  }
}

/** Chat and reactions. @param {string} url */
async function talk(url) {
  const { gamePlay, clients } = await startRecordedGame(url, { seats: 4 });
  const [ada, mira, jonas] = clients;
  await gamePlay.play(() => ada.table.phase === 'trick');
  const recorder = new Recorder(ada);
  await mira.send('chat', { text: 'Who has the blue 9?' });
  await jonas.send('chat', {
    text: `Not me. But this is a long line, which has to be broken somewhere, if it is to be read: ${'W'.repeat(80)}`,
  });
  await ada.send('chat', { text: 'Hm.' });
  await mira.send('react', { reaction: 'laugh' });
  await ada.waitFor(() => ada.received.at(-1)?.type === 'reacted');
  recorder.mark('talk');
  return recorder.finish();
}

/**
 * A round of Nyet! in which the recorded player chooses the teams, and players lay aside or pass cards.
 * @param {number} seats
 */
function nyet(seats) {
  return async (/** @type {string} */ url) => {
    for (;;) {
      const { gamePlay, clients: all } = await startRecordedGame(url, {
        game: 'nyet',
        seats,
        options: { end: { type: 'rounds', rounds: seats === 3 ? 2 : 1 } },
      });
      const [ada] = all;
      const recorder = new Recorder(ada);
      await gamePlay.play(() => ada.isOnTurn && covered(ada) >= 8);
      recorder.mark('board');
      await gamePlay.play(() => ada.table.phase !== 'cover');
      recorder.mark('settled');
      const { start_seat: starter, discard } = ada.table.conditions;
      if ((seats > 2 && starter !== 0) || discard === 'none') continue;
      if (seats > 2) {
        recorder.mark('team');
        await gamePlay.act(ada, lastOf(ada.game.legal));
      }
      recorder.mark('discard');
      await gamePlay.act(ada, ada.game.legal[3]);
      recorder.mark('discarded');
      await gamePlay.play(() => ada.table.phase === 'trick');
      await gamePlay.play(
        () => ada.isOnTurn && ada.table.tricks_won.some((won) => won > 1) && lying(ada).length === seats - 1,
      );
      recorder.mark('turn');
      await gamePlay.play(() => lastEvent(ada) === 'trick_taken' && ada.table.loot.flat().length > 1);
      recorder.mark('taken');
      await gamePlay.play();
      recorder.mark(seats === 3 ? 'round-end' : 'game-end');
      return recorder.finish();
    }
  };
}

/** The end of a round of Nyet! for two, in which cards were passed. @param {string} url */
async function nyetUndealt(url) {
  for (;;) {
    const options = { end: { type: 'rounds', rounds: 2 } };
    const { gamePlay, clients } = await startRecordedGame(url, { game: 'nyet', seats: 2, options });
    const [ada] = clients;
    await gamePlay.play(() => ada.table.phase !== 'cover');
    if (ada.table.conditions.discard !== 'pass_left') continue;
    await gamePlay.play(() => ada.table.phase === 'trick' && Math.max(...ada.table.hand_counts) === 1);
    const recorder = new Recorder(ada);
    await gamePlay.play();
    recorder.mark('round-end');
    return recorder.finish();
  }
}

/** The last of many rounds of Nyet!: names as wide as they may be, scores of three digits, and some below zero. @param {string} url */
async function nyetLongNames(url) {
  const rounds = 12;
  for (;;) {
    const { gamePlay, clients } = await startRecordedGame(url, {
      game: 'nyet',
      seats: 5,
      options: { end: { type: 'rounds', rounds } },
      names: LONG_NAMES.slice(0, 5),
      title: 'Donnerstagsrunde im Schwarzen Walfisch A',
    });
    const [ada] = clients;
    await gamePlay.playRounds(rounds - 1);
    const { totals, rounds: scored } = ada.sheet;
    const isLong = Math.max(...totals) >= 100 && scored.flat().some((points) => points <= -10);
    const recorder = new Recorder(ada);
    await gamePlay.play(() => ada.isOnTurn && covered(ada) >= 8);
    recorder.mark('board');
    await gamePlay.play(() => ada.table.phase !== 'cover');
    const { start_seat: starter, discard } = ada.table.conditions;
    if (!isLong || starter !== 0 || discard === 'none') continue;
    recorder.mark('team');
    await gamePlay.act(ada, lastOf(ada.game.legal));
    recorder.mark('discard');
    await gamePlay.play(() => ada.table.phase === 'trick');
    await gamePlay.play(() => ada.isOnTurn && ada.table.loot.flat().length > 2 && lying(ada).length > 1);
    recorder.mark('turn');
    await gamePlay.play(() => lastEvent(ada) === 'trick_taken');
    recorder.mark('taken');
    await gamePlay.play();
    recorder.mark('game-end');
    return recorder.finish();
  }
}

/** The number of covered spaces of the board. @param {Client} seat */
const covered = ({ table }) =>
  Object.values(table.board)
    .flatMap(Object.values)
    .filter((by) => by !== null).length;

/** The last action of several. @param {readonly AnyAction[]} actions */
const lastOf = (actions) => actions[actions.length - 1];

/** @param {Client} seat */
const lastEvent = (seat) => seat.game.events?.at(-1)?.type;

/**
 * Opens a room, and seats people in its lobby.
 * @param {string} url
 * @param {{ game?: string, seats: number, names?: number | string[], title?: string | null, options?: object, password?: string }} settings
 */
async function openLobby(
  url,
  { game = 'sticheln', seats, names = seats, title = 'Donnerstagsrunde', options, password },
) {
  const code = await createRoom(url, {
    game,
    seats,
    ...(title && { title }),
    ...(options && { options }),
    ...(password && { password }),
  });
  const sitting = [];
  for (const name of typeof names === 'number' ? NAMES.slice(0, names) : names)
    sitting.push(await Client.join(url, code, name, password));
  for (const seat of sitting)
    await seat.waitFor(() => seat.room.chairs.filter((chair) => chair.kind === 'person').length === sitting.length);
  return { code, clients: sitting };
}

/**
 * Opens a room and starts its game.
 * @param {string} url
 * @param {Parameters<typeof openLobby>[1] & { turn_seconds?: number }} settings
 */
async function startRecordedGame(url, { turn_seconds, ...settings }) {
  const { code, clients } = await openLobby(url, settings);
  if (turn_seconds) await clients[0].send('configure', { turn_seconds });
  await clients[0].send('start');
  const gamePlay = new GamePlay(clients, Math.random);
  await gamePlay.next();
  return { code, clients, gamePlay };
}

/** Records the messages that a client receives from now on. */
class Recorder {
  /** @type {Record<string, number>} */
  #marks = {};

  /** @param {Client} client */
  constructor(client) {
    const last = (/** @type {string} */ type) => client.received.filter((message) => message.type === type).slice(-1);
    const game = last('game').map((game) => ({ ...game, events: [] }));
    const hasGame = client.room.phase !== 'lobby';
    this.client = client;
    this.at = Date.now();
    this.start = client.received.length;
    this.snapshot = [
      ...last('welcome').map((welcome) => ({ ...welcome, now: this.at, you: client.room.you })),
      ...(hasGame ? last('sheet') : []),
      ...last('room'),
      ...(hasGame ? game : []),
    ];
  }

  /** Marks a scene at the last message. @param {string} name */
  mark(name) {
    this.#marks[name] = this.client.received.length - this.start;
  }

  /** Returns the recording up to the last mark. @returns {Recording} */
  finish() {
    const last = Math.max(...Object.values(this.#marks));
    const received = this.client.received.slice(this.start, this.start + last);
    const messages = received.map((message, index) => {
      const replayedAt = this.at + index * REPLAY_STEP_MS;
      return movedBy(replayedAt - this.client.receivedAt[this.start + index], message);
    });
    for (const message of this.snapshot) if (message.type === 'welcome') message.room = ROOM_CODE;
    return { at: this.at, snapshot: this.snapshot, messages, marks: this.#marks };
  }
}

/**
 * A message whose times are later.
 * @param {number} ms by how many milliseconds
 * @param {Received} message
 */
function movedBy(ms, message) {
  if (message.type === 'game' && message.deadline !== undefined) {
    return { ...message, deadline: message.deadline + ms };
  }
  if (message.type !== 'room') return message;
  const chairs = message.table.chairs.map((chair) =>
    chair.kind !== 'person' || chair.stand_in_from === undefined
      ? chair
      : { ...chair, stand_in_from: chair.stand_in_from + ms },
  );
  return { ...message, table: { ...message.table, chairs } };
}

/**
 * The text of a recording, with one message on each line.
 * @param {Recording} recording
 */
function textOf({ at, snapshot, messages, marks }) {
  const lines = (/** @type {readonly ServerMessage[]} */ messages) =>
    messages.map((message) => JSON.stringify(message)).join(',\n');
  return `{"at":${at},"marks":${JSON.stringify(marks)},"snapshot":[\n${lines(snapshot)}\n],"messages":[\n${lines(messages)}\n]}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await record(process.argv.slice(2));
