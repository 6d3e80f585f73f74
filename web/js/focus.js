// Where the focus goes when what had it is no longer there: to what the screen is about. Whoever has it keeps it, and
// nothing scrolls.

/** What a screen is about, the first that is there: a note or dialog over it, what is to be chosen, its heading. */
const MAIN = [
  'dialog[open] h3',
  '.scrim.rest h3',
  '.board [tabindex="0"]',
  'button.mate',
  '.hand [tabindex="0"]',
  'main:not(.felt) h1, main h2',
  '.tray .btn',
];

/** What had the focus last; null if it was let go. @type {Element | null} */
let holder = null;

/**
 * Draws the page, and sees to the focus.
 * @param {() => void} draw
 */
export function preserveFocus(draw) {
  const { activeElement, body } = document;
  if (activeElement && activeElement !== body) holder = activeElement;
  else if (holder && isReachable(holder)) holder = null;
  draw();
  // Dialogs take and give it first, and so does the hand.
  queueMicrotask(restore);
}

function restore() {
  const { activeElement, body } = document;
  const isHeld = activeElement && activeElement !== body && isReachable(activeElement);
  // A button that waits for an answer gets it back afterwards.
  if (isHeld || !holder || (holder.isConnected && holder.matches(':disabled'))) return;
  const next = isReachable(holder) ? holder : main();
  if (!(next instanceof HTMLElement)) return;
  if (next.tabIndex < 0) next.tabIndex = -1;
  next.focus({ preventScroll: true });
}

/** What the screen is about; none as long as it is still coming. */
function main() {
  for (const selector of MAIN) {
    const found = [...document.querySelectorAll(selector)].filter(isReachable);
    if (found.length > 0) return selector.startsWith('dialog') ? found.at(-1) : found[0];
  }
  return undefined;
}

/** @param {Element} element */
const isReachable = (element) => element.isConnected && !element.closest('[inert]') && !element.matches(':disabled');
