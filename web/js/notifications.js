// Notifications of the device, and vibration: they tell people who do not look at the page that it is their turn. They come
// only while the page lives: nothing is sent to a server for push messages.

import { fileUrl, urlOf } from './urls.js';

/** @import { Settings } from './settings.js' */

const VIBRATION = [60, 60, 60];

/** The tag of the notification: a new one replaces the one before. */
const TAG = 'sticheln.turn';

/** The notification that is shown. @type {Pick<Notification, 'close'> | null} */
let shown = null;
/** How often a notification was shown or closed: one that the worker is still to show may be out of date. */
let changes = 0;

/** Whether this browser can show notifications of a page. */
export const canNotify = () => globalThis.isSecureContext && 'Notification' in globalThis;

/** Whether this device can vibrate. */
export const canVibrate = () => typeof navigator.vibrate === 'function' && matchMedia('(pointer: coarse)').matches;

/** Asks for the permission to show notifications. Browsers allow that only right after a tap or click. */
export async function requestNotifications() {
  return canNotify() && (await Notification.requestPermission()) === 'granted';
}

/**
 * Tells that it is the own turn. A notification is shown only while the page is hidden.
 * @param {Settings} settings
 * @param {string} title
 * @param {string} text
 */
export function notifyTurn(settings, title, text) {
  const mayVibrate = canVibrate() && navigator.userActivation?.hasBeenActive !== false;
  if (settings.vibration && mayVibrate) navigator.vibrate(VIBRATION);
  if (!settings.notification || !canNotify() || document.visibilityState === 'visible') return;
  if (Notification.permission !== 'granted') return;
  show(title, { body: text, tag: TAG, icon: urlOf('icon-192.png'), lang: settings.language });
}

/**
 * Shows a notification, and closes the one before.
 * @param {string} title
 * @param {NotificationOptions} options
 */
function show(title, options) {
  dismissNotification();
  shown = showByPage(title, options);
  if (shown === null) void showByWorker(title, options);
}

/**
 * Shows a notification by the page itself; null if this browser does not allow that, as those of Android.
 * @param {string} title
 * @param {NotificationOptions} options
 */
function showByPage(title, options) {
  try {
    const notification = new Notification(title, options);
    notification.onclick = () => {
      window.focus();
      dismissNotification();
    };
    return notification;
  } catch {
    return null;
  }
}

/**
 * Shows a notification by the service worker, unless it is out of date by then.
 * @param {string} title
 * @param {NotificationOptions} options
 */
async function showByWorker(title, options) {
  const change = changes;
  try {
    const registration = await activeWorker();
    const data = location.href.split('#')[0];
    if (change === changes) await registration.showNotification(title, { ...options, data });
    const close = async () => {
      for (const one of await registration.getNotifications({ tag: TAG })) one.close();
    };
    if (change === changes) shown = { close: () => void close() };
    else await close();
  } catch {
    // This browser shows no notifications in either way.
  }
}

/** Registers the service worker, and waits until it is active; fails if the browser has no service workers. */
async function activeWorker() {
  const container = navigator.serviceWorker;
  const registration = await container.register(fileUrl('js/notification-worker.js'));
  void removeOtherWorkers(registration);
  const worker = registration.active ?? registration.waiting ?? registration.installing;
  if (worker === null) throw new Error('no service worker');
  await new Promise((done, fail) => {
    const check = () => {
      if (worker.state === 'activated') done(undefined);
      if (worker.state === 'redundant') fail(new Error('the service worker could not be installed'));
    };
    worker.addEventListener('statechange', check);
    check();
  });
  return registration;
}

/**
 * Removes the service workers of earlier versions of the page, whose files had another folder.
 * @param {ServiceWorkerRegistration} current
 */
async function removeOtherWorkers(current) {
  const all = await navigator.serviceWorker.getRegistrations();
  const isEarlier = (/** @type {ServiceWorkerRegistration} */ { scope }) =>
    scope !== current.scope && scope.startsWith(urlOf('a/'));
  await Promise.all(all.filter(isEarlier).map((registration) => registration.unregister()));
}

/** Closes the notification, because the page was seen or the turn is over. */
export function dismissNotification() {
  changes += 1;
  shown?.close();
  shown = null;
}
