/** The button of Nyet!: what it says, and what it does. */

import { t } from '../i18n.js';
import { cardOfKey } from '../state.js';
import { cardName } from '../table/cards.js';
import { capital, listed, nameOf } from '../table/format.js';
import { secondsUntil } from '../table/scene.js';
import { sides } from './phrases.js';
import { named } from './spaces.js';
import { choice } from './team-choice.js';

/** @import { Action, Actions, Button, State } from '../table/types.js' */
/** @import { Shown } from './scene.js' */

/**
 * What the button says, and what it does.
 * @param {Shown} now
 * @param {State} state
 * @returns {Button}
 */
export function button(now, state) {
  if (now.kind === 'settled' || now.kind === 'teams' || now.kind === 'chosen') {
    const left = secondsUntil(state.pause?.until, state.clock);
    return { label: `${t('reveal.go')}${left ? ` (${left})` : ''}`, goesOn: true };
  }
  if (state.sending) {
    const { card } = state.sending;
    return { label: card ? t('trick.sending', { card: capital(cardName(card, t)) }) : t('play.wait') };
  }
  if (!now.yours) {
    return {};
  }
  switch (now.kind) {
    case 'board':
      return covering(now, state);
    case 'team':
      return choosing(now, state);
    case 'discard':
      return discarding(now, state);
    default:
      return playing(now, state);
  }
}

/**
 * Does what the button says, if it does something.
 * @param {Shown} now
 * @param {State} state
 * @param {Actions} actions
 */
export function playButton(now, state, actions) {
  const { action } = button(now, state);
  if (action) {
    actions.act(action);
  }
}

/**
 * @param {Shown} now
 * @param {State} state
 * @returns {Button}
 */
function covering(now, state) {
  const [row, space] = (state.lifted[0] ?? '').split(':');
  const action = now.actions.find((action) => action.row === row && action.space === space);
  return action
    ? { label: t('nyet.confirm', { what: named(row, space, now, state) }), action }
    : { label: t('nyet.chooseSpace') };
}

/**
 * @param {Shown} now
 * @param {State} state
 * @returns {Button}
 */
function choosing(now, state) {
  const { teams, action, needsBonus } = choice(now, state);
  if (teams === null) {
    return { label: t('nyet.chooseTeam') };
  }
  return needsBonus ? { label: t('nyet.chooseBonus') } : { label: sides(teams, now.you, state.room, t), action };
}

/**
 * @param {Shown} now
 * @param {State} state
 * @returns {Button}
 */
function discarding(now, state) {
  const cards = state.lifted.map(cardOfKey);
  const action = cards.length === now.most ? discardOf(cards, now.actions) : undefined;
  if (!action) {
    return { label: t('nyet.chooseCards', { n: now.most }) };
  }
  const what = listed(
    cards.map((card) => cardName(card, t)),
    t,
  );
  const left = ((now.you ?? 0) + 1) % now.seats;
  const isPassed = now.conditions?.discard === 'pass_left';
  return {
    label: isPassed
      ? t('nyet.pass', { cards: what, name: nameOf(state.room, left, t) })
      : t('nyet.aside', { cards: what }),
    action,
  };
}

/**
 * The action that lays these cards aside, in whatever order.
 * @param {readonly string[]} cards
 * @param {readonly Action[]} actions
 */
function discardOf(cards, actions) {
  const wanted = [...cards].sort().join();
  return actions.find((action) => action.cards && [...action.cards].sort().join() === wanted);
}

/**
 * @param {Shown} now
 * @param {State} state
 * @returns {Button}
 */
function playing(now, state) {
  const card = state.lifted[0] ? cardOfKey(state.lifted[0]) : null;
  const action = card ? now.legal.get(card) : undefined;
  return card && action
    ? { label: capital(t('trick.play', { card: cardName(card, t) })), action }
    : { label: t('trick.choose') };
}
