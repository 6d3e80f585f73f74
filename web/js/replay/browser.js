// The parts of the browser that the session of a replay changes: the address, the time, files, the page.

/** @import { Browser } from './session.js' */

/** For how long the address of a saved file is valid, in milliseconds. */
const FILE_MS = 60_000;

/**
 * @param {(code: string) => void} goToRoom
 * @returns {Browser}
 */
export const browserOf = (goToRoom) => ({
  setFragment: (fragment) => history.replaceState(history.state, '', fragment),
  later: (callback, ms) => setTimeout(callback, ms),
  isVisible: () => document.visibilityState === 'visible',
  save,
  goToRoom,
});

/**
 * Saves a text as a file of the device.
 * @param {string} text
 * @param {string} name
 */
function save(text, name) {
  const address = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), FILE_MS);
}
