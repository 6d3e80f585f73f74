// Runs the image in a container as docker/compose.yaml does: its metadata, its privileges, and a game that survives a
// restart.
// `cargo xtask container` builds the image and runs this test.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { Client, createRoom, GamePlay } from '../browser/clients.js';
import { freePort } from '../browser/port.js';

const IMAGE = process.env.IMAGE ?? '';
/** The arguments with which each call of podman begins: the store of images, and the way in which containers run. */
const PODMAN_ARGS = (process.env.PODMAN ?? '').split(' ');
const OWNER = 10001;
const COMPOSE = readFileSync(new URL('../../../docker/compose.yaml', import.meta.url), 'utf8');
/** The hardening options of docker/compose.yaml. */
const HARDENED = [
  ...[`--read-only=${setting('read_only')}`, '--read-only-tmpfs=false'],
  ...['--cap-drop', setting('cap_drop'), '--security-opt', setting('security_opt')],
  ...['--memory', setting('mem_limit'), '--pids-limit', setting('pids_limit')],
  // By default podman raises this limit, which some machines refuse.
  ...['--ulimit', setting('ulimits').replace(': ', '='), '--ulimit', 'nproc=1000:1000'],
];
/** The network of the machine. Browsers abort their requests when a network interface is added. */
const NETWORK = ['--network', 'host'];
/** The time limit for a server to get ready. */
const READY_TIMEOUT_MS = 10_000;
/** The time limit for a server to stop. */
const STOP_TIMEOUT_MS = 2_000;
/** The time after which podman kills a server that has not stopped. The test measures that it stops earlier. */
const KILL_AFTER_SECONDS = 10;
const PLAYERS = ['Ada', 'Ben', 'Cleo', 'Dan'];

const run = promisify(execFile);
const id = randomBytes(4).toString('hex');
const name = `sticheln-${id}`;
const volume = `sticheln-${id}`;
const copies = `sticheln-copies-${id}`;

/**
 * The value of a key in the compose file, or the one line below it.
 * @param {string} name
 */
function setting(name) {
  const value = new RegExp(`^ {4}${name}:(?: |\\n {6}(?:- )?)(.+)$`, 'm').exec(COMPOSE)?.[1];
  assert.ok(value, `docker/compose.yaml does not set ${name}`);
  return value;
}

/**
 * Runs podman, and returns its output.
 * @param {string[]} args
 */
async function podman(...args) {
  const { stdout } = await run('podman', [...PODMAN_ARGS, ...args]);
  return stdout.trim();
}

/**
 * Runs podman, and returns its exit code.
 * @param {string[]} args
 */
const codeOf = (...args) =>
  podman(...args).then(
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
  assertUnprivileged(process);
  await assertPrivate();
  assert.equal(await codeOf('healthcheck', 'run', name), 0, 'it is healthy');
  assert.equal(await codeOf('exec', name, '/sticheln', 'health', '--port', '1'), 1, 'nobody answers there');

  await podman('exec', name, '/sticheln', 'backup', '/data/tables.db');
  await assertPrivate('tables.db');

  const room = await createRoom(url, { game: 'sticheln', seats: PLAYERS.length });
  /** @type {Client[]} */
  const clients = [];
  for (const name of PLAYERS) clients.push(await Client.join(url, room, name));
  await clients[0].send('start');
  const gamePlay = new GamePlay(clients, seededRandom());
  // In the middle of a trick.
  await gamePlay.play(() => clients.every(({ game }) => game.view.own.hand.length < 10) && isInTrick(clients[0]));
  const before = clients.map(knowledge);
  await podman('exec', name, '/sticheln', 'backup', '--replace', '/data/tables.db');
  // The commands to the running server find its control socket by the settings of the image.
  const listed = await podman('exec', name, '/sticheln', 'rooms', '--awake');
  assert.match(listed, new RegExp(`^${room} .* ${PLAYERS.length}$`, 'm'));
  assert.match(await podman('exec', name, '/sticheln', 'say', 'Good evening!'), /told: 1\./);

  const asked = Date.now();
  await podman('stop', '--time', `${KILL_AFTER_SECONDS}`, name);
  const took = Date.now() - asked;
  assert.equal(await podman('inspect', '--format', '{{.State.ExitCode}}', name), '0');
  assert.ok(took < STOP_TIMEOUT_MS, `it took ${took} ms to stop`);
  console.log(`It took ${took} ms to stop.`);
  await podman('rm', name);
  await start(port);
  await ready(url);
  await reconnectAll(clients);
  assert.deepEqual(clients.map(knowledge), before, 'all players have the same hands');

  // The game continues from the restored backup.
  await podman('stop', '--time', `${KILL_AFTER_SECONDS}`, name);
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
  await reconnectAll(clients);
  assert.deepEqual(clients.map(knowledge), before, 'all players have the hands of the backup');
  await gamePlay.play();
  assert.equal(clients[0].table.phase, 'round_end');
  for (const client of clients) client.disconnect();
});

/**
 * All clients reconnect, each to its own seat.
 * @param {Client[]} clients
 */
async function reconnectAll(clients) {
  for (const client of clients) {
    client.disconnect();
    client.forget();
    await client.connect();
    await client.waitFor(() => client.hasGame);
  }
}

test('a volume that cannot be written to is named in the log', { timeout: 60_000 }, async () => {
  const args = ['run', '--rm', ...HARDENED, ...NETWORK, '--volume', `${volume}:/data:ro`, IMAGE, '--port', '0'];
  const ended = await run('podman', [...PODMAN_ARGS, ...args]).then(
    () => null,
    (error) => error,
  );
  assert.equal(ended?.code, 1);
  assert.match(ended.stderr, /The data folder \/data cannot be written: /);
  // A backup of a read-only volume is possible.
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
    // The disk of the machine may be nearly full.
    ...['--env', 'STICHELN_MAX_DATA_MIB=1000000'],
    IMAGE,
  );
}

/** @param {string} url */
async function ready(url) {
  for (const end = Date.now() + READY_TIMEOUT_MS; ; ) {
    const answer = await fetch(new URL('readyz', url)).catch(() => null);
    if (answer?.ok) return;
    if (Date.now() > end) {
      const { stdout, stderr } = await run('podman', [...PODMAN_ARGS, 'logs', name]);
      assert.fail(`the server was not ready after ${READY_TIMEOUT_MS} ms: ${stdout}${stderr}`);
    }
    await new Promise((next) => setTimeout(next, 20));
  }
}

/**
 * Asserts that the process has no unnecessary privileges.
 * @param {string} process
 */
function assertUnprivileged(process) {
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
  const optionsOf = (/** @type {string} */ mountPoint) =>
    mounts.findLast(([, path]) => path === mountPoint)?.[3].split(',') ?? [];
  assert.ok(optionsOf('/').includes('ro'), 'the root can only be read');
  assert.ok(optionsOf('/data').includes('rw'), 'the volume can be written');
}

/**
 * Asserts that only the owner can read the stored files.
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

/** @param {Client} client */
const isInTrick = ({ table }) => table.phase === 'trick' && table.trick.cards.length > 0;

/** The view and the legal actions of a client. @param {Client} client */
const knowledge = ({ game: { view, legal } }) => ({ view, legal });

/** Random numbers that are the same in every run. */
function seededRandom() {
  let state = 7;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
