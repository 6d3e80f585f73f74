/** The sheets of the table: points, past tricks. */

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { dialog } from '../modal.js';
import { history, historyTitle } from './history.js';
import { roundOf, runningTable, scoreTable } from './scores.js';
import { fromYou } from './side-column.js';

/** @import { Actions, Shown, State } from './types.js' */

/**
 * The sheet of the table that is open, if one is.
 * @param {Shown} now
 * @param {State} state
 * @param {Actions} actions
 */
export function sheets(now, state, actions) {
  const close = () => actions.open(null);
  switch (state.sheet) {
    case 'scores':
      return dialog({ title: t('play.scores'), body: scores(now, state), close, sheet: true, name: 'scores' });
    case 'history':
      return dialog({ title: historyTitle(state), body: history(now, state), close, sheet: true, name: 'history' });
    default:
      return nothing;
  }
}

/**
 * @param {Shown} now
 * @param {State} state
 */
const scores = (now, state) =>
  html`<p class="small muted">${roundOf(now, state)}</p>
    ${scoreTable(now, state, { order: fromYou(now) })}${runningTable(now, state, fromYou(now))}`;
