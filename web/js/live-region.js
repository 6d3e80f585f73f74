// The live regions of the page, which screen readers read out. While a dialog is open they do not hear the page under
// it, so a live region in the dialog repeats what those of the page say.

import { repeat } from '../vendor/lit-html/directives/repeat.js';
import { html } from '../vendor/lit-html/lit-html.js';

/** @import { State } from './types.js' */

/**
 * The regions of the announcer: what has happened, and the status line.
 * @param {State} state
 */
export const announcementRegions = ({ announcements, statusLine }) => html`<div
    class="sr"
    role="log"
    aria-live="polite"
    aria-relevant="additions"
  >
    ${repeat(
      announcements,
      ({ number }) => number,
      ({ text }) => html`<p>${text}</p>`,
    )}
  </div>
  <p class="sr" role="status">${statusLine}</p>`;

/** The live regions of the page. */
const REGIONS = '[role=status], [role=alert], [role=log], [aria-live]';
/** How many lines the region of a dialog keeps. */
const MAX_LINES = 20;

/** The region of a dialog. */
export const mirrorRegion = html`<div class="sr" aria-live="polite" data-mirror></div>`;

/** @type {MutationObserver | null} */
let observer = null;
/** The last words of each region of the page. @type {Map<Element, string>} */
const lastWords = new Map();

/** From now on the dialog that is open repeats what the regions of the page say. */
export function startMirroring() {
  if (observer) return;
  for (const region of document.querySelectorAll(REGIONS)) lastWords.set(region, wordsOf(region));
  observer = new MutationObserver(mirror);
  observer.observe(document.body, { subtree: true, childList: true, characterData: true });
}

/** No dialog is open: screen readers hear the page again. */
export function stopMirroring() {
  observer?.disconnect();
  observer = null;
  lastWords.clear();
}

/** @param {MutationRecord[]} changes */
function mirror(changes) {
  const region = [...document.querySelectorAll('dialog[open] [data-mirror]')].at(-1);
  const lines = new Set(changes.flatMap(linesOf));
  if (!region) return;
  for (const line of lines) {
    const paragraph = document.createElement('p');
    paragraph.textContent = line;
    region.append(paragraph);
  }
  while (region.childElementCount > MAX_LINES) region.firstElementChild?.remove();
}

/**
 * What the regions of the page say after a change.
 * @param {MutationRecord} change
 * @returns {string[]}
 */
function linesOf({ target, addedNodes }) {
  const at = target instanceof Element ? target : target.parentElement;
  const added = [...addedNodes].filter((node) => node instanceof Element);
  const region = at?.closest(REGIONS);
  if (region?.closest('dialog')) return [];
  if (region?.matches('[role=log]')) return added.map(wordsOf).filter(Boolean);
  const regions = region
    ? [region]
    : added.flatMap((node) => [...(node.matches(REGIONS) ? [node] : []), ...node.querySelectorAll(REGIONS)]);
  return regions.filter((each) => each.isConnected && !each.closest('dialog')).flatMap(newWordsOf);
}

/**
 * What a region says now, if it said something else before.
 * @param {Element} region
 * @returns {string[]}
 */
function newWordsOf(region) {
  const words = wordsOf(region);
  if (lastWords.get(region) === words) return [];
  lastWords.set(region, words);
  return words ? [words] : [];
}

/**
 * The words of a part of the page that screen readers read out.
 * @param {Element} element
 */
function wordsOf(element) {
  const copy = /** @type {Element} */ (element.cloneNode(true));
  for (const hidden of copy.querySelectorAll('[aria-hidden=true]')) hidden.remove();
  return (copy.textContent ?? '').trim().replace(/\s+/g, ' ');
}
