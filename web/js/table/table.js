// The table while a game is played, paused or over: everything of the page but bar, banners and dialogs.

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { gameOf } from '../games.js';
import { hasTexts, isLoaded, t } from '../i18n.js';
import { enableDrag } from './drag.js';
import { gameEnd } from './game-end.js';
import { enableKeyboard } from './keyboard.js';
import { roundEnd } from './round-end.js';
import { isPlaying, sceneOf, tableOf } from './scene.js';
import { sheets } from './sheets.js';
import { sideColumn } from './side-column.js';
import { statusLine } from './status-line.js';
import { tray } from './tray.js';

/** @import { Actions } from '../actions.js' */
/** @import { Scene } from '../game.js' */
/** @import { PlayState, State } from '../types.js' */

export { bar } from './bar.js';
export { announcementsIfLoaded as announcements } from './event-text.js';

/**
 * The game as a seat or a spectator sees it. In play these are the parts of the page's grid (`body.game`): felt, tray,
 * side column. Between rounds and after the game it is a page that scrolls (`body.shell`). Undefined until the texts of
 * the game are loaded.
 * @param {State} state
 * @param {Actions} actions
 */
export function table(state, actions) {
  if (!isPlaying(state)) return nothing;
  if (!hasTexts([gameOf(state.room).texts.main], actions.redraw)) return undefined;
  const scene = sceneOf(state);
  enableKeyboard(scene, state, actions);
  enableDrag(scene, state, actions);
  return html`${screen(scene, state, actions)}${sheets(scene, state, actions)}`;
}

/**
 * The status line as one text, for the announcer; empty if the tray is not shown.
 * @param {State} state
 * @returns {string}
 */
export function statusText(state) {
  if (!isPlaying(state) || !isLoaded(gameOf(state.room).texts.main)) return '';
  const scene = sceneOf(state);
  if (scene.kind === 'over') return '';
  const { strong, text } = statusLine(scene, state, t);
  return `${strong} ${text}`;
}

/**
 * @param {Scene} scene
 * @param {PlayState} state
 * @param {Actions} actions
 */
function screen(scene, state, actions) {
  if (scene.kind === 'over') {
    const isGameOver = state.room.phase === 'over' && state.room.standings;
    return isGameOver ? gameEnd(scene, state, actions) : roundEnd(scene, state, actions);
  }
  const game = tableOf(state.room);
  return html`<main class="felt" id="main" tabindex="-1" ?inert=${scene.isPaused}><h1 class="sr">${game.heading(scene)}</h1>${game.felt(scene, state, actions)}</main>
    ${tray(scene, state, actions)}${sideColumn(scene, state, actions)}`;
}
