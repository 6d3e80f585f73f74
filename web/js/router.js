// The router: the address of the page names the home page or a room. The router shows it, and keeps the session in the
// room.

import { requirePart } from './parts.js';
import { codeAt, pageUrl, takeHandoverCode } from './urls.js';

/** @import { Session } from './session.js' */
/** @import { Store } from './store.js' */
/** @import { HandoverCode } from './types.js' */

/** @typedef {ReturnType<typeof createRouter>} Router */

/**
 * A router. It takes a handover code out of the address at once, before anything else reads the address.
 * @param {Store} store
 * @param {() => void} onHome is called when the page has gone home
 */
export function createRouter(store, onHome) {
  /** @type {Session | null} */
  let session = null;
  let handover = takeHandoverCode();
  return { session: () => session, start, go };

  /** Shows the page of the address, now and when people go back or forward. */
  function start() {
    window.addEventListener('popstate', () => void show());
    void show();
  }

  /**
   * Goes to a room, or home.
   * @param {string | null} code
   * @param {string} [password]
   */
  async function go(code, password) {
    history.pushState(null, '', pageUrl(code));
    window.scrollTo(0, 0);
    await show(password);
  }

  /**
   * Ends the session at the last room, and opens one in the room that the address names.
   * @param {string} [password]
   */
  async function show(password) {
    session?.end();
    session = null;
    handover ??= takeHandoverCode();
    const offered = handover;
    handover = null;
    const code = codeAt(location.href);
    store.dispatch({ type: 'route', code });
    if (code === null) return onHome();
    if (offered) store.dispatch({ type: 'prompt', prompt: { kind: 'redeem_handover', offered } });
    const { openSession } = await requirePart('session');
    // Meanwhile the address may have changed, or another call may have opened the session.
    if (store.state().code === code && !session) session = openSession(code, password, store);
  }
}
