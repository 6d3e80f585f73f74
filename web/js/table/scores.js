// The scores: round by round with totals, and those of the running round where they are shown.

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { plannedRounds } from '../games.js';
import { t } from '../i18n.js';
import { nameOrYou } from '../state.js';
import { cumulate } from './chart-layout.js';
import { gameTableOf } from './display.js';
import { pointsClass, pointsText, signed } from './format.js';
import { replaceOnChange } from './replace-on-change.js';

/** @import { Display, ScoreColumn } from '../game.js' */
/** @import { Seat } from '../protocol.js' */
/** @import { PlayState } from '../types.js' */

/** A game with more rounds than this has no empty columns for the rounds to come. */
const MAX_PLANNED = 6;

/**
 * The points of the rounds that are over in the display. While the last trick of a round lies on the table, the sheet has one more.
 * @param {Display} display
 * @param {PlayState} state
 * @returns {number[][]} for each round, by seat
 */
export function finishedRounds(display, state) {
  const all = state.sheet?.rounds ?? [];
  return display.kind === 'round_end' ? all : all.slice(0, display.round - 1);
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
 * @param {readonly number[][]} finished
 * @param {number} seats how many seats there are
 * @returns {number[]}
 */
export const totals = (finished, seats) => cumulate(finished, seats).map((sums) => sums.at(-1) ?? 0);

/**
 * A row for each player, a column for each round.
 * @param {Display} display
 * @param {PlayState} state
 * @param {object} how
 * @param {readonly Seat[]} how.order
 * @param {number} [how.max] how many of the last rounds are shown
 * @param {boolean} [how.isPlanned] whether the rounds to come have columns
 * @param {boolean} [how.hasParts] whether the running round has columns for the parts of its points
 */
export function scoreTable(display, state, { order, max = Infinity, isPlanned = false, hasParts = false }) {
  const finished = finishedRounds(display, state);
  const sums = totals(finished, display.seats);
  const total = plannedRounds(state.room) ?? 0;
  const first = Math.max(0, finished.length - max);
  const columns = finished.slice(first).map((_, index) => first + index);
  const toCome = isPlanned && total <= MAX_PLANNED ? Math.max(0, total - finished.length) : 0;
  const running = display.kind === 'round_end' ? null : display.running;
  const parts = hasParts && running ? running.columns : [];
  return html`<div class="scroll-x" role="group" tabindex="0" aria-label=${t('play.scores')}><table class="data-table">
    <caption class="visually-hidden">${t('play.scores.caption')}</caption>
    <thead><tr>
      <th scope="col">${t('play.scores.player')}</th>
      ${columns.map((round) => html`<th scope="col">${t('play.scores.round', { n: round + 1 })}</th>`)}
      ${Array.from({ length: toCome }, (_, index) => html`<th scope="col">${t('play.scores.round', { n: finished.length + index + 1 })}</th>`)}
      ${parts.map(partHeading)}
      ${running ? html`<th scope="col">${t('play.scores.now')}</th>` : nothing}
      <th scope="col">${t('play.scores.total')}</th>
    </tr></thead>
    <tbody>
      ${order.map(
        (seat) => html`<tr class=${seat === display.ownSeat ? 'own' : ''}>
          ${player(seat, display, state)}
          ${columns.map((round) => pointsCell(finished[round][seat]))}
          ${Array.from({ length: toCome }, () => html`<td class="muted">·</td>`)}
          ${parts.map((part) => partCell(part, seat))}
          ${running ? html`<td>${replaceOnChange(signed(running.points[seat]))}</td>` : nothing}
          <td class="total">${pointsText(sums[seat])}</td>
        </tr>`,
      )}
    </tbody>
  </table></div>`;
}

/**
 * The running score of each seat and its parts; nothing where it is not shown.
 * @param {Display} display
 * @param {PlayState} state
 * @param {readonly Seat[]} order
 */
export function runningTable(display, state, order) {
  const { running } = display;
  if (!running || display.kind === 'round_end') {
    return nothing;
  }
  return html`<table class="data-table">
    <caption class="small muted">${t('play.scores.thisRound')}</caption>
    <thead><tr>
      <th scope="col">${t('play.scores.player')}</th>
      <th scope="col">${t('play.scores.tricks')}</th>
      ${running.columns.map(partHeading)}
      <th scope="col">${t('play.scores.now')}</th>
    </tr></thead>
    <tbody>
      ${order.map(
        (seat) => html`<tr class=${seat === display.ownSeat ? 'own' : ''}>
          ${player(seat, display, state)}
          <td>${replaceOnChange(String(gameTableOf(state.room).tricksOf(seat, display)))}</td>
          ${running.columns.map((part) => partCell(part, seat))}
          <td class="total">${replaceOnChange(signed(running.points[seat]))}</td>
        </tr>`,
      )}
    </tbody>
  </table>`;
}

/**
 * Which round this is, of how many.
 * @param {Display} display
 * @param {PlayState} state
 * @returns {string}
 */
export function roundOf(display, state) {
  const max = plannedRounds(state.room);
  const n = display.round;
  return max === null ? t('play.round', { n }) : t('play.roundOf', { n, max });
}

/**
 * The head of the row of a player. A style shortens long names.
 * @param {Seat} seat
 * @param {Display} display
 * @param {PlayState} state
 */
function player(seat, display, state) {
  const name = nameOrYou(state.room, seat, display.ownSeat, t);
  return html`<th scope="row" title=${name}><span>${name}</span></th>`;
}

/** @param {ScoreColumn} part */
const partHeading = ({ heading }) => html`<th scope="col">${t(heading)}</th>`;

/**
 * @param {ScoreColumn} part
 * @param {Seat} seat
 */
const partCell = ({ points }, seat) =>
  html`<td class=${pointsClass(points[seat])}>${replaceOnChange(pointsText(points[seat]))}</td>`;

/** @param {number} value */
const pointsCell = (value) => html`<td class=${pointsClass(value)}>${signed(value)}</td>`;
