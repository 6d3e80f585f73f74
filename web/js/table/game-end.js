// The screen after the game: ranks, points, and votes for a rematch.

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { dock } from '../dock.js';
import { nameList, t } from '../i18n.js';
import { icon } from '../icons.js';
import { askHostButton, initialOf } from '../lobby.js';
import { reaction } from '../reactions.js';
import { nameOf, nameOrYou } from '../state.js';
import { chart } from './chart.js';
import { gameTableOf } from './display.js';
import { readiness, readyButton } from './ready.js';
import { withReplayLink } from './replay-link.js';
import { scoreTable } from './scores.js';
import { winnersText } from './winners.js';

/** @import { Actions } from '../actions.js' */
/** @import { Display } from '../game.js' */
/** @import { Seat, Sheet } from '../protocol.js' */
/** @import { PlayState } from '../types.js' */

/** The best ranks stand on the podium. */
const PODIUM = 3;
/** A word with more letters is too long for large letters. */
const LONG_WORD = 12;

/**
 * The screen after the game. The state must have a sheet.
 * @param {Display} display
 * @param {PlayState} state
 * @param {Actions} actions
 */
export function gameEnd(display, state, actions) {
  const { rounds, totals, ranks } = /** @type {Sheet} */ (state.sheet);
  const order = byRank(ranks);
  const name = (/** @type {Seat} */ seat) => nameOrYou(state.room, seat, display.ownSeat, t);
  const names = totals.map((_, seat) => name(seat));
  const words = winnersText(ranks, display.ownSeat, state.room, t);
  const isShared = new Set(ranks).size < ranks.length;
  return html`<main class="content stack" id="main" tabindex="-1" data-screen="game-end">
      <div class="hero end">
        <h1 class=${hasLongWord(words) ? 'long' : ''}>${words}</h1>
        <p class="muted">${margin(totals, ranks)}</p>
        ${state.room.ended_early ? html`<p class="muted">${t('result.early', { n: rounds.length })}</p>` : nothing}
      </div>
      <ol class="podium" aria-label=${t('play.finalStandings')}>
        ${order.filter((seat) => ranks[seat] <= PODIUM).map((seat) => podiumStep(seat, totals[seat], ranks[seat], name(seat), display, state))}
      </ol>
      <div class="columns two">
        <div class="stack panel-column">
          <section class="panel stitched" aria-labelledby="standings">
            <h2 id="standings">${t('play.finalStandings')}</h2>
            ${scoreTable(display, state, { order })}
            ${isShared ? html`<p class="small muted">${t('play.sharedRanks')}</p>` : nothing}
          </section>
          <section class="panel" aria-labelledby="again">
            <h2 id="again">${t('play.again')}</h2>
            ${rematchVotes(display, state)}
          </section>
        </div>
        <section class="panel" aria-labelledby="chart">
          <div class="row space-between">
            <h2 id="chart">${t('play.roundByRound')}</h2>
            ${withReplayLink(
              state.room,
              html`<button class="btn ghost compact" type="button" @click=${() => actions.openLog()}>
              ${icon('history')} ${t('log.title')}
            </button>`,
            )}
          </div>
          ${chart(rounds, names, display.ownSeat, rounds.length)}
        </section>
      </div>
    </main>
    ${rematchDock(state, actions)}`;
}

/**
 * The seats by their ranks.
 * @param {readonly number[]} ranks
 * @returns {number[]}
 */
function byRank(ranks) {
  return ranks.map((_, seat) => seat).sort((a, b) => ranks[a] - ranks[b] || a - b);
}

/**
 * Whether a text has a word that is too long for large letters.
 * @param {string} words
 */
const hasLongWord = (words) => words.split(' ').some((word) => word.length > LONG_WORD);

/**
 * By how much the winners won.
 * @param {readonly number[]} totals
 * @param {readonly number[]} ranks
 * @returns {string}
 */
function margin(totals, ranks) {
  const best = Math.max(...totals);
  const next = Math.max(...totals.filter((_, seat) => ranks[seat] > 1));
  if (!Number.isFinite(next)) {
    return t('result.allTie');
  }
  return t('result.margin', { n: best - next });
}

/**
 * @param {Seat} seat
 * @param {number} total
 * @param {number} rank
 * @param {string} name
 * @param {Display} display
 * @param {PlayState} state
 */
function podiumStep(seat, total, rank, name, display, state) {
  return html`<li class=${`rank-${rank}`}>
    ${rank === 1 ? gameTableOf(state.room).trophy(seat, display) : nothing}<span class="name">${name}</span
    ><span class="step">${rank}<small>${t('play.points', { n: total })}</small></span>
  </li>`;
}

/**
 * @param {Display} display
 * @param {PlayState} state
 */
function rematchVotes(display, state) {
  const { present, ready } = readiness(state);
  return html`<ul class="seat-list">
    ${present.map((seat) => {
      const name = nameOf(state.room, seat, t);
      return html`<li>
        <span class="avatar" aria-hidden="true">${initialOf(name)}${reaction(seat, state)}</span>
        <div class="grow name">${name} ${seat === display.ownSeat ? html`<span class="tag">${t('role.you')}</span>` : nothing}</div>
        ${
          ready.includes(seat)
            ? html`<span class="tag good">${icon('check')}${t('common.yes')}</span>`
            : html`<span class="tag">${t('play.deciding')}</span>`
        }
      </li>`;
    })}
  </ul>`;
}

/**
 * The text of the dock: the people who want a rematch.
 * @param {PlayState} state
 */
export function rematchText(state) {
  const { ready, isReady } = readiness(state);
  const others = ready.filter((seat) => seat !== state.you.seat).map((seat) => nameOf(state.room, seat, t));
  const wants = others.length > 0 ? t('result.wants', { names: nameList(others, t), n: others.length }) : '';
  return [isReady ? t('play.rematch.waits') : '', wants].filter(Boolean).join(' ') || t('play.rematch.how');
}

/**
 * @param {PlayState} state
 * @param {Actions} actions
 */
function rematchDock(state, actions) {
  const { isReady } = readiness(state);
  const buttons = html`${
    state.you.host
      ? html`<button class="btn" type="button" @click=${() => void actions.command({ type: 'return_to_lobby' })}>${icon('door')} ${t('play.toLobby')}</button>
        <button class="btn" type="button" @click=${() => void actions.command({ type: 'rematch' })}>${t('play.rematch.now')}</button>`
      : isReady
        ? askHostButton(state.room, actions)
        : nothing
  }${
    state.you.seat === null
      ? nothing
      : readyButton(isReady, html`${isReady ? icon('check') : nothing} ${t('result.rematch')}`, actions)
  }`;
  return dock(rematchText(state), buttons);
}
