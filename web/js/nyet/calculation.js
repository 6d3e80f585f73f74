// The result of a round of Nyet! for each team: tricks, loot, the worth of each, and the doubling seats.

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { reaction } from '../reactions.js';
import { nameOf } from '../state.js';
import { face } from '../table/card-drawing.js';
import { sortCards } from '../table/card-text.js';
import { ownResultText, pointsClass, pointsText, signed } from '../table/format.js';
import { byTotal } from '../table/scores.js';
import { membersOf, namesOf } from './phrases.js';
import { teamSign, x2 } from './signs.js';
import { silhouette } from './silhouette.js';

/** @import { Card, NyetScore, Seat } from '../protocol.js' */
/** @import { PlayState } from '../types.js' */
/** @import { Nyet, NyetDisplay } from './types.js' */

/**
 * The seats with the highest score, and the points of the own seat.
 * @param {NyetDisplay} display
 * @param {PlayState<Nyet>} state
 * @returns {string}
 */
export function summary(display, state) {
  const scores = scoresOf(display);
  if (scores.length === 0) return '';
  const most = Math.max(...scores.map(({ points }) => points));
  const best = scores.flatMap(({ points }, seat) => (points === most ? [seat] : []));
  const points = signed(most);
  const isYou = best.length === 1 && best[0] === display.ownSeat;
  const names = namesOf(best, display.ownSeat, state.room, t, t('play.you'));
  const first = isYou ? t('nyet.round.best.you', { points }) : t('nyet.round.best', { names, points, n: best.length });
  const own =
    display.ownSeat !== null && !best.includes(display.ownSeat) ? ownResultText(scores[display.ownSeat].points, t) : '';
  return [first, own].filter(Boolean).join(' ');
}

/**
 * The result of each team, the better one first.
 * @param {NyetDisplay} display
 * @param {PlayState<Nyet>} state
 */
export function calculation(display, state) {
  const scores = scoresOf(display);
  const { teams } = display;
  if (scores.length === 0 || teams === null) return nothing;
  const all = [...new Set(teams.of)].sort().map((team) => membersOf(teams, team));
  const order = byTotal(all.map((team) => worth(scores[team[0]])));
  return html`${order.map((at) => article(all[at], scores, display, state))}${undealt(display)}`;
}

/** @param {NyetDisplay} display */
const scoresOf = ({ table }) => (table.phase === 'round_end' ? table.scores : []);

/**
 * The points of a member of the team without doubling.
 * @param {NyetScore} score
 */
const worth = ({ tricks, loot, each }) => (tricks + loot) * each;

/**
 * @param {Seat[]} team
 * @param {readonly NyetScore[]} scores
 * @param {NyetDisplay} display
 * @param {PlayState<Nyet>} state
 */
function article(team, scores, display, state) {
  const score = scores[team[0]];
  const isOwn = display.ownSeat !== null && team.includes(display.ownSeat);
  const loot = sortCards(team.flatMap((seat) => display.table.loot[seat]));
  const doubled = team.find((seat) => scores[seat].doubled);
  const sum = doubled !== undefined && team.length === 1 ? score.points : worth(score);
  return html`<article class=${isOwn ? 'calculation own' : 'calculation'}>
    <header>
      ${display.seats === 2 ? silhouette(display.characters[team[0]]) : teamSign(team[0], display)}
      <div class="name">
        <b>${namesOf(team, display.ownSeat, state.room, t, t('play.you'))}</b>
        <span class="small muted">${t('play.tricks', { n: score.tricks })}</span>
      </div>
      <span class=${`sum ${pointsClass(sum)}`}>${signed(sum)}</span>${team.map((seat) => reaction(seat, state))}
    </header>
    <dl>
      ${row(t('nyet.calc.tricks'), [], pointsText(score.tricks))}
      ${row(t('nyet.calc.loot'), loot, pointsText(score.loot))}
      ${row(
        t('nyet.calc.product', { n: score.tricks + score.loot, each: pointsText(score.each) }),
        [],
        signed(worth(score)),
        pointsClass(worth(score)),
      )}
      ${doubled === undefined ? nothing : doubledRow(doubled, scores[doubled].points, display, state)}
      ${team.map((seat) => discardRow(seat, display, state))}
    </dl>
  </article>`;
}

/**
 * @param {Seat} seat
 * @param {number} points
 * @param {NyetDisplay} display
 * @param {PlayState<Nyet>} state
 */
function doubledRow(seat, points, { ownSeat }, state) {
  const key = seat === ownSeat ? 'nyet.calc.doubles.you' : 'nyet.calc.doubles';
  return row(html`${x2} ${t(key, { name: nameOf(state.room, seat, t) })}`, [], signed(points), pointsClass(points));
}

/**
 * The cards that a seat laid aside or passed.
 * @param {Seat} seat
 * @param {NyetDisplay} display
 * @param {PlayState<Nyet>} state
 */
function discardRow(seat, { table, ownSeat }, state) {
  const cards = table.phase === 'round_end' ? sortCards(table.revealed?.discards[seat] ?? []) : [];
  if (table.phase !== 'round_end' || cards.length === 0) return nothing;
  const isPassing = table.conditions.discard === 'pass_left';
  const [ofOther, ofYou] = isPassing
    ? ['nyet.calc.passed', 'nyet.calc.passed.you']
    : ['nyet.calc.laidAside', 'nyet.calc.laidAside.you'];
  return row(t(seat === ownSeat ? ofYou : ofOther, { name: nameOf(state.room, seat, t) }), cards, '');
}

/**
 * The cards that were not dealt, if there are any.
 * @param {NyetDisplay} display
 */
function undealt({ table }) {
  const cards = table.phase === 'round_end' ? sortCards(table.revealed?.undealt ?? []) : [];
  if (cards.length === 0) return nothing;
  return html`<article class="calculation undealt">
    <header>
      <div class="name">
        <b>${t('nyet.calc.undealt')}</b>
        <span class="small muted">${t('nyet.calc.undealt.text')}</span>
      </div>
    </header>
    <div class="cards pack">${cards.map((card) => face(card, { compact: true }))}</div>
  </article>`;
}

/**
 * @param {unknown} label
 * @param {readonly Card[]} cards
 * @param {string} value
 * @param {string} [kind]
 */
function row(label, cards, value, kind = '') {
  return html`<dt>
      <span>${label}</span>
      ${cards.length > 0 ? html`<div class="cards">${cards.map((card) => face(card, { compact: true }))}</div>` : nothing}
    </dt>
    <dd class=${kind}>${value}</dd>`;
}
