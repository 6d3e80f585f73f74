// Starts the page and connects its modules: updates change the state, the state is drawn, and actions reach the server.

import { render } from '../vendor/lit-html/lit-html.js';
import { createActions } from './actions.js';
import { reloadIfOutdated } from './api.js';
import { loadLanguage, t, textsUrl } from './i18n.js';
import { withoutNumbers } from './mutes.js';
import { page } from './page.js';
import { createLoader, firstParts, loadPart, part, requirePart, retry } from './parts.js';
import { createRouter } from './router.js';
import { applySettings, loadSettings, saveSettings } from './settings.js';
import { initialState, isGameOn, isTableScreen, isWarned } from './state.js';
import { KEYS, saveExperience, saveMuted } from './storage.js';
import { createStore } from './store.js';
import { createTimer } from './timer.js';
import { titleOf } from './title.js';

/** @import { Settings } from './settings.js' */
/** @import { State } from './types.js' */

/** The interval at which the home page asks for the list of rooms, in milliseconds. */
const REFRESH_INTERVAL_MS = 10_000;

const store = createStore(initialState(loadSettings(navigator.languages ?? [navigator.language]), Date.now()));
const redraw = () => store.dispatch({ type: 'tick' });
const router = createRouter(store, () => void actions.refreshHome());
const actions = createActions(store, router);
const timer = createTimer(redraw);
const loader = createLoader(store, redraw);
/** Whether there are texts, so that the page can be drawn. */
let isStarted = false;
/** Whether a frame or a task is requested that will draw the state. */
let isDrawRequested = false;
/** Whether the state was drawn since the last frame began. */
let isDrawn = false;

if (!document.documentElement.classList.contains('old')) await start();

async function start() {
  resetFailedLoads();
  store.subscribe(onUpdate);
  // A part that fails here is loaded again when it is found missing.
  const first = firstParts(location.href).map((name) => loadPart(name).catch(() => {}));
  void requirePart('style');
  router.start();
  fetchPreloadedTexts();
  await Promise.all([showLanguage(store.state().settings.language), ...first]);
  applySettings(store.state().settings, document.documentElement);
  for (const notice of document.body.querySelectorAll('noscript, #old')) notice.remove();
  makeLinksAbsolute();
  listen();
  isStarted = true;
  redraw();
}

/** Resets the counter of failed loads: this one has succeeded. */
function resetFailedLoads() {
  try {
    sessionStorage.removeItem(KEYS.failedLoads);
  } catch {
    // Without storage nothing was counted.
  }
}

/** Fetches the texts that the document preloads, even if others were chosen: browsers warn of unused preloads. */
function fetchPreloadedTexts() {
  const link = document.head.querySelector('link[rel=preload]');
  const chosen = textsUrl(store.state().settings.language);
  if (link instanceof HTMLLinkElement && link.href !== chosen) fetch(link.href).catch(() => {});
}

/** Makes the links of the document absolute: the page changes its address when it goes to a room. */
function makeLinksAbsolute() {
  const links = document.head.querySelectorAll('link:not([rel=modulepreload], [rel=preload], [rel=stylesheet])');
  for (const link of /** @type {NodeListOf<HTMLLinkElement>} */ (links)) link.setAttribute('href', link.href);
}

/** Listens to the device: the network, the visibility of the page, each touch and key. */
function listen() {
  window.addEventListener('online', () => router.session()?.wake());
  window.addEventListener('pageshow', () => router.session()?.wake());
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') {
      part('deferred')?.dismissNotification();
      router.session()?.wake();
    }
    part('deferred')?.keepScreenOn(isGameOn(store.state()));
    if (store.state().route === 'home') void reloadIfOutdated();
    void actions.refreshHome();
  });
  for (const touch of ['pointerdown', 'keydown']) {
    window.addEventListener(touch, () => store.state().settings.sound && part('deferred')?.unlockSound());
  }
  setInterval(() => void actions.refreshHome(), REFRESH_INTERVAL_MS);
}

/**
 * Reacts to an update: saves and applies changes, and requests a frame.
 * @param {State} state
 * @param {State} before
 */
function onUpdate(state, before) {
  if (state.settings !== before.settings) void onSettings(state.settings, before.settings);
  if (state.experience !== before.experience) saveExperience(state.experience);
  if (isWarned(state) && !isWarned(before)) warnOfStandIn(state);
  const { code, muted } = state;
  if (code !== null && code === before.code && muted !== before.muted) saveMuted(code, withoutNumbers(muted));
  if (!isStarted || isDrawRequested) return;
  isDrawRequested = true;
  if (document.visibilityState !== 'visible') setTimeout(draw);
  else if (state.game === before.game || isDrawn) requestAnimationFrame(draw);
  else drawBeforeFrame();
}

/**
 * Warns a person who has done nothing for long, also if they do not look at the page.
 * @param {State} state
 */
function warnOfStandIn({ room, settings }) {
  const deferred = part('deferred');
  if (settings.sound) deferred?.playSound('turn', settings.volume);
  deferred?.notifyTurn(settings, t('idle.notice'), room?.title ?? '');
}

/** Draws a new view of the game at once, so that the browser need not wait for the templates when its frame begins. */
function drawBeforeFrame() {
  isDrawn = true;
  requestAnimationFrame(() => (isDrawn = false));
  // The other updates of the message come first.
  queueMicrotask(draw);
}

/** Draws the state. */
function draw() {
  isDrawRequested = false;
  const state = store.state();
  const { body } = document;
  body.className = `${isTableScreen(state) ? 'game' : 'scrolling'} on-${state.route}`;
  // With `html:has(body.game)` each new element would compute the style of the root again.
  document.documentElement.classList.toggle('game', isTableScreen(state));
  body.toggleAttribute('data-disconnected', state.route === 'room' && state.connection.status !== 'open');
  const show = () => render(page(state, actions), body);
  if (part('deferred')) part('deferred')?.preserveFocus(show);
  else show();
  router.session()?.describePending();
  router.session()?.setStatusLine(part('table')?.statusText(state) ?? '');
  document.title = titleOf(state, t);
  if (state.chat.unread > 0 && isChatVisible()) store.dispatch({ type: 'chat_read' });
  part('deferred')?.keepScreenOn(isGameOn(state));
  loader.loadNext();
  timer.schedule(store.state());
}

/** Whether the lines of the chat can be seen. */
function isChatVisible() {
  const lines = document.querySelector('.chat-lines');
  return lines instanceof HTMLElement && lines.offsetParent !== null;
}

/**
 * Saves and applies settings that were changed.
 * @param {Settings} settings
 * @param {Settings} before
 */
async function onSettings(settings, before) {
  saveSettings(settings, before);
  const isSoundNew = settings.sound && (!before.sound || settings.volume !== before.volume);
  if (isSoundNew) part('deferred')?.playSound('turn', settings.volume);
  if (settings.language !== before.language) await showLanguage(settings.language);
  applySettings(store.state().settings, document.documentElement);
  redraw();
}

/**
 * Loads the texts of a language, and tries as long as it is the chosen one.
 * @param {string} language
 */
function showLanguage(language) {
  const isWanted = () => store.state().settings.language === language;
  return retry(() => loadLanguage(language), isWanted);
}
