// The column beside the table on a desktop: scores, past tricks, chat, keys. Small screens have dialogs instead.

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { chatPanel } from '../chat.js';
import { t } from '../i18n.js';
import { pastTricks, pastTricksTitle } from './past-tricks.js';
import { finishedRounds, roundOf, scoreTable } from './scores.js';
import { fromSouth } from './seating.js';

/** @import { Actions } from '../actions.js' */
/** @import { Display } from '../game.js' */
/** @import { PlayState } from '../types.js' */

/** How many rounds and tricks the column shows. The dialogs show all. */
const MAX_ROUNDS = 3;
const MAX_TRICKS = 4;
/** The screens with the column, as in `side-column.css`. On other screens it would be a fourth of all elements, all hidden. */
const WIDE_SCREEN = '(min-width: 1080px) and (min-height: 600px)';

/** Whether the screen has the column. It is null until the column is drawn. @type {MediaQueryList | null} */
let wideScreen = null;

/**
 * Whether the screen has the column. When that changes, the page is drawn again.
 * @param {Pick<Actions, 'redraw'>} actions
 */
export function hasSideColumn({ redraw }) {
  if (!wideScreen) {
    wideScreen = matchMedia(WIDE_SCREEN);
    wideScreen.addEventListener('change', redraw);
  }
  return wideScreen.matches;
}

/**
 * The column beside the table; nothing on a small screen.
 * @param {Display} display
 * @param {PlayState} state
 * @param {Actions} actions
 */
export function sideColumn(display, state, actions) {
  if (!hasSideColumn(actions)) return nothing;
  const tricks = display.pastTricks.tricks.length;
  // The parts of the running score take the space of the rounds.
  const max = display.running ? 0 : MAX_ROUNDS;
  const isMore = finishedRounds(display, state).length > max;
  return html`<aside class="side" aria-label=${t('play.side')} ?inert=${display.isPaused}>
    <section>
      <div class="row space-between">
        <h2>${t('play.scores')}</h2>
        ${isMore ? allButton(() => actions.open('scores')) : html`<span class="small muted">${roundOf(display, state)}</span>`}
      </div>
      ${scoreTable(display, state, { order: fromSouth(display), max, hasParts: true })}
    </section>
    <section>
      <div class="row space-between">
        <h2>${pastTricksTitle(display)}</h2>
        ${tricks > MAX_TRICKS ? allButton(() => actions.open('past_tricks')) : nothing}
      </div>
      ${pastTricks(display, state, { max: MAX_TRICKS })}
    </section>
    ${chatPanel(state, actions)}
    ${
      display.ownSeat === null
        ? nothing
        : html`<section class="small muted">
            <p>
              <kbd>←</kbd> <kbd>→</kbd> ${t('play.keys.choose')} · <kbd>${t('play.keys.enterKey')}</kbd> ${t('keys.lift')} ·
              <kbd>?</kbd> ${t('play.keys.all')}
            </p>
          </section>`
    }
  </aside>`;
}

/**
 * The button that opens the whole list.
 * @param {() => void} open
 */
const allButton = (open) =>
  html`<button class="btn ghost compact" type="button" @click=${open}>${t('play.all')}</button>`;
