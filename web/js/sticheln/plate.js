// The plates of Sticheln, and the picks in front of the seats.

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { icon } from '../icons.js';
import { back, face, peeked, pile, pinned } from '../table/card-drawing.js';
import { cardName, parseCard } from '../table/card-text.js';
import { ownOf } from '../table/display.js';
import { signed } from '../table/format.js';

/** @import { HiddenCards } from '../game.js' */
/** @import { Seat } from '../protocol.js' */
/** @import { StichelnDisplay } from './types.js' */

/**
 * How many tricks a seat has taken.
 * @param {Seat} seat
 * @param {StichelnDisplay} display
 */
export const tricksOf = (seat, { table, seats }) => Math.round(table.captured[seat] / seats);

/**
 * The picked card on a plate: it shows the unwanted colour.
 * @param {Seat} seat
 * @param {StichelnDisplay} display
 */
export function badge(seat, { ownSeat, kind, picks }) {
  const card = seat === ownSeat || kind === 'trick' || kind === 'taken' ? picks?.[seat] : undefined;
  return card ? pinned(card, { isDecorative: true }) : nothing;
}

/**
 * The picked card of the last round over the podium of the winner.
 * @param {Seat} seat
 * @param {StichelnDisplay} display
 */
export function trophy(seat, { picks }) {
  const card = picks?.[seat];
  return card ? pinned(card, { isDecorative: true }) : nothing;
}

/**
 * The second line of a plate, with a short form for small tables with many seats.
 * @param {Seat} seat
 * @param {StichelnDisplay} display
 */
export function plateDetails(seat, display) {
  const { kind, hasPicked, picks, running } = display;
  if (kind === 'pick') {
    return hasPicked[seat]
      ? html`<span class="long">${icon('check')}${t('sticheln.pick.done')}</span><span class="short">${t('sticheln.picked')}</span>`
      : html`<span class="long">${t('play.isChoosing')}</span><span class="short">…</span>`;
  }
  const card = picks?.[seat];
  if (kind === 'reveal' && card) {
    const colour = t(`colour.${parseCard(card).colour}`);
    return html`<span class="long">${t('sticheln.avoids', { colour })}</span><span class="short">${colour}</span>`;
  }
  const score = running?.points[seat];
  return html`<span>${pile}${tricksOf(seat, display)}</span>${
    score === undefined ? nothing : html`<span class="points">${signed(score)}</span>`
  }`;
}

/**
 * The tag of the seat that leads the first trick.
 * @param {Seat} seat
 * @param {StichelnDisplay} display
 * @returns {string}
 */
export const plateTag = (seat, { kind, firstLeader }) =>
  kind === 'reveal' && firstLeader === seat ? t('sticheln.leadsTag') : '';

/**
 * A plate in words.
 * @param {Seat} seat
 * @param {StichelnDisplay} display
 * @returns {string[]}
 */
export function plateWords(seat, display) {
  const { kind, hasPicked, picks, running } = display;
  if (kind === 'pick')
    return [hasPicked[seat] ? t('sticheln.pick.done') : t('play.isChoosing'), points(running?.points[seat])];
  const card = picks?.[seat];
  return [
    card ? t('sticheln.unwanted', { card: cardName(card, t) }) : '',
    t('play.tricks', { n: tricksOf(seat, display) }),
    points(running?.points[seat]),
  ];
}

/** @param {number | undefined} score */
const points = (score) => (score === undefined ? '' : t('play.points', { n: score }));

/**
 * The card that a seat has picked; null at other times.
 * @param {Seat} seat
 * @param {StichelnDisplay} display
 */
export function slot(seat, display) {
  const { kind, ownSeat, hasPicked, picks, ownPick } = display;
  if (kind === 'pick' && hasPicked[seat]) {
    const pick = ownOf(seat, display)?.pick;
    if (pick && seat !== ownSeat) return html`<div class="slot">${peeked([pick])}</div>`;
    const label = seat === ownSeat && ownPick ? t('sticheln.pick.own', { card: cardName(ownPick, t) }) : undefined;
    return html`<div class="slot">${back({ label })}</div>`;
  }
  if (kind === 'reveal' && picks) return html`<div class="slot flip">${face(picks[seat])}</div>`;
  return null;
}

/**
 * The picked card of a seat, as long as it lies face down.
 * @param {Seat} seat
 * @param {StichelnDisplay} display
 * @returns {HiddenCards | null}
 */
export function hiddenCards(seat, display) {
  const pick = ownOf(seat, display)?.pick;
  return pick ? { cards: [pick], isInHand: false, text: t('sticheln.hidden') } : null;
}

/**
 * The key of the text in the own empty slot.
 * @param {StichelnDisplay} display
 */
export function slotText({ kind, trick }) {
  if (kind === 'pick') return 'sticheln.slot.colour';
  return trick?.cards.length ? 'play.slot.card' : 'play.slot.lead';
}
