/** The table while a game is played, paused or over: everything of the page but bar, banners and dialogs. */

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { drawable } from './drag.js';
import { gameEnd } from './game-end.js';
import { gameOf } from './games.js';
import { listen } from './keyboard.js';
import { roundEnd } from './round-end.js';
import { sheets } from './sheets.js';
import { side } from './side-column.js';
import { tray } from './tray.js';

/** @import { Actions, Shown, State } from './types.js' */

export { bar } from './bar.js';
export { narrate } from './event-text.js';
export { gameOf };

/**
 * What a seat, or a spectator, sees of the game. In play these are the parts of the page's grid
 * (`body.game`): felt, rail, side column; else a page that scrolls (`body.shell`).
 * @param {State} state
 * @param {Actions} actions
 */
export function table(state, actions) {
  const game = gameOf(/** @type {any} */ (state.room));
  const seen = game.shown(state);
  if (!seen) {
    return nothing;
  }
  const now = { ...seen, game };
  listen(now, state, actions);
  drawable(now, state, actions);
  return html`${screen(now, state, actions)}${sheets(now, state, actions)}`;
}

/**
 * @param {Shown} now
 * @param {State} state
 * @param {Actions} actions
 */
function screen(now, state, actions) {
  if (now.kind === 'over') {
    const isOver = state.room.phase === 'over' && state.room.standings;
    return isOver ? gameEnd(now, state, actions) : roundEnd(now, state, actions);
  }
  return html`<main class="felt" id="main" tabindex="-1" ?inert=${now.paused}><h1 class="sr">${now.game.heading(now)}</h1>${now.game.felt(now, state, actions)}</main>
    ${tray(now, state, actions)}${side(now, state, actions)}`;
}
