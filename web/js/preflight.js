// Before anything is drawn: whether this browser can run the page at all, the colours that were chosen last time, and
// what becomes of a page whose scripts do not come.
// A classic script in old words, so that every browser reads it. The server writes it into the page: it is always there.
(function () {
  /** A page whose scripts did not come waits for so many milliseconds, and each time twice as long, so often. */
  var AGAIN = 2000;
  var DOUBLINGS = 5;
  /** Under this name the window counts how often it was loaded in vain. */
  var VAIN = 'sticheln.vain';
  var root = document.documentElement;
  var canRun =
    'noModule' in document.createElement('script') &&
    'HTMLDialogElement' in window &&
    'findLast' in Array.prototype &&
    'Intl' in window &&
    'Segmenter' in Intl;
  if (canRun) begin();
  else {
    root.className = 'old';
    document.addEventListener('DOMContentLoaded', refuse);
  }

  function begin() {
    /** @type {{ theme?: unknown }} */
    var chosen = {};
    try {
      chosen = JSON.parse(localStorage.getItem('sticheln.settings') || '{}') || {};
    } catch (_) {
      // Without a memory of the browser: like the device.
    }
    if (chosen.theme === 'light' || chosen.theme === 'dark') root.setAttribute('data-theme', chosen.theme);
    window.addEventListener('error', miss, true);
  }

  /**
   * Without its scripts the page cannot ask for anything itself: it is loaded again when that may help.
   * @param {Event} event
   */
  function miss(event) {
    if (event.target === document.querySelector('script[type=module]')) setTimeout(reload, AGAIN * Math.pow(2, vain()));
  }

  /** How often it was loaded in vain, within bounds; counts on. */
  function vain() {
    try {
      var before = Number(sessionStorage.getItem(VAIN)) || 0;
      sessionStorage.setItem(VAIN, String(before + 1));
      return Math.min(before, DOUBLINGS);
    } catch (_) {
      return DOUBLINGS;
    }
  }

  function reload() {
    fetch(location.href, { cache: 'no-store' })
      .then(function (answer) {
        return answer.ok;
      })
      .catch(function () {
        return false;
      })
      .then(function (isThere) {
        if (isThere) location.reload();
        else setTimeout(reload, AGAIN);
      });
  }

  function refuse() {
    var words = document.getElementById('old');
    if (!words) return;
    // Only now, since a class that lays out its parts would show them.
    words.className = 'wrap stack';
    words.hidden = false;
  }
})();
