// The announcements of a replay to screen readers.

import { BATCH_MS } from '../announcer.js';
import { t } from '../i18n.js';
import { announcements } from '../table/announcements.js';
import { isGameLoaded } from '../table/display.js';
import { stopText } from './stop-text.js';
import { eventsOfStop } from './stops.js';
import { effectsOf } from './trick-effects.js';
import { playState, shownRound } from './view.js';

/** @import { Store } from '../store.js' */
/** @import { PlayState } from '../types.js' */
/** @import { Perspective, RoundReplay, ShownStop } from './types.js' */

/**
 * The announcements of the events from a stop to the one that is shown, and the points of the tricks among them.
 * @param {ShownStop} shown
 * @param {number} first the index of the first stop
 * @param {Perspective} perspective
 * @param {PlayState} playing
 * @returns {string[]}
 */
function announcementsSince({ round, stops, index }, first, perspective, playing) {
  const effects = effectsOf(playing.room.game, round, perspective);
  return stops.slice(first, index + 1).flatMap((stop, after) => {
    const note = effects.find((effect) => effect.stop === first + after)?.note;
    return [...announcements(eventsOfStop(round, stop), playing, t), ...(note ? [t(note.key, note.args)] : [])];
  });
}

/** A step forwards over at most so many stops is told stop by stop. A longer one only tells where it has led. */
const MAX_TOLD_STOPS = 4;

/**
 * A function that tells screen readers the stop that is shown, after a short delay and once for quick steps. Nothing is told of
 * the first stop, with which the page begins.
 * @param {Pick<Store, 'state' | 'dispatch'>} store
 * @param {(callback: () => void, ms: number) => unknown} later
 */
export function createSpeaker({ state, dispatch }, later) {
  let isPlanned = false;
  /** The stop that was told last. @type {{ round: RoundReplay, index: number } | null} */
  let told = null;

  function tell() {
    isPlanned = false;
    const { replay } = state();
    const shown = replay && shownRound(replay);
    const playing = playState(state());
    if (!shown || !playing || !told || !isGameLoaded(playing.room)) return;
    const { round, stops, index } = shown;
    if (told.round === round && told.index === index) return;
    const isNear = told.round === round && index > told.index && index - told.index <= MAX_TOLD_STOPS;
    const before = isNear ? [] : [`${stopText(round, stops, index)}.`];
    const texts = announcementsSince(shown, isNear ? told.index + 1 : index, replay.place.perspective, playing);
    told = shown;
    const lines = [...before, ...texts];
    if (lines.length > 0) dispatch({ type: 'announce', lines: [lines.join(' ')], statusLine: '' });
  }

  return () => {
    const { replay } = state();
    told ??= replay && shownRound(replay);
    if (isPlanned || !told) return;
    isPlanned = true;
    later(tell, BATCH_MS);
  };
}
