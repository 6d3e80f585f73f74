/** The table while a game is played, paused or over: everything of the page but bar, banners and dialogs. */

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { gameEnd } from './game-end.js';
import { listen } from './keys.js';
import { roundEnd } from './round-end.js';
import { seats } from './seats.js';
import { sheets } from './sheets.js';
import { shown } from './shown.js';
import { side } from './side.js';
import { tray } from './tray.js';

/** @import { Actions, State } from './types.js' */
/** @import { Shown } from './shown.js' */

/**
 * What a seat, or a spectator, sees of the game. In play these are the parts of the page's grid
 * (`body.game`): felt, rail, side column; else a page that scrolls (`body.shell`).
 * @param {State} state
 * @param {Actions} actions
 */
export function table(state, actions) {
  if (state.room?.game === 'nyet') {
    return html`<main class="felt" id="main" tabindex="-1"><p class="notyet">${t('play.notYet')}</p></main>`;
  }
  const now = shown(state);
  if (!now) {
    return nothing;
  }
  listen(now, state, actions);
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
  return html`<main class="felt" id="main" tabindex="-1"><h1 class="sr">${heading(now)}</h1>${seats(now, state, actions)}</main>
    ${tray(now, state, actions)}${side(now, state, actions)}`;
}

/** @param {Shown} now */
function heading(now) {
  const n = now.table.round;
  return now.kind === 'pick' || now.kind === 'reveal'
    ? t('play.heading.colours', { n })
    : t('play.heading.trick', { n, trick: now.number });
}
