// Several servers as one: nodes with a PostgreSQL server and a NATS server of their own.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { promisify } from 'node:util';

import { TARGET } from '../target.js';
import { freePort } from './port.js';
import { Server } from './server.js';

/** @import { ChildProcess } from 'node:child_process' */

const run = promisify(execFile);

/** The folders with the programs of Debian's packages. */
const POSTGRES_VERSIONS = '/usr/lib/postgresql';
/** The user `nobody` of Debian: PostgreSQL refuses root. */
const NOBODY = 65_534;
const ORDINARY_USER = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

/**
 * Ends a process with the tests.
 * @param {ChildProcess} child
 * @param {NodeJS.Signals} signal
 */
function endAfterTests(child, signal) {
  after(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  });
}

/**
 * Waits until a program has printed a text to its standard error.
 * @param {ChildProcess} child
 * @param {string} text
 */
async function prints(child, text) {
  let log = '';
  await new Promise((resolve, reject) => {
    child.stderr?.on('data', (part) => {
      log += part;
      if (log.includes(text)) resolve(undefined);
    });
    child.once('exit', () => reject(new Error(`the program has ended: ${log}`)));
    child.once('error', reject);
  });
}

/** Starts a PostgreSQL server. Returns the address of its database, and a function that reads one number there. */
async function startPostgres() {
  const versions = (await readdir(POSTGRES_VERSIONS)).sort((a, b) => Number(a) - Number(b));
  const programs = join(POSTGRES_VERSIONS, versions.at(-1) ?? '', 'bin');
  const folder = await mkdtemp(join(tmpdir(), 'sticheln-postgres-'));
  if (ORDINARY_USER.uid !== undefined) await chown(folder, ORDINARY_USER.uid, ORDINARY_USER.gid);
  after(() => rm(folder, { recursive: true }));
  const data = join(folder, 'data');
  const options = { ...ORDINARY_USER, cwd: folder, env: { ...process.env, LC_ALL: 'C' } };
  await run(join(programs, 'initdb'), ['-D', data, '-U', 'tests', '--auth=trust', '-E', 'UTF8', '--no-sync'], options);
  const port = await freePort();
  const settings = { port, listen_addresses: '127.0.0.1', unix_socket_directories: folder };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = spawn(join(programs, 'postgres'), ['-D', data, ...flags], options);
  endAfterTests(server, 'SIGQUIT');
  await prints(server, 'ready to accept connections');
  const url = `postgres://tests@127.0.0.1:${port}/postgres`;
  const number = async (/** @type {string} */ query) => {
    const { stdout } = await run(join(programs, 'psql'), ['-Atc', query, url], options);
    return Number(stdout);
  };
  return { url, number };
}

/** Starts a NATS server. Returns its address. */
async function startNats() {
  const port = await freePort();
  const server = spawn('nats-server', ['--addr', '127.0.0.1', '--port', String(port)], ORDINARY_USER);
  endAfterTests(server, 'SIGKILL');
  await prints(server, 'Server is ready');
  return `nats://127.0.0.1:${port}`;
}

/** The program of the next format, which `cargo xtask test` builds. Its page has another address than that of this version. */
export const NEXT_PROGRAM = process.env.STICHELN_NEXT ?? join(TARGET, 'debug', 'examples', 'next_format');

/**
 * Starts nodes of one cluster, which deliver the page inside the program.
 * @param {number} count
 */
export async function startNodes(count) {
  const [database, bus] = await Promise.all([startPostgres(), startNats()]);
  const cluster = ['--database-url', database.url, '--bus-url', bus];
  const start = async () => {
    const options = [...cluster, '--admin-port', String(await freePort())];
    return Server.start({ options, isEmbedded: true });
  };
  const nodes = await Promise.all(Array.from({ length: count }, start));
  return { nodes, database };
}

/**
 * A metric of a node: the sum of the values with different labels.
 * @param {Server} node of {@link startNodes}
 * @param {string} name
 */
export async function metricOf(node, name) {
  const port = node.options[node.options.indexOf('--admin-port') + 1];
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const lines = text.split('\n').filter((line) => [' ', '{'].some((end) => line.startsWith(`${name}${end}`)));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}
