/** What a plate tells in Sticheln, and what lies in front of a seat while colours are picked. */

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { icon } from '../icons.js';
import { back, face, pinned } from '../table/card.js';
import { cardName, parts } from '../table/cards.js';
import { signed } from '../table/format.js';
import { pile } from '../table/pile.js';

/** @import { Shown } from './scene.js' */

/**
 * How many tricks a seat has taken.
 * @param {number} seat
 * @param {Shown} now
 */
export function tricksOf(seat, now) {
  return Math.round(now.table.captured[seat] / now.seats);
}

/**
 * What is pinned to a plate: the unwanted colour.
 * @param {number} seat
 * @param {Shown} now
 */
export function badge(seat, now) {
  const isOwn = seat === now.you;
  const card = isOwn || now.kind === 'trick' || now.kind === 'taken' ? now.picks?.[seat] : undefined;
  return card ? pinned(card, { quiet: true }) : nothing;
}

/**
 * What stands over the winner's place after the game: the last unwanted colour.
 * @param {number} seat
 * @param {Shown} now
 */
export function trophy(seat, now) {
  const pick = now.picks?.[seat];
  return pick ? pinned(pick, { quiet: true }) : nothing;
}

/**
 * The second line of a plate. Where many sit on a small table there is only room for a word.
 * @param {number} seat
 * @param {Shown} now
 */
export function sub(seat, now) {
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
  return html`<span>${pile}${tricksOf(seat, now)}</span>${
    running ? html`<span class="pt">${signed(running.points)}</span>` : nothing
  }`;
}

/**
 * The line above a plate.
 * @param {number} seat
 * @param {Shown} now
 * @returns {string}
 */
export const says = (seat, now) => (now.kind === 'reveal' && now.leads === seat ? t('play.leadsTag') : '');

/**
 * What a plate tells, in words.
 * @param {number} seat
 * @param {Shown} now
 * @returns {string[]}
 */
export function spoken(seat, now) {
  const card = now.picks?.[seat];
  const running = now.table.running?.[seat];
  return [
    card && now.kind !== 'pick' ? t('play.unwanted', { card: cardName(card, t) }) : '',
    now.kind === 'pick' ? t(now.picked[seat] ? 'pick.done' : 'pick.busy') : '',
    now.kind === 'pick' ? '' : t('play.tricks', { n: tricksOf(seat, now) }),
    running ? t('play.points', { n: running.points }) : '',
  ];
}

/**
 * What lies in front of a seat besides cards of a trick: what it has picked.
 * @param {number} seat
 * @param {Shown} now
 */
export function slot(seat, now) {
  if (now.kind === 'pick' && now.picked[seat]) {
    const isOwn = seat === now.you;
    const label = isOwn && now.pick ? t('play.pick.own', { card: cardName(now.pick, t) }) : undefined;
    return html`<div class="slot">${back({ label })}</div>`;
  }
  if (now.kind === 'reveal' && now.picks) {
    return html`<div class="slot flip">${face(now.picks[seat])}</div>`;
  }
  return null;
}

/**
 * What the own empty place asks for.
 * @param {Shown} now
 */
export function waits(now) {
  if (now.kind === 'pick') {
    return 'play.slot.colour';
  }
  return now.trick?.cards.length ? 'play.slot.card' : 'play.slot.lead';
}
