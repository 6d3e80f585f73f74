/** The one sentence that tells the state; it stands above the hand, and is spoken. */

import { cardName, cardOf } from './cards.js';
import { capital, nameOf } from './format.js';

/** @import { Sentence, Shown, State, Translate } from './types.js' */

/**
 * Who must act, who is winning with what, and what the lifted card would do.
 * @param {Shown} now
 * @param {State} state
 * @param {Translate} t
 * @returns {Sentence}
 */
export function sentence(now, state, t) {
  const isResting = now.paused && !state.pause;
  const { strong, text } = isResting ? { strong: t('play.rests'), text: '' } : now.game.sentence(now, state, t);
  if (now.you !== null) {
    return { strong, text };
  }
  return { strong: t('watch.title'), text: join(strong, text) };
}

/**
 * What is said of a trick while a card is on its way or somebody else is to play; `null` when it is the own turn.
 * @param {Omit<Shown, 'game'>} now
 * @param {State} state
 * @param {Translate} t
 * @returns {Sentence | null}
 */
export function elsewhere(now, state, t) {
  if (state.sending?.card) {
    return { strong: t('trick.sending', { card: capital(cardName(state.sending.card, t)) }), text: '' };
  }
  if (now.yours) {
    return null;
  }
  const seat = now.toAct[0];
  const isNew = (now.trick?.cards.length ?? 0) === 0;
  const strong =
    seat === undefined ? '' : t(isNew ? 'play.leads' : 'turn.other', { name: nameOf(state.room, seat, t) });
  return { strong, text: winning(now, state, t) };
}

/**
 * Who is winning the trick on the table, and with what.
 * @param {Omit<Shown, 'game'>} now
 * @param {State} state
 * @param {Translate} t
 * @returns {string}
 */
export function winning(now, state, t) {
  const { trick } = now;
  if (!trick || trick.cards.length === 0) {
    return '';
  }
  const seat = trick.winning;
  const card = seat === undefined ? undefined : cardOf(trick, seat, now.seats);
  if (seat === undefined || card === undefined) {
    return t('play.nobodyWins');
  }
  const args = { name: nameOf(state.room, seat, t), card: cardName(card, t) };
  return t(seat === now.you ? 'play.winning.you' : 'trick.winning', args);
}

/**
 * Sentences behind each other, without those that are empty.
 * @param {string[]} texts
 */
export const join = (...texts) => texts.filter(Boolean).join(' ');
