// A page that is older than the files of its server loads itself anew, once, and while nobody types.

import { address, mark } from './base.js';

/** Under this name the window remembers for which files it was loaded anew. */
const RENEWED = 'sticheln.renewed';

let isDue = false;

/** Asks the server for its files, and loads the page anew if it has others. */
export async function renew() {
  if (isDue) return;
  const current = await currentMark();
  if (current === null || current === mark || isDue || !isFirst(current)) return;
  isDue = true;
  for (const moment of ['focusout', 'input', 'submit']) addEventListener(moment, () => setTimeout(load), true);
  load();
}

/** The mark of the server's files; null if it cannot be asked. */
async function currentMark() {
  try {
    const answer = await fetch(address('api/page'), { cache: 'no-store' });
    const { files } = await answer.json();
    return answer.ok && typeof files === 'string' ? files : null;
  } catch {
    return null;
  }
}

/**
 * Whether this window was not yet loaded anew for these files; writes down that now it is. Where nothing can be
 * written down it would never end.
 * @param {string} current
 */
function isFirst(current) {
  try {
    if (sessionStorage.getItem(RENEWED) === current) return false;
    sessionStorage.setItem(RENEWED, current);
    return true;
  } catch {
    return false;
  }
}

function load() {
  const field = document.activeElement;
  const isTyping = field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement;
  if (!isTyping || field.value === '') location.reload();
}
