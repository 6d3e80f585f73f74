// Before anything is drawn: whether this browser can run the page at all, and the colours that were chosen last time.
// A classic script in old words, so that every browser reads it, and at once.
(function () {
  /** After how many milliseconds a page whose scripts did not come asks whether the server is there again. */
  var AGAIN = 2000;
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
   * Without its scripts the page cannot ask for anything itself: it is loaded once more when that may help.
   * @param {Event} event
   */
  function miss(event) {
    if (event.target instanceof HTMLScriptElement) setTimeout(reload, AGAIN);
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
