// Boots the page and wires its parts: events change the state, the state is drawn, actions speak to the server.

import { render } from '../vendor/lit-html/lit-html.js';
import { actionsFor } from './actions.js';
import { roomAt, socketAddress } from './base.js';
import { connection } from './connection.js';
import { gameOf } from './games.js';
import { speak, t } from './i18n.js';
import { page } from './page.js';
import { reduce } from './reduce.js';
import { dropSeat, forget, keepSeat, secretOf } from './secret.js';
import { tableSummary } from './server.js';
import { applySettings, keepSettings, loadSettings } from './settings.js';
import { initial, isFelt, isMyTurn } from './state.js';
import { play } from './sound.js';
import { narrate } from './table/narrate.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {ReturnType<typeof connection>} Connection */

/** @type {State} */
let state = initial(loadSettings(navigator.languages ?? [navigator.language]), Date.now());
/** @type {Connection | null} */
let table = null;
let isDrawn = true;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let alarm;

const actions = actionsFor({
  state: () => state,
  table: () => table,
  dispatch,
  go,
});

await start();

async function start() {
  await speak(state.settings.language);
  applySettings(state.settings, document.documentElement);
  document.body.querySelector('noscript')?.remove();
  // Going to a table changes what a relative address means.
  for (const link of document.head.querySelectorAll('link')) link.setAttribute('href', link.href);
  window.addEventListener('popstate', () => void arrive());
  window.addEventListener('online', () => table?.wake());
  window.addEventListener('pageshow', () => table?.wake());
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') table?.wake();
    actions.refresh();
  });
  setInterval(() => actions.refresh(), 10_000);
  await arrive();
}

/**
 * Something has happened.
 * @param {any} event
 */
function dispatch(event) {
  const before = state;
  state = reduce(state, { now: Date.now(), ...event });
  if (event.type === 'message') after(before, event.message);
  if (state.settings !== before.settings) void resettle(before.settings);
  if (isDrawn) {
    isDrawn = false;
    if (document.visibilityState === 'visible') requestAnimationFrame(draw);
    else setTimeout(draw);
  }
}

/** Draws the page as the state wants it. */
function draw() {
  isDrawn = true;
  const { body } = document;
  body.className = `${isFelt(state) ? 'game' : 'shell'} on-${state.page}`;
  body.toggleAttribute('data-locked', state.page === 'table' && state.link.status !== 'open');
  render(page(state, actions), body);
  document.title = titleOf(state);
  const lines = document.querySelector('.chat-lines');
  if (state.chat.unread > 0 && lines instanceof HTMLElement && lines.offsetParent !== null) {
    dispatch({ type: 'chat_read' });
  }
  wakeUp();
}

/** Calls for the next drawing when something on the page runs out, or a second has gone by. */
function wakeUp() {
  clearTimeout(alarm);
  const now = Date.now();
  const ends = [...state.reactions, ...state.toasts].map(({ until }) => until);
  if (state.pause) ends.push(state.pause.until);
  if (state.page === 'table' && counts()) ends.push(now - (now % 1000) + 1000);
  if (state.link.since !== null) ends.push(state.link.since + 2000);
  const next = ends.filter((at) => at > now).sort((a, b) => a - b)[0];
  if (next !== undefined) alarm = setTimeout(() => dispatch({ type: 'tick' }), next - now + 5);
}

/** Whether something on the page counts down. */
function counts() {
  const { link, game, ask, away, pause } = state;
  const isWaiting = link.retryAt !== null || (game && game.deadline !== null) || pause?.kind === 'reveal';
  return isWaiting || ask?.kind === 'handover' || away.some((since) => since !== null);
}

/** @param {State} state */
function titleOf(state) {
  if (state.page === 'home') return t('title.home');
  if (isMyTurn(state)) return `\u25cf ${t('title.turn')} \u2013 ${nameOfGame(state)}`;
  const title = state.room?.title;
  return title ? `${title} \u2013 ${nameOfGame(state)}` : nameOfGame(state);
}

/** @param {State} state */
const nameOfGame = ({ room }) => (room ? t(`game.${room.game}`) : t('app.name'));

/**
 * What a message leads to besides a new state.
 * @param {State} before
 * @param {any} message
 */
function after(before, message) {
  const { code, room } = state;
  if (message.type === 'room' && code !== null && room) {
    if (room.you.seat !== null) keepSeat(code, room.title, Date.now());
    else if (before.you.seat !== null || !before.room) dropSeat(code);
  }
  if (message.type === 'game' && room) {
    const lines = narrate(message.events ?? [], state, t, gameOf(room));
    if (lines.length > 0) dispatch({ type: 'log', lines });
    if (state.settings.sound) sound(before, message.events ?? []);
  }
}

/**
 * @param {State} before
 * @param {any[]} events
 */
function sound(before, events) {
  const has = (/** @type {string} */ type) => events.some((event) => event.type === type);
  if (has('game_over')) play('end');
  else if (has('trick_taken')) play('trick');
  else if (has('played') || has('covered')) play('card');
  if (isMyTurn(state) && !isMyTurn(before)) play('turn');
}

/** @param {import('./settings.js').Settings} before */
async function resettle(before) {
  const { settings } = state;
  keepSettings(settings);
  if (settings.language !== before.language) await speak(settings.language);
  applySettings(settings, document.documentElement);
  dispatch({ type: 'tick' });
}

/**
 * Goes to a table, or home.
 * @param {string | null} code
 * @param {string} [password]
 */
function go(code, password) {
  history.pushState(null, '', actions.hrefOf(code));
  window.scrollTo(0, 0);
  void arrive(password);
}

/**
 * Shows what the address of the page names.
 * @param {string} [password]
 */
async function arrive(password) {
  table?.end();
  table = null;
  const code = roomAt(location.href);
  dispatch({ type: 'page', code });
  if (code === null) return void actions.refresh();
  table = connection({
    open: () => /** @type {import('./connection.js').Socket} */ (/** @type {unknown} */ (new WebSocket(socketAddress(code), 'trick.v1'))),
    token: secretOf(code),
    heard: (message) => dispatch({ type: 'message', message }),
    changed: (status, retryAt) => {
      dispatch({ type: 'link', status, retryAt });
      if (status === 'gone') forget(code);
      if (status === 'removed') dropSeat(code);
    },
    settled: () => dispatch({ type: 'settled' }),
    refused: (refusal) => {
      dispatch({ type: 'busy', form: 'password', busy: false });
      const isFirst = refusal === 'password_needed';
      dispatch({ type: 'error', form: 'password', error: isFirst ? null : { key: `refused.${refusal}` } });
    },
    exists: async () => {
      const summary = await tableSummary(code);
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
}
