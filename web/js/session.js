// Being at a table, to play or to watch: what the server says there is heard, and leads to more than a new state.

import { BATCH_MS, createAnnouncer } from './announcer.js';
import { fetchTable, reloadIfOutdated } from './api.js';
import { openConnection } from './connection.js';
import { t } from './i18n.js';
import { forgetTable, removeSeat, saveSeat, tokenFor } from './identity.js';
import { part } from './parts.js';
import { isChosen } from './settings.js';
import { isMyTurn } from './state.js';
import { loadExperience } from './storage.js';
import { socketUrl } from './urls.js';

export { saveExperience } from './storage.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {ReturnType<typeof openSession>} Session */

/** For how many games the hints are on by themselves. */
const HINTED = 2;

/**
 * Comes to a table; what it gives is the connection to it.
 * @param {string} code
 * @param {string | undefined} password
 * @param {{ state: () => State, dispatch: (event: any) => void }} page
 */
export function openSession(code, password, { state, dispatch }) {
  let isNew = false;
  const aloud = createAnnouncer({
    lines: (events, then) => {
      const table = part('deferred') && part('table');
      return table ? table.narrate(events, then, t, table.gameOf(/** @type {any} */ (then.room))) : null;
    },
    say: (lines, sentence) => dispatch({ type: 'log', lines, sentence }),
    later: (done) => setTimeout(done, BATCH_MS),
  });
  dispatch({ type: 'known', known: loadExperience() });
  const line = openConnection({
    open: () =>
      /** @type {import('./connection.js').Socket} */ (
        /** @type {unknown} */ (new WebSocket(socketUrl(code), 'trick.v1'))
      ),
    token: tokenFor(code),
    heard: (message) => {
      const before = state();
      dispatch({ type: 'message', message });
      after(before, message);
    },
    changed: (status, retryAt) => {
      // The seat has most likely gone to the other device: whoever is still sitting here will be told so.
      if (status === 'elsewhere' && state().offer) {
        dispatch({ type: 'moved' });
        return line.takeBack();
      }
      dispatch({ type: 'link', status, retryAt });
      isNew = status === 'open';
      if (status === 'gone') forgetTable(code);
      if (status === 'removed') removeSeat(code);
    },
    settled: () => {
      dispatch({ type: 'settled' });
      // Whatever had not been answered is answered now.
      if (isNew) void reloadIfOutdated();
      isNew = false;
    },
    refused: (refusal) => {
      dispatch({ type: 'busy', form: 'password', busy: false });
      const isFirst = refusal === 'password_needed';
      dispatch({ type: 'error', form: 'password', error: isFirst ? null : { key: `refused.${refusal}` } });
    },
    exists: async () => {
      const summary = await fetchTable(code);
      return summary === null ? null : summary !== false;
    },
    clock: {
      now: () => Date.now(),
      later: (ms, done) => {
        const timer = setTimeout(done, ms);
        return () => clearTimeout(timer);
      },
    },
    password,
  });
  return { ...line, catchUp: aloud.catchUp, see: aloud.see, end };

  /** Leaves; nothing more is heard or told. */
  function end() {
    aloud.forget();
    line.end();
  }

  /**
   * What a message leads to besides a new state.
   * @param {State} before
   * @param {any} message
   */
  function after(before, message) {
    const now = state();
    const { room, settings } = now;
    const events = message.events ?? [];
    if (message.type === 'room' && room) {
      if (room.you.seat !== null) saveSeat(code, room.title, Date.now());
      else if (before.you.seat !== null || !before.room) removeSeat(code);
    }
    if (message.type === 'game' && room) {
      aloud.hear(events, now);
      if (settings.sound) sound(before, now, events);
      if (events.some((/** @type {any} */ { type }) => type === 'game_over')) finished(now);
    }
    const isNudged = message.type === 'nudged' && message.seat === now.you.seat;
    if (isNudged && settings.sound) part('deferred')?.playSound('turn', settings.volume);
    if (!isMyTurn(now)) part('deferred')?.dismissNotification();
    else if (isNudged || !isMyTurn(before)) {
      part('deferred')?.notifyTurn(settings, t('turn.you'), room?.title ?? t(`game.${room?.game}`));
    }
  }

  /**
   * A game has been played to its end. Whoever has played some needs no hints, unless they were asked for.
   * @param {State} now
   */
  function finished({ you, known }) {
    if (you.seat === null) return;
    const games = known.games + 1;
    dispatch({ type: 'known', known: { ...known, games } });
    if (games >= HINTED && !isChosen('hints')) dispatch({ type: 'set', settings: { hints: false } });
  }
}

/**
 * @param {State} before
 * @param {State} now
 * @param {any[]} events
 */
function sound(before, now, events) {
  const has = (/** @type {string} */ type) => events.some((event) => event.type === type);
  const play = (/** @type {Parameters<typeof import('./sound.js').playSound>[0]} */ name) =>
    part('deferred')?.playSound(name, now.settings.volume);
  const hurts = events.some((event) => event.type === 'trick_taken' && event.points < 0);
  if (has('game_over')) play('end');
  else if (has('trick_taken')) play(hurts ? 'pluck' : 'trick');
  else if (has('played') || has('covered')) play('card');
  if (isMyTurn(now) && !isMyTurn(before)) play('turn');
}
