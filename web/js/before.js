// Before anything is drawn: whether this browser can run the page at all, the colours that were chosen last time, and
// the words are on their way. A classic script in old words, so that every browser reads it, and at once.
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
    /** @type {{ theme?: unknown, language?: unknown }} */
    var chosen = {};
    try {
      chosen = JSON.parse(localStorage.getItem('sticheln.settings') || '{}') || {};
    } catch (_) {
      // Without a memory of the browser: like the device.
    }
    if (chosen.theme === 'light' || chosen.theme === 'dark') root.setAttribute('data-theme', chosen.theme);
    preload(isOurs(chosen.language) ? chosen.language : usual());
  }

  /** @param {unknown} word @returns {word is 'de' | 'en'} */
  function isOurs(word) {
    return word === 'de' || word === 'en';
  }

  /** What the device speaks, if the page does. */
  function usual() {
    var short = (navigator.languages || []).map(function (name) {
      return name.slice(0, 2).toLowerCase();
    });
    return short.filter(isOurs)[0] || 'en';
  }

  /** @param {string} language */
  function preload(language) {
    var script = /** @type {HTMLScriptElement} */ (document.currentScript);
    var words = document.createElement('link');
    words.rel = 'preload';
    words.as = 'fetch';
    words.crossOrigin = 'anonymous';
    words.href = script.src.replace(/js\/\w+\.js$/, 'i18n/' + language + '.json');
    document.head.appendChild(words);
  }

  function refuse() {
    var words = document.getElementById('old');
    if (!words) return;
    // Only now, since a class that lays out its parts would show them.
    words.className = 'wrap stack';
    words.hidden = false;
  }
})();
