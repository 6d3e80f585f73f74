// The wake lock, which keeps the screen on. Browsers release it when the page is hidden, so it is requested again.

/** @type {Promise<WakeLockSentinel | null> | null} */
let lock = null;

/**
 * Keeps the screen on as long as the page is visible, or releases it. To be called again when the page is shown or hidden.
 * Does nothing where the browser has no wake lock or refuses it.
 * @param {boolean} isWanted
 */
export function keepScreenOn(isWanted) {
  const isNeeded = isWanted && document.visibilityState === 'visible';
  if (isNeeded === (lock !== null)) return;
  if (isNeeded) {
    lock = navigator.wakeLock?.request('screen').catch(ignore) ?? Promise.resolve(null);
  } else {
    void lock?.then((lock) => lock?.release()).catch(ignore);
    lock = null;
  }
}

const ignore = () => null;
