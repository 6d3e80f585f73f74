// The preflight script: it runs before anything is drawn. It checks whether this browser can run the page, and applies
// the theme that was chosen last time. If the scripts of the page cannot be loaded, it reloads the page.
// It is a classic script in old syntax, so that every browser can read it. The server writes it into the document, so it
// cannot be missing.
(function () {
  /** A page whose scripts could not be loaded is reloaded after so many milliseconds, and twice as long each time. */
  var FIRST_DELAY = 2000;
  /** How often the delay doubles. */
  var MAX_DOUBLINGS = 5;
  /** The keys of the settings, and of the number of failed loads. storage.js describes them. */
  var SETTINGS = 'sticheln.settings';
  var FAILED_LOADS = 'sticheln.failed-loads';
  var root = document.documentElement;
  var canRun =
    'noModule' in document.createElement('script') &&
    'HTMLDialogElement' in window &&
    'findLast' in Array.prototype &&
    'Intl' in window &&
    'Segmenter' in Intl;
  if (canRun) {
    applyTheme();
    window.addEventListener('error', onError, true);
  } else {
    root.className = 'old';
    document.addEventListener('DOMContentLoaded', showNotice);
  }

  function applyTheme() {
    /** @type {{ theme?: unknown }} */
    var settings = {};
    try {
      settings = JSON.parse(localStorage.getItem(SETTINGS) || '{}') || {};
    } catch (_) {
      // Without storage the page has the theme of the device.
    }
    if (settings.theme === 'light' || settings.theme === 'dark') root.setAttribute('data-theme', settings.theme);
  }

  /**
   * Reloads the page later if its main module could not be loaded.
   * @param {Event} event
   */
  function onError(event) {
    if (event.target !== document.querySelector('script[type=module]')) return;
    setTimeout(reload, FIRST_DELAY * Math.pow(2, countFailedLoad()));
  }

  /** How many loads have failed before, at most `MAX_DOUBLINGS`; counts this one. */
  function countFailedLoad() {
    try {
      var before = Number(sessionStorage.getItem(FAILED_LOADS)) || 0;
      sessionStorage.setItem(FAILED_LOADS, String(before + 1));
      return Math.min(before, MAX_DOUBLINGS);
    } catch (_) {
      return MAX_DOUBLINGS;
    }
  }

  /** Reloads the page as soon as the server answers. */
  function reload() {
    fetch(location.href, { cache: 'no-store' })
      .then(function (response) {
        return response.ok;
      })
      .catch(function () {
        return false;
      })
      .then(function (isThere) {
        if (isThere) location.reload();
        else setTimeout(reload, FIRST_DELAY);
      });
  }

  /** Shows the notice that the browser is too old. */
  function showNotice() {
    var notice = document.getElementById('old');
    if (!notice) return;
    // The class would show the notice in other browsers too, so it is set only here.
    notice.className = 'content stack';
    notice.hidden = false;
  }
})();
