/** Everybody round the table: plates, pinned cards, what each has played, and the hub in the middle. */

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { keyed } from '../../vendor/lit-html/directives/keyed.js';
import { t } from '../i18n.js';
import { reaction } from '../reactions.js';
import { back, face, pinned } from './card.js';
import { collect } from './collect.js';
import { hub } from './hub.js';
import { icon } from '../icons.js';
import { cardOf, clockwise, parts, places } from './order.js';
import { cardName, minutes, nameOf, signed } from './words.js';

/** @import { Actions, State } from './types.js' */
/** @import { Shown } from './shown.js' */

/** A small pile of cards: tricks taken. */
const pile = html`<svg class="ic" viewBox="0 0 24 24" aria-hidden="true"><path d="M7 7.5h10.5v13H7ZM4.5 17V4.500h10" /></svg>`;

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
    ${order.map((seat, step) => one(seat, around[step], now, state, actions))}${hub(now, state)}
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
  const card = now.picks?.[seat];
  const running = now.table.running?.[seat];
  const facts = [
    seat === now.you ? t('play.you') : nameOf(state.room, seat, t),
    seat === state.room.host ? t('role.host') : '',
    chair.kind === 'bot' ? t('role.bot') : '',
    chair.stood_in ? t('play.stoodIn') : '',
    chair.presence && chair.presence !== 'here' ? t(`play.presence.${chair.presence}`) : '',
    card && now.kind !== 'pick' ? t('play.unwanted', { card: cardName(card, t) }) : '',
    now.kind === 'pick' ? t(now.picked[seat] ? 'pick.done' : 'pick.busy') : '',
    now.kind === 'pick' ? '' : t('play.tricks', { n: tricksOf(seat, now) }),
    running ? t('play.points', { n: running.points }) : '',
  ];
  return facts.filter(Boolean).join(', ');
}

/**
 * How many tricks a seat has taken.
 * @param {number} seat
 * @param {Shown} now
 */
export function tricksOf(seat, now) {
  return Math.round(now.table.captured[seat] / now.seats);
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
  const isTurn =
    (now.kind === 'trick' && now.toAct.includes(seat)) ||
    (now.kind === 'reveal' && now.leads === seat);
  const classes = [
    'seat',
    place ? '' : 'me shown',
    isTurn ? 'turn' : '',
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
  const card = now.kind === 'trick' || now.kind === 'taken' ? now.picks?.[seat] : undefined;
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
    ${card ? pinned(card, { quiet: true }) : nothing}<span class="who"
      ><span class="nm"
        ><span>${nameOf(state.room, seat, t)}</span>${seat === state.room.host ? icon('crown') : nothing}${isBot
          ? icon('robot')
          : nothing}${chair.presence && chair.presence !== 'here' ? icon('plug') : nothing}</span
      ><span class="sub">${sub(seat, now)}</span></span
    >${now.kind === 'reveal' && now.leads === seat
      ? html`<span class="tag hot say">${t('play.leadsTag')}</span>`
      : nothing}${reaction(seat, state)}
  </button>`;
}

/**
 * The second line of a plate. Where many sit on a small table there is only room for a word.
 * @param {number} seat
 * @param {Shown} now
 */
function sub(seat, now) {
  if (now.kind === 'pick') {
    return now.picked[seat]
      ? html`<span class="long">${icon('check')}${t('pick.done')}</span><span class="short">${t('play.picked')}</span>`
      : html`<span class="long">${t('pick.busy')}</span><span class="short">…</span>`;
  }
  const card = now.picks?.[seat];
  if (now.kind === 'reveal' && card) {
    const suit = t(`suit.${parts(card).colour}`);
    return html`<span class="long">${t('play.avoids', { suit })}</span><span class="short">${suit}</span>`;
  }
  const running = now.table.running?.[seat];
  return html`<span>${pile}${tricksOf(seat, now)}</span>${running
      ? html`<span class="pt">${signed(running.points)}</span>`
      : nothing}`;
}

/**
 * The place in front of a seat: what it has picked or played, or that all wait for it.
 * @param {number} seat
 * @param {Shown} now
 */
function slot(seat, now) {
  const isOwn = seat === now.you;
  if (now.kind === 'pick' && now.picked[seat]) {
    const label = isOwn && now.pick ? t('play.pick.own', { card: cardName(now.pick, t) }) : undefined;
    return html`<div class="slot">${back({ label })}</div>`;
  }
  if (now.kind === 'reveal' && now.picks) {
    return html`<div class="slot flip">${face(now.picks[seat])}</div>`;
  }
  const card = now.trick ? cardOf(now.trick, seat, now.seats) : undefined;
  if (now.trick && card) {
    return played(card, seat, now);
  }
  if (!now.toAct.includes(seat)) {
    return html`<div class="slot empty"></div>`;
  }
  return html`<div class="slot empty next">
    ${isOwn
      ? html`<span class="you"><span>${t(ownSlot(now))}</span></span>`
      : html`<span class="dots" role="img" aria-label=${t('play.choosing')}><i></i><i></i><i></i></span>`}${isOwn || !now.yours ? rest(now) : nothing}
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
  return html`${keyed(name, html`<div class=${classes}>${face(card)}${mark}</div>`)}`;
}

/** @param {Shown} now */
function ownSlot(now) {
  if (now.kind === 'pick') {
    return 'play.slot.colour';
  }
  return now.trick?.cards.length ? 'play.slot.card' : 'play.slot.lead';
}

/**
 * The time that is left. It has its place whether it is shown or not.
 * @param {Shown} now
 */
function rest(now) {
  return now.left === null
    ? nothing
    : html`<span class=${now.left <= 10 ? 'rest few' : 'rest'} aria-hidden="true">${minutes(now.left)}</span>`;
}
