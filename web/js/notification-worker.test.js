import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';

const SOURCE = readFileSync(new URL('./notification-worker.js', import.meta.url), 'utf8');
const TABLE = 'https://cards.example/t/k7qm2x4p';

/**
 * The service worker with these windows, and what it does.
 * @param {string[]} urls
 */
function setUp(urls) {
  /** @type {Record<string, (event: object) => void>} */
  const listeners = {};
  /** @type {string[]} */
  const done = [];
  const windows = urls.map((url) => ({ url, focus: async () => done.push(`focus ${url}`) }));
  const self = {
    addEventListener: (/** @type {string} */ type, /** @type {() => void} */ listener) => {
      listeners[type] = listener;
    },
    skipWaiting: async () => {},
    clients: {
      matchAll: async (/** @type {{ type: string, includeUncontrolled: boolean }} */ options) =>
        options.includeUncontrolled && options.type === 'window' ? windows : [],
      openWindow: async (/** @type {string} */ url) => done.push(`open ${url}`),
    },
  };
  runInNewContext(SOURCE, { self });
  const click = async () => {
    /** @type {Promise<void>[]} */
    const work = [];
    const notification = { data: TABLE, close: () => done.push('close') };
    listeners.notificationclick({ notification, waitUntil: (/** @type {Promise<void>} */ one) => work.push(one) });
    await Promise.all(work);
    return done;
  };
  return { listeners, click };
}

test('the service worker handles notifications only: no requests, no cache, no push messages', () => {
  assert.deepEqual(Object.keys(setUp([]).listeners).sort(), ['install', 'notificationclick']);
  assert.doesNotMatch(SOURCE, /\b(?:caches|fetch|importScripts|indexedDB)[.(]/);
});

test('a click on the notification focuses the table', async () => {
  const { click } = setUp(['https://cards.example/', `${TABLE}#menu`, 'https://cards.example/t/23456789']);
  assert.deepEqual(await click(), ['close', `focus ${TABLE}#menu`]);
});

test('a table whose window was closed is opened again', async () => {
  assert.deepEqual(await setUp(['https://cards.example/']).click(), ['close', `open ${TABLE}`]);
});
