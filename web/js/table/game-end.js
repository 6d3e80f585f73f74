/** The game is over: places, points, and whether all want a rematch. */

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { icon } from '../icons.js';
import { initialOf } from '../lobby.js';
import { reaction } from '../reactions.js';
import { chart } from './chart.js';
import { dock, people } from './dock.js';
import { listed, nameOf } from './format.js';
import { scoreTable } from './scores.js';

/** @import { Actions, Score, Shown, State } from './types.js' */

/**
 * The page after the game.
 * @param {Shown} now
 * @param {State} state
 * @param {Actions} actions
 */
export function gameEnd(now, state, actions) {
  const { totals, ranks } = state.room.standings;
  const rounds = /** @type {Score[][]} */ (state.room.sheet.rounds);
  const order = byRank(ranks);
  const name = (/** @type {number} */ seat) => (seat === now.you ? t('play.you') : nameOf(state.room, seat, t));
  const names = totals.map((/** @type {number} */ _, /** @type {number} */ seat) => name(seat));
  const words = headline(ranks, now, state);
  const isShared = new Set(ranks).size < ranks.length;
  return html`<main class="wrap stack" id="main" tabindex="-1" data-screen="game-end">
      <div class="hero end">
        <h1 class=${isWide(words) ? 'long' : ''}>${words}</h1>
        <p class="muted">${margin(totals, ranks)}</p>
      </div>
      <ol class="podium" aria-label=${t('play.places')}>
        ${order.filter((seat) => ranks[seat] <= 3).map((seat) => place(seat, totals[seat], ranks[seat], name(seat), now))}
      </ol>
      <div class="cols two">
        <div class="stack lobgap">
          <section class="panel stitch" aria-labelledby="standings">
            <h2 id="standings">${t('play.finalStandings')}</h2>
            ${scoreTable(now, state, { order })}
            ${isShared ? html`<p class="small muted">${t('play.sharedPlaces')}</p>` : nothing}
          </section>
          <section class="panel" aria-labelledby="again">
            <h2 id="again">${t('play.again')}</h2>
            ${votes(now, state)}
          </section>
        </div>
        <section class="panel" aria-labelledby="chart">
          <h2 id="chart">${t('play.roundByRound')}</h2>
          ${chart(rounds, names, now.you, rounds.length)}
        </section>
      </div>
    </main>
    ${rematch(now, state, actions)}`;
}

/**
 * The seats by their places.
 * @param {readonly number[]} ranks
 * @returns {number[]}
 */
export function byRank(ranks) {
  return ranks.map((_, seat) => seat).sort((a, b) => ranks[a] - ranks[b] || a - b);
}

/** Whether there is a word in it that no screen has room for in large letters. @param {string} words */
const isWide = (words) => words.split(' ').some((word) => word.length > 12);

/**
 * Who has won, alone or with others.
 * @param {readonly number[]} ranks
 * @param {Shown} now
 * @param {State} state
 * @returns {string}
 */
function headline(ranks, now, state) {
  const winners = byRank(ranks).filter((seat) => ranks[seat] === 1);
  if (winners.length === 1) {
    const [seat] = winners;
    return seat === now.you ? t('play.end.you') : t('end.wins', { name: nameOf(state.room, seat, t) });
  }
  const others = winners.filter((seat) => seat !== now.you).map((seat) => nameOf(state.room, seat, t));
  const isOwn = others.length < winners.length;
  return t(isOwn ? 'play.end.shared.you' : 'end.tie', { names: listed(others, t) });
}

/**
 * @param {readonly number[]} totals
 * @param {readonly number[]} ranks
 * @returns {string}
 */
function margin(totals, ranks) {
  const best = Math.max(...totals);
  const next = Math.max(...totals.filter((_, seat) => ranks[seat] > 1));
  if (!Number.isFinite(next)) {
    return t('play.end.all');
  }
  return t('play.end.margin', { n: best - next });
}

/**
 * @param {number} seat
 * @param {number} total
 * @param {number} rank
 * @param {string} name
 * @param {Shown} now
 */
function place(seat, total, rank, name, now) {
  return html`<li class=${`p${rank}`}>
    ${rank === 1 ? now.game.trophy(seat, now) : nothing}<span class="nm">${name}</span
    ><span class="st">${rank}<small>${t('play.points', { n: total })}</small></span>
  </li>`;
}

/**
 * @param {Shown} now
 * @param {State} state
 */
function votes(now, state) {
  const { present, ready } = people(state);
  return html`<ul class="seatlist">
    ${present.map((seat) => {
      const name = nameOf(state.room, seat, t);
      return html`<li>
        <span class="av" aria-hidden="true">${initialOf(name)}${reaction(seat, state)}</span>
        <div class="grow nm">${name} ${seat === now.you ? html`<span class="tag">${t('role.you')}</span>` : nothing}</div>
        ${
          ready.includes(seat)
            ? html`<span class="tag ok">${icon('check')}${t('play.yes')}</span>`
            : html`<span class="tag">${t('play.deciding')}</span>`
        }
      </li>`;
    })}
  </ul>`;
}

/**
 * @param {Shown} now
 * @param {State} state
 * @param {Actions} actions
 */
function rematch(now, state, actions) {
  const { ready, isReady } = people(state);
  const others = ready.filter((seat) => seat !== now.you).map((seat) => nameOf(state.room, seat, t));
  const wants = others.length > 0 ? t('end.wants', { names: listed(others, t), n: others.length }) : '';
  const words = [isReady ? t('play.rematch.waits') : '', wants].filter(Boolean).join(' ') || t('play.rematch.how');
  const buttons = html`${
    state.you.host
      ? html`<button class="btn" type="button" @click=${() => actions.tell('end')}>${icon('door')} ${t('play.toLobby')}</button>
        <button class="btn" type="button" @click=${() => actions.tell('rematch')}>${t('play.rematch.now')}</button>`
      : nothing
  }${
    now.you === null
      ? nothing
      : html`<button
          class="btn pri"
          type="button"
          aria-pressed=${isReady ? 'true' : 'false'}
          @click=${() => actions.ready(!isReady)}
        >
          ${isReady ? icon('check') : nothing} ${t('end.rematch')}
        </button>`
  }`;
  return dock(words, buttons);
}
