// Being called when it is your turn and you do not look: a message of the device, and a phone that trembles.

import { address } from './urls.js';

/** @type {Notification | null} */
let shown = null;

/** Whether this browser can show messages of a page at all. */
export const canNotify = () => globalThis.isSecureContext && 'Notification' in globalThis;

/** Whether this is a device that can tremble. */
export const canTremble = () => typeof navigator.vibrate === 'function' && matchMedia('(pointer: coarse)').matches;

/** Asks whether messages may be shown; only to be called when somebody has just asked for them. */
export async function mayNotify() {
  return canNotify() && (await Notification.requestPermission()) === 'granted';
}

/**
 * Calls for attention. A message is shown only while the page is hidden.
 * @param {import('./settings.js').Settings} settings
 * @param {string} title
 * @param {string} text
 */
export function call(settings, title, text) {
  if (settings.vibration && canTremble() && navigator.userActivation?.hasBeenActive !== false)
    navigator.vibrate([60, 60, 60]);
  if (!settings.notification || !canNotify() || document.visibilityState === 'visible') return;
  if (Notification.permission !== 'granted') return;
  hush();
  try {
    shown = new Notification(title, {
      body: text,
      tag: 'sticheln.turn',
      icon: address('icon.svg'),
      lang: settings.language,
    });
  } catch {
    return; // Some phones leave this to pages that were installed with a service worker.
  }
  shown.onclick = () => {
    window.focus();
    hush();
  };
}

/** Takes the message away: it has been seen, or is no longer true. */
export function hush() {
  shown?.close();
  shown = null;
}
