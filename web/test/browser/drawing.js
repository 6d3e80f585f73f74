// Turns the drawing of a page off and on. About a quarter of the CPU time of a browser without a GPU is for pixels, which
// most tests never look at.

/** @import { Page } from 'playwright-core' */

/** A page that can be transparent. @typedef {Window & typeof globalThis & { transparency?: CSSStyleSheet }} DrawnWindow */

/**
 * Makes a page transparent from its next load on. The browser calculates styles, layout and hit tests as always, but
 * draws no pixels. Dialogs are above the page and are drawn. A test needs a drawn page for screenshots, the contrast of
 * colours, layout shifts, and times of frames.
 * @param {Page} page
 */
export const stopDrawing = (page) => page.addInitScript(makeTransparent);

/**
 * Makes a transparent page visible, or transparent again, until its next load.
 * @param {Page} page
 * @param {boolean} isDrawn
 */
export const setDrawn = (page, isDrawn) =>
  page.evaluate((isDrawn) => {
    const { transparency } = /** @type {DrawnWindow} */ (window);
    if (transparency) transparency.disabled = isDrawn;
  }, isDrawn);

/** Runs in the page before its scripts. */
function makeTransparent() {
  const transparency = new CSSStyleSheet();
  transparency.replaceSync('html { opacity: 0 !important }');
  document.adoptedStyleSheets.push(transparency);
  Object.assign(window, { transparency });
}
