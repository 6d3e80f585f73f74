// The result of a round of Sticheln for each seat: minus cards, plus cards, the sum.

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { reaction } from '../reactions.js';
import { nameOf, nameOrYou } from '../state.js';
import { face, pinned } from '../table/card-drawing.js';
import { parseCard, sortCards } from '../table/card-text.js';
import { capital, ownResultText, pointsClass, pointsText, signed } from '../table/format.js';
import { byTotal } from '../table/scores.js';
import { tricksOf } from './plate.js';

/** @import { Card, Seat, StichelnScore } from '../protocol.js' */
/** @import { PlayState } from '../types.js' */
/** @import { Sticheln, StichelnDisplay } from './types.js' */

/**
 * The winner of the round, and the points of the own seat.
 * @param {StichelnDisplay} display
 * @param {PlayState<Sticheln>} state
 * @returns {string}
 */
export function summary(display, state) {
  const scores = scoresOf(display);
  const order = byPoints(scores);
  if (order.length === 0) return '';
  const best = order.filter((seat) => scores[seat].points === scores[order[0]].points);
  const points = signed(scores[order[0]].points);
  const isYou = best[0] === display.ownSeat;
  const first =
    best.length > 1
      ? t('sticheln.round.shared', { n: best.length, points })
      : t(isYou ? 'sticheln.round.best.you' : 'sticheln.round.best', { name: nameOf(state.room, best[0], t), points });
  const own =
    display.ownSeat !== null && !best.includes(display.ownSeat) ? ownResultText(scores[display.ownSeat].points, t) : '';
  return [first, own].filter(Boolean).join(' ');
}

/**
 * The result of each seat, the best first.
 * @param {StichelnDisplay} display
 * @param {PlayState<Sticheln>} state
 */
export function calculation(display, state) {
  const scores = scoresOf(display);
  return byPoints(scores).map((seat) => article(seat, scores[seat], display, state));
}

/** @param {StichelnDisplay} display */
const scoresOf = ({ table }) => (table.phase === 'round_end' ? table.scores : []);

/** @param {readonly StichelnScore[]} scores */
const byPoints = (scores) => byTotal(scores.map((score) => score.points));

/**
 * @param {Seat} seat
 * @param {StichelnScore} score
 * @param {StichelnDisplay} display
 * @param {PlayState<Sticheln>} state
 */
function article(seat, score, display, state) {
  const pick = display.picks?.[seat] ?? '';
  const colour = t(`colour.${parseCard(pick).colour}`);
  const tricks = t('play.tricks', { n: tricksOf(seat, display) });
  const others = plusCards(seat, display);
  return html`<article class=${seat === display.ownSeat ? 'calculation own' : 'calculation'}>
    <header>
      ${pick ? pinned(pick) : nothing}
      <div class="name">
        <b>${nameOrYou(state.room, seat, display.ownSeat, t)}</b>
        <span class="small muted">${t('sticheln.avoided', { colour })} · ${tricks}</span>
      </div>
      <span class=${`sum ${pointsClass(score.points)}`}>${signed(score.points)}</span>${reaction(seat, state)}
    </header>
    <dl>
      <dt>
        <span>${t('sticheln.score.minus', { colour: capital(colour) })}</span>
        <div class="cards">${sortCards(score.minus_cards).map((card) => face(card, { compact: true }))}</div>
      </dt>
      <dd class=${pointsClass(-score.minus)}>${pointsText(-score.minus)}</dd>
      <dt>
        <span>${t('sticheln.score.plus', { n: score.plus })}</span>
        ${
          others.length > 0
            ? html`<div class="cards pack">${others.map((card) => face(card, { compact: true }))}</div>`
            : nothing
        }
      </dt>
      <dd class=${pointsClass(score.plus)}>${score.plus > 0 ? signed(score.plus) : score.plus}</dd>
    </dl>
  </article>`;
}

/**
 * The captured cards that count a point each, if all tricks of the round may be looked at.
 * @param {Seat} seat
 * @param {StichelnDisplay} display
 * @returns {Card[]}
 */
function plusCards(seat, { table: { history = [] }, picks }) {
  const unwanted = parseCard(picks?.[seat] ?? '').colour;
  const captured = history.filter(({ taker }) => taker === seat).flatMap(({ cards }) => cards);
  return sortCards(captured.filter((card) => parseCard(card).colour !== unwanted));
}
