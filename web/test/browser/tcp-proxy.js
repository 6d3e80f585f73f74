// A TCP proxy between a browser and one or more servers, which a test can disconnect.

import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { after } from 'node:test';

/** @import { Server as NetServer, Socket } from 'node:net' */
/** @import { Server } from './server.js' */

/** How long a server may take to say that it is ready. */
const HEALTH_TIMEOUT_MS = 1000;

/** A TCP proxy that a test can disconnect. The browser sees the port of the proxy instead of that of the server. */
export class TcpProxy {
  /** @type {Set<Socket>} */
  #sockets = new Set();
  #isDisconnected = false;

  /** @param {number} port on which the proxy listens */
  constructor(port) {
    this.port = port;
  }

  /**
   * A proxy to the first of these servers that accepts a connection, and is ready if there are several.
   * @param {...Server} servers
   */
  static async to(...servers) {
    const listener = createServer().listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const proxy = new TcpProxy(portOf(listener));
    listener.on('connection', (client) => proxy.#forward(client, servers));
    after(() => {
      proxy.disconnect();
      listener.close();
    });
    return proxy;
  }

  get url() {
    return `http://127.0.0.1:${this.port}/`;
  }

  /** Closes all connections, and refuses new ones. */
  disconnect() {
    this.#isDisconnected = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Accepts connections again. */
  reconnect() {
    this.#isDisconnected = false;
  }

  /**
   * @param {Socket} client
   * @param {Server[]} servers
   */
  async #forward(client, servers) {
    client.on('error', () => {});
    const server = this.#isDisconnected ? null : await connectToFirst(servers);
    if (!server) return void client.destroy();
    for (const [from, to] of [
      [client, server],
      [server, client],
    ]) {
      this.#sockets.add(from);
      // The event `close` follows, and it ends the other side too.
      from.on('error', () => {});
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  }
}

/**
 * Connects to the first server that accepts a connection. One of several servers must also be ready, because the system
 * accepts connections for a server that is frozen.
 * @param {Server[]} servers
 */
async function connectToFirst(servers) {
  for (const { port } of servers) {
    if (servers.length > 1 && !(await isReady(port))) continue;
    const socket = connect(port, '127.0.0.1');
    const isConnected = await Promise.race([
      once(socket, 'connect').then(
        () => true,
        () => false,
      ),
      once(socket, 'close').then(() => false),
    ]);
    if (isConnected) return socket;
  }
  return null;
}

/**
 * Whether a server is ready, as a proxy with health checks asks.
 * @param {number} port
 */
const isReady = (port) =>
  fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) }).then(
    ({ ok }) => ok,
    () => false,
  );

/** @param {NetServer} server */
function portOf(server) {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a port is a number');
  return address.port;
}
