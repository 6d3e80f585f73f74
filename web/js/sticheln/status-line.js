// The status line of Sticheln: the sentence above the hand.

import { nameList } from '../i18n.js';
import { nameOf } from '../state.js';
import { cardName, parseCard } from '../table/card-text.js';
import { capital, pointsText, signed } from '../table/format.js';
import { joinSentences, waitingLine, winningText } from '../table/status-line.js';

/** @import { StatusLine } from '../game.js' */
/** @import { Translate } from '../i18n.js' */
/** @import { Card } from '../protocol.js' */
/** @import { PlayState } from '../types.js' */
/** @import { Sticheln, StichelnDisplay } from './types.js' */

/**
 * The status line: the seat to act, the winning seat and card, and the effect of the lifted card.
 * @param {StichelnDisplay} display
 * @param {PlayState<Sticheln>} state
 * @param {Translate} t
 * @returns {StatusLine}
 */
export function statusLine(display, state, t) {
  switch (display.kind) {
    case 'pick':
      return pickLine(display, state, t);
    case 'reveal':
      return revealLine(display, state, t);
    case 'trick':
      return trickLine(display, state, t);
    case 'taken':
      return { strong: takenText(display, state, t), text: '' };
    case 'round_end':
      return { strong: t('score.title', { n: display.round }), text: '' };
  }
}

/**
 * @param {StichelnDisplay} display
 * @param {PlayState<Sticheln>} state
 * @param {Translate} t
 * @returns {StatusLine}
 */
function pickLine(display, state, t) {
  const count = display.hasPicked.filter(Boolean).length;
  const progress = t('sticheln.pick.wait', { n: count, max: display.seats });
  if (!display.yours) {
    const missing = display.toAct.map((seat) => nameOf(state.room, seat, t));
    const waiting = missing.length > 0 ? t('common.waitFor', { names: nameList(missing, t) }) : '';
    if (!display.ownPick) return { strong: progress, text: waiting };
    const strong = t('sticheln.pick.laid', { card: capital(cardName(display.ownPick, t)) });
    if (!display.mayChange) return { strong, text: joinSentences(progress, waiting) };
    // The middle of the table shows how many have picked.
    return { strong, text: pickEffect(state, t) || joinSentences(t('sticheln.pick.mayChange'), waiting) };
  }
  return { strong: t('sticheln.pick.title'), text: pickEffect(state, t) || t('sticheln.pick.how') };
}

/**
 * The effect of the lifted card as the pick; empty without one.
 * @param {PlayState<Sticheln>} state
 * @param {Translate} t
 * @returns {string}
 */
function pickEffect({ lifted: [lifted] }, t) {
  if (!lifted) return '';
  const card = capital(cardName(lifted, t));
  return t('sticheln.pick.effect', { card, n: pointsText(-parseCard(lifted).value) });
}

/**
 * @param {StichelnDisplay} display
 * @param {PlayState<Sticheln>} state
 * @param {Translate} t
 * @returns {StatusLine}
 */
function revealLine(display, state, t) {
  const { firstLeader, ownSeat, picks } = display;
  const strong =
    firstLeader === ownSeat
      ? t('sticheln.leadsFirst.you')
      : t('sticheln.leadsFirst', { name: nameOf(state.room, firstLeader, t) });
  const own = ownSeat !== null ? picks?.[ownSeat] : undefined;
  return { strong, text: own ? t('sticheln.reveal.own', { colour: colourName(own, t) }) : '' };
}

/**
 * @param {StichelnDisplay} display
 * @param {PlayState<Sticheln>} state
 * @param {Translate} t
 * @returns {StatusLine}
 */
function trickLine(display, state, t) {
  const waiting = waitingLine(display, state, t);
  if (waiting) return waiting;
  const isNew = (display.trick?.cards.length ?? 0) === 0;
  const effect = state.settings.hints ? effectText(display, state, t) : '';
  if (isNew) return { strong: t('turn.lead'), text: effect || t('sticheln.lead.how') };
  return { strong: t('turn.you'), text: joinSentences(winningText(display, state, t), effect) };
}

/**
 * The effect of the lifted card; without one the number of cards that would win.
 * @param {StichelnDisplay} display
 * @param {PlayState<Sticheln>} state
 * @param {Translate} t
 * @returns {string}
 */
function effectText(display, state, t) {
  const { hints, trick } = display;
  const lifted = state.lifted[0];
  if (!trick || trick.cards.length === 0) return '';
  if (!lifted) {
    if (hints.size === 0) return '';
    const winning = [...hints.values()].filter((hint) => hint.winning).length;
    return winning > 0 ? t('sticheln.beat', { n: winning }) : t('sticheln.beat.none');
  }
  const hint = hints.get(lifted);
  if (!hint) return '';
  const card = capital(cardName(lifted, t));
  const n = Math.abs(hint.points);
  if (hint.winning) return hint.points < 0 ? t('sticheln.wouldHurt', { card, n }) : t('trick.would', { card });
  if (trick.winning === undefined || hint.points === 0) return t('trick.wouldNot', { card });
  const name = nameOf(state.room, trick.winning, t);
  return t(hint.points < 0 ? 'sticheln.hurts' : 'sticheln.gives', { card, name, n });
}

/**
 * The taker of the finished trick, and its points.
 * @param {StichelnDisplay} display
 * @param {PlayState<Sticheln>} state
 * @param {Translate} t
 * @returns {string}
 */
function takenText({ trick, ownSeat }, state, t) {
  if (!trick) return '';
  const taker = trick.taker ?? null;
  if (taker === null) {
    const key = trick.leader === ownSeat ? 'sticheln.zeros.you' : 'sticheln.zeros';
    return t(key, { name: nameOf(state.room, trick.leader, t) });
  }
  const args = { name: nameOf(state.room, taker, t), points: signed(trick.points ?? 0) };
  const isZeros = trick.cards.every((card) => parseCard(card).value === 0);
  const zeros = isZeros ? t('sticheln.zeros.leader') : '';
  return joinSentences(zeros, t(taker === ownSeat ? 'sticheln.takes.you' : 'sticheln.takes', args));
}

/**
 * @param {Card} card
 * @param {Translate} t
 */
const colourName = (card, t) => t(`colour.${parseCard(card).colour}`);
