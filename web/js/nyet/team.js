/** The start player forms the teams; everybody sees the rules of the round meanwhile. */

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { icon } from '../icons.js';
import { nameOf } from '../table/format.js';
import { marker, x2 } from './marker.js';
import { drawn, named, ROWS } from './spaces.js';
import { choice, toggled } from './team-choice.js';

/** @import { Actions, State } from '../table/types.js' */
/** @import { Choice } from './team-choice.js' */
/** @import { Shown } from './scene.js' */

/**
 * The rules of the round, and the players: to be chosen by the start player.
 * @param {Shown} now
 * @param {State} state
 * @param {Actions} actions
 */
export function team(now, state, actions) {
  const start = now.conditions?.start_seat ?? 0;
  const order = Array.from({ length: now.seats }, (_, step) => (start + step) % now.seats);
  const made = choice(now, state);
  return html`<div class="nyet teamed">
    ${conditions(now, state)}
    <ul class="mates" aria-label=${t('nyet.players')}>
      ${order.map((seat) => one(seat, start, made, now, state, actions))}
    </ul>
  </div>`;
}

/**
 * What stays of the board, row by row.
 * @param {Shown} now
 * @param {State} state
 */
export function conditions(now, state) {
  const { conditions } = now;
  if (!conditions) {
    return nothing;
  }
  return html`<dl class="rules-row">
    ${ROWS.map(
      (row) => html`<div>
        <dt>${t(`nyet.row.${row}`)}</dt>
        <dd><span aria-hidden="true">${drawn(row, conditions[row], now, state)}</span><span class="sr">${named(row, conditions[row], now, state)}</span></dd>
      </div>`,
    )}
  </dl>`;
}

/**
 * @param {number} seat
 * @param {number} start
 * @param {Choice} made
 * @param {Shown} now
 * @param {State} state
 * @param {Actions} actions
 */
function one(seat, start, made, now, state, actions) {
  const isStart = seat === start;
  const isWith = isStart || made.partners.includes(seat);
  const chair = state.room.chairs[seat] ?? {};
  const name = seat === now.you ? t('play.you') : nameOf(state.room, seat, t);
  const isOpen = now.yours && state.link.status === 'open' && !state.sending;
  const says = isStart ? t('nyet.leader') : now.yours ? t(isWith ? 'nyet.withYou' : 'nyet.againstYou') : '';
  const body = html`${marker(seat, now)}<span class="who"
      ><span class="nm"><span>${name}</span>${chair.kind === 'bot' || chair.stood_in ? icon('robot') : nothing}</span
      ><small>${says}</small></span
    >${!isStart && isWith ? icon('check') : nothing}`;
  const lift = (/** @type {'seat' | 'x2'} */ group, /** @type {number} */ most) =>
    isOpen && actions.lift(toggled(state.lifted, group, seat, most));
  return html`<li class=${isWith && now.yours ? 'with' : ''}>
    ${
      isStart || !now.yours
        ? html`<div class=${isStart && !now.yours ? 'mate turn' : 'mate'}>${body}${
            isStart && !now.yours
              ? html`<span class="dots" role="img" aria-label=${t('play.choosing')}><i></i><i></i><i></i></span>`
              : nothing
          }</div>`
        : html`<button
            class="mate"
            type="button"
            aria-pressed=${String(isWith)}
            aria-disabled=${isOpen ? nothing : 'true'}
            @click=${() => lift('seat', made.most)}
          >
            ${body}
          </button>`
    }${
      made.pair.includes(seat) && now.yours
        ? html`<button
            class="mate bonus"
            type="button"
            aria-pressed=${String(made.bonus === seat)}
            aria-label=${t('nyet.bonusFor', { name })}
            @click=${() => lift('x2', 1)}
          >
            ${x2}
          </button>`
        : nothing
    }
  </li>`;
}
