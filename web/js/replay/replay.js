// The page of a replay: the bar, the table as it was at a stop, the controls, and the hands and the log beside it.

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { gameOf } from '../games.js';
import { onLinkClick } from '../header.js';
import { hasTexts, REPLAY, t } from '../i18n.js';
import { icon, logo } from '../icons.js';
import { displayOf, gameTableOf, isGameLoaded } from '../table/display.js';
import { allHands } from '../table/open-hands.js';
import { byTotal, runningTable, scoreTable } from '../table/scores.js';
import { fromSouth } from '../table/seating.js';
import { hasSideColumn } from '../table/side-column.js';
import { ownPlate } from '../table/tray.js';
import { pageUrl } from '../urls.js';
import { controls } from './controls.js';
import { errorKey } from './dialog-actions.js';
import { dialogOf } from './dialogs.js';
import { enableKeyboard } from './keyboard.js';
import { log } from './log.js';
import { ownHand } from './own-hand.js';
import { playStateOf, shownRound } from './play-state.js';
import { stopText } from './stop-text.js';
import { isAbandonedAt } from './stops.js';

/** @import { Actions } from '../actions.js' */
/** @import { Display } from '../game.js' */
/** @import { PlayState, Prompt, State } from '../types.js' */
/** @import { ReplaySession } from './session.js' */
/** @import { ReplayState } from './types.js' */

export { browserOf } from './browser.js';
export { openReplay } from './session.js';

/** The errors after which a new request has no chance. @type {readonly string[]} */
const FINAL_ERRORS = ['no_such_game', 'replay_forbidden', 'round_unavailable'];

/**
 * The table as it is drawn, once the game, its round and its texts are loaded.
 * @typedef {{ playState: PlayState, display: Display }} ShownTable
 */

/**
 * @param {State} state
 * @param {Actions} actions
 * @returns {ShownTable | null}
 */
function shownTable(state, actions) {
  const playState = playStateOf(state);
  if (!playState) return null;
  const { texts } = gameOf(playState.room);
  if (!hasTexts([texts.main], actions.redraw) || !isGameLoaded(playState.room)) return null;
  // Nobody acts in a replay.
  const display = { ...displayOf(playState), yours: false, mayChange: false, isStill: !state.replay?.isAutoplaying };
  return { playState, display };
}

/**
 * The bar over the felt.
 * @param {State} state
 * @param {Actions} actions
 */
export function bar(state, actions) {
  const session = actions.replay();
  const { replay } = state;
  if (!session || !replay?.overview || !hasTexts([REPLAY], actions.redraw)) return nothing;
  const { title, game } = replay.overview;
  const button = (
    /** @type {unknown} */ sign,
    /** @type {string} */ label,
    /** @type {() => void} */ onClick,
    classes = '',
  ) =>
    html`<button class=${`icon-button ${classes}`} type="button" aria-label=${label} title=${label} @click=${onClick}>${sign}</button>`;
  const hasHands = replay.place.perspective.kind === 'open';
  return html`<header class="bar">
    <a class="logo" href=${pageUrl(null)} aria-label=${`${t('app.name')}: ${t('common.home')}`} @click=${onLinkClick(actions, null)}
      >${logo()}<span>${t('app.name')}</span></a
    >
    <div class="bar-title"><b>${title ?? gameOf({ game }).name}</b><span>${progress(state, actions)}</span></div>
    ${hasHands ? button(icon('people'), t('watchers.hands'), () => session.open('hands'), 'narrow-only') : nothing}
    ${button(icon('history'), t('log.title'), () => session.open('log'), 'narrow-only')}
    ${button(icon('share'), t('replay.link'), () => session.open('link'))}
    ${button(icon('menu'), t('replay.menu'), () => session.open('menu'))}
  </header>`;
}

/**
 * The round and the trick that are shown.
 * @param {State} state
 * @param {Actions} actions
 */
function progress(state, actions) {
  const shown = shownTable(state, actions);
  const title = t('replay.title');
  if (!shown) return title;
  const { display, playState } = shown;
  const place = display.kind === 'round_end' ? t('replay.result') : gameTableOf(playState.room).progress(display);
  return html`<span class="wide-only">${title} · </span>${t('replay.bar.round', { n: display.round })} · ${place}`;
}

/**
 * The page below the bar; undefined until something can be shown.
 * @param {State} state
 * @param {Actions} actions
 */
export function replay(state, actions) {
  const session = actions.replay();
  const { replay } = state;
  if (!session || !replay || !hasTexts([REPLAY], actions.redraw)) return undefined;
  if (!replay.overview) return replay.error ? errorPage(replay.error, session, actions) : undefined;
  enableKeyboard(session, state, actions);
  const shown = shownTable(state, actions);
  return html`${shown ? felt(shown, session, actions) : emptyFelt(replay, session)}
    <section class="tray replay-tray" data-replay aria-labelledby="replay-controls">
      <h2 class="visually-hidden" id="replay-controls">${t('replay.controls')}</h2>
      ${shown ? ownRow(shown, actions, session) : nothing}${abandonedNote(replay)}${controls(replay, session)}
    </section>
    ${shown && hasSideColumn(actions) ? sideColumn(replay, shown, session) : nothing}`;
}

/**
 * @param {ShownTable} shown
 * @param {ReplaySession} session
 * @param {Actions} actions
 */
function felt({ playState, display }, session, actions) {
  const gameTable = gameTableOf(playState.room);
  if (display.kind === 'round_end') return result(display, playState);
  return html`<main class="felt" id="main" tabindex="-1">
    <h1 class="visually-hidden">${gameTable.heading(display)}</h1>
    ${gameTable.felt(display, playState, tableActions(display, session, actions))}
  </main>`;
}

/**
 * The actions of the table. In a replay only the plates act: they move their seat to the bottom.
 * @param {Display} display
 * @param {ReplaySession} session
 * @param {Actions} actions
 * @returns {Actions}
 */
function tableActions({ ownSeat }, session, actions) {
  const prompt = (/** @type {Prompt | null} */ prompt) => {
    if (prompt?.kind !== 'chair') return;
    if (ownSeat === null) session.setViewpoint(prompt.seat);
    else session.setPerspective({ kind: 'seat', seat: prompt.seat });
  };
  return { ...actions, prompt, lift: () => {}, endHold: () => {} };
}

/**
 * The result of a round.
 * @param {Display} display
 * @param {PlayState} playState
 */
function result(display, playState) {
  const gameTable = gameTableOf(playState.room);
  return html`<main class="replay-result stack" id="main" tabindex="-1">
    <div>
      <h1>${t('score.title', { n: display.round })}</h1>
      <p class="muted">${gameTable.summary(display, playState)}</p>
    </div>
    <div class="results">${gameTable.calculation(display, playState)}</div>
    <section class="panel" aria-labelledby="standings">
      <h2 id="standings">${t('score.standings')}</h2>
      ${scoreTable(display, playState, { order: byTotal(playState.sheet?.totals ?? []) })}
    </section>
  </main>`;
}

/**
 * The felt while a round is loaded, or if it cannot be shown.
 * @param {ReplayState} replay
 * @param {ReplaySession} session
 */
const emptyFelt = ({ error, place }, session) => html`<main class="felt" id="main" tabindex="-1">
  <div class="replay-note stack" aria-busy=${error === null ? 'true' : nothing}>
    <h1>${t('replay.round', { n: place.round })}</h1>
    <p role="status">${error === null ? t('replay.loading') : t(errorKey(error))}</p>
    ${error === null || FINAL_ERRORS.includes(error) ? nothing : againButton(session)}
  </div>
</main>`;

/**
 * The own plate and hand of the seat from which the table is seen.
 * @param {ShownTable} shown
 * @param {Actions} actions
 * @param {ReplaySession} session
 */
function ownRow({ display, playState }, actions, session) {
  if (display.ownSeat === null || display.kind === 'round_end') return nothing;
  return html`<div class="replay-own">
    ${display.hasOwnPlate ? ownPlate(display, playState, tableActions(display, session, actions)) : nothing}${ownHand(display, playState)}
  </div>`;
}

/**
 * A line at the end of a round that was abandoned.
 * @param {ReplayState} replay
 */
function abandonedNote(replay) {
  const shown = shownRound(replay);
  if (!shown || !isAbandonedAt(shown.stops, shown.index)) return nothing;
  return html`<p class="replay-abandoned">${t('replay.abandoned')}</p>`;
}

/**
 * The column on a desktop.
 * @param {ReplayState} replay
 * @param {ShownTable} shown
 * @param {ReplaySession} session
 */
function sideColumn(replay, { playState, display }, session) {
  const round = shownRound(replay);
  if (!round) return nothing;
  const hasHands = replay.place.perspective.kind === 'open' && display.kind !== 'round_end';
  return html`<aside class="side replay-side" aria-label=${t('replay.side')}>
    ${
      hasHands
        ? html`<section>
            <div class="row space-between">
              <h2>${t('watchers.hands')}</h2>
            </div>
            ${allHands(display, playState)}
          </section>`
        : nothing
    }
    <section class="replay-log-section">
      <h2>${t('log.title')}</h2>
      ${log(round, replay.place.perspective, display, playState, session)}
    </section>
    <p class="small muted">
      <kbd>←</kbd> <kbd>→</kbd> ${t('replay.keys.cardShort')} · <kbd>${t('replay.keys.shift')}</kbd> ${t('replay.keys.trickShort')} ·
      <kbd>?</kbd> ${t('play.keys.all')}
    </p>
  </aside>`;
}

/**
 * The dialog that is open.
 * @param {State} state
 * @param {Actions} actions
 */
export function replayDialog(state, actions) {
  const shown = shownTable(state, actions);
  const session = actions.replay();
  const round = state.replay && shownRound(state.replay);
  if (!shown || !session || !state.replay || !round) return dialogOf(state, actions, null, NO_CONTENTS);
  const { playState, display } = shown;
  const { perspective } = state.replay.place;
  const place = stopText(round.round, round.stops, round.index);
  return dialogOf(state, actions, playState, {
    log: () => log(round, perspective, display, playState, session, { isInDialog: true }),
    hands: () => html`<p class="small muted">${place}</p>${allHands(display, playState)}`,
    scores: () =>
      html`<p class="small muted">${place}</p>
        ${scoreTable(display, playState, { order: fromSouth(display) })}${runningTable(display, playState, fromSouth(display))}`,
  });
}

const NO_CONTENTS = { log: () => nothing, hands: () => nothing, scores: () => nothing };

/**
 * The page of a game that cannot be shown.
 * @param {string} error
 * @param {ReplaySession} session
 * @param {Actions} actions
 */
function errorPage(error, session, actions) {
  return html`<main class="content stack single-panel" id="main" tabindex="-1">
    <section class="panel stitched stack">
      <span>${icon(error === 'replay_forbidden' ? 'lock' : 'history')}</span>
      <h1>${t('replay.error.title')}</h1>
      <p role="status">${t(errorKey(error))}</p>
      <div class="row">
        ${FINAL_ERRORS.includes(error) ? nothing : againButton(session)}
        <a class="btn" href=${pageUrl(null)} @click=${onLinkClick(actions, null)}>${t('common.home')}</a>
      </div>
    </section>
  </main>`;
}

/** @param {ReplaySession} session */
const againButton = (session) =>
  html`<button class="btn primary" type="button" @click=${session.loadAgain}>${t('replay.again')}</button>`;
