// Before anything is drawn: the colours that were chosen last time, and the words are on their way. A classic
// script, so that it runs at once.
(() => {
  /** @type {{ theme?: unknown, language?: unknown }} */
  let chosen = {};
  try {
    chosen = JSON.parse(localStorage.getItem('sticheln.settings') ?? '{}') ?? {};
  } catch {
    // Without a memory of the browser: like the device.
  }
  const { theme, language } = chosen;
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;

  const isOurs = (/** @type {unknown} */ word) => word === 'de' || word === 'en';
  const usual = (navigator.languages ?? []).map((name) => name.slice(0, 2).toLowerCase()).find(isOurs) ?? 'en';
  const script = document.currentScript;
  if (!(script instanceof HTMLScriptElement)) return;
  const words = document.createElement('link');
  words.rel = 'preload';
  words.as = 'fetch';
  words.crossOrigin = 'anonymous';
  words.href = new URL(`../i18n/${isOurs(language) ? language : usual}.json`, script.src).href;
  document.head.append(words);
})();
