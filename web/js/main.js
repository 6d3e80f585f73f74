// Boots the page and wires its parts: events change the state, the state is drawn, actions speak to the server.

import { render } from '../vendor/lit-html/lit-html.js';
import { actionsFor } from './actions.js';
import { roomAt, socketAddress } from './base.js';
import { connection } from './connection.js';
import { keepingFocus } from './focus.js';
import { takeOffer } from './offer.js';
import { speak, t } from './i18n.js';
import { keepKnown, loadKnown } from './known.js';
import { page } from './page.js';
import { fetchPart, part } from './parts.js';
import { reduce } from './reduce.js';
import { renew } from './renew.js';
import { dropSeat, forget, keepSeat, secretOf } from './secret.js';
import { tableSummary } from './server.js';
import { applySettings, isChosen, keepSettings, loadSettings } from './settings.js';
import { initial, isFelt, isGameOn, isMyTurn } from './state.js';
import { TOGETHER, telling } from './telling.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {ReturnType<typeof connection>} Connection */

/** @type {State} */
let state = initial(loadSettings(navigator.languages ?? [navigator.language]), Date.now(), loadKnown());
/** @type {Connection | null} */
let table = null;
let isDrawn = true;
/** Whether a part of the page is being fetched. */
let isComing = false;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let alarm;
/** A seat that the address offers: taken out of it before anything else happens. */
let offered = takeOffer();

/** For how many games the hints are on by themselves. */
const HINTED = 2;
/** After how long what did not come is asked for again. */
const AGAIN = 2000;

const actions = actionsFor({
  state: () => state,
  table: () => table,
  dispatch,
  go,
});

const aloud = telling({
  lines: (events, then) => {
    const table = part('later') && part('table');
    return table ? table.narrate(events, then, t, table.gameOf(/** @type {any} */ (then.room))) : null;
  },
  say: (line) => dispatch({ type: 'log', lines: [line] }),
  later: (done) => setTimeout(done, TOGETHER),
});

if (!document.documentElement.classList.contains('old')) await start();

async function start() {
  await learn(state.settings.language);
  applySettings(state.settings, document.documentElement);
  for (const words of document.body.querySelectorAll('noscript, #old')) words.remove();
  // Going to a table changes what a relative address means.
  const named = document.head.querySelectorAll('link:not([rel=modulepreload], [rel=preload], [rel=stylesheet])');
  for (const link of /** @type {NodeListOf<HTMLLinkElement>} */ (named)) link.setAttribute('href', link.href);
  window.addEventListener('popstate', () => void arrive());
  window.addEventListener('online', () => table?.wake());
  window.addEventListener('pageshow', () => table?.wake());
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') {
      part('later')?.hush();
      table?.wake();
    }
    part('later')?.stayAwake(isGameOn(state));
    if (state.page === 'home') void renew();
    actions.refresh();
  });
  for (const touch of ['pointerdown', 'keydown']) {
    window.addEventListener(touch, () => state.settings.sound && part('later')?.unlock());
  }
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
  keepingFocus(() => render(page(state, actions), body));
  document.title = titleOf(state);
  const lines = document.querySelector('.chat-lines');
  if (state.chat.unread > 0 && lines instanceof HTMLElement && lines.offsetParent !== null) {
    dispatch({ type: 'chat_read' });
  }
  part('later')?.stayAwake(isGameOn(state));
  come();
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
    aloud.hear(message.events ?? [], state);
    if (state.settings.sound) sound(before, message.events ?? []);
    if (message.events?.some((/** @type {any} */ event) => event.type === 'game_over')) finished();
  }
  const isNudged = message.type === 'nudged' && message.seat === state.you.seat;
  if (isNudged && state.settings.sound) play('turn', state.settings.volume);
  if (!isMyTurn(state)) part('later')?.hush();
  else if (isNudged || !isMyTurn(before)) {
    part('later')?.call(state.settings, t('turn.you'), state.room?.title ?? nameOfGame(state));
  }
}

/** A game has been played to its end. Whoever has played some needs no hints, unless they were asked for. */
function finished() {
  if (state.you.seat === null) return;
  const known = { ...state.known, games: state.known.games + 1 };
  keepKnown(known);
  dispatch({ type: 'known', known });
  if (known.games >= HINTED && !isChosen('hints')) actions.set({ hints: false });
}

/** @param {Parameters<typeof import('./sound.js').play>} sound */
const play = (...sound) => part('later')?.play(...sound);

/**
 * @param {State} before
 * @param {any[]} events
 */
function sound(before, events) {
  const has = (/** @type {string} */ type) => events.some((event) => event.type === type);
  const { volume } = state.settings;
  const hurts = events.some((event) => event.type === 'trick_taken' && event.points < 0);
  if (has('game_over')) play('end', volume);
  else if (has('trick_taken')) play(hurts ? 'pluck' : 'trick', volume);
  else if (has('played') || has('covered')) play('card', volume);
  if (isMyTurn(state) && !isMyTurn(before)) play('turn', volume);
}

/** @param {import('./settings.js').Settings} before */
async function resettle(before) {
  const { settings } = state;
  keepSettings(settings, before);
  if (settings.sound && (!before.sound || settings.volume !== before.volume)) play('turn', settings.volume);
  if (settings.language !== before.language) await learn(settings.language);
  applySettings(settings, document.documentElement);
  dispatch({ type: 'tick' });
}

/**
 * Lets the page speak a language, as long as it is the chosen one. What cannot be had now is asked for again.
 * @param {string} language
 */
async function learn(language) {
  while (state.settings.language === language && !(await speak(language).then(() => true, renew))) await aWhile();
}

function aWhile() {
  return new Promise((done) => setTimeout(done, AGAIN));
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

/** Lets the parts of the page come, one after the other: what is seen at once, and the others once it is there. */
function come() {
  const isHome = state.page === 'home';
  const isSeen = isHome || state.room !== null || state.link.status !== 'connecting';
  /** @type {(keyof import('./parts.js').Parts)[]} */
  const names = isHome ? ['home', 'later', 'lobby'] : isSeen ? ['lobby', 'later', 'table'] : ['lobby'];
  const missing = names.find((name) => !part(name));
  if (!missing || isComing) return;
  isComing = true;
  // What was just drawn is painted first.
  setTimeout(async () => {
    // What cannot be had now is asked for again after a while.
    const hasCome = await fetchPart(missing).then(() => true, renew);
    if (!hasCome) await aWhile();
    isComing = false;
    aloud.catchUp();
    dispatch({ type: 'tick' });
  });
}

/**
 * Shows what the address of the page names.
 * @param {string} [password]
 */
async function arrive(password) {
  table?.end();
  table = null;
  aloud.forget();
  const offer = offered ?? takeOffer();
  offered = null;
  const code = roomAt(location.href);
  dispatch({ type: 'page', code });
  if (offer && code !== null) dispatch({ type: 'ask', ask: { kind: 'takeover', offer } });
  if (code === null) return void actions.refresh();
  let isNew = false;
  table = connection({
    open: () => /** @type {import('./connection.js').Socket} */ (/** @type {unknown} */ (new WebSocket(socketAddress(code), 'trick.v1'))),
    token: secretOf(code),
    heard: (message) => dispatch({ type: 'message', message }),
    changed: (status, retryAt) => {
      // The seat has most likely gone to the other device: whoever is still sitting here will be told so.
      if (status === 'elsewhere' && state.offer) {
        dispatch({ type: 'moved' });
        return table?.takeBack();
      }
      dispatch({ type: 'link', status, retryAt });
      isNew = status === 'open';
      if (status === 'gone') forget(code);
      if (status === 'removed') dropSeat(code);
    },
    settled: () => {
      dispatch({ type: 'settled' });
      // Whatever had not been answered is answered now.
      if (isNew) void renew();
      isNew = false;
    },
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
