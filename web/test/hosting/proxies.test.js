// Runs the recipes of docs/hosting.md: real proxies with TLS between real browsers and the server.

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';

import WebSocket from 'ws';

import { assertFaultless, ONE_TAP, openBrowser, Person, Server, sitDown } from '../browser/harness.js';
import { NEXT_PROGRAM } from '../browser/nodes.js';
import { freePort } from '../browser/port.js';
import { ROOT, TARGET } from '../target.js';

/** @import { IncomingHttpHeaders } from 'node:http' */

const TOOLS = join(TARGET, 'tools/proxies');
const HOSTING = readFileSync(join(ROOT, 'docs/hosting.md'), 'utf8');
/** The time limit for a proxy to start. */
const START_TIMEOUT_MS = 10_000;
/** How long the proxies of these tests wait for an answer, and after how much silence the server pings. */
const PROXY_SECONDS = 3;
const PING_SECONDS = 1;
/** The number of pings in a time that is longer than the proxy waits. */
const PINGS = 6;
/** The number of requests for the page of two versions. */
const PAGE_REQUESTS = 20;
/** The number of wrong codes that a client may try in a minute. */
const WRONG_CODES = 10;

/**
 * A recipe of the page.
 * @param {string} name what stands after the marks of its code
 */
function recipe(name) {
  const found = HOSTING.split('\n```').find((block) => block.startsWith(`${name}\n`));
  assert.ok(found, `docs/hosting.md has no recipe ${name}`);
  return found.slice(name.length + 1);
}

/**
 * A text with something else in it; it has to be there.
 * @param {string} text
 * @param {[string | RegExp, string][]} changes
 */
function changed(text, ...changes) {
  return changes.reduce((text, [from, to]) => {
    assert.ok(from instanceof RegExp ? from.test(text) : text.includes(from), `${from} in ${text}`);
    return text.replaceAll(from, to);
  }, text);
}

/** @param {string} path */
const tool = (path) => (existsSync(join(TOOLS, path)) ? join(TOOLS, path) : `/${path}`);

const folder = await mkdtemp(join(tmpdir(), 'sticheln-proxies-'));
after(() => rm(folder, { recursive: true }));
const [certificate, key] = [join(folder, 'table.crt'), join(folder, 'table.key')];
await promisify(execFile)('openssl', [
  ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
  ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', certificate],
]);
const browser = await openBrowser();

/**
 * Starts a proxy, and waits until it serves.
 * @param {string} program
 * @param {string[]} args
 * @param {number} port
 * @param {Record<string, string>} [env]
 */
async function start(program, args, port, env = {}) {
  const child = spawn(program, args, { env: { ...process.env, ...env } });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (log += text));
  after(async () => {
    if (child.exitCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
  for (const end = Date.now() + START_TIMEOUT_MS; ; ) {
    const answer = await call(port, '/').catch(() => null);
    if (answer) return;
    assert.ok(child.exitCode === null && Date.now() < end, `the proxy does not serve: ${log}`);
    await new Promise((next) => setTimeout(next, 20));
  }
}

/** How each proxy is started on a recipe, with what only a test needs. */
const PROXIES = {
  /** @param {string} text @param {number} port @param {number} to */
  async caddy(text, port, to) {
    const place = await mkdtemp(join(folder, 'caddy-'));
    const transport = `127.0.0.1:${to} {\n transport http {\n read_timeout ${PROXY_SECONDS}s\n }\n }`;
    const site = changed(
      text,
      ['table.example {', `https://localhost:${port} {\ntls ${certificate} ${key}`],
      ['127.0.0.1:8080', transport],
    );
    await writeFile(join(place, 'Caddyfile'), `{\nadmin off\nauto_https disable_redirects\n}\n${site}`);
    const args = ['run', '--adapter', 'caddyfile', '--config', join(place, 'Caddyfile')];
    await start(tool('usr/bin/caddy'), args, port, { XDG_DATA_HOME: place, XDG_CONFIG_HOME: place, HOME: place });
  },
  /** @param {string} text @param {number} port @param {number} to */
  async nginx(text, port, to) {
    const place = await mkdtemp(join(folder, 'nginx-'));
    const whole = text.startsWith('map')
      ? text
      : changed(recipe('nginx'), [/location \/ \{[^}]*\}/g, text.replaceAll('$', '$$$$')]);
    const site = changed(
      whole,
      ['table.example;', 'localhost;'],
      ['443', String(port)],
      ['127.0.0.1:8080', `127.0.0.1:${to}`],
      ['/etc/ssl/table.example.crt', certificate],
      ['/etc/ssl/table.example.key', key],
      ['proxy_http_version', `proxy_read_timeout ${PROXY_SECONDS}s;\nproxy_http_version`],
    );
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (kind) => `${kind}_temp_path ${place}/${kind};`,
    );
    await writeFile(
      join(place, 'nginx.conf'),
      `daemon off;\nuser root;\npid ${place}/pid;\nevents {}\nhttp {\naccess_log off;\n${temporary.join('\n')}\n${site}\n}\n`,
    );
    await start(tool('usr/sbin/nginx'), ['-p', place, '-e', 'stderr', '-c', join(place, 'nginx.conf')], port);
  },
};

/**
 * A server with a proxy in front of it.
 * @param {keyof typeof PROXIES} kind
 * @param {string} text its recipe
 * @param {{ path?: string, options?: string[] }} [settings]
 */
async function host(kind, text, { path = '/', options } = {}) {
  const port = await freePort();
  const url = `https://localhost:${port}${path}`;
  const usual = ['--public-url', url, '--trusted-proxies', '1'];
  const server = await Server.start({ options: [...(options ?? usual), '--ping-seconds', String(PING_SECONDS)] });
  await PROXIES[kind](text, port, server.port);
  return { url, port, path, server };
}

/**
 * A call as any program makes it.
 * @param {number} port
 * @param {string} path
 * @param {{ method?: string, from?: string, headers?: Record<string, string>, body?: string }} [more]
 * @returns {Promise<{ status: number, headers: IncomingHttpHeaders, text: string }>}
 */
function call(port, path, { method = 'GET', from, headers = {}, body } = {}) {
  return new Promise((answer, fail) => {
    const options = {
      host: '127.0.0.1',
      servername: 'localhost',
      port,
      path,
      method,
      rejectUnauthorized: false,
      agent: false,
    };
    const asked = request(
      { ...options, localAddress: from, headers: { host: `localhost:${port}`, ...headers } },
      (response) => {
        let text = '';
        response.on('data', (part) => (text += part));
        response.on('end', () => answer({ status: response.statusCode ?? 0, headers: response.headers, text }));
      },
    );
    asked.on('error', fail);
    asked.end(body);
  });
}

/**
 * The findings of the server about a request of the page.
 * @param {{ url: string, port: number, path: string }} site
 * @param {string} [page]
 */
async function findings({ url, port, path }, page = url) {
  const origin = new URL(url).origin;
  const headers = { origin, 'content-type': 'application/json' };
  const { status, text } = await call(port, `${path}api/connection-check`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ page }),
  });
  assert.equal(status, 200, text);
  return JSON.parse(text);
}

/**
 * A socket: it, or the status of the answer that is none.
 * @param {string} address
 * @param {string} [origin]
 * @returns {Promise<WebSocket | number>}
 */
function open(address, origin) {
  const socket = new WebSocket(address.replace('https', 'wss'), { rejectUnauthorized: false, origin });
  return new Promise((done, fail) => {
    socket.on('open', () => done(socket));
    socket.on('unexpected-response', (asked, { statusCode }) => {
      asked.destroy();
      done(statusCode ?? 0);
    });
    socket.on('error', fail);
  });
}

/** Two people in a room, through the proxy. @param {{ url: string }} site */
async function play(site) {
  const options = { ignoreHTTPSErrors: true, ...ONE_TAP };
  const ann = await Person.open(browser, site, 'Ann', options);
  const ben = await Person.open(browser, site, 'Ben', options);
  const link = await ann.openRoom({ seats: 3 });
  assert.ok(link.startsWith(`${site.url}t/`), link);
  await ann.waitUntilSeated();
  assert.equal(await ann.page.locator('.link').first().innerText(), link, 'the invitation leads to the same place');
  await ben.page.goto(link);
  await ben.sit();
  await ann.sees('2 of 3 taken');
  await ann.page.reload();
  await ann.waitUntilSeated();
  await ann.click('Menu');
  await ann.click('Help');
  await ann.click('Check the connection');
  await ann.sees('Everything is in order.');
  assert.deepEqual(await ann.page.locator('.checks li').allInnerTexts(), [
    'The page is where the server expects it.',
    'The connection is encrypted.',
    'The server sees the address of each device.',
    'Connections to tables get through (WebSocket).',
    'An idle connection stays open.',
  ]);
  assertFaultless(ann, ben);
}

/**
 * Kills the server in the middle of a trick. All players return, and see the same cards.
 * @param {{ url: string, server: Server }} site
 */
async function killServerDuringTrick(site) {
  const come = (/** @type {string} */ name) =>
    Person.open(browser, site, name, { ignoreHTTPSErrors: true, ...ONE_TAP });
  const people = [await come('Dan'), await come('Eva'), await come('Fay')];
  const [dan, ...others] = people;
  const all = (/** @type {(person: Person) => Promise<unknown>} */ act) => Promise.all(people.map(act));
  for (const person of people) person.browserLog.expectBadGateway();
  await sitDown(dan, ...others);
  for (const person of others) await person.click('Ready');
  await dan.sees('3 of 3 taken');
  await dan.click('Start');
  await all((person) => person.play(3));

  // The leader of the next trick plays, and nobody else. The live region still has what was said in an earlier trick.
  const leads = (/** @type {Person} */ person) =>
    person.page
      .locator('.tray.turn')
      .getByText('Your turn: lead any card.')
      .waitFor()
      .then(() => person);
  const leader = await Promise.any(people.map(leads));
  await leader.play(1);
  await all((person) =>
    person.page
      .getByText(/was led/)
      .first()
      .waitFor(),
  );
  const before = await Promise.all(people.map(async ({ page }) => page.evaluate(shownCards)));

  // So long that the pages ask whether there is such a room at all; the proxy's answer does not mean that there is
  // none.
  const asks = all((person) =>
    person.page.waitForResponse((answer) => answer.status() === 502 && /\/api\/rooms\//.test(answer.url())),
  );
  await site.server.end('SIGKILL');
  await all((person) =>
    person.page
      .getByText(/Connection lost/)
      .first()
      .waitFor(),
  );
  const impatience = await Promise.all(people.map(({ page }) => page.evaluateHandle(pressNow)));
  await asks;
  for (const observer of impatience) await observer.evaluate((observer) => observer.disconnect());
  await site.server.begin();
  await all((person) => person.page.locator('.banner').waitFor({ state: 'detached' }));
  assert.deepEqual(await Promise.all(people.map(({ page }) => page.evaluate(shownCards))), before);
  await all((person) => person.playDownTo(8));
  assertFaultless(...people);
}

/** Runs in the page: the visible cards of the trick and of the hand. */
function shownCards() {
  const slots = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('.seats .slot')]);
  const hand = [...document.querySelectorAll('.hand .card-button')];
  return { trick: slots.map((slot) => slot.innerText), hand: hand.map((card) => card.getAttribute('data-card')) };
}

/** Presses "Now" as soon as the page offers it, until the observer is disconnected. Runs in the page. */
function pressNow() {
  const press = () => {
    const button = [...document.querySelectorAll('.banner button')].find(({ textContent }) => textContent === 'Now');
    if (button instanceof HTMLElement) button.click();
  };
  const observer = new MutationObserver(press);
  observer.observe(document, { subtree: true, childList: true });
  press();
  return observer;
}

/** A socket without messages stays open for longer than the timeout of the proxy. @param {{ url: string }} site */
async function keepQuietSocketOpen({ url }) {
  const { room } = JSON.parse((await requestRoom(url)).text);
  const socket = await open(`${url}api/rooms/${room}/socket`, new URL(url).origin);
  assert.ok(socket instanceof WebSocket);
  const since = Date.now();
  socket.send(JSON.stringify({ type: 'hello', id: '1', token: 'A'.repeat(43) }));
  let closed = 0;
  socket.on('close', (code) => {
    closed = code;
  });
  await new Promise((enough) => {
    let pings = 0;
    socket.on('ping', () => {
      pings += 1;
      if (pings === PINGS) enough(undefined);
    });
    socket.on('close', enough);
  });
  assert.equal(closed, 0, 'it is open');
  assert.ok(Date.now() - since > 1.5 * PROXY_SECONDS * 1000, 'for longer than the proxy waits');
  socket.terminate();
}

/** Requests a new room through a proxy. @param {string} url */
const requestRoom = (url) => {
  const { port, pathname, origin } = new URL(url);
  const headers = { origin, 'content-type': 'application/json' };
  return call(Number(port), `${pathname}api/rooms`, { method: 'POST', headers, body: '{"game":"sticheln","seats":3}' });
};

/** The server distinguishes clients by the headers of the proxy, and ignores those of the client. @param {{ port: number, path: string }} site */
async function countClients({ port, path }) {
  const ask = (/** @type {string} */ from, headers = {}) => call(port, `${path}api/rooms/22222222`, { from, headers });
  for (let lookup = 0; lookup < WRONG_CODES; lookup += 1) assert.equal((await ask('127.0.0.2')).status, 404);
  assert.equal((await ask('127.0.0.2')).status, 429, 'one lookup too many');
  for (const name of ['x-forwarded-for', 'forwarded', 'x-real-ip']) {
    const value = name === 'forwarded' ? 'for=192.0.2.7' : '192.0.2.7';
    assert.equal((await ask('127.0.0.2', { [name]: value })).status, 429, `${name} made up`);
  }
  assert.equal((await ask('127.0.0.3')).status, 404, 'another client may look codes up');
}

/** Only pages of the public address can open a room. @param {{ url: string, server: Server }} site */
async function refuseForeignOrigins({ url, server }) {
  const { room } = JSON.parse((await requestRoom(url)).text);
  const { origin, port } = new URL(url);
  const own = await open(`${url}api/rooms/${room}/socket`, origin);
  assert.ok(own instanceof WebSocket);
  own.terminate();
  const others = [
    'null',
    `http://localhost:${port}`,
    'https://localhost',
    `https://127.0.0.1:${port}`,
    `http://127.0.0.1:${server.port}`,
  ];
  for (const other of [...others, `${origin}.evil.example`]) {
    assert.equal(await open(`${url}api/rooms/${room}/socket`, other), 403, other);
  }
}

for (const kind of /** @type {const} */ (['caddy', 'nginx'])) {
  describe(kind, { concurrency: 1, timeout: 300_000 }, async () => {
    const top = await host(kind, recipe(kind));
    const inside = await host(kind, recipe(`${kind} folder`), { path: '/cards/' });
    // The quiet socket runs beside the other tests, and a test of its own awaits its result.
    const silence = keepQuietSocketOpen(top);
    silence.catch(() => {});

    test('a game can be played at the top of a domain', () => play(top));
    test('a game can be played in a folder of a domain', () => play(inside));
    test('a game survives that the server is killed during a trick', async () =>
      killServerDuringTrick(await host(kind, recipe(kind))));
    test('the folder without its last slash redirects into it', async () => {
      const { status, headers } = await call(inside.port, '/cards');
      assert.deepEqual([status, new URL(headers.location ?? '', inside.url).href], [308, inside.url]);
    });
    test('addresses beside the folder do not reach the server', async () => {
      const { text } = await call(inside.port, '/cardsharp/');
      assert.doesNotMatch(text, /Sticheln/);
    });
    test('a quiet room stays connected', () => silence);
    test('each client has limits of its own', () => countClients(inside));
    test('pages of other sites open no room', () => refuseForeignOrigins(inside));
  });
}

/** Starts Caddy with the file of the cluster in front of two versions of the server. Returns its port. */
async function startCaddyOfCluster() {
  const versions = [Server.start({ isEmbedded: true }), Server.start({ isEmbedded: true, program: NEXT_PROGRAM })];
  const [one, other] = await Promise.all(versions);
  const [port, place] = [await freePort(), await mkdtemp(join(folder, 'cluster-'))];
  const site = changed(
    readFileSync(join(ROOT, 'docker/Caddyfile.cluster'), 'utf8'),
    ['{$DOMAIN} {', `https://localhost:${port} {\ntls ${certificate} ${key}`],
    ['sticheln-1:8080', `127.0.0.1:${one.port}`],
    ['sticheln-2:8080', `127.0.0.1:${other.port}`],
    [' sticheln-3:8080', ''],
  );
  await writeFile(join(place, 'Caddyfile'), `{\nadmin off\nauto_https disable_redirects\n}\n${site}`);
  const args = ['run', '--adapter', 'caddyfile', '--config', join(place, 'Caddyfile')];
  await start(tool('usr/bin/caddy'), args, port, { XDG_DATA_HOME: place, XDG_CONFIG_HOME: place, HOME: place });
  return port;
}

test('a page and its files come from one of two versions', async () => {
  const port = await startCaddyOfCluster();
  for (let request = 0; request < PAGE_REQUESTS; request += 1) {
    const { text } = await call(port, request % 2 === 0 ? '/' : '/t/k7qm2x4p');
    const [, file] = /(\/a\/\w+\/js\/main\.js)/.exec(text) ?? [];
    assert.ok(file, text);
    const { files } = JSON.parse((await call(port, '/api/page')).text);
    assert.deepEqual([(await call(port, file)).status, file.split('/')[2]], [200, files]);
  }
});

describe('the connection check', { concurrency: 1, timeout: 300_000 }, () => {
  test('a proxy that is not trusted is reported', async () => {
    const site = await host('caddy', recipe('caddy'), { options: [] });
    const found = await findings(site);
    assert.deepEqual([found.host, found.scheme, found.client_addresses], ['ok', 'https', 'as_one']);
    await findings(site);
    const warnings = site.server.log.match(/--trusted-proxies/g);
    assert.equal(warnings?.length, 1, `it is said once: ${site.server.log}`);
  });

  test('a proxy without host and upgrade is reported', async () => {
    const without = recipe('nginx')
      .split('\n')
      .filter((line) => !/proxy_set_header/.test(line))
      .join('\n');
    const site = await host('nginx', without, { options: [] });
    assert.equal((await findings(site)).host, 'changed');
    assert.equal((await requestRoom(site.url)).status, 403);
    assert.equal(await open(`${site.url}api/connection-check`), 400, 'the upgrade is not passed on');
  });

  test('a wrong public address is reported', async () => {
    const options = [
      '--public-url',
      'https://table.example/cards/',
      '--trusted-proxies',
      '2',
      '--forwarded-header',
      'forwarded',
    ];
    const site = await host('nginx', recipe('nginx'), { options });
    const { host: where, path, client_addresses: addresses, public_url: url } = await findings(site);
    assert.deepEqual(
      [where, path, addresses, url],
      ['not_public', 'not_public', 'not_named', 'https://table.example/cards/'],
    );
  });

  test('a proxy that closes quiet sockets is reported', async () => {
    const port = await freePort();
    const url = `https://localhost:${port}/`;
    const server = await Server.start({
      options: ['--public-url', url, '--trusted-proxies', '1', '--ping-seconds', '10'],
    });
    await PROXIES.nginx(recipe('nginx'), port, server.port);
    const ann = await Person.open(browser, { url }, 'Ann', { ignoreHTTPSErrors: true });
    await ann.goHome();
    await ann.page.getByRole('link', { name: 'How to play Sticheln' }).click();
    await ann.click('Check the connection');
    await ann.sees(new RegExp(`An idle connection is closed after ${PROXY_SECONDS} seconds`));
    assertFaultless(ann);
  });
});
