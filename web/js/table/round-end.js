/** A round is scored: what counted for whom, the standings, and who is ready for the next round. */

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { icon } from '../icons.js';
import { rounds } from './cards.js';
import { chart } from './chart.js';
import { countUp } from './count-up.js';
import { dock, people } from './dock.js';
import { nameOf } from './format.js';
import { secondsUntil } from './scene.js';
import { byTotal, finishedRounds, scoreTable } from './scores.js';

/** @import { Actions, Shown, State } from './types.js' */

/**
 * The page between two rounds.
 * @param {Shown} now
 * @param {State} state
 * @param {Actions} actions
 */
export function roundEnd(now, state, actions) {
  countUp(now.table.round);
  const finished = finishedRounds(now, state);
  const names = Array.from({ length: now.seats }, (_, seat) =>
    seat === now.you ? t('play.you') : nameOf(state.room, seat, t),
  );
  return html`<main class="wrap stack" id="main" tabindex="-1" data-screen="round-end" ?inert=${now.paused}>
      <div>
        <div class="row sb">
          <h1>${t('score.title', { n: now.table.round })}</h1>
          <button class="btn ghost sm" type="button" @click=${() => actions.open('history')}>
            ${icon('history')} ${t('play.tricksButton')}
          </button>
        </div>
        <p class="muted">${[state.room.title, now.game.summary(now, state)].filter(Boolean).join(' · ')}</p>
      </div>
      <div class="res">${now.game.calculation(now, state)}</div>
      <div class="cols two">
        <section class="panel" aria-labelledby="standings">
          <h2 id="standings">${t('score.standings')}</h2>
          ${scoreTable(now, state, { order: byTotal(state.room.sheet?.totals ?? []), planned: true })}
        </section>
        <section class="panel" aria-labelledby="chart">
          <h2 id="chart">${t('score.chart')}</h2>
          ${chart(finished, names, now.you, rounds(state.room, now.game) ?? 0)}
        </section>
      </div>
    </main>
    ${waiting(now, state, actions)}`;
}

/**
 * Who is ready, when it goes on by itself, and the button for it.
 * @param {Shown} now
 * @param {State} state
 * @param {Actions} actions
 */
function waiting(now, state, actions) {
  const { present, ready, isReady } = people(state);
  const left = now.paused ? null : secondsUntil(state.game?.deadline, state.clock);
  const count = t('play.ready', { n: ready.length, max: present.length });
  const auto = left ? t('score.auto', { s: left }) : '';
  const next = now.table.round + 1;
  const words = html`${count} <span aria-hidden="true">${auto}</span>`;
  const buttons = html`${
    state.you.host && !now.paused
      ? html`<button class="btn" type="button" @click=${() => actions.tell('pause')}>${icon('cup')} ${t('play.break')}</button>`
      : nothing
  }${
    now.you === null
      ? nothing
      : html`<button
          class="btn pri"
          type="button"
          aria-pressed=${isReady ? 'true' : 'false'}
          @click=${() => actions.ready(!isReady)}
        >
          ${icon('check')} ${t(isReady ? 'play.isReady' : 'score.ready', { n: next })}
        </button>`
  }`;
  return dock(words, buttons, now.paused);
}
