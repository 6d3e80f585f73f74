// The title of the document: it names the room, and says whether the own seat must act.

import { findGame } from './games.js';
import { isMyTurn } from './state.js';

/** @import { Translate } from './i18n.js' */
/** @import { State } from './types.js' */

/**
 * The title for a state.
 * @param {State} state
 * @param {Translate} t
 * @returns {string}
 */
export function titleOf(state, t) {
  const { route, room, replay } = state;
  if (route === 'home') return t('title.home');
  if (route === 'replay') return t('title.replay', { name: replayName(replay) || t('app.name') });
  const game = findGame(room?.game)?.name ?? t('app.name');
  const name = isMyTurn(state) ? `\u25cf ${t('title.turn')}` : room?.title;
  return name ? `${name} \u2013 ${game}` : game;
}

/**
 * The title of the room of a replay, or the name of its game.
 * @param {State['replay']} replay
 */
const replayName = (replay) => replay?.overview?.title ?? findGame(replay?.overview?.game)?.name ?? '';
