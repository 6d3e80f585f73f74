// Free TCP ports for test servers.

import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Listens, if nobody else does. Returns whether it listens.
 * @param {import('node:net').Server} server
 * @param {number | string} address a port, or the path of a local socket
 * @returns {Promise<boolean>}
 */
function listen(server, address) {
  return new Promise((resolve, reject) => {
    server.once('error', (/** @type {NodeJS.ErrnoException} */ error) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    );
    server.listen(address, () => resolve(true));
  });
}

/**
 * Reserves the number of a port until this process ends, if no test has it. A local socket with an abstract name holds the
 * reservation: it leaves no file, and a killed process releases it.
 * @param {number} port
 */
function reserve(port) {
  return listen(createServer().unref(), `\0sticheln-test-port-${port}`);
}

/**
 * A free port, which no other call in any process returns. It is below the ephemeral range, so no outgoing connection takes
 * it before the server listens.
 * @returns {Promise<number>}
 */
export async function freePort() {
  for (;;) {
    const port = randomInt(30_000, 32_768);
    if (!(await reserve(port))) continue;
    const server = createServer();
    if (await listen(server, port)) {
      await new Promise((closed) => server.close(closed));
      return port;
    }
  }
}
