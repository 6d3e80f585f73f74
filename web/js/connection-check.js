// Whether the way to the server is in order: what proxies on it pass on, in words. It changes nothing.

import { pageFolder, urlOf } from './urls.js';

/** @typedef {import('./state.js').Found} Found */
/**
 * What the server finds in a call.
 * @typedef {{ host: string, path: string, scheme: string, visitors: string, idle_seconds: number, public_url?: string }} Findings
 */
/**
 * The means of a check, so that they can be pretended.
 * @typedef {object} Means
 * @property {(url: string, init: object) => Promise<{ ok: boolean, json: () => Promise<any> }>} fetch
 * @property {(url: string) => import('./connection.js').Socket} open
 * @property {() => number} now
 * @property {(ms: number, done: () => void) => () => void} later calls `done`, unless what it gives is called before
 */

/** How long a call or an upgrade may take. */
const PATIENCE = 10_000;

/** What each answer of the server means for those who play. @type {Record<string, Found['kind']>} */
const KINDS = {
  'check.host.ok': 'good',
  'check.host.changed': 'bad',
  'check.host.not_public': 'bad',
  'check.path.not_public': 'bad',
  'check.scheme.https': 'good',
  'check.scheme.http': 'note',
  'check.scheme.changed': 'note',
  'check.visitors.apart': 'good',
  'check.visitors.as_one': 'bad',
  'check.visitors.not_named': 'bad',
};

/** @type {Means} */
const BROWSER = {
  fetch: (url, init) => fetch(url, init),
  open: (url) => /** @type {any} */ (new WebSocket(url)),
  now: () => Date.now(),
  later: (ms, done) => {
    const alarm = setTimeout(done, ms);
    return () => clearTimeout(alarm);
  },
};

/**
 * Checks one thing after the other, and tells each time what has been found so far; the last of it is `wait` until
 * nothing is left to check.
 * @param {(found: Found[]) => void} tell
 * @param {Means} [means]
 */
export async function checkConnection(tell, means = BROWSER) {
  /** @type {Found[]} */
  const found = [];
  const waiting = (/** @type {string} */ key, args = {}) => tell([...found, { kind: 'wait', key, args }]);
  waiting('check.call');
  const findings = await asked(means);
  if (!findings) return tell([{ kind: 'bad', key: 'check.call.bad', args: {} }]);
  found.push(...said(findings));
  waiting('check.upgrade');
  const n = findings.idle_seconds;
  for await (const each of silence(means, n)) {
    found.push(each);
    if (each.key === 'check.upgrade.ok') waiting('check.idle', { n });
  }
  tell(found);
}

/**
 * What the server finds in a call of this page; null if there is no answer.
 * @param {Means} means
 * @returns {Promise<Findings | null>}
 */
async function asked({ fetch }) {
  try {
    const answer = await fetch(urlOf('api/selfcheck'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ page: pageFolder.href }),
      signal: AbortSignal.timeout(PATIENCE),
    });
    return answer.ok ? await answer.json() : null;
  } catch {
    return null;
  }
}

/**
 * @param {Findings} findings
 * @returns {Found[]}
 */
function said(findings) {
  const parts = /** @type {const} */ (['host', 'path', 'scheme', 'visitors']);
  const keys = parts.map((part) => `check.${part}.${findings[part]}`);
  // Of what a newer server finds besides nothing can be said.
  return keys
    .filter((key) => key in KINDS)
    .map((key) => ({ kind: KINDS[key], key, args: { url: findings.public_url } }));
}

/**
 * Opens a socket on which nothing is said for a while, as at a table where nobody plays.
 * @param {Means} means
 * @param {number} seconds
 * @returns {AsyncGenerator<Found>}
 */
async function* silence({ open, now, later }, seconds) {
  const url = new URL(urlOf('api/selfcheck'));
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  const socket = open(url.href);
  const opened = await within(PATIENCE, later, (done) => {
    socket.onopen = () => done(true);
    socket.onerror = socket.onclose = () => done(false);
  });
  if (!opened) {
    socket.onclose = null;
    socket.close();
    yield { kind: 'bad', key: 'check.upgrade.bad', args: {} };
    return;
  }
  const since = now();
  const heard = within(seconds * 1000 + PATIENCE, later, (done) => {
    socket.onmessage = () => done(true);
    socket.onerror = socket.onclose = () => done(false);
  });
  yield { kind: 'good', key: 'check.upgrade.ok', args: {} };
  const isKept = await heard;
  socket.onclose = null;
  socket.close();
  if (isKept) yield { kind: 'good', key: 'check.idle.ok', args: {} };
  else yield { kind: 'bad', key: 'check.idle.bad', args: { n: Math.round((now() - since) / 1000) } };
}

/**
 * What happens first: what is waited for, or nothing within the time.
 * @param {number} ms
 * @param {Means['later']} later
 * @param {(done: (came: boolean) => void) => void} begin
 * @returns {Promise<boolean>}
 */
function within(ms, later, begin) {
  return new Promise((answer) => {
    const cancel = later(ms, () => answer(false));
    begin((came) => {
      cancel();
      answer(came);
    });
  });
}
