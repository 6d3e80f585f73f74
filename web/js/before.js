// Before anything is drawn: whether this browser can run the page at all, and the colours that were chosen last time.
// A classic script in old words, so that every browser reads it, and at once.
(function () {
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
  }

  function refuse() {
    var words = document.getElementById('old');
    if (!words) return;
    // Only now, since a class that lays out its parts would show them.
    words.className = 'wrap stack';
    words.hidden = false;
  }
})();
