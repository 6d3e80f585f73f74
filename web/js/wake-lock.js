// Keeps the screen on. The browser lets go of it whenever the page is hidden, so it is asked again.

/** @type {Promise<WakeLockSentinel | null> | null} */
let lock = null;

/**
 * Whether the screen is to stay on, as far as the page can be seen; to be called again whenever one of both may have
 * changed. Does nothing where browsers do not know this, or refuse it.
 * @param {boolean} isWanted
 */
export function keepScreenOn(isWanted) {
  const isNeeded = isWanted && document.visibilityState === 'visible';
  if (isNeeded === (lock !== null)) return;
  if (isNeeded) {
    lock = navigator.wakeLock?.request('screen').catch(nothing) ?? Promise.resolve(null);
  } else {
    void lock?.then((lock) => lock?.release()).catch(nothing);
    lock = null;
  }
}

const nothing = () => null;
