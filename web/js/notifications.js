// Being called when it is your turn and you do not look: a message of the device, and a phone that trembles.

import { urlOf } from './urls.js';

/** @type {Notification | null} */
let shown = null;

/** Whether this browser can show messages of a page at all. */
export const canNotify = () => globalThis.isSecureContext && 'Notification' in globalThis;

/** Whether this is a device that can tremble. */
export const canVibrate = () => typeof navigator.vibrate === 'function' && matchMedia('(pointer: coarse)').matches;

/** Asks whether messages may be shown; only to be called when somebody has just asked for them. */
export async function requestNotifications() {
  return canNotify() && (await Notification.requestPermission()) === 'granted';
}

/**
 * Calls for attention. A message is shown only while the page is hidden.
 * @param {import('./settings.js').Settings} settings
 * @param {string} title
 * @param {string} text
 */
export function notifyTurn(settings, title, text) {
  if (settings.vibration && canVibrate() && navigator.userActivation?.hasBeenActive !== false)
    navigator.vibrate([60, 60, 60]);
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
    return; // Some phones leave this to pages that were installed with a service worker.
  }
  shown.onclick = () => {
    window.focus();
    dismissNotification();
  };
}

/** Takes the message away: it has been seen, or is no longer true. */
export function dismissNotification() {
  shown?.close();
  shown = null;
}
