/** What is worth telling when a game of Sticheln is over. */

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { face, pinned } from '../table/card.js';
import { sorted } from '../table/order.js';
import { plain, signed } from '../table/words.js';

/** @import { Score } from '../table/types.js' */
/** @import { Shown } from './shown.js' */

/** Of many cards that hurt, as many as fit beside a line. */
const CARDS = 4;

/**
 * The dearest round of all, and the best.
 * @param {readonly Score[][]} rounds
 * @param {(seat: number) => string} name
 */
export function stories(rounds, name) {
  const all = rounds.flatMap((round, at) => round.map((score, seat) => ({ score, seat, round: at + 1 })));
  const sort = [...all].sort((a, b) => a.score.points - b.score.points);
  const worst = sort[0];
  const best = sort[sort.length - 1];
  if (!worst || !best || worst.score.points >= best.score.points) {
    return nothing;
  }
  /** @param {typeof worst} story @param {string} key */
  const line = ({ score, seat, round }, key) => html`<li>
    <div class="trk">${sorted(score.minus_cards).slice(-CARDS).map((card) => face(card, { compact: true }))}</div>
    <p>
      <b>${t(key)}</b> ${t('play.fact', { name: name(seat), points: signed(score.points), round, minus: plain(-score.minus), plus: score.plus })}
    </p>
  </li>`;
  return [line(worst, 'play.fact.worst'), line(best, 'play.fact.best')];
}

/**
 * What stands over the winner's place: the last unwanted colour.
 * @param {number} seat
 * @param {Shown} now
 */
export function trophy(seat, now) {
  const pick = now.picks?.[seat];
  return pick ? pinned(pick, { quiet: true }) : nothing;
}
