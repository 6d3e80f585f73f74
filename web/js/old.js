// Browsers that are too old for this page are told so. A classic script in old words, so that they can read it.
(function () {
  var canRun =
    'noModule' in document.createElement('script') &&
    'HTMLDialogElement' in window &&
    'findLast' in Array.prototype &&
    'Intl' in window &&
    'Segmenter' in Intl;
  if (canRun) return;
  document.documentElement.className = 'old';
  var words = document.getElementById('old');
  if (!words) return;
  // Only now, since a class that lays out its parts would show them.
  words.className = 'wrap stack';
  words.hidden = false;
})();
