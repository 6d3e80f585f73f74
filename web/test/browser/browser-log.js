// The log of a browser during a test: its errors, its requests, and the tokens that it has sent.

/** @import { Page } from 'playwright-core' */

/** The errors that the browser itself reports for a broken connection. Many tests break connections. */
const CONNECTION_LOST =
  /WebSocket connection to|ERR_(CONNECTION_(REFUSED|RESET|CLOSED)|EMPTY_RESPONSE|NETWORK_CHANGED|SOCKET_NOT_CONNECTED)/;
/** The error for an answer with status 404. */
const NOT_FOUND = /status of 404/;
/** The error for the answer of a proxy whose server is down. */
const BAD_GATEWAY = /status of 502/;

/** The log of all pages of one browser. */
export class BrowserLog {
  /** The errors so far, except those that are tolerated. @type {string[]} */
  errors = [];
  /** Patterns of errors that the test expects. */
  tolerated = [CONNECTION_LOST];
  /** The addresses, referrers and bodies of all requests. @type {string[]} */
  requests = [];
  /** The tokens that this browser has sent in its sockets. @type {Set<string>} */
  secrets = new Set();

  /** @param {string} url of the server. A request to another host is an error */
  constructor(url) {
    this.host = new URL(url).host;
  }

  /** Tolerates answers with status 404. */
  expectNotFound() {
    this.tolerated.push(NOT_FOUND);
  }

  /** Tolerates answers with status 502, for tests that stop the server behind a proxy. */
  expectBadGateway() {
    this.tolerated.push(BAD_GATEWAY);
  }

  /**
   * Records a page from now on.
   * @param {Page} page
   */
  async watch(page) {
    const { host, errors, requests, secrets } = this;
    const note = (/** @type {string} */ error) => {
      if (!this.tolerated.some((pattern) => pattern.test(error))) errors.push(error);
    };
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) note(`console: ${message.text()}`);
    });
    page.on('dialog', (dialog) => {
      errors.push(`${dialog.type()}: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('pageerror', (error) => errors.push(`error: ${error.stack}`));
    page.on('request', (request) => {
      if (new URL(request.url()).host !== host) errors.push(`request: ${request.url()}`);
      requests.push(`${request.url()} ${request.headers().referer} ${request.postData()}`);
    });
    page.on('framenavigated', (frame) => void requests.push(frame.url()));
    page.on('websocket', (socket) => {
      requests.push(socket.url());
      socket.on('framesent', ({ payload }) => {
        const { type, token } = JSON.parse(String(payload));
        if (type === 'hello') secrets.add(token);
      });
    });
    page.on('response', (response) => {
      if (response.status() >= 500) note(`status of ${response.status()}: ${response.url()}`);
    });
    await page.addInitScript(() => {
      addEventListener('securitypolicyviolation', (event) => {
        console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`);
      });
    });
  }
}
