// The service worker of notifications. Browsers of Android show a notification only from a service worker. This one does
// nothing else: it handles no requests, caches nothing and receives no push messages. It controls no page, because it lies in
// the folder of the scripts. It is a classic script without imports.

/**
 * @typedef {object} WindowOfPage
 * @property {string} url
 * @property {() => Promise<unknown>} focus
 */
/**
 * An event of the worker. Only a click on a notification has a notification.
 * @typedef {object} WorkerEvent
 * @property {(work: Promise<unknown>) => void} waitUntil
 * @property {{ data: unknown, close: () => void }} [notification]
 */
/**
 * The part of the interface of service workers that this one uses.
 * @typedef {object} Worker
 * @property {(type: string, listener: (event: WorkerEvent) => void) => void} addEventListener
 * @property {() => Promise<void>} skipWaiting
 * @property {{ matchAll: (options: object) => Promise<WindowOfPage[]>, openWindow: (url: string) => Promise<unknown> }} clients
 */

const worker = /** @type {Worker} */ (/** @type {unknown} */ (self));

worker.addEventListener('install', (event) => event.waitUntil(worker.skipWaiting()));
worker.addEventListener('notificationclick', (event) => {
  event.notification?.close();
  event.waitUntil(showTable(String(event.notification?.data)));
});

/**
 * Focuses the window of a table, or opens one if there is none any more.
 * @param {string} url the address of the table
 */
async function showTable(url) {
  const windows = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const found = windows.find((one) => one.url.split('#')[0] === url);
  if (found) await found.focus();
  else await worker.clients.openWindow(url);
}
