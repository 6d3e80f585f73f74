// The button in the tray in Nyet!: its label, and the move that it makes.

import { ignoreUnknown } from '../exhaustive.js';
import { t } from '../i18n.js';
import { cardOfKey } from '../state.js';
import { cardList, cardName } from '../table/card-text.js';
import { continueLabel } from '../table/display.js';
import { capital } from '../table/format.js';
import { leftNeighbour, teamsText } from './phrases.js';
import { shownSpaceText, spaceKey } from './spaces.js';
import { teamChoice } from './team-choice.js';

/** @import { TrayButton } from '../game.js' */
/** @import { Card, NyetAction } from '../protocol.js' */
/** @import { PlayState } from '../types.js' */
/** @import { Nyet, NyetDisplay } from './types.js' */

/**
 * The button in a display.
 * @param {NyetDisplay} display
 * @param {PlayState<Nyet>} state
 * @returns {TrayButton<Nyet>}
 */
export function trayButton(display, state) {
  const { kind } = display;
  if (kind === 'settled' || kind === 'teams_formed' || kind === 'chosen') {
    return { label: continueLabel(state), endsHold: true };
  }
  if (state.pendingMove) {
    const { card } = state.pendingMove;
    return { label: card ? t('trick.sending', { card: capital(cardName(card, t)) }) : t('play.wait') };
  }
  if (!display.yours && !display.mayChange) return {};
  switch (kind) {
    case 'board':
      return coverButton(display, state);
    case 'choosing_team':
      return teamButton(display, state);
    case 'discard':
      return discardButton(display, state);
    case 'trick':
    case 'taken':
    case 'round_end':
      return playButton(display, state);
    default:
      return ignoreUnknown(kind, {});
  }
}

/**
 * @param {NyetDisplay} display
 * @param {PlayState<Nyet>} state
 * @returns {TrayButton<Nyet>}
 */
function coverButton(display, state) {
  const lifted = state.lifted[0];
  for (const action of display.actions) {
    if (action.type !== 'cover' || spaceKey(action.row, action.space) !== lifted) continue;
    return {
      label: t('nyet.cover.confirm', { what: shownSpaceText(action.row, action.space, display, state) }),
      action,
    };
  }
  return { label: t('nyet.chooseSpace') };
}

/**
 * @param {NyetDisplay} display
 * @param {PlayState<Nyet>} state
 * @returns {TrayButton<Nyet>}
 */
function teamButton(display, state) {
  const { teams, action, needsBonus } = teamChoice(display, state);
  if (teams === null) return { label: t('nyet.chooseTeam') };
  if (needsBonus) return { label: t('nyet.chooseBonus') };
  return { label: teamsText(teams, display.ownSeat, state.room, t), action };
}

/**
 * @param {NyetDisplay} display
 * @param {PlayState<Nyet>} state
 * @returns {TrayButton<Nyet>}
 */
function discardButton(display, state) {
  const { maxLifted, actions, conditions, mayChange } = display;
  const cards = state.lifted.map(cardOfKey);
  if (mayChange && cards.length === 0) return {};
  const action = cards.length === maxLifted ? discardOf(cards, actions) : undefined;
  if (!action) return { label: t('nyet.chooseCards', { n: maxLifted }) };
  const names = cardList(cards, t);
  const isPassed = conditions?.discard === 'pass_left';
  if (mayChange) return { label: t(isPassed ? 'nyet.passInstead' : 'nyet.layAsideInstead', { cards: names }), action };
  if (!isPassed) return { label: t('nyet.layAside', { cards: names }), action };
  return { label: t('nyet.pass', { cards: names, name: leftNeighbour(display, state.room, t) }), action };
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
 * @param {NyetDisplay} display
 * @param {PlayState<Nyet>} state
 * @returns {TrayButton<Nyet>}
 */
function playButton({ legal }, state) {
  const card = state.lifted[0] ? cardOfKey(state.lifted[0]) : null;
  const action = card ? legal.get(card) : undefined;
  if (!card || !action) return { label: t('trick.choose') };
  return { label: capital(t('trick.play', { card: cardName(card, t) })), action };
}
