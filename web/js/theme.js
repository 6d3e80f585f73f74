// Before anything is drawn: the colours that were chosen last time. A classic script, so that it runs at once.
(() => {
  try {
    const { theme } = JSON.parse(localStorage.getItem('sticheln.settings') ?? '{}');
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  } catch {
    // Without a memory of the browser: like the device.
  }
})();
