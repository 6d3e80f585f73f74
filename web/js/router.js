// The router: the address of the page names the home page, a room or a replay. The router shows it, and keeps its session.

import { requirePart } from './parts.js';
import { codeAt, pageUrl, replayAt, takeHandoverCode } from './urls.js';

/** @import { ReplaySession } from './replay/session.js' */
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
  const replays = createReplays(store, (code) => void go(code));
  return { session: () => session, replay: replays.session, start, go };

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
    if (!replays.end()) return;
    session?.end();
    session = null;
    const id = replayAt(location.href);
    if (id !== null) return replays.open(id);
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

/**
 * The part of a router that shows replays.
 * @param {Store} store
 * @param {(code: string) => void} goToRoom
 */
function createReplays(store, goToRoom) {
  /** @type {ReplaySession | null} */
  let session = null;
  const idOfPage = () => replayAt(location.href);
  return {
    session: () => session,

    /** Ends the session, unless the address names another place of the same replay. Returns whether it has ended. */
    end() {
      if (session && idOfPage() === store.state().replay?.id) {
        session.onAddress(location.hash);
        return false;
      }
      session?.end();
      session = null;
      return true;
    },

    /**
     * Opens a replay at the place that the address names.
     * @param {string} id
     */
    async open(id) {
      store.dispatch({ type: 'route', code: null, isReplay: true });
      const { openReplay, browserOf } = await requirePart('replay');
      // Meanwhile the address may have changed, or another call may have opened the session.
      if (idOfPage() === id && !session) session = openReplay(id, location.hash, store, browserOf(goToRoom));
    },
  };
}
