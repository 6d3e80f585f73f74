// A screen reader does not hear the page under an open dialog: what is said there is said in the dialog.

import { html } from '../vendor/lit-html/lit-html.js';

/** What is read out when it changes. */
const REGIONS = '[role=status], [role=alert], [role=log], [aria-live]';
/** How many lines are kept. */
const MOST = 20;

/** The place in a dialog where it is said. */
export const mirrorRegion = html`<div class="sr" aria-live="polite" data-overheard></div>`;

/** @type {MutationObserver | null} */
let watcher = null;
/** What each part of the page has said last. @type {Map<Element, string>} */
const said = new Map();

/** From now on, as long as a dialog is open, it says what the page would. */
export function startMirroring() {
  if (watcher) return;
  for (const region of document.querySelectorAll(REGIONS)) said.set(region, textOf(region));
  watcher = new MutationObserver(listen);
  watcher.observe(document.body, { subtree: true, childList: true, characterData: true });
}

/** The page is heard again. */
export function stopMirroring() {
  watcher?.disconnect();
  watcher = null;
  said.clear();
}

/** @param {MutationRecord[]} changes */
function listen(changes) {
  const place = [...document.querySelectorAll('dialog[open] [data-overheard]')].at(-1);
  const lines = new Set(changes.flatMap(linesOf));
  if (!place) return;
  for (const line of lines) {
    const paragraph = document.createElement('p');
    paragraph.textContent = line;
    place.append(paragraph);
  }
  while (place.childElementCount > MOST) place.firstElementChild?.remove();
}

/**
 * What is to be read out after a change.
 * @param {MutationRecord} change
 * @returns {string[]}
 */
function linesOf({ target, addedNodes }) {
  const at = target instanceof Element ? target : target.parentElement;
  const added = [...addedNodes].filter((node) => node instanceof Element);
  const region = at?.closest(REGIONS);
  if (region?.closest('dialog')) return [];
  if (region?.matches('[role=log]')) return added.map(textOf).filter(Boolean);
  const regions = region
    ? [region]
    : added.flatMap((node) => [...(node.matches(REGIONS) ? [node] : []), ...node.querySelectorAll(REGIONS)]);
  return regions.filter((one) => one.isConnected && !one.closest('dialog')).flatMap(news);
}

/**
 * What a part of the page says now, if it is something else than before.
 * @param {Element} region
 * @returns {string[]}
 */
function news(region) {
  const text = textOf(region);
  if (said.get(region) === text) return [];
  said.set(region, text);
  return text ? [text] : [];
}

/**
 * The words of a part of the page, as they are read out.
 * @param {Element} part
 */
function textOf(part) {
  const copy = /** @type {Element} */ (part.cloneNode(true));
  for (const hidden of copy.querySelectorAll('[aria-hidden=true]')) hidden.remove();
  return (copy.textContent ?? '').trim().replace(/\s+/g, ' ');
}
