/** The one sentence that tells the state; it stands above the hand, and is spoken. */

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
  return { strong: t('watch.title'), text: [strong, text].filter(Boolean).join(' ') };
}
