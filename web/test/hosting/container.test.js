// The image in a container as docker/compose.yaml runs it: who it is, what it may, and whether a game outlives it.
// `cargo xtask container` builds it and calls this.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';

import { freePort } from '../browser/port.js';
import { Seat, Table } from '../browser/seats.js';

const IMAGE = process.env.IMAGE ?? '';
/** The words that each call of podman begins with: where images are, and how containers are run. */
const ENGINE = (process.env.PODMAN ?? '').split(' ');
const OWNER = 10001;
const COMPOSE = readFileSync(new URL('../../../docker/compose.yaml', import.meta.url), 'utf8');
/** The rights that docker/compose.yaml takes from a container. */
const HARDENED = [
  ...[`--read-only=${setting('read_only')}`, '--read-only-tmpfs=false'],
  ...['--cap-drop', setting('cap_drop'), '--security-opt', setting('security_opt')],
  ...['--memory', setting('mem_limit'), '--pids-limit', setting('pids_limit')],
  // Some machines do not let a limit be raised above their own, as podman would by itself.
  ...['--ulimit', setting('ulimits').replace(': ', '='), '--ulimit', 'nproc=1000:1000'],
];
/** That of the machine: one more would be a change of it, at which browsers drop what they are loading. */
const NETWORK = ['--network', 'host'];
/** How long a server may take until it is ready, and to end. */
const READY = 10_000;
const END = 2_000;
const PLAYERS = ['Ada', 'Ben', 'Cleo', 'Dan'];

const run = promisify(execFile);
const id = randomBytes(4).toString('hex');
const name = `sticheln-${id}`;
const volume = `sticheln-${id}`;
const copies = `sticheln-copies-${id}`;

/**
 * A value of the compose file: that of a key, or the one line below it.
 * @param {string} name
 */
function setting(name) {
  const value = new RegExp(`^ {4}${name}:(?: |\\n {6}(?:- )?)(.+)$`, 'm').exec(COMPOSE)?.[1];
  assert.ok(value, `docker/compose.yaml does not set ${name}`);
  return value;
}

/**
 * The output of podman.
 * @param {string[]} words
 */
async function podman(...words) {
  const { stdout } = await run('podman', [...ENGINE, ...words]);
  return stdout.trim();
}

/**
 * The code with which podman ends.
 * @param {string[]} words
 */
const codeOf = (...words) =>
  podman(...words).then(
    () => 0,
    ({ code }) => code,
  );

after(async () => {
  await codeOf('rm', '--force', '--time', '0', name);
  await codeOf('volume', 'rm', '--force', volume, copies);
});

test('the image has its owner, volume, port and health check', async () => {
  const [image] = JSON.parse(await podman('image', 'inspect', IMAGE));
  const { User, Volumes, StopSignal, ExposedPorts, Entrypoint, Labels } = image.Config;
  assert.equal(User, `${OWNER}:${OWNER}`);
  assert.deepEqual(Volumes, { '/data': {} });
  assert.equal(StopSignal, 'SIGTERM');
  assert.deepEqual(Object.keys(ExposedPorts), ['8080/tcp']);
  assert.deepEqual(Entrypoint, ['/sticheln']);
  assert.deepEqual(image.HealthCheck?.Test ?? image.Healthcheck?.Test, ['CMD', '/sticheln', 'health']);
  assert.equal(Labels['org.opencontainers.image.title'], 'sticheln');
  console.log(`The image has ${(image.Size / 1e6).toFixed(1)} MB.`);
  if (process.env.IMAGE_BYTES) assert.ok(image.Size < Number(process.env.IMAGE_BYTES), `${image.Size} bytes`);
});

test('a game survives its container', { timeout: 120_000 }, async () => {
  await podman('volume', 'create', volume);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  await start(port);
  await ready(url);

  const process = await podman('inspect', '--format', '{{.State.Pid}}', name);
  assertHarmless(process);
  await assertPrivate();
  assert.equal(await codeOf('healthcheck', 'run', name), 0, 'it is healthy');
  assert.equal(await codeOf('exec', name, '/sticheln', 'health', '--port', '1'), 1, 'nobody answers there');

  await podman('exec', name, '/sticheln', 'backup', '/data/tables.db');
  await assertPrivate('tables.db');

  const room = await openTable(url);
  /** @type {Seat[]} */
  const seats = [];
  for (const name of PLAYERS) seats.push(await Seat.come(url, room, name));
  await seats[0].says('start');
  const table = new Table(seats, chance());
  // In the middle of a trick.
  await table.play(() => seats.every(({ game }) => game.view.own.hand.length < 10) && isInTrick(seats[0]));
  const before = seats.map(knowledge);
  await podman('exec', name, '/sticheln', 'backup', '--replace', '/data/tables.db');

  const asked = Date.now();
  await podman('stop', '--time', '10', name);
  const took = Date.now() - asked;
  assert.equal(await podman('inspect', '--format', '{{.State.ExitCode}}', name), '0');
  assert.ok(took < END, `it took ${took} ms to stop`);
  console.log(`It took ${took} ms to stop.`);
  await podman('rm', name);
  await start(port);
  await ready(url);
  await back(seats);
  assert.deepEqual(seats.map(knowledge), before, 'all have what they had');

  // The game goes on from the restored backup.
  await podman('stop', '--time', '10', name);
  await podman('rm', name);
  await podman(
    'run',
    '--rm',
    ...HARDENED,
    ...NETWORK,
    '--volume',
    `${volume}:/data`,
    IMAGE,
    'restore',
    '/data/tables.db',
  );
  await start(port);
  await ready(url);
  await back(seats);
  assert.deepEqual(seats.map(knowledge), before, 'everybody has what was copied');
  await table.play();
  assert.equal(seats[0].table.phase, 'round_end');
  for (const seat of seats) seat.drop();
});

/**
 * All come back, each to their seat.
 * @param {Seat[]} seats
 */
async function back(seats) {
  for (const seat of seats) {
    seat.drop();
    seat.room = seat.game = null;
    await seat.connect();
    await seat.until(() => seat.game !== null);
  }
}

test('a volume that cannot be written to is named in the log', { timeout: 60_000 }, async () => {
  const words = ['run', '--rm', ...HARDENED, ...NETWORK, '--volume', `${volume}:/data:ro`, IMAGE, '--port', '0'];
  const ended = await run('podman', [...ENGINE, ...words]).then(
    () => null,
    (error) => error,
  );
  assert.equal(ended?.code, 1);
  assert.match(ended.stderr, /The data folder \/data cannot be written: /);
  // The data can be backed up.
  await podman(
    'run',
    '--rm',
    ...HARDENED,
    ...NETWORK,
    '--volume',
    `${volume}:/data:ro`,
    '--volume',
    `${copies}:/copies:U`,
    IMAGE,
    'backup',
    '/copies/tables.db',
  );
});

/** @param {number} port */
async function start(port) {
  await podman(
    ...['run', '--detach', '--name', name, ...HARDENED, ...NETWORK, '--volume', `${volume}:/data`],
    ...['--env', 'STICHELN_HOST=127.0.0.1', '--env', `STICHELN_PORT=${port}`],
    IMAGE,
  );
}

/** @param {string} url */
async function ready(url) {
  for (const end = Date.now() + READY; ; ) {
    const answer = await fetch(new URL('readyz', url)).catch(() => null);
    if (answer?.ok) return;
    if (Date.now() > end) {
      const { stdout, stderr } = await run('podman', [...ENGINE, 'logs', name]);
      assert.fail(`the server was not ready after ${READY} ms: ${stdout}${stderr}`);
    }
    await new Promise((next) => setTimeout(next, 20));
  }
}

/**
 * The process may do nothing that it does not need.
 * @param {string} process
 */
function assertHarmless(process) {
  const status = readFileSync(`/proc/${process}/status`, 'utf8');
  const field = (/** @type {string} */ name) => new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)?.[1].split(/\s/);
  assert.deepEqual(field('Uid'), Array(4).fill(String(OWNER)));
  assert.deepEqual(field('Gid'), Array(4).fill(String(OWNER)));
  for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'])
    assert.deepEqual(field(set), ['0'.repeat(16)], set);
  assert.deepEqual(field('NoNewPrivs'), ['1']);
  const mounts = readFileSync(`/proc/${process}/mounts`, 'utf8')
    .split('\n')
    .map((line) => line.split(' '));
  const optionsOf = (/** @type {string} */ place) => mounts.findLast(([, at]) => at === place)?.[3].split(',') ?? [];
  assert.ok(optionsOf('/').includes('ro'), 'the root can only be read');
  assert.ok(optionsOf('/data').includes('rw'), 'the volume can be written');
}

/**
 * The data can be read by its owner only.
 * @param {string} [file] that has to be there
 */
async function assertPrivate(file = 'sticheln.db') {
  const folder = await podman('volume', 'inspect', '--format', '{{.Mountpoint}}', volume);
  assert.equal(statSync(folder).uid, OWNER);
  const files = await readdir(folder);
  assert.ok(files.includes(file), `${files}`);
  for (const each of files) {
    const { mode, uid } = statSync(join(folder, each));
    assert.equal(uid, OWNER, each);
    assert.equal((mode & 0o777).toString(8), '600', each);
  }
}

/** @param {string} url */
async function openTable(url) {
  const answer = await fetch(new URL('api/rooms', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ game: 'sticheln', seats: PLAYERS.length }),
  });
  assert.equal(answer.status, 201);
  const { room } = await answer.json();
  return room;
}

/** @param {Seat} seat */
const isInTrick = ({ table }) => table.phase === 'trick' && table.trick.cards.length > 0;

/** The view of a seat. @param {Seat} seat */
const knowledge = ({ game: { view, legal } }) => ({ view, legal });

/** The same game in every run. */
function chance() {
  let state = 7;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
