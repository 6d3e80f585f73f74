// The dialogs of the table: scores, past tricks, the log of a round, and all hands for a spectator who sees them.

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { dialog } from '../dialog.js';
import { t } from '../i18n.js';
import { icon } from '../icons.js';
import { allHands } from './open-hands.js';
import { pastTricks, pastTricksTitle } from './past-tricks.js';
import { withReplayLink } from './replay-link.js';
import { roundLog } from './round-log.js';
import { roundOf, runningTable, scoreTable } from './scores.js';
import { fromSouth } from './seating.js';

/** @import { Actions } from '../actions.js' */
/** @import { Display } from '../game.js' */
/** @import { PlayState } from '../types.js' */

/**
 * The dialog of the table that is open; nothing if none is.
 * @param {Display} display
 * @param {PlayState} state
 * @param {Actions} actions
 */
export function tableDialog(display, state, actions) {
  const close = () => actions.open(null);
  switch (state.dialog) {
    case 'scores':
      return dialog(state, {
        title: t('play.scores'),
        body: scores(display, state),
        close,
        isBottomSheet: true,
        name: 'scores',
      });
    case 'past_tricks':
      return dialog(state, {
        title: pastTricksTitle(display),
        body: html`${pastTricks(display, state, { hasNames: true })}
          <div class="row">
            ${withReplayLink(
              state.room,
              html`<button class="btn compact" type="button" @click=${() => actions.openLog()}>${icon('history')} ${t('log.ofRound')}</button>`,
            )}
            ${state.room.replays === 'nobody' ? nothing : html`<button class="btn compact" type="button" @click=${() => actions.openGames()}>${t('games.title')}</button>`}
          </div>`,
        close,
        isBottomSheet: true,
        name: 'past_tricks',
      });
    case 'hands':
      return dialog(state, {
        title: t('watchers.hands'),
        body: allHands(display, state),
        close,
        isBottomSheet: true,
        name: 'hands',
      });
    case 'log':
      return dialog(state, {
        title: t('log.title'),
        body: roundLog(display, state, actions),
        close,
        isBottomSheet: true,
        name: 'log',
      });
    default:
      return nothing;
  }
}

/**
 * @param {Display} display
 * @param {PlayState} state
 */
const scores = (display, state) =>
  html`<p class="small muted">${roundOf(display, state)}</p>
    ${scoreTable(display, state, { order: fromSouth(display) })}${runningTable(display, state, fromSouth(display))}`;
