/** Beside the table on a desktop, and in sheets elsewhere: points, past tricks, chat, keys. */

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { chatPanel } from '../chat.js';
import { t } from '../i18n.js';
import { history, historyTitle, openTricks } from './history.js';
import { finishedRounds, roundOf, scoreTable } from './scores.js';

/** @import { Actions, Shown, State } from './types.js' */

/** So many rounds have columns in the narrow table. */
const ROUNDS = 3;
/** So many tricks are in the column; the rest is one click away. */
const TRICKS = 4;

/**
 * The column beside the table.
 * @param {Shown} now
 * @param {State} state
 * @param {Actions} actions
 */
export function side(now, state, actions) {
  const tricks = openTricks(now).length;
  // The parts of the running score need the space of the rounds, which are one click away.
  const most = now.table.running ? 0 : ROUNDS;
  const isMore = finishedRounds(now, state).length > most;
  return html`<aside class="side" aria-label=${t('play.side')} ?inert=${now.paused}>
    <section>
      <div class="row sb">
        <h2>${t('play.scores')}</h2>
        ${isMore ? all(() => actions.open('scores')) : html`<span class="small muted">${roundOf(now, state)}</span>`}
      </div>
      ${scoreTable(now, state, { order: fromYou(now), most, apart: true })}
    </section>
    <section>
      <div class="row sb">
        <h2>${historyTitle(state)}</h2>
        ${tricks > TRICKS ? all(() => actions.open('history')) : nothing}
      </div>
      ${history(now, state, TRICKS)}
    </section>
    ${chatPanel(/** @type {any} */ (state), /** @type {any} */ (actions))}
    ${
      now.you === null
        ? nothing
        : html`<section class="small muted keyline">
            <p>
              <kbd>←</kbd> <kbd>→</kbd> ${t('play.keys.choose')} · <kbd>${t('play.keys.enterKey')}</kbd> ${t('play.keys.enter')} ·
              <kbd>?</kbd> ${t('play.keys.all')}
            </p>
          </section>`
    }
  </aside>`;
}

/**
 * The seats with the own one first.
 * @param {Shown} now
 * @returns {number[]}
 */
export function fromYou(now) {
  return Array.from({ length: now.seats }, (_, step) => (now.south + step) % now.seats);
}

/** @param {() => void} open */
const all = (open) => html`<button class="btn ghost sm" type="button" @click=${open}>${t('play.all')}</button>`;
