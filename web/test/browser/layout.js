// Finds flaws in the layout of a page. Controls may overlap, be too small or be out of reach. Text may be cut off, and
// pages may scroll sideways.

/** @import { Page } from 'playwright-core' */

/** The viewports at which the page must have no flaws. */
export const SIZES = [
  { width: 320, height: 568 },
  { width: 360, height: 740 },
  { width: 412, height: 915 },
  { width: 740, height: 360 },
  { width: 844, height: 390 },
  { width: 768, height: 1024 },
  { width: 1024, height: 600 },
  { width: 1366, height: 768 },
  { width: 1920, height: 1080 },
];

/**
 * The flaws of a page as it is now, each in a few words.
 * @param {Page} page
 * @param {{ areNamesLong?: boolean }} [expected] whether the page has names that it must shorten
 * @returns {Promise<string[]>}
 */
export const flaws = (page, { areNamesLong = false } = {}) => page.evaluate(found, areNamesLong);

/**
 * Runs in the page.
 * @param {boolean} areNamesLong
 */
function found(areNamesLong) {
  /** @type {Set<string>} */
  const flaws = new Set();
  const root = document.documentElement;
  const [width, height] = [root.clientWidth, root.clientHeight];
  const isPhone = width < 360;
  const top = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body;

  if (root.scrollWidth > width) flaws.add(`the page is ${root.scrollWidth - width} px too wide`);
  const elements = [top, ...top.querySelectorAll('*')].filter(isSeen);
  const controls = elements.filter((element) => element.matches('a[href], button, input, select, textarea, summary'));
  for (const element of controls) checkReachable(element);
  scroll(0);
  for (const element of elements) if (hasText(element)) checkTextVisible(element);
  for (const element of top.querySelectorAll('.chart text')) checkChartLabel(element);
  checkOverlap([...top.querySelectorAll('.felt .plate, .felt .slot, .felt .hub')].filter(isSeen));
  return [...flaws];

  /** Checks that a control can be reached, is large enough, and is not covered. @param {Element} element */
  function checkReachable(element) {
    const target = (element.matches('input[type=radio], input[type=checkbox]') && element.closest('label')) || element;
    let box = target.getBoundingClientRect();
    if (box.left < -1 || box.right > width + 1) flaws.add(`${name(element)} is beside the screen`);
    checkSize(element, box);
    let cover = box.top < 0 || box.bottom > height ? target : covering(target, box);
    if (!cover) return;
    target.scrollIntoView({ block: 'center', inline: 'nearest' });
    box = target.getBoundingClientRect();
    const seen = Math.min(height, box.bottom) - Math.max(0, box.top);
    if (seen < Math.min(minimumSize(element).height, box.height, height) - 1)
      flaws.add(`${name(element)} cannot be scrolled to`);
    cover = covering(target, box);
    if (cover) flaws.add(`${name(element)} is overlapped by ${name(cover)}`);
  }

  /** An element that covers a part of this one, or null. @param {Element} target @param {DOMRect} box */
  function covering(target, box) {
    const right = target.matches('.hand .card-button') ? box.left + visibleWidth(target, box) : box.right;
    const [start, end] = [Math.max(0, box.top), Math.min(height, box.bottom)];
    for (const x of [0.15, 0.5, 0.85]) {
      for (const y of [0.2, 0.5, 0.8]) {
        const hit = document.elementFromPoint(box.left + x * (right - box.left), start + y * (end - start));
        // A toast disappears by itself, and during a pause the note covers the whole table.
        if (hit && !target.contains(hit) && !hit.contains(target) && !hit.closest('.toast, .pause-note'))
          return hit.closest('a[href], button, label') ?? hit;
      }
    }
    return null;
  }

  /** Checks the size of a control. @param {Element} element @param {DOMRect} box */
  function checkSize(element, box) {
    if (element.matches('p a, li a:not(.btn)') || element.closest('.chart')) return;
    const least = minimumSize(element);
    const wide = element.matches('.hand .card-button') ? visibleWidth(element, box) : box.width;
    if (wide < least.width - 0.6 || box.height < least.height - 0.6) {
      flaws.add(`${name(element)} is only ${wide.toFixed(0)} × ${box.height.toFixed(0)} px`);
    }
  }

  /** The width of a card in the hand that the next card does not cover. @param {Element} card @param {DOMRect} box */
  function visibleWidth(card, box) {
    const next = card.closest('li')?.nextElementSibling?.querySelector('.card-button')?.getBoundingClientRect();
    return next && Math.abs(next.top - box.top) < 30 && next.left > box.left
      ? Math.min(box.width, next.left - box.left)
      : box.width;
  }

  /** The smallest allowed size of a control. @param {Element} element */
  function minimumSize(element) {
    const isLow = height < 400;
    if (element.matches('.space')) return isLow ? { width: 94, height: 30 } : { width: isPhone ? 36 : 44, height: 44 };
    if (element.matches('.hand .card-button'))
      return { width: isPhone ? 38 : isLow && width < 700 ? 37 : 43, height: 44 };
    return isPhone ? { width: 24, height: 24 } : { width: 44, height: 44 };
  }

  /** Checks that a text is neither shortened nor cut off. @param {Element} element */
  function checkTextVisible(element) {
    const style = getComputedStyle(element);
    if (
      element.scrollWidth > element.clientWidth + 1 &&
      style.textOverflow === 'ellipsis' &&
      style.overflowX !== 'visible'
    ) {
      // On a narrow screen the page may shorten names of eight letters or more.
      const isLong = areNamesLong || (width < 400 && (element.textContent ?? '').trim().length >= 8);
      if (!isLong && !element.matches('.link, .link-box *, .bar-title *')) flaws.add(`${name(element)} is shortened`);
      return;
    }
    for (const node of element.childNodes) {
      if (node.nodeType !== Node.TEXT_NODE || !node.textContent?.trim()) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const text = range.getBoundingClientRect();
      if (text.width > 0) checkContainer(element, text);
    }
  }

  /** Checks that no element around a text is smaller than the text. @param {Element} element @param {DOMRect} text */
  function checkContainer(element, text) {
    for (
      let around = /** @type {Element | null} */ (element);
      around && around !== root;
      around = around.parentElement
    ) {
      const { overflowX, overflowY, position } = getComputedStyle(around);
      const box = around.getBoundingClientRect();
      const [cutsX, cutsY] = [overflowX, overflowY].map((overflow) => overflow === 'hidden' || overflow === 'clip');
      const [scrollsX, scrollsY] = [overflowX, overflowY].map(
        (overflow) => overflow === 'auto' || overflow === 'scroll',
      );
      const isFrame = around.matches(
        '.btn, .tag, .plate, .hub, .banner, .toast, .panel, .input, td, th, .segmented label, .tray, .space',
      );
      if (scrollsX || (scrollsY && around !== element)) return;
      if ((isFrame || cutsX) && (text.left < box.left - 1 || text.right > box.right + 1))
        flaws.add(`${name(element)} is wider than ${name(around)}`);
      if ((isFrame || cutsY) && (text.top < box.top - 3 || text.bottom > box.bottom + 3) && !around.matches('body'))
        flaws.add(`${name(element)} is higher than ${name(around)}`);
      // A tag may stick out of the element to which it is pinned.
      if (position === 'fixed' || around.matches('.card, .plate-tag, .slot-label')) return;
    }
    if (text.left < -1 || text.right > width + 1) flaws.add(`${name(element)} is beside the screen`);
  }

  /** Checks that a label of a chart is inside the chart. @param {Element} element */
  function checkChartLabel(element) {
    const [text, chart] = [element, element.closest('.chart') ?? root].map((some) => some.getBoundingClientRect());
    if (text.left < chart.left - 1 || text.right > chart.right + 1)
      flaws.add(`${name(element)} sticks out of the chart`);
  }

  /** Checks that these elements do not overlap. @param {Element[]} elements */
  function checkOverlap(elements) {
    elements.forEach((one, at) => {
      for (const other of elements.slice(at + 1)) {
        if (one.contains(other) || other.contains(one)) continue;
        const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (wide > 2 && high > 2)
          flaws.add(`${name(one)} and ${name(other)} overlap by ${wide.toFixed(0)} × ${high.toFixed(0)} px`);
      }
    });
  }

  /** @param {Element} element */
  function isSeen(element) {
    if (
      !element.checkVisibility({ visibilityProperty: true }) ||
      element.closest('.visually-hidden, .symbols, .skip, [inert], svg')
    )
      return false;
    const { width, height } = element.getBoundingClientRect();
    return width > 0 && height > 0 && getComputedStyle(element).clipPath === 'none';
  }

  /** @param {Element} element */
  function hasText(element) {
    return [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim());
  }

  /** @param {number} y */
  function scroll(y) {
    for (const element of document.querySelectorAll('*')) if (element.scrollTop > 0) element.scrollTop = y;
    window.scrollTo(0, y);
  }

  /** A description of an element for the report. @param {Element} element */
  function name(element) {
    const text = (element.getAttribute('aria-label') ?? element.getAttribute('data-card') ?? element.textContent ?? '')
      .trim()
      .replace(/\s+/g, ' ');
    const kind = element.tagName.toLowerCase() + [...element.classList].map((name) => `.${name}`).join('');
    return text ? `${kind} “${text.slice(0, 40)}”` : kind;
  }
}
