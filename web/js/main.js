// Boots the page and wires its parts: events change the state, the state is drawn, actions speak to the server.

import { render } from '../vendor/lit-html/lit-html.js';
import { createActions } from './actions.js';
import { reloadIfOutdated } from './api.js';
import { loadLanguage, t, textsUrl } from './i18n.js';
import { page } from './page.js';
import { loadPart, part } from './parts.js';
import { reduce } from './reduce.js';
import { applySettings, loadSettings, saveSettings } from './settings.js';
import { initialState, isGameOn, isMyTurn, isTableScreen } from './state.js';
import { codeAt, takeHandoverOffer } from './urls.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./parts.js').Parts} Parts */

/** @type {State} */
let state = initialState(loadSettings(navigator.languages ?? [navigator.language]), Date.now());
/** The table that the page is at. @type {import('./session.js').Attendance | null} */
let table = null;
/** Whether the page is as the state wants it. Nothing is drawn before there are words. */
let isDrawn = false;
/** Whether a part of the page is being fetched. */
let isComing = false;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let alarm;
/** A seat that the address offers: taken out of it before anything else happens. */
let offered = takeHandoverOffer();

/** Under this name the window counts how often the page was loaded in vain (preflight.js). */
const VAIN = 'sticheln.vain';
/** After how long what did not come is asked for again. */
const AGAIN = 2000;

const actions = createActions({
  state: () => state,
  table: () => table,
  dispatch,
  go,
});

if (!document.documentElement.classList.contains('old')) await start();

async function start() {
  forgetVain();
  // What does not come now is brought when it is missing.
  const first = firstParts().map((name) => loadPart(name).catch(() => {}));
  void bring('style');
  void arrive();
  takeNamedWords();
  await Promise.all([learn(state.settings.language), ...first]);
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
      part('deferred')?.dismissNotification();
      table?.wake();
    }
    part('deferred')?.keepScreenOn(isGameOn(state));
    if (state.page === 'home') void reloadIfOutdated();
    actions.refresh();
  });
  for (const touch of ['pointerdown', 'keydown']) {
    window.addEventListener(touch, () => state.settings.sound && part('deferred')?.unlockSound());
  }
  setInterval(() => actions.refresh(), 10_000);
  isDrawn = true;
  dispatch({ type: 'tick' });
}

/** This time it was not in vain. */
function forgetVain() {
  try {
    sessionStorage.removeItem(VAIN);
  } catch {
    // Then nothing was counted either.
  }
}

/** Takes the words that the page names if others were chosen: browsers complain of what is fetched and not taken. */
function takeNamedWords() {
  const named = document.head.querySelector('link[rel=preload]');
  if (named instanceof HTMLLinkElement && named.href !== textsUrl(state.settings.language))
    fetch(named.href).catch(() => {});
}

/**
 * Something has happened.
 * @param {any} event
 */
function dispatch(event) {
  const before = state;
  state = reduce(state, { now: Date.now(), ...event });
  if (state.settings !== before.settings) void resettle(before.settings);
  if (state.known !== before.known) part('session')?.saveExperience(state.known);
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
  body.className = `${isTableScreen(state) ? 'game' : 'shell'} on-${state.page}`;
  body.toggleAttribute('data-locked', state.page === 'table' && state.link.status !== 'open');
  const show = () => render(page(state, actions), body);
  if (part('deferred')) part('deferred')?.preserveFocus(show);
  else show();
  table?.see(document.querySelector('.say-line')?.textContent ?? '');
  document.title = titleOf(state);
  const lines = document.querySelector('.chat-lines');
  if (state.chat.unread > 0 && lines instanceof HTMLElement && lines.offsetParent !== null) {
    dispatch({ type: 'chat_read' });
  }
  part('deferred')?.keepScreenOn(isGameOn(state));
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

/** @param {import('./settings.js').Settings} before */
async function resettle(before) {
  const { settings } = state;
  saveSettings(settings, before);
  if (settings.sound && (!before.sound || settings.volume !== before.volume))
    part('deferred')?.playSound('turn', settings.volume);
  if (settings.language !== before.language) await learn(settings.language);
  applySettings(settings, document.documentElement);
  dispatch({ type: 'tick' });
}

/**
 * Lets the page speak a language, as long as it is the chosen one. What cannot be had now is asked for again.
 * @param {string} language
 */
async function learn(language) {
  while (state.settings.language === language && !(await loadLanguage(language).then(() => true, reloadIfOutdated)))
    await aWhile();
}

function aWhile() {
  return new Promise((done) => setTimeout(done, AGAIN));
}

/**
 * Goes to a table, or home.
 * @param {string | null} code
 * @param {string} [password]
 */
async function go(code, password) {
  history.pushState(null, '', actions.hrefOf(code));
  window.scrollTo(0, 0);
  await arrive(password);
}

/** What the page needs to show itself. @returns {(keyof Parts)[]} */
function firstParts() {
  return codeAt(location.href) === null ? ['home'] : ['lobby', 'session'];
}

/** Lets the parts of the page come, one after the other: what is seen at once, and the others once it is there. */
function come() {
  const isHome = state.page === 'home';
  const isSeen = isHome || state.room !== null || !['connecting', 'open'].includes(state.link.status);
  /** @type {(keyof Parts)[]} */
  const others = isHome ? ['symbols', 'deferred', 'lobby', 'session'] : isSeen ? ['symbols', 'deferred', 'table'] : [];
  const missing = [...firstParts(), ...others].find((name) => !part(name));
  if (!missing || isComing) return;
  isComing = true;
  // What was just drawn is painted first.
  setTimeout(async () => {
    await bring(missing);
    isComing = false;
    table?.catchUp();
    dispatch({ type: 'tick' });
  });
}

/**
 * Lets a part come. What cannot be had now is asked for again after a while.
 * @template {keyof Parts} Name
 * @param {Name} name
 */
async function bring(name) {
  while (!(await loadPart(name).then(() => true, reloadIfOutdated))) await aWhile();
  return /** @type {Parts[Name]} */ (part(name));
}

/**
 * Shows what the address of the page names.
 * @param {string} [password]
 */
async function arrive(password) {
  table?.end();
  table = null;
  const offer = offered ?? takeHandoverOffer();
  offered = null;
  const code = codeAt(location.href);
  dispatch({ type: 'page', code });
  if (offer && code !== null) dispatch({ type: 'ask', ask: { kind: 'takeover', offer } });
  if (code === null) return void actions.refresh();
  const { openSession } = await bring('session');
  // By now it may be another one.
  if (state.code === code && !table) table = openSession(code, password, { state: () => state, dispatch });
}
