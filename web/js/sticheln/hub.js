/** What is said in the middle of the table: the led colour, or what everybody should know now. */

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { chip } from '../table/card.js';
import { COLOURS, parts } from '../table/cards.js';
import { capital, listed, nameOf, signed } from '../table/format.js';
import { anew } from '../table/replace-on-change.js';

/** @import { State } from '../table/types.js' */
/** @import { Shown } from './scene.js' */

/**
 * The middle of the table.
 * @param {Shown} now
 * @param {State} state
 */
export function hub(now, state) {
  switch (now.kind) {
    case 'pick': {
      const count = now.picked.filter(Boolean).length;
      const waits = t('pick.wait', { n: count, max: now.seats });
      return words(t('play.pick.secret'), `${waits} ${t('play.pick.together')}`);
    }
    case 'reveal':
      return words(t('reveal.title'), shared(now, state).join(' ') || t('play.allDiffer'));
    case 'taken':
      return now.trick?.taker == null ? zeros(now, state) : led(now);
    case 'trick':
      return now.trick?.lead ? led(now) : fresh(now, state);
    case 'over':
      return nothing;
  }
}

/**
 * @param {Shown} now
 * @param {State} state
 */
function zeros(now, state) {
  const leader = now.trick?.leader ?? 0;
  const key = leader === now.you ? 'play.zeros.out.you' : 'play.zeros.out';
  return words(t('play.zeros.title'), t(key, { name: nameOf(state.room, leader, t) }));
}

/** @param {Shown} now */
function led(now) {
  const colour = now.trick?.lead ?? '';
  return html`<li class="hub">
    ${chip(colour)}
    <div><b>${t('trick.led', { suit: capital(t(`suit.${colour}`)) })}</b><span>${t('trick.rule')}</span></div>
  </li>`;
}

/**
 * @param {Shown} now
 * @param {State} state
 */
function fresh(now, state) {
  return html`<li class="hub">
    <div><b>${t('play.newTrick')}</b><span>${last(now, state)}</span></div>
  </li>`;
}

/**
 * Who took the last trick, as far as it lies open.
 * @param {Shown} now
 * @param {State} state
 */
function last(now, state) {
  const trick = now.table.history?.at(-1) ?? now.table.last_trick;
  if (!trick) {
    return t('play.newTrick.number', { n: now.number });
  }
  if (trick.taker == null) {
    return t('play.last.aside');
  }
  const seen = state.history.at(-1);
  const isSeen = seen?.cards?.join() === trick.cards.join();
  const points = isSeen && seen?.points !== undefined ? `: ${signed(seen.points)}` : '';
  const key = trick.taker === now.you ? 'play.last.you' : 'play.last';
  return t(key, { name: nameOf(state.room, trick.taker, t), points });
}

/**
 * A sentence for each colour that several seats have.
 * @param {Shown} now
 * @param {State} state
 * @returns {string[]}
 */
function shared(now, state) {
  const picks = now.picks ?? [];
  return COLOURS.flatMap((colour) => {
    const seats = picks.flatMap((card, seat) => (parts(card).colour === colour ? [seat] : []));
    if (seats.length < 2) {
      return [];
    }
    // The own seat comes last: "Annegret and you".
    const others = seats.filter((seat) => seat !== now.you).map((seat) => nameOf(state.room, seat, t));
    const names = others.length < seats.length ? [...others, t('play.youToo')] : others;
    const key = seats.length === 2 ? 'play.both' : 'play.several';
    return [t(key, { names: listed(names, t), suit: t(`suit.${colour}`) })];
  });
}

/**
 * @param {string} strong
 * @param {string} text
 */
const words = (strong, text) =>
  html`<li class="hub say3">${anew(`${strong} ${text}`, html`<div><b>${strong}</b><span>${text}</span></div>`)}</li>`;
