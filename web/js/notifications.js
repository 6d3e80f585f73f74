// Notifications of the device, and vibration: they tell people who do not look at the page that it is their turn.

import { urlOf } from './urls.js';

/** @import { Settings } from './settings.js' */

const VIBRATION = [60, 60, 60];

/** @type {Notification | null} */
let shown = null;

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
  dismissNotification();
  try {
    shown = new Notification(title, {
      body: text,
      tag: 'sticheln.turn',
      icon: urlOf('icon.svg'),
      lang: settings.language,
    });
  } catch {
    return; // Some phones show notifications only of pages with a service worker.
  }
  shown.onclick = () => {
    window.focus();
    dismissNotification();
  };
}

/** Closes the notification, because the page was seen or the turn is over. */
export function dismissNotification() {
  shown?.close();
  shown = null;
}
