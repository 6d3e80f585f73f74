// Where a program may listen.

import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * A port that nobody listens on, of those that the system gives to no connection: else one might have it by chance
 * before the program does.
 * @returns {Promise<number>}
 */
export async function freePort() {
  for (;;) {
    const port = randomInt(30_000, 32_768);
    const server = createServer();
    const isFree = await new Promise((resolve, reject) => {
      server.once('error', (/** @type {NodeJS.ErrnoException} */ error) =>
        error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
      );
      server.listen(port, () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}
