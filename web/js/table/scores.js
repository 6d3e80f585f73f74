/** The points: round by round with totals, and those of the running round where they are shown. */

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { rounds } from './cards.js';
import { nameOf, plain, signed, tone } from './format.js';
import { anew } from './replace-on-change.js';

/** @import { Score, Shown, State } from './types.js' */

/** More rounds than this are not announced by empty columns. */
const COLUMNS = 6;

/**
 * The rounds that are over in what is shown: during the last trick of a round the sheet is further.
 * @param {Shown} now
 * @param {State} state
 * @returns {Score[][]}
 */
export function finishedRounds(now, state) {
  const all = /** @type {Score[][]} */ (state.room.sheet?.rounds ?? []);
  return now.kind === 'over' ? all : all.slice(0, now.table.round - 1);
}

/**
 * The seats, the highest total first; equal totals in the order of the seats.
 * @param {readonly number[]} totals
 * @returns {number[]}
 */
export function byTotal(totals) {
  return totals.map((_, seat) => seat).sort((a, b) => totals[b] - totals[a] || a - b);
}

/**
 * The sum of each seat over these rounds.
 * @param {readonly Score[][]} finished
 * @param {number} seats
 * @returns {number[]}
 */
export function totals(finished, seats) {
  return Array.from({ length: seats }, (_, seat) => finished.reduce((sum, round) => sum + round[seat].points, 0));
}

/**
 * A row for each player, a column for each round.
 * @param {Shown} now
 * @param {State} state
 * @param {{ order: readonly number[], most?: number, planned?: boolean, apart?: boolean }} how In which
 * order; how many of the last rounds; whether the rounds to come have columns too; whether the points
 * of the running round have columns for minus and plus.
 */
export function scoreTable(now, state, { order, most = Infinity, planned = false, apart = false }) {
  const finished = finishedRounds(now, state);
  const sums = totals(finished, now.seats);
  const total = rounds(state.room, now.game) ?? 0;
  const first = Math.max(0, finished.length - most);
  const columns = finished.slice(first).map((_, place) => first + place);
  const toCome = planned && total <= COLUMNS ? Math.max(0, total - finished.length) : 0;
  const running = now.kind === 'over' ? undefined : now.table.running;
  const isApart = apart && running;
  return html`<div class="scroll-x" role="group" tabindex="0" aria-label=${t('play.scores')}><table class="tbl">
    <caption class="sr">${t('play.scores.caption')}</caption>
    <thead><tr>
      <th scope="col">${t('play.scores.player')}</th>
      ${columns.map((round) => html`<th scope="col">${t('play.scores.round', { n: round + 1 })}</th>`)}
      ${Array.from({ length: toCome }, (_, place) => html`<th scope="col">${t('play.scores.round', { n: finished.length + place + 1 })}</th>`)}
      ${isApart ? html`<th scope="col">${t('play.scores.minus')}</th><th scope="col">${t('play.scores.plus')}</th>` : nothing}
      ${running ? html`<th scope="col">${t('play.scores.now')}</th>` : nothing}
      <th scope="col">${t('play.scores.total')}</th>
    </tr></thead>
    <tbody>
      ${order.map(
        (seat) => html`<tr class=${seat === now.you ? 'me' : ''}>
          ${player(seat, now, state)}
          ${columns.map((round) => points(finished[round][seat].points))}
          ${Array.from({ length: toCome }, () => html`<td class="muted">·</td>`)}
          ${isApart ? parts(running[seat]) : nothing}
          ${running ? html`<td>${anew(signed(running[seat].points))}</td>` : nothing}
          <td class="tot">${plain(sums[seat])}</td>
        </tr>`,
      )}
    </tbody>
  </table></div>`;
}

/**
 * What each seat would score now, minus and plus apart; nothing where that is not shown.
 * @param {Shown} now
 * @param {State} state
 * @param {readonly number[]} order
 */
export function runningTable(now, state, order) {
  const { running } = now.table;
  if (!running || now.kind === 'over') {
    return nothing;
  }
  return html`<table class="tbl">
    <caption class="small muted">${t('play.scores.thisRound')}</caption>
    <thead><tr>
      <th scope="col">${t('play.scores.player')}</th>
      <th scope="col">${t('play.scores.tricks')}</th>
      <th scope="col">${t('play.scores.minus')}</th>
      <th scope="col">${t('play.scores.plus')}</th>
      <th scope="col">${t('play.scores.now')}</th>
    </tr></thead>
    <tbody>
      ${order.map(
        (seat) => html`<tr class=${seat === now.you ? 'me' : ''}>
          ${player(seat, now, state)}
          <td>${anew(String(now.game.tricksOf(seat, now)))}</td>
          ${parts(running[seat])}
          <td class="tot">${anew(signed(running[seat].points))}</td>
        </tr>`,
      )}
    </tbody>
  </table>`;
}

/**
 * Which round this is, of how many.
 * @param {Shown} now
 * @param {State} state
 * @returns {string}
 */
export function roundOf(now, state) {
  const max = rounds(state.room, now.game);
  const n = now.table.round;
  return max === null ? t('play.round', { n }) : t('play.roundOf', { n, max });
}

/**
 * Whose row it is. A long name is shortened where it is seen.
 * @param {number} seat
 * @param {Shown} now
 * @param {State} state
 */
function player(seat, now, state) {
  const name = seat === now.you ? t('play.you') : nameOf(state.room, seat, t);
  return html`<th scope="row" title=${name}><span>${name}</span></th>`;
}

/**
 * The cells of what costs and what counts.
 * @param {Score} score
 */
const parts = ({ minus, plus }) =>
  html`<td class=${tone(-minus)}>${anew(plain(-minus))}</td><td class=${tone(plus)}>${anew(plain(plus))}</td>`;

/** @param {number} value */
const points = (value) => html`<td class=${tone(value)}>${signed(value)}</td>`;
