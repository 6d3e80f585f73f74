// The focus when the focused element disappears: it moves to the main element of the screen, without scrolling.

/** The main element of a screen is the first of these: a note or dialog, the choice to make, a heading. */
const MAIN_SELECTORS = [
  'dialog[open] h3',
  '.pause-note h3',
  '.felt [data-main]',
  '.hand [tabindex="0"]',
  'main:not(.felt) h1, main h2',
  '.tray .btn',
];

/** The element that had the focus last; null if it has lost it. @type {Element | null} */
let lastFocused = null;

/**
 * Draws the page, and moves the focus if the focused element has disappeared.
 * @param {() => void} draw
 */
export function preserveFocus(draw) {
  const { activeElement, body } = document;
  if (activeElement && activeElement !== body) lastFocused = activeElement;
  else if (lastFocused && isReachable(lastFocused)) lastFocused = null;
  draw();
  // Dialogs and the hand move the focus in microtasks of their own, which come first.
  queueMicrotask(restore);
}

function restore() {
  const { activeElement, body } = document;
  const isHeld = activeElement && activeElement !== body && isReachable(activeElement);
  // A button is disabled while its form waits for an answer, and gets the focus back afterwards.
  if (isHeld || !lastFocused || (lastFocused.isConnected && lastFocused.matches(':disabled'))) return;
  const next = isReachable(lastFocused) ? lastFocused : mainElement();
  if (!(next instanceof HTMLElement)) return;
  if (next.tabIndex < 0) next.tabIndex = -1;
  next.focus({ preventScroll: true });
}

/** The main element of the screen; undefined as long as it is not drawn. */
function mainElement() {
  for (const selector of MAIN_SELECTORS) {
    const found = [...document.querySelectorAll(selector)].filter(isReachable);
    if (found.length > 0) return selector.startsWith('dialog') ? found.at(-1) : found[0];
  }
  return undefined;
}

/** @param {Element} element */
const isReachable = (element) => element.isConnected && !element.closest('[inert]') && !element.matches(':disabled');
