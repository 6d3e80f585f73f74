// The connection check: whether the proxies between the browser and the server pass everything on. It changes
// nothing.

import { ANSWER_TIMEOUT_MS, DEVICE_CLOCK, openSocket } from './connection.js';
import { pageFolder, socketUrl, urlOf } from './urls.js';

/** @import { Clock, Socket } from './connection.js' */
/** @import { AddressFinding, ConnectionFindings, HostFinding, PathFinding, SchemeFinding } from './protocol.js' */
/** @import { CheckResult } from './types.js' */

/**
 * The functions of the browser that the check uses; tests replace them.
 * @typedef {Clock & {
 *   fetch: (url: string, init: RequestInit & { method: string, body: string }) => Promise<{ ok: boolean, json: () => Promise<ConnectionFindings> }>,
 *   open: (url: string) => Socket,
 * }} Environment
 */

/** @typedef {CheckResult['kind'] | null} Severity null if a finding is not shown */

/**
 * The severity of each finding of the server for players.
 * @type {{
 *   host: Readonly<Record<HostFinding, Severity>>,
 *   path: Readonly<Record<PathFinding, Severity>>,
 *   scheme: Readonly<Record<SchemeFinding, Severity>>,
 *   client_addresses: Readonly<Record<AddressFinding, Severity>>,
 * }}
 */
const SEVERITIES = {
  host: { ok: 'good', changed: 'bad', not_public: 'bad' },
  path: { ok: null, not_public: 'bad' },
  scheme: { https: 'good', http: 'harmless', changed: 'harmless' },
  client_addresses: { apart: 'good', as_one: 'bad', not_named: 'bad' },
};

/** @type {Environment} */
const BROWSER = {
  fetch: (url, init) => fetch(url, init),
  open: openSocket,
  ...DEVICE_CLOCK,
};

/**
 * Runs the checks one after the other, and reports the results so far each time. Until all are done, the last one is
 * `wait`.
 * @param {(results: CheckResult[]) => void} report
 * @param {Environment} [environment]
 */
export async function checkConnection(report, environment = BROWSER) {
  /** @type {CheckResult[]} */
  const results = [];
  const wait = (/** @type {string} */ key, args = {}) => report([...results, { kind: 'wait', key, args }]);
  wait('check.request');
  const findings = await fetchFindings(environment);
  if (!findings) return report([{ kind: 'bad', key: 'check.request.bad', args: {} }]);
  results.push(...resultsOf(findings));
  wait('check.upgrade');
  const n = findings.idle_seconds;
  for await (const result of checkSocket(environment, n)) {
    results.push(result);
    if (result.key === 'check.upgrade.ok') wait('check.idle', { n });
  }
  report(results);
}

/**
 * The findings of the server about a request of this page; null if it does not answer.
 * @param {Environment} environment
 * @returns {Promise<ConnectionFindings | null>}
 */
async function fetchFindings({ fetch }) {
  try {
    const response = await fetch(urlOf('api/connection-check'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ page: pageFolder.href }),
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    return response.ok ? await response.json() : null;
  } catch {
    return null;
  }
}

/**
 * @param {ConnectionFindings} findings
 * @returns {CheckResult[]}
 */
function resultsOf(findings) {
  const topics = /** @type {const} */ (['host', 'path', 'scheme', 'client_addresses']);
  return topics.flatMap((topic) => {
    /** @type {Readonly<Record<string, Severity>>} */
    const severities = SEVERITIES[topic];
    const finding = findings[topic];
    // The page has no texts for findings that only a newer server has.
    const kind = severities[finding] ?? null;
    return kind === null ? [] : [{ kind, key: `check.${topic}.${finding}`, args: { url: findings.public_url } }];
  });
}

/**
 * Opens a socket that is idle for a while, like that of a room where nobody plays, and checks whether it stays open.
 * @param {Environment} environment
 * @param {number} seconds
 * @returns {AsyncGenerator<CheckResult>}
 */
async function* checkSocket({ open, now, later }, seconds) {
  const socket = open(socketUrl('api/connection-check'));
  const isOpen = await within(ANSWER_TIMEOUT_MS, later, (done) => {
    socket.onopen = () => done(true);
    socket.onerror = socket.onclose = () => done(false);
  });
  if (!isOpen) {
    socket.onclose = null;
    socket.close();
    yield { kind: 'bad', key: 'check.upgrade.bad', args: {} };
    return;
  }
  const since = now();
  const message = within(seconds * 1000 + ANSWER_TIMEOUT_MS, later, (done) => {
    socket.onmessage = () => done(true);
    socket.onerror = socket.onclose = () => done(false);
  });
  yield { kind: 'good', key: 'check.upgrade.ok', args: {} };
  const isKept = await message;
  socket.onclose = null;
  socket.close();
  if (isKept) yield { kind: 'good', key: 'check.idle.ok', args: {} };
  else yield { kind: 'bad', key: 'check.idle.bad', args: { n: Math.round((now() - since) / 1000) } };
}

/**
 * The result of something that calls `done`; false if it does not do so within the time.
 * @param {number} ms
 * @param {Environment['later']} later
 * @param {(done: (result: boolean) => void) => void} begin
 * @returns {Promise<boolean>}
 */
function within(ms, later, begin) {
  return new Promise((resolve) => {
    const cancel = later(ms, () => resolve(false));
    begin((result) => {
      cancel();
      resolve(result);
    });
  });
}
