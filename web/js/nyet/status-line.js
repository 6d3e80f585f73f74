// The status line of Nyet!: the sentence above the hand.

import { nameList } from '../i18n.js';
import { cardOfKey, nameOf } from '../state.js';
import { cardList, cardName } from '../table/card-text.js';
import { capital, signed } from '../table/format.js';
import { joinSentences, waitingLine, winningText } from '../table/status-line.js';
import { conditionsText, leftNeighbour, namesOf, spaceText, teamsText } from './phrases.js';
import { freeSpaces, spaceOfKey } from './spaces.js';

/** @import { StatusLine } from '../game.js' */
/** @import { Translate } from '../i18n.js' */
/** @import { PlayState } from '../types.js' */
/** @import { Nyet, NyetDisplay, Space } from './types.js' */

/**
 * The status line: the seat to act, the winning seat and card, and the effect of what is lifted.
 * @param {NyetDisplay} display
 * @param {PlayState<Nyet>} state
 * @param {Translate} t
 * @returns {StatusLine}
 */
export function statusLine(display, state, t) {
  switch (display.kind) {
    case 'board':
      return boardLine(display, state, t);
    case 'settled': {
      const { conditions, ownSeat } = display;
      return {
        strong: t('nyet.settled.all'),
        text: conditions ? conditionsText(conditions, ownSeat, state.room, t) : '',
      };
    }
    case 'choosing_team':
      return teamLine(display, state, t);
    case 'teams_formed':
      return { strong: t('nyet.hub.teams'), text: formedText(display, state, t) };
    case 'discard':
      return discardLine(display, state, t);
    case 'chosen':
      return { strong: chosenText(display, state, t), text: '' };
    case 'trick':
      return trickLine(display, state, t);
    case 'taken':
      return { strong: takenText(display, state, t), text: '' };
    case 'round_end':
      return { strong: t('score.title', { n: display.round }), text: '' };
  }
}

/**
 * @param {NyetDisplay} display
 * @param {PlayState<Nyet>} state
 * @param {Translate} t
 * @returns {StatusLine}
 */
function boardLine(display, state, t) {
  const before = coveredText(display, state, t);
  if (!display.yours) {
    const seat = display.toAct[0];
    return {
      strong: seat === undefined ? '' : t('nyet.isCovering', { name: nameOf(state.room, seat, t) }),
      text: before,
    };
  }
  const lifted = spaceOfKey(state.lifted[0], display);
  if (!lifted) return { strong: t('nyet.cover'), text: joinSentences(before, t('nyet.rule')) };
  const { row, space } = lifted;
  const name = (/** @type {Space} */ other) =>
    spaceText(row, other, display.characters, display.ownSeat, state.room, t);
  const rest = freeSpaces(row, display).filter((other) => other !== space);
  const effect = t('nyet.wouldCover', { what: name(space) });
  const then = rest.length === 1 ? t('nyet.then', { what: name(rest[0]) }) : t('nyet.stayFree', { n: rest.length });
  return { strong: t('nyet.cover'), text: joinSentences(effect, then) };
}

/**
 * The space that another seat has just covered.
 * @param {NyetDisplay} display
 * @param {PlayState<Nyet>} state
 * @param {Translate} t
 * @returns {string}
 */
function coveredText({ covered, characters, ownSeat }, state, t) {
  if (!covered || covered.seat === ownSeat) return '';
  const what = spaceText(covered.row, covered.space, characters, ownSeat, state.room, t);
  return t('nyet.hasCovered', { name: nameOf(state.room, covered.seat, t), what });
}

/**
 * @param {NyetDisplay} display
 * @param {PlayState<Nyet>} state
 * @param {Translate} t
 * @returns {StatusLine}
 */
function teamLine({ yours, seats, toAct }, state, t) {
  if (yours) return { strong: t(`nyet.choose.${seats}`), text: seats === 4 ? '' : t('nyet.x2.text') };
  return { strong: t('nyet.choosesTeam', { name: nameOf(state.room, toAct[0] ?? 0, t) }), text: '' };
}

/**
 * @param {NyetDisplay} display
 * @param {PlayState<Nyet>} state
 * @param {Translate} t
 * @returns {string}
 */
function formedText({ teams, ownSeat }, state, t) {
  if (!teams) return '';
  const teamsLine = `${teamsText(teams, ownSeat, state.room, t)}.`;
  if (teams.bonus === null) return teamsLine;
  if (teams.bonus === ownSeat) return joinSentences(teamsLine, t('nyet.holds.you'));
  return joinSentences(teamsLine, t('nyet.holds', { name: nameOf(state.room, teams.bonus, t) }));
}

/**
 * @param {NyetDisplay} display
 * @param {PlayState<Nyet>} state
 * @param {Translate} t
 * @returns {StatusLine}
 */
function discardLine(display, state, t) {
  const rule = display.conditions?.discard ?? '';
  const isPassed = rule === 'pass_left';
  if (display.yours) {
    const strong = t(`nyet.do.${rule}`, { name: leftNeighbour(display, state.room, t) });
    return { strong, text: t(isPassed ? 'nyet.do.passing' : 'nyet.do.laying') };
  }
  const count = display.hasDiscarded.filter(Boolean).length;
  const progress = t('nyet.chosenBy', { n: count, max: display.seats });
  const missing = display.toAct.map((seat) => nameOf(state.room, seat, t));
  const waiting = missing.length > 0 ? t('common.waitFor', { names: nameList(missing, t) }) : '';
  if (display.discard.length === 0) return { strong: progress, text: waiting };
  const cards = capital(cardList(display.discard, t));
  const strong = t(isPassed ? 'nyet.willPass' : 'nyet.willLayAside', { cards });
  if (!display.mayChange) return { strong, text: joinSentences(progress, waiting) };
  // The middle of the table shows how many have chosen.
  return { strong, text: joinSentences(t('nyet.mayChange'), waiting) };
}

/**
 * The outcome of the row `discard`: the card that was passed to the own seat, or only that all have chosen.
 * @param {NyetDisplay} display
 * @param {PlayState<Nyet>} state
 * @param {Translate} t
 * @returns {string}
 */
export function chosenText({ conditions, ownSeat, received, seats }, state, t) {
  if (conditions?.discard !== 'pass_left') return t('nyet.allLaidAside');
  if (ownSeat === null || !received) return t('nyet.allPassed');
  const giver = (ownSeat - 1 + seats) % seats;
  return t('nyet.received', { card: cardName(received, t), name: nameOf(state.room, giver, t) });
}

/**
 * @param {NyetDisplay} display
 * @param {PlayState<Nyet>} state
 * @param {Translate} t
 * @returns {StatusLine}
 */
function trickLine(display, state, t) {
  const waiting = waitingLine(display, state, t);
  if (waiting) return waiting;
  if ((display.trick?.cards.length ?? 0) === 0) return { strong: t('turn.lead'), text: '' };
  const effect = state.settings.hints ? effectText(display, state, t) : '';
  return {
    strong: t('turn.you'),
    text: joinSentences(winningText(display, state, t), effect || followText(display, t)),
  };
}

/**
 * The sentence that the led suit must be followed; empty if all cards of the hand may be played.
 * @param {NyetDisplay} display
 * @param {Translate} t
 * @returns {string}
 */
function followText({ trick, legal, hand }, t) {
  const lead = trick?.lead;
  if (!lead || legal.size === 0 || hand.every((card) => legal.has(card))) return '';
  return lead === 'trump' ? t('nyet.must.trump') : t('nyet.must', { colour: t(`colour.${lead}`) });
}

/**
 * The effect of the lifted card.
 * @param {NyetDisplay} display
 * @param {PlayState<Nyet>} state
 * @param {Translate} t
 * @returns {string}
 */
function effectText({ legal, hints, trick }, state, t) {
  const lifted = state.lifted[0] ? cardOfKey(state.lifted[0]) : null;
  const hint = lifted && legal.has(lifted) ? hints.get(lifted) : undefined;
  if (!lifted || !hint) return '';
  const card = capital(cardName(lifted, t));
  if (hint.winning) return t('trick.would', { card });
  if (trick?.winning === undefined || hint.points === 0) return t('trick.wouldNot', { card });
  const name = nameOf(state.room, trick.winning, t);
  return t('nyet.wouldLoot', { card, name, points: signed(hint.points) });
}

/**
 * The taker of the finished trick, and its loot.
 * @param {NyetDisplay} display
 * @param {PlayState<Nyet>} state
 * @param {Translate} t
 * @returns {string}
 */
function takenText({ trick, ownSeat }, state, t) {
  const taker = trick?.taker ?? 0;
  const event = state.hold?.event;
  const loot = event?.type === 'trick_taken' ? event.loot : [];
  const name = namesOf([taker], ownSeat, state.room, t);
  const taken = t(taker === ownSeat ? 'nyet.takes.you' : 'nyet.takes', { name });
  return joinSentences(taken, loot.length > 0 ? t('nyet.lootIs', { cards: cardList(loot, t) }) : '');
}
