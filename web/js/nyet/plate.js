/** What a plate tells in Nyet!: team, tricks, loot; and what lies in front of a seat before the tricks. */

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { icon } from '../icons.js';
import { back, chip, face } from '../table/card.js';
import { cardName, parts, tally } from '../table/cards.js';
import { listed } from '../table/format.js';
import { pile } from '../table/pile.js';
import { anew } from '../table/replace-on-change.js';
import { marker, star, teamSign, teamWords, x2 } from './marker.js';
import { isSupertrump } from './scene.js';

/** @import { Shown } from './scene.js' */

/**
 * How many tricks a seat has taken.
 * @param {number} seat
 * @param {Shown} now
 * @returns {number}
 */
export const tricksOf = (seat, now) => now.table.tricks_won[seat];

/**
 * The sign of the team, or the marker where each plays alone; on the own plate also what was laid aside.
 * @param {number} seat
 * @param {Shown} now
 */
export function badge(seat, now) {
  const sign = now.seats === 2 ? marker(seat, now) : teamSign(seat, now);
  return seat === now.you && now.kind !== 'discard' && isAside(now)
    ? html`${sign}<span class="lain" role="img" aria-label=${t('nyet.lain', { cards: cards(now.aside) })}
        >${now.aside.map((card) => face(card, { compact: true, quiet: true }))}</span
      >`
    : sign;
}

/** Whether the chosen cards are out of the round, and not passed. @param {Shown} now */
const isAside = (now) => now.aside.length > 0 && now.conditions?.discard !== 'pass_left';

/** @param {readonly string[]} all */
const cards = (all) =>
  listed(
    all.map((card) => cardName(card, t)),
    t,
  );

/**
 * The second line of a plate: whether cards are chosen, or tricks and loot.
 * @param {number} seat
 * @param {Shown} now
 */
export function sub(seat, now) {
  if (now.kind === 'discard') {
    return now.discarded[seat]
      ? html`<span class="long">${icon('check')}${t('nyet.done')}</span><span class="short">${icon('check')}</span>`
      : html`<span class="long">${t('pick.busy')}</span><span class="short">…</span>`;
  }
  return html`<span>${pile}${tricksOf(seat, now)}</span>${loot(seat, now)}`;
}

/**
 * The loot of a seat: a sign for each colour, with how many.
 * @param {number} seat
 * @param {Shown} now
 */
export function loot(seat, now) {
  const taken = now.table.loot[seat];
  const signs = tally(taken).map(
    ({ colour, count }) => html`<span class="loot">${chip(colour)}${count > 1 ? count : nothing}</span>`,
  );
  return anew(taken.join(), signs);
}

/** Nothing is said above plates. */
export const says = () => '';

/**
 * What stands beside a name.
 * @param {number} seat
 * @param {Shown} now
 */
export const beside = (seat, now) => (now.teams?.bonus === seat ? x2 : nothing);

/**
 * What a plate tells, in words.
 * @param {number} seat
 * @param {Shown} now
 * @returns {string[]}
 */
export function spoken(seat, now) {
  const taken = now.table.loot[seat];
  return [
    teamWords(seat, now),
    now.teams?.bonus === seat ? t('nyet.x2') : '',
    now.kind === 'discard' ? t(now.discarded[seat] ? 'nyet.done' : 'pick.busy') : '',
    t('play.tricks', { n: tricksOf(seat, now) }),
    taken.length > 0 ? t('nyet.loot', { cards: cards(taken) }) : '',
    seat === now.you && isAside(now) ? t('nyet.lain', { cards: cards(now.aside) }) : '',
  ];
}

/**
 * What lies in front of a seat besides cards of a trick: what it has chosen, or what it was passed.
 * @param {number} seat
 * @param {Shown} now
 */
export function slot(seat, now) {
  const isOwn = seat === now.you;
  if (now.kind === 'discard') {
    if (!now.discarded[seat]) {
      return null;
    }
    const own = isOwn ? now.aside.at(-1) : undefined;
    return html`<div class="slot">${own ? face(own) : back()}</div>`;
  }
  if (now.kind === 'chosen') {
    const came = isOwn && now.conditions?.discard === 'pass_left' ? now.received : null;
    return html`<div class="slot flip">${came ? face(came) : back()}</div>`;
  }
  return null;
}

/**
 * What the own empty place asks for.
 * @param {Shown} now
 */
export function waits(now) {
  if (now.kind === 'discard') {
    return 'nyet.slot.choose';
  }
  return now.trick?.cards.length ? 'play.slot.card' : 'play.slot.lead';
}

/**
 * What is special about a card in this round: that it is a supertrump.
 * @param {string} card
 * @param {Shown} now
 */
export function marks(card, now) {
  return isSupertrump(card, now)
    ? { drawn: html`<span class="super">${star}</span>`, words: [t('nyet.supertrump')] }
    : { drawn: nothing, words: [] };
}

/**
 * Why a card cannot be lifted now: the led suit is in the hand, or a 1 may not be laid aside.
 * @param {string} card
 * @param {Shown} now
 * @returns {{ key: string, args?: any } | null}
 */
export function refuses(card, now) {
  if (!now.yours) {
    return null;
  }
  if (now.kind === 'discard') {
    const isOpen = now.actions.some((action) => action.cards?.includes(card));
    return isOpen || parts(card).value !== 1 ? null : { key: 'refused.discard_must_not_be_1' };
  }
  const lead = now.trick?.lead;
  if (now.kind !== 'trick' || now.legal.has(card) || !lead) {
    return null;
  }
  return lead === 'trump' ? { key: 'nyet.follow.trump' } : { key: 'nyet.follow', args: { suit: t(`suit.${lead}`) } };
}
