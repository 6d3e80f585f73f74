// The middle of the table in Sticheln: the led colour, or the most important fact of the phase.

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { nameList, t } from '../i18n.js';
import { nameOf } from '../state.js';
import { chip } from '../table/card-drawing.js';
import { COLOURS, parseCard } from '../table/card-text.js';
import { capital, signed } from '../table/format.js';
import { replaceOnChange } from '../table/replace-on-change.js';

/** @import { PlayState } from '../types.js' */
/** @import { Sticheln, StichelnDisplay } from './types.js' */

/**
 * The middle of the table.
 * @param {StichelnDisplay} display
 * @param {PlayState<Sticheln>} state
 */
export function hub(display, state) {
  switch (display.kind) {
    case 'pick': {
      const count = display.hasPicked.filter(Boolean).length;
      const progress = t('sticheln.pick.wait', { n: count, max: display.seats });
      return lines(t('sticheln.pick.secret'), `${progress} ${t('sticheln.pick.together')}`);
    }
    case 'reveal':
      return lines(t('sticheln.reveal.title'), sharedColours(display, state).join(' ') || t('sticheln.allDiffer'));
    case 'taken':
      return display.trick?.taker == null ? zerosText(display, state) : leadText(display);
    case 'trick':
      return display.trick?.lead ? leadText(display) : newTrickText(display, state);
    case 'round_end':
      return nothing;
  }
}

/**
 * @param {StichelnDisplay} display
 * @param {PlayState<Sticheln>} state
 */
function zerosText({ trick, ownSeat }, state) {
  const leader = trick?.leader ?? 0;
  const key = leader === ownSeat ? 'sticheln.zeros.out.you' : 'sticheln.zeros.out';
  return lines(t('sticheln.zeros.title'), t(key, { name: nameOf(state.room, leader, t) }));
}

/** @param {StichelnDisplay} display */
function leadText({ trick }) {
  const colour = trick?.lead ?? '';
  return html`<li class="hub">
    ${chip(colour)}
    <div><b>${t('trick.led', { colour: capital(t(`colour.${colour}`)) })}</b><span>${t('sticheln.trick.rule')}</span></div>
  </li>`;
}

/**
 * @param {StichelnDisplay} display
 * @param {PlayState<Sticheln>} state
 */
function newTrickText(display, state) {
  return html`<li class="hub">
    <div><b>${t('play.newTrick')}</b><span>${lastTrickText(display, state)}</span></div>
  </li>`;
}

/**
 * The taker of the last trick, if the options show it.
 * @param {StichelnDisplay} display
 * @param {PlayState<Sticheln>} state
 */
function lastTrickText({ pastTricks, trickNumber, ownSeat }, state) {
  const trick = pastTricks.tricks[0]?.trick;
  if (!trick) return t('play.newTrick.number', { n: trickNumber });
  if (trick.taker === undefined) return t('sticheln.last.aside');
  const { lastTrick } = state.game.memory;
  const isSame = lastTrick?.cards.join() === trick.cards.join();
  const points = lastTrick && isSame ? `: ${signed(lastTrick.points)}` : '';
  return t(trick.taker === ownSeat ? 'play.last.you' : 'play.last', {
    name: nameOf(state.room, trick.taker, t),
    points,
  });
}

/**
 * A sentence for each colour that several seats avoid.
 * @param {StichelnDisplay} display
 * @param {PlayState<Sticheln>} state
 * @returns {string[]}
 */
function sharedColours({ picks, ownSeat }, state) {
  return COLOURS.flatMap((colour) => {
    const seats = (picks ?? []).flatMap((card, seat) => (parseCard(card).colour === colour ? [seat] : []));
    if (seats.length < 2) return [];
    // The own seat comes last: "Annegret and you".
    const others = seats.filter((seat) => seat !== ownSeat).map((seat) => nameOf(state.room, seat, t));
    const names = others.length < seats.length ? [...others, t('play.youToo')] : others;
    const key = seats.length === 2 ? 'sticheln.both' : 'sticheln.several';
    return [t(key, { names: nameList(names, t), colour: t(`colour.${colour}`) })];
  });
}

/**
 * @param {string} strong
 * @param {string} text
 */
const lines = (strong, text) =>
  html`<li class="hub hub-text">${replaceOnChange(`${strong} ${text}`, html`<div><b>${strong}</b><span>${text}</span></div>`)}</li>`;
