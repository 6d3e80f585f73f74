// The button in the tray in Nyet!: what it says, and the move that it makes.

import { t } from '../i18n.js';
import { cardOfKey } from '../state.js';
import { cardList, cardName } from '../table/cards.js';
import { capital, nameOf } from '../table/format.js';
import { secondsUntil } from '../table/scene.js';
import { teamsText } from './phrases.js';
import { spaceKey, spaceText } from './spaces.js';
import { teamChoice } from './team-choice.js';

/** @import { TrayButton } from '../game.js' */
/** @import { Card, NyetAction } from '../protocol.js' */
/** @import { PlayState } from '../types.js' */
/** @import { Nyet, NyetScene } from './types.js' */

/**
 * The button in a scene.
 * @param {NyetScene} scene
 * @param {PlayState<Nyet>} state
 * @returns {TrayButton<Nyet>}
 */
export function button(scene, state) {
  if (scene.kind === 'settled' || scene.kind === 'teams' || scene.kind === 'chosen') {
    const left = secondsUntil(state.pause?.until, state.clock);
    return { label: `${t('reveal.go')}${left ? ` (${left})` : ''}`, endsPause: true };
  }
  if (state.sending) {
    const { card } = state.sending;
    return { label: card ? t('trick.sending', { card: capital(cardName(card, t)) }) : t('play.wait') };
  }
  if (!scene.yours) return {};
  switch (scene.kind) {
    case 'board':
      return coverButton(scene, state);
    case 'team':
      return teamButton(scene, state);
    case 'discard':
      return discardButton(scene, state);
    default:
      return playButton(scene, state);
  }
}

/**
 * @param {NyetScene} scene
 * @param {PlayState<Nyet>} state
 * @returns {TrayButton<Nyet>}
 */
function coverButton(scene, state) {
  const lifted = state.lifted[0];
  for (const action of scene.actions) {
    if (action.type !== 'cover' || spaceKey(action.row, action.space) !== lifted) continue;
    return { label: t('nyet.confirm', { what: spaceText(action.row, action.space, scene, state) }), action };
  }
  return { label: t('nyet.chooseSpace') };
}

/**
 * @param {NyetScene} scene
 * @param {PlayState<Nyet>} state
 * @returns {TrayButton<Nyet>}
 */
function teamButton(scene, state) {
  const { teams, action, needsBonus } = teamChoice(scene, state);
  if (teams === null) return { label: t('nyet.chooseTeam') };
  if (needsBonus) return { label: t('nyet.chooseBonus') };
  return { label: teamsText(teams, scene.you, state.room, t), action };
}

/**
 * @param {NyetScene} scene
 * @param {PlayState<Nyet>} state
 * @returns {TrayButton<Nyet>}
 */
function discardButton({ maxLifted, actions, you, seats, conditions }, state) {
  const cards = state.lifted.map(cardOfKey);
  const action = cards.length === maxLifted ? discardOf(cards, actions) : undefined;
  if (!action) return { label: t('nyet.chooseCards', { n: maxLifted }) };
  const names = cardList(cards, t);
  if (conditions?.discard !== 'pass_left') return { label: t('nyet.aside', { cards: names }), action };
  const left = ((you ?? 0) + 1) % seats;
  return { label: t('nyet.pass', { cards: names, name: nameOf(state.room, left, t) }), action };
}

/**
 * The move that gives up these cards, in any order.
 * @param {readonly Card[]} cards
 * @param {readonly NyetAction[]} actions
 */
function discardOf(cards, actions) {
  const wanted = [...cards].sort().join();
  return actions.find((action) => action.type === 'discard' && [...action.cards].sort().join() === wanted);
}

/**
 * @param {NyetScene} scene
 * @param {PlayState<Nyet>} state
 * @returns {TrayButton<Nyet>}
 */
function playButton({ legal }, state) {
  const card = state.lifted[0] ? cardOfKey(state.lifted[0]) : null;
  const action = card ? legal.get(card) : undefined;
  if (!card || !action) return { label: t('trick.choose') };
  return { label: capital(t('trick.play', { card: cardName(card, t) })), action };
}
