/** What a round of Sticheln was for everybody: minus cards, plus cards, the sum. */

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { reaction } from '../reactions.js';
import { face, pinned } from '../table/card.js';
import { parts, sorted } from '../table/cards.js';
import { capital, nameOf, plain, signed, tone } from '../table/format.js';
import { byTotal } from '../table/scores.js';
import { tricksOf } from './plate.js';

/** @import { Score, State } from '../table/types.js' */
/** @import { Shown } from './scene.js' */

/**
 * Whose round it was, and what it was for the own seat.
 * @param {Shown} now
 * @param {State} state
 * @returns {string}
 */
export function summary(now, state) {
  const scores = now.table.scores ?? [];
  const order = byPoints(scores);
  if (order.length === 0) {
    return '';
  }
  const best = order.filter((seat) => scores[seat].points === scores[order[0]].points);
  const points = signed(scores[order[0]].points);
  const first =
    best.length > 1
      ? t('play.round.shared', { n: best.length, points })
      : t(best[0] === now.you ? 'play.round.best.you' : 'play.round.best', {
          name: nameOf(state.room, best[0], t),
          points,
        });
  const own = now.you !== null && !best.includes(now.you) ? scores[now.you].points : undefined;
  const second = own === undefined ? '' : t(own < 0 ? 'play.round.lost' : 'play.round.won', { n: Math.abs(own) });
  return [first, second].filter(Boolean).join(' ');
}

/**
 * An article for each seat, the best first.
 * @param {Shown} now
 * @param {State} state
 */
export function calculation(now, state) {
  const scores = now.table.scores ?? [];
  return byPoints(scores).map((seat) => article(seat, scores[seat], now, state));
}

/** @param {readonly Score[]} scores */
const byPoints = (scores) => byTotal(scores.map((score) => score.points));

/**
 * @param {number} seat
 * @param {Score} score
 * @param {Shown} now
 * @param {State} state
 */
function article(seat, score, now, state) {
  const pick = now.picks?.[seat] ?? '';
  const suit = t(`suit.${parts(pick).colour}`);
  const tricks = t('play.tricks', { n: tricksOf(seat, now) });
  const others = plusCards(seat, now);
  return html`<article class=${seat === now.you ? 'calc me' : 'calc'}>
    <header>
      ${pick ? pinned(pick) : nothing}
      <div class="nm">
        <b>${seat === now.you ? t('play.you') : nameOf(state.room, seat, t)}</b>
        <span class="small muted">${t('play.avoided', { suit })} · ${tricks}</span>
      </div>
      <span class=${`sum ${tone(score.points)}`}>${signed(score.points)}</span>${reaction(seat, state)}
    </header>
    <dl>
      <dt>
        <span>${t('score.bad', { suit: capital(suit) })}</span>
        <div class="cards">${sorted(score.minus_cards).map((card) => face(card, { compact: true }))}</div>
      </dt>
      <dd class=${tone(-score.minus)}>${plain(-score.minus)}</dd>
      <dt>
        <span>${t('score.good', { n: score.plus })}</span>
        ${
          others.length > 0
            ? html`<div class="cards pack">${others.map((card) => face(card, { compact: true }))}</div>`
            : nothing
        }
      </dt>
      <dd class=${tone(score.plus)}>${score.plus > 0 ? `+${score.plus}` : score.plus}</dd>
    </dl>
  </article>`;
}

/**
 * The captured cards that count a point each, if all tricks of the round lie open.
 * @param {number} seat
 * @param {Shown} now
 * @returns {string[]}
 */
function plusCards(seat, now) {
  const { history = [], picks } = now.table;
  const unwanted = parts(picks?.[seat] ?? '').colour;
  const captured = history.filter((trick) => trick.taker === seat).flatMap((trick) => trick.cards);
  return sorted(captured.filter((card) => parts(card).colour !== unwanted));
}
