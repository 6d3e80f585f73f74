// The seats round the table: plates, the slots for cards, and the hub in the middle.

import { keyed } from '../../vendor/lit-html/directives/keyed.js';
import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { minutesAndSeconds, t } from '../i18n.js';
import { icon } from '../icons.js';
import { reaction } from '../reactions.js';
import { isPlayedByBot, nameOf, nameOrYou } from '../state.js';
import { face } from './card-drawing.js';
import { cardOf } from './card-text.js';
import { gameTableOf } from './display.js';
import { choosingDots } from './dots.js';
import { clockwise, sidesOf } from './seating.js';
import { animateTrick } from './trick-animation.js';

/** @import { Actions } from '../actions.js' */
/** @import { Display } from '../game.js' */
/** @import { Card, Chair, PresenceState, Seat } from '../protocol.js' */
/** @import { PlayState } from '../types.js' */

/** The time is coloured when at most this many seconds are left. */
const FEW_SECONDS = 10;

/**
 * The seats clockwise from the left of the seat in the south, which comes last; then the hub.
 * @param {Display} display
 * @param {PlayState} state
 * @param {Actions} actions
 */
export function seats(display, state, actions) {
  const order = clockwise(display.seats, display.south);
  const sides = sidesOf(display.seats);
  animateTrick(display);
  const classes = `seats seats-${display.seats}${display.ownSeat === null ? ' watch' : ''}`;
  return html`<ol class=${classes} aria-label=${t('play.seats')} data-kind=${display.kind} @click=${() => state.hold && actions.endHold()}>
    ${order.map((seat, step) => seatItem(seat, sides[step], display, state, actions))}${gameTableOf(state.room).hub(display, state)}
  </ol>`;
}

/**
 * The label of a plate: the seat in words.
 * @param {Seat} seat
 * @param {Display} display
 * @param {PlayState} state
 * @returns {string}
 */
export function plateLabel(seat, display, state) {
  const chair = state.room.chairs[seat];
  const facts = [
    nameOrYou(state.room, seat, display.ownSeat, t),
    seat === state.room.host ? t('role.host') : '',
    seat === display.dealer ? t('role.dealer') : '',
    ...chairWords(chair),
    ...gameTableOf(state.room).plateWords(seat, display),
  ];
  return facts.filter(Boolean).join(', ');
}

/**
 * A chair in words: its bot, or the reason why its person does not play.
 * @param {Chair} chair
 */
function chairWords(chair) {
  if (chair.kind === 'bot') return [`${t('role.bot')} (${t(`bot.${chair.level}`)})`];
  if (chair.kind === 'free') return [];
  const { stood_in, waits_for_deal, presence } = chair;
  return [
    stood_in ? t(waits_for_deal ? 'presence.waitsForDeal' : 'play.stoodIn') : '',
    presence === 'here' ? '' : t(`play.presence.${presence}`),
  ];
}

/** The classes of seats, by the presence of the person. @type {Readonly<Record<PresenceState, string>>} */
const PRESENCE_CLASSES = { here: '', lost: 'lost', away: 'away' };

/** @param {Chair} chair */
const presenceOf = (chair) => (chair.kind === 'person' ? chair.presence : 'here');

/**
 * @param {Seat} seat
 * @param {string | undefined} side
 * @param {Display} display
 * @param {PlayState} state
 * @param {Actions} actions
 */
function seatItem(seat, side, display, state, actions) {
  if (seat === display.ownSeat) {
    return html`<li class="seat own" data-name=${t('play.you')}>
      <span class="visually-hidden">${t('play.you')}</span>${slot(seat, display, state)}
    </li>`;
  }
  const presence = presenceOf(state.room.chairs[seat]);
  const classes = [
    'seat',
    side ? '' : 'own shown',
    display.highlighted.includes(seat) ? 'turn' : '',
    PRESENCE_CLASSES[presence],
  ];
  return html`<li
    class=${classes.filter(Boolean).join(' ')}
    data-seat=${seat}
    data-side=${side ?? nothing}
    data-name=${side ? nothing : nameOf(state.room, seat, t)}
  >
    ${plate(seat, display, state, actions)}${slot(seat, display, state)}
  </li>`;
}

/**
 * @param {Seat} seat
 * @param {Display} display
 * @param {PlayState} state
 * @param {Actions} actions
 */
function plate(seat, display, state, actions) {
  const { room } = state;
  const gameTable = gameTableOf(room);
  const chair = room.chairs[seat];
  const tag = gameTable.plateTag(seat, display);
  const isBot = isPlayedByBot(chair);
  const isLost = presenceOf(chair) !== 'here' && !isBot;
  return html`<button
    class="plate"
    type="button"
    aria-label=${plateLabel(seat, display, state)}
    @click=${(/** @type {MouseEvent} */ click) => {
      click.stopPropagation();
      actions.prompt({ kind: 'chair', seat });
    }}
  >
    ${gameTable.badge(seat, display)}<span class="who"
      ><span class="name"
        ><span>${nameOf(room, seat, t)}</span>${gameTable.besideName(seat, display)}${seat === room.host ? icon('crown') : nothing}${
          isBot ? icon('robot') : nothing
        }${seat === display.dealer ? icon('dealer') : nothing}${isLost ? icon('plug') : nothing}</span
      ><span class="plate-details">${gameTable.plateDetails(seat, display)}</span></span
    >${tag ? html`<span class="tag accent plate-tag">${tag}</span>` : nothing}${reaction(seat, state)}
  </button>`;
}

/**
 * The slot in front of a seat: its chosen or played card, or dots while the game waits for the seat.
 * @param {Seat} seat
 * @param {Display} display
 * @param {PlayState} state
 */
function slot(seat, display, state) {
  const gameTable = gameTableOf(state.room);
  const isOwn = seat === display.ownSeat;
  const chosen = gameTable.slot(seat, display);
  if (chosen) return chosen;
  const card = display.trick ? cardOf(display.trick, seat, display.seats) : undefined;
  if (card) return playedCard(card, seat, display, state);
  if (!display.toAct.includes(seat)) return html`<div class="slot empty"></div>`;
  return html`<div class="slot empty next">
    ${
      isOwn ? html`<span class="slot-text"><span>${t(gameTable.slotText(display))}</span></span>` : choosingDots()
    }${isOwn || !display.yours ? timeLeft(display) : nothing}
  </div>`;
}

/**
 * @param {Card} card
 * @param {Seat} seat
 * @param {Display} display
 * @param {PlayState} state
 */
function playedCard(card, seat, display, state) {
  const { trick } = display;
  const isWinning = trick?.winning === seat;
  const isLead = trick?.leader === seat;
  const mark = isWinning
    ? html`<span class="tag accent slot-label">${icon('crown')}${t(display.kind === 'taken' ? 'tag.takes' : 'tag.winning')}</span>`
    : isLead
      ? html`<span class="tag slot-label">${t('tag.lead')}</span>`
      : nothing;
  const classes = `slot laid${isWinning ? ' winning' : isLead ? ' lead' : ''}`;
  // A card of another trick is another element, so that the card of the last trick does not move.
  const key = `${display.round} ${display.trickNumber} ${card}`;
  return html`${keyed(key, html`<div class=${classes}>${face(card)}${gameTableOf(state.room).marks(card, display).drawn}${mark}${display.byBot.includes(seat) ? byBotTag() : nothing}</div>`)}`;
}

/** The tag of a card that a bot has played for the person of the seat. */
const byBotTag = () => html`<span class="tag by-bot" role="img" aria-label=${t('play.byBot')}>${icon('robot')}</span>`;

/**
 * The time that is left.
 * @param {Display} display
 */
function timeLeft(display) {
  return display.secondsLeft === null
    ? nothing
    : html`<span class=${display.secondsLeft <= FEW_SECONDS ? 'time-left few' : 'time-left'} aria-hidden="true">${minutesAndSeconds(display.secondsLeft)}</span>`;
}
