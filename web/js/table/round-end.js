/** A round is scored: what counted for whom, the standings, and who is ready for the next round. */

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { reaction } from '../reactions.js';
import { face, pinned } from './card.js';
import { chart } from './chart.js';
import { dock, people } from './dock.js';
import { icon } from '../icons.js';
import { parts, rounds, sorted } from './order.js';
import { byTotal, finishedRounds, scoreTable } from './scores.js';
import { tricksOf } from './seats.js';
import { secondsUntil } from './shown.js';
import { capital, nameOf, plain, signed, tone } from './words.js';

/** @import { Actions, Score, State } from './types.js' */
/** @import { Shown } from './shown.js' */

/**
 * The page between two rounds.
 * @param {Shown} now
 * @param {State} state
 * @param {Actions} actions
 */
export function roundEnd(now, state, actions) {
  const scores = now.table.scores ?? [];
  const order = byTotal(scores.map((score) => score.points));
  const finished = finishedRounds(now, state);
  const names = scores.map((_, seat) => (seat === now.you ? t('play.you') : nameOf(state.room, seat, t)));
  return html`<main class="wrap stack" id="main" tabindex="-1" data-screen="round-end">
      <div>
        <div class="row sb">
          <h1>${t('score.title', { n: now.table.round })}</h1>
          <button class="btn ghost sm" type="button" @click=${() => actions.open('history')}>
            ${icon('history')} ${t('play.tricksButton')}
          </button>
        </div>
        <p class="muted">${summary(order, scores, now, state)}</p>
      </div>
      <div class="res">${order.map((seat) => calculation(seat, scores[seat], now, state))}</div>
      <div class="cols two">
        <section class="panel" aria-labelledby="standings">
          <h2 id="standings">${t('score.standings')}</h2>
          ${scoreTable(now, state, { order: byTotal(state.room.sheet?.totals ?? []), planned: true })}
        </section>
        <section class="panel" aria-labelledby="chart">
          <h2 id="chart">${t('score.chart')}</h2>
          ${chart(finished, names, now.you, rounds(state.room) ?? 0)}
        </section>
      </div>
    </main>
    ${waiting(now, state, actions)}`;
}

/**
 * @param {readonly number[]} order
 * @param {readonly Score[]} scores
 * @param {Shown} now
 * @param {State} state
 */
function summary(order, scores, now, state) {
  if (order.length === 0) {
    return state.room.title ?? '';
  }
  const best = order.filter((seat) => scores[seat].points === scores[order[0]].points);
  const points = signed(scores[order[0]].points);
  const first =
    best.length > 1
      ? t('play.round.shared', { n: best.length, points })
      : t(best[0] === now.you ? 'play.round.best.you' : 'play.round.best', { name: nameOf(state.room, best[0], t), points });
  const own = now.you !== null && !best.includes(now.you) ? scores[now.you].points : undefined;
  const second = own === undefined ? '' : t(own < 0 ? 'play.round.lost' : 'play.round.won', { n: Math.abs(own) });
  const words = [first, second].filter(Boolean).join(' ');
  return state.room.title ? `${state.room.title} · ${words}` : words;
}

/**
 * @param {number} seat
 * @param {Score} score
 * @param {Shown} now
 * @param {State} state
 */
function calculation(seat, score, now, state) {
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
        ${others.length > 0
          ? html`<div class="cards pack">${others.map((card) => face(card, { compact: true }))}</div>`
          : nothing}
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
  const buttons = html`${state.you.host && !now.paused
    ? html`<button class="btn" type="button" @click=${() => actions.send('pause')}>${icon('cup')} ${t('play.break')}</button>`
    : nothing}${now.you === null
    ? nothing
    : html`<button
        class="btn pri"
        type="button"
        aria-pressed=${isReady ? 'true' : 'false'}
        @click=${() => actions.ready(!isReady)}
      >
        ${icon('check')} ${t(isReady ? 'play.isReady' : 'score.ready', { n: next })}
      </button>`}`;
  return dock(words, buttons);
}
