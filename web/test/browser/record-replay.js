// Makes the samples of replays in `web/test/replays`: bots of chance play a game on the real server, and the messages of all
// seats become the bodies of `api/games/…`. To make them anew:
//
//   node web/test/browser/record-replay.js

import { writeFile } from 'node:fs/promises';

import { Client, createRoom, evenSequence, GamePlay } from './clients.js';
import { UNLIMITED } from './first-screens.js';
import { Server } from './server.js';

/** @import { GameReplay, ReplayPlayer, View } from '../../js/protocol.js' */
/** @import { ReplayStep, RoundReplay } from '../../js/replay/types.js' */

const FOLDER = new URL('../replays/', import.meta.url);
/** The time of the samples, in milliseconds since the epoch. */
const AT = 1_764_360_665_000;

/** The games of the samples. @type {Record<string, { id: string, game: string, title: string | null, options: object, names: string[], bot: number | null }>} */
const GAMES = {
  sticheln4: {
    id: 'AbCdEfGhIjKlMnOpQrStUv',
    game: 'sticheln',
    title: 'Kitchen table',
    options: { end: { type: 'rounds', rounds: 2 }, show_history: 'all', show_running_score: true },
    names: ['Frieda', 'Tom', 'Jonas', 'Mira'],
    bot: 1,
  },
  nyet4: {
    id: 'NyEtEfGhIjKlMnOpQrStUv',
    game: 'nyet',
    title: null,
    options: { end: { type: 'rounds', rounds: 2 } },
    names: ['Ada', 'Mira', 'Jonas', 'Selim'],
    bot: null,
  },
  sticheln6: {
    id: 'LoNgEfGhIjKlMnOpQrStUv',
    game: 'sticheln',
    title: 'Donaudampfschifffahrtsgesellschaft',
    options: { end: { type: 'rounds', rounds: 1 } },
    names: ['W'.repeat(20), 'Annegret-Charlotte A', 'Mmmmmmmmmm Wwwwwwwww', 'Donaudampfschifffahr', 'Jo', 'Tom'],
    bot: 5,
  },
};

const server = await Server.start({ options: UNLIMITED });
for (const [name, game] of Object.entries(GAMES)) {
  const { overview, rounds } = await record(server.url, game);
  const lines = rounds.map(
    ({ steps, ...round }) =>
      `{${JSON.stringify(round).slice(1, -1)},"steps":[\n${steps.map((step) => JSON.stringify(step)).join(',\n')}\n]}`,
  );
  const text = `{"overview":${JSON.stringify(overview)},\n"rounds":[\n${lines.join(',\n')}\n]}\n`;
  await writeFile(new URL(`${name}.json`, FOLDER), text);
  console.log(name, rounds.map(({ steps }) => steps.length).join(', '));
}
await server.end('SIGKILL');
process.exit();

/**
 * Plays a game, and makes its replay.
 * @param {string} url of the server
 * @param {typeof GAMES[string]} settings
 * @returns {Promise<{ overview: GameReplay, rounds: RoundReplay[] }>}
 */
async function record(url, { id, game, title, options, names, bot }) {
  const code = await createRoom(url, { game, seats: names.length, options });
  /** @type {Client[]} */
  const clients = [];
  for (const name of names) clients.push(await Client.join(url, code, name));
  await clients[0].send('start');
  const play = new GamePlay(clients, evenSequence());
  for (let round = 1; ; round += 1) {
    await play.play();
    await clients[0].waitFor(() => clients[0].sheet.rounds.length === round);
    if (round === (clients[0].room.options.end?.type === 'rounds' ? clients[0].room.options.end.rounds : 0)) break;
    await play.ready();
  }
  const players = names.map((name, seat) => playerOf(name, seat === bot));
  const { sheet, room } = clients[0];
  const rounds = roundsOf(clients, players, bot);
  /** @type {GameReplay} */
  const overview = {
    format: 'sticheln/replay/1',
    id,
    game: room.game,
    title,
    options: room.options,
    began_at: AT,
    status: 'over',
    players,
    rounds: sheet.rounds.map((points, at) => ({ round: at + 1, points })),
    totals: sheet.totals,
    ranks: sheet.ranks,
  };
  return { overview, rounds };
}

/**
 * @param {string} name
 * @param {boolean} isBot
 * @returns {ReplayPlayer}
 */
function playerOf(name, isBot) {
  return isBot ? { kind: 'bot', level: 'normal', name } : { kind: 'person', name };
}

/**
 * The rounds that the clients have seen.
 * @param {Client[]} clients one on each seat
 * @param {ReplayPlayer[]} players
 * @param {number | null} bot its seat; for the last seat a bot plays the second half of each round
 * @returns {RoundReplay[]}
 */
function roundsOf(clients, players, bot) {
  const views = clients.map(
    (client) =>
      new Map(client.received.flatMap((message) => (message.type === 'game' ? [[message.rev, message]] : []))),
  );
  /** @type {RoundReplay[]} */
  const rounds = [];
  /** @type {{ table: string, own: string[] }} */
  let before = { table: '', own: [] };
  let totals = players.map(() => 0);
  for (const [rev, message] of views[0]) {
    const { view, events } = message;
    if (view.table === null) continue;
    if (events.some(({ type }) => type === 'dealt')) {
      before = { table: '', own: [] };
      rounds.push({ format: 'sticheln/replay/1', round: view.table.round, players, totals, steps: [] });
    }
    const own = views.map((seen) => seen.get(rev)?.view.own);
    const changed = own.flatMap((part, seat) =>
      part && JSON.stringify(part) !== before.own[seat]
        ? [/** @type {[number, NonNullable<View['own']>]} */ ([seat, part])]
        : [],
    );
    const table = JSON.stringify(view.table);
    /** @type {ReplayStep} */
    const step = {
      rev,
      at: AT + 5000 * rev,
      ...(events.length > 0 && { events }),
      ...(table !== before.table && { table: view.table }),
      ...(changed.length > 0 && { own: changed }),
      to_act: view.to_act,
    };
    before = { table, own: own.map((part) => JSON.stringify(part)) };
    rounds.at(-1)?.steps.push(step);
    const scored = events.find(({ type }) => type === 'round_scored');
    if (scored?.type === 'round_scored') totals = scored.totals;
  }
  for (const round of rounds) standIn(round, players.length - 1, bot);
  return rounds;
}

/**
 * A bot plays the second half of a round for the person on a seat.
 * @param {RoundReplay} round
 * @param {number} seat
 * @param {number | null} bot
 */
function standIn({ steps }, seat, bot) {
  if (seat === bot) return;
  const half = Math.floor(steps.length / 2);
  for (const step of steps.slice(half)) {
    const at = step.events?.findIndex((event) => event.type === 'played' && event.seat === seat) ?? -1;
    if (at >= 0) step.events?.splice(at, 0, { type: 'acted_for', seat, by: 'bot' });
  }
  const { rev, at, to_act } = steps[half - 1];
  steps.splice(half, 0, { rev, at, to_act, act: { type: 'stood_in', seat } });
}
