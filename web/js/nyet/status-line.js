// The status line of Nyet!: the sentence above the hand.

import { cardOfKey } from '../state.js';
import { cardList, cardName } from '../table/cards.js';
import { capital, listed, nameOf, signed } from '../table/format.js';
import { join, waitingLine, winningText } from '../table/status-line.js';
import { namesOf, rulesText, spaceName, teamsText } from './phrases.js';
import { freeSpaces, spaceOfKey } from './spaces.js';

/** @import { StatusLine } from '../game.js' */
/** @import { Translate } from '../i18n.js' */
/** @import { PlayState } from '../types.js' */
/** @import { Nyet, NyetScene, Space } from './types.js' */

/**
 * Who must act, who is winning with what, and what would follow from what is lifted.
 * @param {NyetScene} scene
 * @param {PlayState<Nyet>} state
 * @param {Translate} t
 * @returns {StatusLine}
 */
export function statusLine(scene, state, t) {
  switch (scene.kind) {
    case 'board':
      return boardLine(scene, state, t);
    case 'settled': {
      const { conditions, you } = scene;
      return { strong: t('nyet.settled.all'), text: conditions ? rulesText(conditions, you, state.room, t) : '' };
    }
    case 'team':
      return teamLine(scene, state, t);
    case 'teams':
      return { strong: t('nyet.hub.teams'), text: formedText(scene, state, t) };
    case 'discard':
      return discardLine(scene, state, t);
    case 'chosen':
      return { strong: chosenText(scene, state, t), text: '' };
    case 'trick':
      return trickLine(scene, state, t);
    case 'taken':
      return { strong: takenText(scene, state, t), text: '' };
    case 'over':
      return { strong: t('score.title', { n: scene.round }), text: '' };
  }
}

/**
 * @param {NyetScene} scene
 * @param {PlayState<Nyet>} state
 * @param {Translate} t
 * @returns {StatusLine}
 */
function boardLine(scene, state, t) {
  const before = coveredText(scene, state, t);
  if (!scene.yours) {
    const seat = scene.toAct[0];
    return { strong: seat === undefined ? '' : t('nyet.saysNo', { name: nameOf(state.room, seat, t) }), text: before };
  }
  const lifted = spaceOfKey(state.lifted[0], scene);
  if (!lifted) return { strong: t('nyet.say'), text: join(before, t('nyet.rule')) };
  const { row, space } = lifted;
  const name = (/** @type {Space} */ other) => spaceName(row, other, scene.characters, scene.you, state.room, t);
  const rest = freeSpaces(row, scene).filter((other) => other !== space);
  const effect = t('nyet.would', { what: name(space) });
  const then = rest.length === 1 ? t('nyet.then', { what: name(rest[0]) }) : t('nyet.stayFree', { n: rest.length });
  return { strong: t('nyet.say'), text: join(effect, then) };
}

/**
 * What another seat has ruled out just now.
 * @param {NyetScene} scene
 * @param {PlayState<Nyet>} state
 * @param {Translate} t
 * @returns {string}
 */
function coveredText({ covered, characters, you }, state, t) {
  if (!covered || covered.seat === you) return '';
  const what = spaceName(covered.row, covered.space, characters, you, state.room, t);
  return t('nyet.ruledOut', { name: nameOf(state.room, covered.seat, t), what });
}

/**
 * @param {NyetScene} scene
 * @param {PlayState<Nyet>} state
 * @param {Translate} t
 * @returns {StatusLine}
 */
function teamLine({ yours, seats, toAct }, state, t) {
  if (yours) return { strong: t(`nyet.choose.${seats}`), text: seats === 4 ? '' : t('nyet.x2.text') };
  return { strong: t('nyet.choosesTeam', { name: nameOf(state.room, toAct[0] ?? 0, t) }), text: '' };
}

/**
 * @param {NyetScene} scene
 * @param {PlayState<Nyet>} state
 * @param {Translate} t
 * @returns {string}
 */
function formedText({ teams, you }, state, t) {
  if (!teams) return '';
  const sides = `${teamsText(teams, you, state.room, t)}.`;
  if (teams.bonus === null) return sides;
  if (teams.bonus === you) return join(sides, t('nyet.holds.you'));
  return join(sides, t('nyet.holds', { name: nameOf(state.room, teams.bonus, t) }));
}

/**
 * @param {NyetScene} scene
 * @param {PlayState<Nyet>} state
 * @param {Translate} t
 * @returns {StatusLine}
 */
function discardLine(scene, state, t) {
  const rule = scene.conditions?.discard ?? '';
  const isPassed = rule === 'pass_left';
  if (scene.yours) {
    const left = ((scene.you ?? 0) + 1) % scene.seats;
    const strong = t(`nyet.do.${rule}`, { name: nameOf(state.room, left, t) });
    return { strong, text: t(isPassed ? 'nyet.do.passing' : 'nyet.do.laying') };
  }
  const count = scene.hasDiscarded.filter(Boolean).length;
  const progress = t('nyet.chosenBy', { n: count, max: scene.seats });
  const missing = scene.toAct.map((seat) => nameOf(state.room, seat, t));
  const waiting = missing.length > 0 ? t('play.waitFor', { names: listed(missing, t) }) : '';
  if (scene.discard.length === 0) return { strong: progress, text: waiting };
  const cards = capital(cardList(scene.discard, t));
  return { strong: t(isPassed ? 'nyet.willPass' : 'nyet.willLie', { cards }), text: join(progress, waiting) };
}

/**
 * What became of the chosen cards: which card was passed to the own seat, or only that all have chosen.
 * @param {NyetScene} scene
 * @param {PlayState<Nyet>} state
 * @param {Translate} t
 * @returns {string}
 */
export function chosenText({ conditions, you, received, seats }, state, t) {
  if (conditions?.discard !== 'pass_left') return t('nyet.came.aside');
  if (you === null || !received) return t('nyet.came.passed');
  const giver = (you - 1 + seats) % seats;
  return t('nyet.came', { card: cardName(received, t), name: nameOf(state.room, giver, t) });
}

/**
 * @param {NyetScene} scene
 * @param {PlayState<Nyet>} state
 * @param {Translate} t
 * @returns {StatusLine}
 */
function trickLine(scene, state, t) {
  const waiting = waitingLine(scene, state, t);
  if (waiting) return waiting;
  if ((scene.trick?.cards.length ?? 0) === 0) return { strong: t('turn.lead'), text: '' };
  const effect = state.settings.hints ? effectText(scene, state, t) : '';
  return { strong: t('turn.you'), text: join(winningText(scene, state, t), effect || followText(scene, t)) };
}

/**
 * That the led suit must be followed, if the hand has it.
 * @param {NyetScene} scene
 * @param {Translate} t
 * @returns {string}
 */
function followText({ trick, legal, hand }, t) {
  const lead = trick?.lead;
  if (!lead || legal.size === 0 || hand.every((card) => legal.has(card))) return '';
  return lead === 'trump' ? t('nyet.must.trump') : t('nyet.must', { suit: t(`suit.${lead}`) });
}

/**
 * What the lifted card would do.
 * @param {NyetScene} scene
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
 * Who has taken the finished trick, and what of it is loot.
 * @param {NyetScene} scene
 * @param {PlayState<Nyet>} state
 * @param {Translate} t
 * @returns {string}
 */
function takenText({ trick, you }, state, t) {
  const taker = trick?.taker ?? 0;
  const event = state.pause?.event;
  const loot = event?.type === 'trick_taken' ? event.loot : [];
  const name = namesOf([taker], you, state.room, t);
  const taken = t(taker === you ? 'nyet.takes.you' : 'nyet.takes', { name });
  return join(taken, loot.length > 0 ? t('nyet.lootIs', { cards: cardList(loot, t) }) : '');
}
