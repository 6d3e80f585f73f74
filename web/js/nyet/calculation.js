/** What a round of Nyet! was for everybody: tricks, loot, what each was worth, and who doubles. */

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { reaction } from '../reactions.js';
import { face } from '../table/card.js';
import { sorted } from '../table/cards.js';
import { nameOf, plain, signed, tone } from '../table/format.js';
import { byTotal } from '../table/scores.js';
import { animal, teamSign, x2 } from './marker.js';
import { people } from './phrases.js';
import { members } from './scene.js';

/** @import { State } from '../table/types.js' */
/** @import { Shown } from './scene.js' */
/** @typedef {{ tricks: number, loot: number, each: number, doubled: boolean, points: number }} Score */

/**
 * Whose round it was, and what it was for the own seat.
 * @param {Shown} now
 * @param {State} state
 * @returns {string}
 */
export function summary(now, state) {
  const scores = scoresOf(now);
  if (scores.length === 0) {
    return '';
  }
  const most = Math.max(...scores.map(({ points }) => points));
  const best = scores.flatMap(({ points }, seat) => (points === most ? [seat] : []));
  const points = signed(most);
  const isYou = best.length === 1 && best[0] === now.you;
  const names = people(best, now.you, state.room, t, t('play.you'));
  const first = isYou ? t('nyet.round.best.you', { points }) : t('nyet.round.best', { names, points, n: best.length });
  const own = now.you !== null && !best.includes(now.you) ? scores[now.you].points : undefined;
  const second = own === undefined ? '' : t(own < 0 ? 'play.round.lost' : 'play.round.won', { n: Math.abs(own) });
  return [first, second].filter(Boolean).join(' ');
}

/**
 * An article for each team, the better one first.
 * @param {Shown} now
 * @param {State} state
 */
export function calculation(now, state) {
  const scores = scoresOf(now);
  const { teams } = now;
  if (scores.length === 0 || teams === null) {
    return nothing;
  }
  const all = [...new Set(teams.of)].sort().map((team) => members(teams, team));
  return byTotal(all.map((team) => worth(scores[team[0]]))).map((at) => article(all[at], scores, now, state));
}

/** @param {Shown} now */
const scoresOf = (now) => /** @type {Score[]} */ (/** @type {unknown} */ (now.table.scores ?? []));

/**
 * What the round is worth to each of the team who does not double.
 * @param {Score} score
 */
const worth = ({ tricks, loot, each }) => (tricks + loot) * each;

/**
 * @param {number[]} team
 * @param {Score[]} scores
 * @param {Shown} now
 * @param {State} state
 */
function article(team, scores, now, state) {
  const score = scores[team[0]];
  const isOwn = now.you !== null && team.includes(now.you);
  const loot = sorted(team.flatMap((seat) => now.table.loot?.[seat] ?? []));
  const doubled = team.find((seat) => scores[seat].doubled);
  const sum = doubled !== undefined && team.length === 1 ? score.points : worth(score);
  return html`<article class=${isOwn ? 'calc me' : 'calc'}>
    <header>
      ${now.seats === 2 ? animal(now.characters[team[0]]) : teamSign(team[0], now)}
      <div class="nm">
        <b>${people(team, now.you, state.room, t, t('play.you'))}</b>
        <span class="small muted">${t('play.tricks', { n: score.tricks })}</span>
      </div>
      <span class=${`sum ${tone(sum)}`}>${signed(sum)}</span>${team.map((seat) => reaction(seat, state))}
    </header>
    <dl>
      ${row(t('nyet.calc.tricks'), nothing, plain(score.tricks))}
      ${row(t('nyet.calc.loot'), loot, plain(score.loot))}
      ${row(
        t('nyet.calc.product', { n: score.tricks + score.loot, each: plain(score.each) }),
        nothing,
        signed(worth(score)),
        tone(worth(score)),
      )}
      ${
        doubled === undefined
          ? nothing
          : row(
              html`${x2} ${t(doubled === now.you ? 'nyet.calc.doubles.you' : 'nyet.calc.doubles', { name: nameOf(state.room, doubled, t) })}`,
              nothing,
              signed(scores[doubled].points),
              tone(scores[doubled].points),
            )
      }
      ${team.map((seat) => aside(seat, now, state))}
    </dl>
  </article>`;
}

/**
 * What a seat had put aside, where that is shown after the round.
 * @param {number} seat
 * @param {Shown} now
 * @param {State} state
 */
function aside(seat, now, state) {
  const cards = sorted(now.table.discards?.[seat] ?? []);
  if (cards.length === 0) {
    return nothing;
  }
  const key = seat === now.you ? 'nyet.calc.aside.you' : 'nyet.calc.aside';
  return row(t(key, { name: nameOf(state.room, seat, t) }), cards, '');
}

/**
 * @param {unknown} label
 * @param {readonly string[] | typeof nothing} cards
 * @param {string} value
 * @param {string} [kind]
 */
function row(label, cards, value, kind = '') {
  const faces = cards === nothing ? [] : /** @type {readonly string[]} */ (cards);
  return html`<dt>
      <span>${label}</span>
      ${faces.length > 0 ? html`<div class="cards">${faces.map((card) => face(card, { compact: true }))}</div>` : nothing}
    </dt>
    <dd class=${kind}>${value}</dd>`;
}
