// Free TCP ports for test servers.

import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * A free port below the ephemeral range, so no outgoing connection takes it before the server listens.
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
