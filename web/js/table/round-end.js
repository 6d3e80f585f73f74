// The screen between two rounds: the result of the round, the standings, and the people who are ready.

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { dock } from '../dock.js';
import { plannedRounds, roundsLeftNearLimit } from '../games.js';
import { t } from '../i18n.js';
import { icon } from '../icons.js';
import { mayPause, nameOrYou } from '../state.js';
import { chart } from './chart.js';
import { countUp } from './count-up.js';
import { gameTableOf, secondsUntil } from './display.js';
import { readiness, readyButton } from './ready.js';
import { withReplayLink } from './replay-link.js';
import { byTotal, finishedRounds, scoreTable } from './scores.js';

/** @import { Actions } from '../actions.js' */
/** @import { Display } from '../game.js' */
/** @import { PlayState } from '../types.js' */

/**
 * The screen between two rounds.
 * @param {Display} display
 * @param {PlayState} state
 * @param {Actions} actions
 */
export function roundEnd(display, state, actions) {
  countUp(state);
  const finished = finishedRounds(display, state);
  const names = Array.from({ length: display.seats }, (_, seat) => nameOrYou(state.room, seat, display.ownSeat, t));
  return html`<main class="content stack" id="main" tabindex="-1" data-screen="round-end" ?inert=${display.isPaused}>
      <div>
        <div class="row space-between">
          <h1>${t('score.title', { n: display.round })}</h1>
          ${withReplayLink(
            state.room,
            html`<button class="btn ghost compact" type="button" @click=${() => actions.openLog(display.round)}>
            ${icon('history')} ${t('log.ofRound')}
          </button>`,
            display.round,
          )}
        </div>
        <p class="muted">${[state.room.title, gameTableOf(state.room).summary(display, state), roundsLeftText(display, state)].filter(Boolean).join(' · ')}</p>
      </div>
      <div class="results">${gameTableOf(state.room).calculation(display, state)}</div>
      <div class="columns two">
        <section class="panel" aria-labelledby="standings">
          <h2 id="standings">${t('score.standings')}</h2>
          ${scoreTable(display, state, { order: byTotal(state.sheet?.totals ?? []), isPlanned: true })}
        </section>
        <section class="panel" aria-labelledby="chart">
          <h2 id="chart">${t('score.chart')}</h2>
          ${chart(finished, names, display.ownSeat, plannedRounds(state.room) ?? 0)}
        </section>
      </div>
    </main>
    ${readyDock(display, state, actions)}`;
}

/**
 * How many rounds there can still be, once the limit of rounds is near; empty before.
 * @param {Display} display
 * @param {PlayState} state
 */
function roundsLeftText({ round }, { room }) {
  const left = roundsLeftNearLimit(room, round);
  return left === null || left === 0 ? '' : t('news.roundsLeft', { n: left });
}

/**
 * How many people are ready for the next round.
 * @param {PlayState} state
 */
export function readyText(state) {
  const { present, ready } = readiness(state);
  return t('play.ready', { n: ready.length, max: present.length });
}

/**
 * Whether the own seat may delay the next deal. Without a deadline nothing deals it.
 * @param {Pick<PlayState, 'room' | 'you' | 'game'>} state
 */
export function mayHold({ room, you, game }) {
  if (game.deadline === null) return false;
  const chair = you.seat === null ? undefined : room.chairs[you.seat];
  return chair?.kind === 'person' && !chair.holds;
}

/**
 * The dock: how many are ready, when the next round starts by itself, and the button Ready.
 * @param {Display} display
 * @param {PlayState} state
 * @param {Actions} actions
 */
function readyDock(display, state, actions) {
  const { isReady } = readiness(state);
  const left = display.isPaused ? null : secondsUntil(state.game.deadline, state.clock);
  const auto = left ? t('score.auto', { s: left }) : '';
  const next = display.round + 1;
  const words = html`${readyText(state)} <span aria-hidden="true">${auto}</span>`;
  const buttons = html`${
    mayHold(state) && !display.isPaused
      ? html`<button class="btn" type="button" @click=${() => void actions.command({ type: 'hold' })}>${icon('time')} ${t('play.hold')}</button>`
      : nothing
  }${
    mayPause(state.room) && !display.isPaused
      ? html`<button class="btn" type="button" @click=${() => void actions.command({ type: 'pause' })}>${icon('cup')} ${t('play.pause')}</button>`
      : nothing
  }${
    state.you.seat === null
      ? nothing
      : readyButton(
          isReady,
          html`${icon('check')} ${t(isReady ? 'play.isReady' : 'score.ready', { n: next })}`,
          actions,
        )
  }`;
  return dock(words, buttons, display.isPaused);
}
