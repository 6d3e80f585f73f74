// The announcements of a replay to screen readers.

import { BATCH_MS } from '../announcer.js';
import { t } from '../i18n.js';
import { announcements } from '../table/announcements.js';
import { isGameLoaded } from '../table/display.js';
import { playStateOf, shownRound } from './play-state.js';
import { stopText } from './stop-text.js';
import { eventsOfStop } from './stops.js';
import { effectsOf } from './trick-effects.js';

/** @import { Store } from '../store.js' */
/** @import { PlayState } from '../types.js' */
/** @import { Perspective, RoundReplay, ShownStop } from './types.js' */

/**
 * The announcements of the events from a stop to the one that is shown, and the points of the tricks among them.
 * @param {ShownStop} shown
 * @param {number} first the index of the first stop
 * @param {Perspective} perspective
 * @param {PlayState} playState
 * @returns {string[]}
 */
function announcementsSince({ round, stops, index }, first, perspective, playState) {
  const effects = effectsOf(playState.room.game, round, perspective);
  return stops.slice(first, index + 1).flatMap((stop, after) => {
    const note = effects.find((effect) => effect.stop === first + after)?.note;
    return [...announcements(eventsOfStop(round, stop), playState, t), ...(note ? [t(note.key, note.args)] : [])];
  });
}

/**
 * After a step forwards over at most so many stops, each stop is announced. Any other move announces the new place and the events
 * of its stop alone.
 */
const MAX_ANNOUNCED_STOPS = 4;

/**
 * A function that announces the stop that is shown, after a short delay and once for quick steps. The first stop is not announced,
 * because the page begins with it.
 * @param {Pick<Store, 'state' | 'dispatch'>} store
 * @param {(callback: () => void, ms: number) => unknown} later
 */
export function createReplayAnnouncer({ state, dispatch }, later) {
  let isPlanned = false;
  /** The stop that was announced last. @type {{ round: RoundReplay, index: number } | null} */
  let announced = null;

  function announce() {
    isPlanned = false;
    const { replay } = state();
    const shown = replay && shownRound(replay);
    const playState = playStateOf(state());
    if (!shown || !playState || !announced || !isGameLoaded(playState.room)) return;
    const { round, stops, index } = shown;
    if (announced.round === round && announced.index === index) return;
    const isNear =
      announced.round === round && index > announced.index && index - announced.index <= MAX_ANNOUNCED_STOPS;
    const before = isNear ? [] : [`${stopText(round, stops, index)}.`];
    const texts = announcementsSince(shown, isNear ? announced.index + 1 : index, replay.place.perspective, playState);
    announced = shown;
    const lines = [...before, ...texts];
    if (lines.length > 0) dispatch({ type: 'announce', lines: [lines.join(' ')], statusLine: '' });
  }

  return () => {
    const { replay } = state();
    announced ??= replay && shownRound(replay);
    if (isPlanned || !announced) return;
    isPlanned = true;
    later(announce, BATCH_MS);
  };
}
