// The choice of the teams: the start player makes it, and everybody sees the rules of the round meanwhile.

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { icon } from '../icons.js';
import { isPlayedByBot, nameOrYou } from '../state.js';
import { choosingDots } from '../table/dots.js';
import { canAct } from '../table/hand.js';
import { marker, x2 } from './signs.js';
import { spaceDrawing } from './space-drawing.js';
import { ROWS, shownSpaceText } from './spaces.js';
import { teamChoice, toggleLift } from './team-choice.js';

/** @import { Actions } from '../actions.js' */
/** @import { Seat } from '../protocol.js' */
/** @import { PlayState } from '../types.js' */
/** @import { Group, TeamChoice } from './team-choice.js' */
/** @import { Nyet, NyetDisplay } from './types.js' */

/**
 * The rules of the round, and the players for the start player to choose from.
 * @param {NyetDisplay} display
 * @param {PlayState<Nyet>} state
 * @param {Actions} actions
 */
export function team(display, state, actions) {
  const start = display.conditions?.start_seat ?? 0;
  const order = Array.from({ length: display.seats }, (_, step) => (start + step) % display.seats);
  const choice = teamChoice(display, state);
  return html`<div class="nyet team-choice">
    ${conditionRows(display, state)}
    <ul class="team-members" aria-label=${t('nyet.players')}>
      ${order.map((seat) => player(seat, start, choice, display, state, actions))}
    </ul>
  </div>`;
}

/**
 * The rules of the round, row by row.
 * @param {NyetDisplay} display
 * @param {PlayState<Nyet>} state
 */
function conditionRows(display, state) {
  const { conditions } = display;
  if (!conditions) return nothing;
  return html`<dl class="conditions-row">
    ${ROWS.map(
      (row) => html`<div>
        <dt>${t(`nyet.row.${row}`)}</dt>
        <dd><span aria-hidden="true">${spaceDrawing(row, conditions[row], display, state)}</span><span class="visually-hidden">${shownSpaceText(row, conditions[row], display, state)}</span></dd>
      </div>`,
    )}
  </dl>`;
}

/**
 * @param {Seat} seat
 * @param {Seat} start
 * @param {TeamChoice} choice
 * @param {NyetDisplay} display
 * @param {PlayState<Nyet>} state
 * @param {Actions} actions
 */
function player(seat, start, choice, display, state, actions) {
  const { yours } = display;
  const isStart = seat === start;
  const isPartner = isStart || choice.partners.includes(seat);
  const name = nameOrYou(state.room, seat, display.ownSeat, t);
  const mayLift = yours && !state.pendingMove && canAct(display, state);
  const role = isStart ? t('nyet.leader') : yours ? t(isPartner ? 'nyet.withYou' : 'nyet.againstYou') : '';
  const body = html`${marker(seat, display)}<span class="who"
      ><span class="name"><span>${name}</span>${isPlayedByBot(state.room.chairs[seat]) ? icon('robot') : nothing}</span
      ><small>${role}</small></span
    >${!isStart && isPartner ? icon('check') : nothing}`;
  const lift = (/** @type {Group} */ group, /** @type {number} */ max) => {
    if (mayLift) actions.lift(toggleLift(state.lifted, group, seat, max));
  };
  return html`<li>
    ${
      isStart || !yours
        ? html`<div class=${isStart && !yours ? 'team-member turn' : 'team-member'}>${body}${
            isStart && !yours ? choosingDots() : nothing
          }</div>`
        : html`<button
            class="team-member"
            type="button"
            data-main
            aria-pressed=${String(isPartner)}
            aria-disabled=${mayLift ? nothing : 'true'}
            @click=${() => lift('seat', choice.maxPartners)}
          >
            ${body}
          </button>`
    }${
      choice.bonusSeats.includes(seat) && yours
        ? html`<button
            class="team-member bonus"
            type="button"
            data-main
            aria-pressed=${String(choice.bonus === seat)}
            aria-label=${t('nyet.bonusFor', { name })}
            @click=${() => lift('x2', 1)}
          >
            ${x2}
          </button>`
        : nothing
    }
  </li>`;
}
