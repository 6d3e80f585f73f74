/** Everybody round the table: plates, what each has played, and the hub in the middle. */

import { keyed } from '../../vendor/lit-html/directives/keyed.js';
import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { icon } from '../icons.js';
import { reaction } from '../reactions.js';
import { face } from './card.js';
import { cardOf, clockwise, places } from './cards.js';
import { minutes, nameOf } from './format.js';
import { collect } from './trick-animation.js';

/** @import { Actions, Shown, State } from './types.js' */

/**
 * The seats clockwise from the left of the seat in the south, which comes last; then the hub.
 * @param {Shown} now
 * @param {State} state
 * @param {Actions} actions
 */
export function seats(now, state, actions) {
  const order = clockwise(now.seats, now.south);
  const around = places(now.seats);
  collect(now);
  const classes = `seats n${now.seats}${now.you === null ? ' watch' : ''}`;
  return html`<ol class=${classes} aria-label=${t('play.seats')} data-kind=${now.kind} @click=${() => state.pause && actions.goOn()}>
    ${order.map((seat, step) => one(seat, around[step], now, state, actions))}${now.game.hub(now, state)}
  </ol>`;
}

/**
 * The label of a seat for those who do not see its plate.
 * @param {number} seat
 * @param {Shown} now
 * @param {State} state
 * @returns {string}
 */
export function spoken(seat, now, state) {
  const chair = state.room.chairs[seat] ?? {};
  const facts = [
    seat === now.you ? t('play.you') : nameOf(state.room, seat, t),
    seat === state.room.host ? t('role.host') : '',
    seat === now.table.dealer ? t('role.dealer') : '',
    chair.kind === 'bot' ? `${t('role.bot')} (${t(`bot.${chair.level}`)})` : '',
    chair.stood_in ? t(chair.waits_for_deal ? 'presence.waitsForDeal' : 'play.stoodIn') : '',
    chair.presence && chair.presence !== 'here' ? t(`play.presence.${chair.presence}`) : '',
    ...now.game.spoken(seat, now, state),
  ];
  return facts.filter(Boolean).join(', ');
}

/**
 * @param {number} seat
 * @param {string | undefined} place
 * @param {Shown} now
 * @param {State} state
 * @param {Actions} actions
 */
function one(seat, place, now, state, actions) {
  if (seat === now.you) {
    return html`<li class="seat me" data-you=${t('play.you')}>
      <span class="sr">${t('play.you')}</span>${slot(seat, now)}
    </li>`;
  }
  const chair = state.room.chairs[seat] ?? {};
  const classes = [
    'seat',
    place ? '' : 'me shown',
    now.turn.includes(seat) ? 'turn' : '',
    chair.presence === 'away' ? 'off' : '',
    chair.presence === 'lost' ? 'lost' : '',
  ];
  return html`<li
    class=${classes.filter(Boolean).join(' ')}
    data-seat=${seat}
    data-pos=${place ?? nothing}
    data-you=${place ? nothing : nameOf(state.room, seat, t)}
  >
    ${plate(seat, now, state, actions)}${slot(seat, now)}
  </li>`;
}

/**
 * @param {number} seat
 * @param {Shown} now
 * @param {State} state
 * @param {Actions} actions
 */
function plate(seat, now, state, actions) {
  const chair = state.room.chairs[seat] ?? {};
  const says = now.game.says(seat, now);
  const isBot = chair.kind === 'bot' || chair.stood_in;
  return html`<button
    class="plate"
    type="button"
    aria-label=${spoken(seat, now, state)}
    @click=${(/** @type {MouseEvent} */ click) => {
      click.stopPropagation();
      actions.open({ player: seat });
    }}
  >
    ${now.game.badge(seat, now)}<span class="who"
      ><span class="nm"
        ><span>${nameOf(state.room, seat, t)}</span>${now.game.beside(seat, now)}${seat === state.room.host ? icon('crown') : nothing}${
          isBot ? icon('robot') : nothing
        }${seat === now.table.dealer ? icon('dealer') : nothing}${chair.presence && chair.presence !== 'here' && !isBot ? icon('plug') : nothing}</span
      ><span class="sub">${now.game.sub(seat, now)}</span></span
    >${says ? html`<span class="tag hot say">${says}</span>` : nothing}${reaction(seat, state)}
  </button>`;
}

/**
 * The place in front of a seat: what it has chosen or played, or that all wait for it.
 * @param {number} seat
 * @param {Shown} now
 */
function slot(seat, now) {
  const isOwn = seat === now.you;
  const own = now.game.slot(seat, now);
  if (own) {
    return own;
  }
  const card = now.trick ? cardOf(now.trick, seat, now.seats) : undefined;
  if (now.trick && card) {
    return played(card, seat, now);
  }
  if (!now.toAct.includes(seat)) {
    return html`<div class="slot empty"></div>`;
  }
  return html`<div class="slot empty next">
    ${
      isOwn
        ? html`<span class="you"><span>${t(now.game.waits(now))}</span></span>`
        : html`<span class="dots" role="img" aria-label=${t('play.choosing')}><i></i><i></i><i></i></span>`
    }${isOwn || !now.yours ? rest(now) : nothing}
  </div>`;
}

/**
 * @param {string} card
 * @param {number} seat
 * @param {Shown} now
 */
function played(card, seat, now) {
  const { trick } = now;
  const isWinning = trick?.winning === seat;
  const isLead = trick?.leader === seat;
  const mark = isWinning
    ? html`<span class="tag hot lab">${icon('crown')}${t(now.kind === 'taken' ? 'tag.takes' : 'tag.winning')}</span>`
    : isLead
      ? html`<span class="tag lab">${t('tag.lead')}</span>`
      : nothing;
  const classes = `slot laid${isWinning ? ' win' : isLead ? ' lead' : ''}`;
  // A card of another trick is another card on the page: it comes by itself, and has not gone.
  const name = `${now.table.round} ${now.number} ${card}`;
  return html`${keyed(name, html`<div class=${classes}>${face(card)}${now.game.marks(card, now).drawn}${mark}${now.byBot.includes(seat) ? byBot() : nothing}</div>`)}`;
}

/** A bot has laid this card for the person of the seat. */
const byBot = () => html`<span class="tag by-bot" role="img" aria-label=${t('play.byBot')}>${icon('robot')}</span>`;

/**
 * The time that is left. It has its place whether it is shown or not.
 * @param {Shown} now
 */
function rest(now) {
  return now.left === null
    ? nothing
    : html`<span class=${now.left <= 10 ? 'rest few' : 'rest'} aria-hidden="true">${minutes(now.left)}</span>`;
}
