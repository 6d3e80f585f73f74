// The faults in the layout of a page: controls that overlap, are too small or cannot be reached; texts that are cut off;
// a page that scrolls sideways.

/** @import { Page } from 'playwright-core' */

/** All sizes at which the page has to be whole. */
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
 * @param {{ areNamesLong?: boolean }} [expected] whether there are names that have to be shortened
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
  const parts = [top, ...top.querySelectorAll('*')].filter(isSeen);
  const acting = parts.filter((part) => part.matches('a[href], button, input, select, textarea, summary'));
  for (const part of acting) reach(part);
  scroll(0);
  for (const part of parts) if (hasText(part)) read(part);
  for (const part of top.querySelectorAll('.chart text')) label(part);
  overlap([...top.querySelectorAll('.felt .plate, .felt .slot, .felt .hub')].filter(isSeen));
  return [...flaws];

  /** Something that acts can be reached, is large enough, and nothing lies over it. @param {Element} part */
  function reach(part) {
    const target = (part.matches('input[type=radio], input[type=checkbox]') && part.closest('label')) || part;
    let box = target.getBoundingClientRect();
    if (box.left < -1 || box.right > width + 1) flaws.add(`${name(part)} is beside the screen`);
    measure(part, box);
    let over = box.top < 0 || box.bottom > height ? target : above(target, box);
    if (!over) return;
    target.scrollIntoView({ block: 'center', inline: 'nearest' });
    box = target.getBoundingClientRect();
    const seen = Math.min(height, box.bottom) - Math.max(0, box.top);
    if (seen < Math.min(size(part).height, box.height, height) - 1) flaws.add(`${name(part)} cannot be scrolled to`);
    over = above(target, box);
    if (over) flaws.add(`${name(part)} is overlapped by ${name(over)}`);
  }

  /** The element that covers a part of this one. @param {Element} target @param {DOMRect} box */
  function above(target, box) {
    const right = target.matches('.hand .cb') ? box.left + strip(target, box) : box.right;
    const [start, end] = [Math.max(0, box.top), Math.min(height, box.bottom)];
    for (const x of [0.15, 0.5, 0.85]) {
      for (const y of [0.2, 0.5, 0.8]) {
        const hit = document.elementFromPoint(box.left + x * (right - box.left), start + y * (end - start));
        // A piece of news goes by itself, and in a break all of the table is covered.
        if (hit && !target.contains(hit) && !hit.contains(target) && !hit.closest('.toast, .scrim'))
          return hit.closest('a[href], button, label') ?? hit;
      }
    }
    return null;
  }

  /** @param {Element} part @param {DOMRect} box */
  function measure(part, box) {
    if (part.matches('p a, li a:not(.btn)') || part.closest('.chart')) return;
    const least = size(part);
    const wide = part.matches('.hand .cb') ? strip(part, box) : box.width;
    if (wide < least.width - 0.6 || box.height < least.height - 0.6) {
      flaws.add(`${name(part)} is only ${wide.toFixed(0)} × ${box.height.toFixed(0)} px`);
    }
  }

  /** How much of a card in a hand is not under the next one. @param {Element} card @param {DOMRect} box */
  function strip(card, box) {
    const next = card.closest('li')?.nextElementSibling?.querySelector('.cb')?.getBoundingClientRect();
    return next && Math.abs(next.top - box.top) < 30 && next.left > box.left
      ? Math.min(box.width, next.left - box.left)
      : box.width;
  }

  /** The smallest size that something may have. @param {Element} part */
  function size(part) {
    const isLow = height < 400;
    if (part.matches('.sp')) return isLow ? { width: 94, height: 30 } : { width: isPhone ? 36 : 44, height: 44 };
    if (part.matches('.hand .cb')) return { width: isPhone ? 38 : isLow && width < 700 ? 37 : 43, height: 44 };
    return isPhone ? { width: 24, height: 24 } : { width: 44, height: 44 };
  }

  /** A text is seen whole. @param {Element} part */
  function read(part) {
    const style = getComputedStyle(part);
    if (part.scrollWidth > part.clientWidth + 1 && style.textOverflow === 'ellipsis' && style.overflowX !== 'visible') {
      // On a narrow screen a name of eight letters is long.
      const isLong = areNamesLong || (width < 400 && (part.textContent ?? '').trim().length >= 8);
      if (!isLong && !part.matches('.link, .linkbox *, .ttl *')) flaws.add(`${name(part)} is shortened`);
      return;
    }
    for (const node of part.childNodes) {
      if (node.nodeType !== Node.TEXT_NODE || !node.textContent?.trim()) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const text = range.getBoundingClientRect();
      if (text.width > 0) hold(part, text);
    }
  }

  /** Nothing that holds a text is smaller than it. @param {Element} part @param {DOMRect} text */
  function hold(part, text) {
    for (let around = /** @type {Element | null} */ (part); around && around !== root; around = around.parentElement) {
      const { overflowX, overflowY, position } = getComputedStyle(around);
      const box = around.getBoundingClientRect();
      const [cutsX, cutsY] = [overflowX, overflowY].map((overflow) => overflow === 'hidden' || overflow === 'clip');
      const [scrollsX, scrollsY] = [overflowX, overflowY].map(
        (overflow) => overflow === 'auto' || overflow === 'scroll',
      );
      const isFrame = around.matches(
        '.btn, .tag, .plate, .hub, .banner, .toast, .panel, .input, td, th, .seg label, .tray, .sp',
      );
      if (scrollsX || (scrollsY && around !== part)) return;
      if ((isFrame || cutsX) && (text.left < box.left - 1 || text.right > box.right + 1))
        flaws.add(`${name(part)} is wider than ${name(around)}`);
      if ((isFrame || cutsY) && (text.top < box.top - 3 || text.bottom > box.bottom + 3) && !around.matches('body'))
        flaws.add(`${name(part)} is higher than ${name(around)}`);
      // A tag may stick out of what it is pinned to.
      if (position === 'fixed' || around.matches('.card, .say, .lab')) return;
    }
    if (text.left < -1 || text.right > width + 1) flaws.add(`${name(part)} is beside the screen`);
  }

  /** The texts of a chart are within it. @param {Element} part */
  function label(part) {
    const [text, chart] = [part, part.closest('.chart') ?? root].map((some) => some.getBoundingClientRect());
    if (text.left < chart.left - 1 || text.right > chart.right + 1) flaws.add(`${name(part)} sticks out of the chart`);
  }

  /** Parts that lie beside each other. @param {Element[]} parts */
  function overlap(parts) {
    parts.forEach((one, at) => {
      for (const other of parts.slice(at + 1)) {
        if (one.contains(other) || other.contains(one)) continue;
        const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (wide > 2 && high > 2)
          flaws.add(`${name(one)} and ${name(other)} overlap by ${wide.toFixed(0)} × ${high.toFixed(0)} px`);
      }
    });
  }

  /** @param {Element} part */
  function isSeen(part) {
    if (!part.checkVisibility({ visibilityProperty: true }) || part.closest('.sr, .sprite, .skip, [inert], svg'))
      return false;
    const { width, height } = part.getBoundingClientRect();
    return width > 0 && height > 0 && getComputedStyle(part).clipPath === 'none';
  }

  /** @param {Element} part */
  function hasText(part) {
    return [...part.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim());
  }

  /** @param {number} y */
  function scroll(y) {
    for (const part of document.querySelectorAll('*')) if (part.scrollTop > 0) part.scrollTop = y;
    window.scrollTo(0, y);
  }

  /** A description of the element for people. @param {Element} part */
  function name(part) {
    const text = (part.getAttribute('aria-label') ?? part.getAttribute('data-card') ?? part.textContent ?? '')
      .trim()
      .replace(/\s+/g, ' ');
    const kind = part.tagName.toLowerCase() + [...part.classList].map((name) => `.${name}`).join('');
    return text ? `${kind} “${text.slice(0, 40)}”` : kind;
  }
}
