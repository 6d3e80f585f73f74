// The table while a game is played, paused or over: everything of the page but bar, banners and dialogs.

import { html } from '../../vendor/lit-html/lit-html.js';
import { gameOf } from '../games.js';
import { hasTexts, t } from '../i18n.js';
import { spokenPause } from '../pause.js';
import { isGameOver } from '../state.js';
import { tableDialog } from './dialogs.js';
import { displayOf, gameTableOf, hasGame, isGameLoaded } from './display.js';
import { enableDrag } from './drag.js';
import { gameEnd, rematchText } from './game-end.js';
import { enableKeyboard } from './keyboard.js';
import { readyText, roundEnd } from './round-end.js';
import { sideColumn } from './side-column.js';
import { statusLine } from './status-line.js';
import { timeWarning, tray } from './tray.js';

/** @import { Actions } from '../actions.js' */
/** @import { Display } from '../game.js' */
/** @import { PlayState, State } from '../types.js' */

export { announcementsIfLoaded as announcements, missedSummaryIfLoaded as missedSummary } from './announcements.js';
export { bar } from './bar.js';

/**
 * The game as a seat or a spectator sees it. In play these are the areas of the page's grid (`body.game`): felt, tray,
 * side column. Between rounds and after the game it is a screen that scrolls (`body.scrolling`). Undefined until the
 * room has a round, and the code and the texts of the game are loaded.
 * @param {State} state
 * @param {Actions} actions
 */
export function table(state, actions) {
  if (!hasGame(state)) return undefined;
  const hasMainTexts = hasTexts([gameOf(state.room).texts.main], actions.redraw);
  if (!hasMainTexts || !isGameLoaded(state.room)) return undefined;
  const display = displayOf(state);
  enableKeyboard(display, state, actions);
  enableDrag(display, state, actions);
  return html`${screen(display, state, actions)}${tableDialog(display, state, actions)}`;
}

/**
 * The status line as one text, for the announcer; in a pause the text of the pause. Empty if the tray is not shown.
 * @param {State} state
 * @returns {string}
 */
export function statusText(state) {
  if (!hasGame(state) || !isGameLoaded(state.room)) return '';
  if (state.room.phase === 'paused') return spokenPause(state);
  const display = displayOf(state);
  if (display.kind === 'round_end') return '';
  const { strong, text } = statusLine(display, state, t);
  return `${strong} ${text}`;
}

/**
 * The texts of the live regions of the table, without the status line.
 * @param {State} state
 * @returns {string[]}
 */
export function liveTexts(state) {
  if (!hasGame(state) || !isGameLoaded(state.room)) return [];
  if (state.room.phase === 'paused') return [spokenPause(state)];
  const display = displayOf(state);
  if (display.kind !== 'round_end') return [timeWarning(display)];
  return [isGameOver(state) ? rematchText(state) : readyText(state)];
}

/**
 * @param {Display} display
 * @param {PlayState} state
 * @param {Actions} actions
 */
function screen(display, state, actions) {
  if (display.kind === 'round_end') {
    return isGameOver(state) ? gameEnd(display, state, actions) : roundEnd(display, state, actions);
  }
  const gameTable = gameTableOf(state.room);
  return html`<main class="felt" id="main" tabindex="-1" ?inert=${display.isPaused}><h1 class="visually-hidden">${gameTable.heading(display)}</h1>${gameTable.felt(display, state, actions)}</main>
    ${tray(display, state, actions)}${sideColumn(display, state, actions)}`;
}
