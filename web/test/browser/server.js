// A server process for tests: the program that cargo has built, with a folder and a port of its own.

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { promisify } from 'node:util';

import { ROOT, TARGET } from '../target.js';
import { freePort } from './port.js';

/** @import { ChildProcess } from 'node:child_process' */

const run = promisify(execFile);

const PROGRAM = process.env.STICHELN ?? join(TARGET, 'debug', 'sticheln');
/** The files of the page. The test servers read them from here, so a change of the page compiles nothing. */
export const PAGE_FOLDER = join(ROOT, 'web');
/** Bots pause only a moment, so that tests do not wait for them, but long enough that the page draws each card. */
const FAST_BOTS = ['--bot-delay-percent', '3'];
/**
 * Limits that no test reaches: all pages of a test have one address, and load all files again each time. The options of
 * a test take precedence over these environment variables.
 */
const HIGH_LIMITS = {
  STICHELN_CONNECTIONS_PER_MINUTE: '1000000',
  STICHELN_REQUESTS_PER_MINUTE: '1000000',
  STICHELN_FILES_PER_MINUTE: '1000000',
  // Also on a machine whose disk is nearly full.
  STICHELN_MAX_DATA_MIB: '1000000',
};
/** How many ports a server tries, because another program can take a free port first. */
const PORT_ATTEMPTS = 5;

/** A server process. It keeps its folder and its port when it is started again. */
export class Server {
  /** @type {ChildProcess | undefined} */
  #process;
  #log = '';

  /**
   * @param {string} folder
   * @param {number} port
   * @param {string} host
   * @param {string[]} options
   * @param {string} program
   */
  constructor(folder, port, host, options, program) {
    this.folder = folder;
    this.port = port;
    this.host = host;
    this.options = options;
    this.program = program;
  }

  /**
   * Starts a server in a folder of its own, which is removed after the tests.
   * @param {{ host?: string, options?: string[], isEmbedded?: boolean, program?: string, pageFolder?: string }} [settings]
   *   `options`: arguments of the program. `isEmbedded`: the server delivers the compressed page inside the program
   *   instead of the files in `pageFolder`.
   */
  static async start({
    host = '127.0.0.1',
    options = [],
    isEmbedded = false,
    program = PROGRAM,
    pageFolder = PAGE_FOLDER,
  } = {}) {
    const folder = await mkdtemp(join(tmpdir(), 'sticheln-'));
    const page = isEmbedded ? [] : ['--page-folder', pageFolder];
    const server = new Server(folder, await freePort(), host, [...page, ...FAST_BOTS, ...options], program);
    after(async () => {
      await server.end('SIGKILL');
      await rm(folder, { recursive: true });
    });
    for (let attempt = 1; !(await server.#serves()); attempt += 1) {
      const isTaken = server.log.includes(`Port ${server.port} is taken`);
      assert.ok(isTaken && attempt < PORT_ATTEMPTS, `the server does not serve: ${server.log}`);
      server.port = await freePort();
    }
    return server;
  }

  /** The address of the page. */
  get url() {
    return `http://${this.host}:${this.port}/`;
  }

  /** The log of the server so far. */
  get log() {
    return this.#log;
  }

  /** Starts the program, and waits until it serves. */
  async begin() {
    assert.ok(await this.#serves(), `the server does not serve: ${this.#log}`);
  }

  /** Starts the program, and waits until it serves. Returns `false` if it exits first. */
  async #serves() {
    const args = [
      'serve',
      '--host',
      '0.0.0.0',
      '--port',
      String(this.port),
      '--data-folder',
      this.folder,
      ...this.options,
    ];
    const child = spawn(this.program, args, { env: { ...process.env, ...HIGH_LIMITS } });
    this.#process = child;
    child.stderr.on('data', (text) => (this.#log += text));
    return Promise.race([once(child.stdout, 'data').then(() => true), once(child, 'exit').then(() => false)]);
  }

  /**
   * Runs a command of the program for this server. Returns its output.
   * @param {...string} args
   */
  async command(...args) {
    const { stdout } = await run(this.program, [...args, '--data-folder', this.folder]);
    return stdout;
  }

  /** Waits until the program has exited by itself. */
  async ended() {
    const process = this.#process;
    if (process && process.exitCode === null) await once(process, 'exit');
    assert.equal(process?.exitCode, 0, this.#log);
  }

  /**
   * Ends the program, and waits until it has exited.
   * @param {'SIGTERM' | 'SIGKILL'} signal
   */
  async end(signal) {
    const process = this.#process;
    if (!process || process.exitCode !== null || process.signalCode !== null) return;
    const gone = once(process, 'exit');
    process.kill(signal);
    await gone;
  }

  /** Freezes the program, as a machine does that hangs: its port accepts connections, and nothing is answered. */
  freeze() {
    this.#process?.kill('SIGSTOP');
  }

  /** Ends the freeze. */
  resume() {
    this.#process?.kill('SIGCONT');
  }
}
