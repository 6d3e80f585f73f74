// The sheets of the table: scores and past tricks.

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { dialog } from '../dialog.js';
import { t } from '../i18n.js';
import { history, historyTitle } from './history.js';
import { roundOf, runningTable, scoreTable } from './scores.js';
import { fromSouth } from './seating.js';

/** @import { Actions } from '../actions.js' */
/** @import { Scene } from '../game.js' */
/** @import { PlayState } from '../types.js' */

/**
 * The sheet of the table that is open, if one is.
 * @param {Scene} scene
 * @param {PlayState} state
 * @param {Actions} actions
 */
export function sheets(scene, state, actions) {
  const close = () => actions.open(null);
  switch (state.sheet) {
    case 'scores':
      return dialog({ title: t('play.scores'), body: scores(scene, state), close, sheet: true, name: 'scores' });
    case 'history':
      return dialog({ title: historyTitle(scene), body: history(scene, state), close, sheet: true, name: 'history' });
    default:
      return nothing;
  }
}

/**
 * @param {Scene} scene
 * @param {PlayState} state
 */
const scores = (scene, state) =>
  html`<p class="small muted">${roundOf(scene, state)}</p>
    ${scoreTable(scene, state, { order: fromSouth(scene) })}${runningTable(scene, state, fromSouth(scene))}`;
