// The plates of Nyet!: team, tricks and loot, and the cards in front of a seat before the tricks.

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { icon } from '../icons.js';
import { nameOf } from '../state.js';
import { back, chip, face, peeked, pile } from '../table/card-drawing.js';
import { cardList, countByColour, parseCard } from '../table/card-text.js';
import { ownOf } from '../table/display.js';
import { replaceOnChange } from '../table/replace-on-change.js';
import { isSupertrump, marker, star, teamSign, teamWords, x2 } from './signs.js';

/** @import { HiddenCards } from '../game.js' */
/** @import { Card, Seat } from '../protocol.js' */
/** @import { PlayState, TextKey } from '../types.js' */
/** @import { Nyet, NyetDisplay } from './types.js' */

/**
 * How many tricks a seat has taken.
 * @param {Seat} seat
 * @param {NyetDisplay} display
 */
export const tricksOf = (seat, { table }) => table.tricks_won[seat];

/**
 * The sign of the team on a plate, or the marker if two play against each other. The own plate also has the cards that
 * were laid aside.
 * @param {Seat} seat
 * @param {NyetDisplay} display
 */
export function badge(seat, display) {
  const sign = display.seats === 2 ? marker(seat, display) : teamSign(seat, display);
  if (seat !== display.ownSeat || display.kind === 'discard' || !hasLaidAside(display)) return sign;
  const faces = display.discard.map((card) => face(card, { compact: true, isDecorative: true }));
  return html`${sign}<span class="own-laid-cards" role="img" aria-label=${laidAsideText(display)}>${faces}</span>`;
}

/**
 * Whether the cards that the own seat has chosen are out of the round, and not passed.
 * @param {NyetDisplay} display
 */
const hasLaidAside = ({ discard, conditions }) => discard.length > 0 && conditions?.discard !== 'pass_left';

/** @param {NyetDisplay} display */
const laidAsideText = ({ discard }) => t('nyet.laidAside', { cards: cardList(discard, t) });

/**
 * The second line of a plate: whether the seat has chosen cards, or tricks and loot.
 * @param {Seat} seat
 * @param {NyetDisplay} display
 */
export function plateDetails(seat, display) {
  if (display.kind === 'discard') {
    return display.hasDiscarded[seat]
      ? html`<span class="long">${icon('check')}${t('nyet.done')}</span><span class="short">${icon('check')}</span>`
      : html`<span class="long">${t('play.isChoosing')}</span><span class="short">…</span>`;
  }
  return html`<span>${pile}${tricksOf(seat, display)}</span>${loot(seat, display)}`;
}

/**
 * The loot of a seat: a chip for each colour, with how many.
 * @param {Seat} seat
 * @param {NyetDisplay} display
 */
export function loot(seat, { table }) {
  const cards = table.loot[seat];
  const chips = countByColour(cards).map(
    ({ colour, count }) => html`<span class="loot">${chip(colour)}${count > 1 ? count : nothing}</span>`,
  );
  return replaceOnChange(cards.join(), chips);
}

/**
 * The x2 card beside the name of its holder.
 * @param {Seat} seat
 * @param {NyetDisplay} display
 */
export const besideName = (seat, { teams }) => (teams?.bonus === seat ? x2 : nothing);

/**
 * A plate in words.
 * @param {Seat} seat
 * @param {NyetDisplay} display
 * @returns {string[]}
 */
export function plateWords(seat, display) {
  const cards = display.table.loot[seat];
  return [
    teamWords(seat, display),
    display.teams?.bonus === seat ? t('nyet.x2') : '',
    display.kind === 'discard' ? (display.hasDiscarded[seat] ? t('nyet.done') : t('play.isChoosing')) : '',
    t('play.tricks', { n: tricksOf(seat, display) }),
    cards.length > 0 ? t('nyet.loot', { cards: cardList(cards, t) }) : '',
    seat === display.ownSeat && hasLaidAside(display) ? laidAsideText(display) : '',
  ];
}

/**
 * The cards that a seat has chosen, or the one that it was passed; null at other times.
 * @param {Seat} seat
 * @param {NyetDisplay} display
 */
export function slot(seat, display) {
  const { kind, ownSeat, owns, hasDiscarded, discard, conditions, received } = display;
  const isOwn = seat === ownSeat;
  const other = isOwn ? undefined : owns[seat];
  if (kind === 'discard') {
    if (!hasDiscarded[seat]) return null;
    const own = isOwn ? discard.at(-1) : undefined;
    return html`<div class="slot">${own ? face(own) : backOf(other?.discard)}</div>`;
  }
  if (kind === 'chosen') {
    const isPassing = conditions?.discard === 'pass_left';
    const passed = other?.received ? [other.received] : [];
    const own = isOwn && isPassing ? received : null;
    return html`<div class="slot flip">${own ? face(own) : backOf(isPassing ? passed : other?.discard)}</div>`;
  }
  return null;
}

/**
 * The back of cards of another seat, with their faces if the observer knows them.
 * @param {readonly Card[] | undefined} cards
 */
const backOf = (cards = []) => (cards.length > 0 ? peeked(cards) : back());

/**
 * The cards that a seat has laid aside, has chosen to give up, or was passed.
 * @param {Seat} seat
 * @param {NyetDisplay} display
 * @param {Pick<PlayState<Nyet>, 'room'>} state
 * @returns {HiddenCards | null}
 */
export function hiddenCards(seat, display, { room }) {
  const { hand = [], discard = [], received } = ownOf(seat, display) ?? {};
  if (received !== undefined) {
    const name = nameOf(room, (seat + display.seats - 1) % display.seats, t);
    return hand.includes(received)
      ? { cards: [received], isInHand: true, text: t('nyet.hidden.received', { name }) }
      : null;
  }
  if (discard.length === 0) return null;
  const isChosen = display.table.phase === 'discard';
  // A passed card is in the hand of the neighbour.
  if (!isChosen && display.conditions?.discard === 'pass_left') return null;
  return { cards: discard, isInHand: isChosen, text: t(isChosen ? 'nyet.hidden.chosen' : 'nyet.hidden.laidAside') };
}

/**
 * The key of the text in the own empty slot.
 * @param {NyetDisplay} display
 */
export function slotText({ kind, trick }) {
  if (kind === 'discard') return 'nyet.slot.choose';
  return trick?.cards.length ? 'play.slot.card' : 'play.slot.lead';
}

/**
 * The mark of a supertrump.
 * @param {Card} card
 * @param {NyetDisplay} display
 */
export const marks = (card, display) =>
  isSupertrump(card, display)
    ? { drawn: html`<span class="card-sign supertrump">${star}</span>`, words: [t('nyet.supertrump')] }
    : { drawn: nothing, words: [] };

/**
 * Why a card cannot be lifted now: the led suit is in the hand, or a 1 may not be laid aside. Null if it can be lifted.
 * @param {Card} card
 * @param {NyetDisplay} display
 * @returns {TextKey | null}
 */
export function whyNotLifted(card, { yours, mayChange, kind, actions, discard, trick, legal }) {
  if (!yours && !mayChange) return null;
  if (kind === 'discard') {
    if (discard.includes(card)) return null;
    const isPossible = actions.some((action) => action.type === 'discard' && action.cards.includes(card));
    return isPossible || parseCard(card).value !== 1 ? null : { key: 'refused.discard_must_not_be_1' };
  }
  const lead = trick?.lead;
  if (kind !== 'trick' || legal.has(card) || !lead) return null;
  return lead === 'trump'
    ? { key: 'nyet.follow.trump' }
    : { key: 'nyet.follow', args: { colour: t(`colour.${lead}`) } };
}
