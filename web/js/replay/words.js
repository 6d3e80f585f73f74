// A replay in words: its stops, and the announcements to screen readers.

import { BATCH_MS } from '../announcer.js';
import { t } from '../i18n.js';
import { announcements } from '../table/announcements.js';
import { isGameLoaded } from '../table/display.js';
import { cardsPlayed } from './stops.js';
import { effectsOf } from './trick-effects.js';
import { playState, shownRound } from './view.js';

/** @import { GameEvent } from '../protocol.js' */
/** @import { Store } from '../store.js' */
/** @import { PlayState } from '../types.js' */
/** @import { Perspective, RoundReplay, Stop } from './types.js' */

/**
 * A stop in words: `Round 2, trick 7, card 3 of 4`.
 * @param {RoundReplay} round
 * @param {readonly Stop[]} stops
 * @param {number} index
 * @returns {string}
 */
export function stopText(round, stops, index) {
  const place = placeText(round, stops, index);
  return isAbandonedAt(stops, index) ? t('replay.at.abandoned', { place }) : place;
}

/**
 * Whether a round ends with a stop without a result, because it was abandoned.
 * @param {readonly Stop[]} stops
 * @param {number} index
 */
export const isAbandonedAt = (stops, index) => index === stops.length - 1 && !stops[index].isResult;

/**
 * @param {RoundReplay} round
 * @param {readonly Stop[]} stops
 * @param {number} index
 * @returns {string}
 */
function placeText(round, stops, index) {
  const { trick, isResult } = stops[index];
  const n = round.round;
  if (isResult) return t('replay.at.result', { n });
  if (index === 0) return t('replay.at.deal', { n });
  const seats = round.players.length;
  if (trick > 0) return t('replay.at.card', { n, trick, card: cardsPlayed(round, stops, index), max: seats });
  const max = stops.filter((stop) => stop.trick === 0).length;
  return t('replay.at.start', { n, step: index + 1, max });
}

/**
 * The events of a stop. The events after the last trick of a round belong to its result.
 * @param {RoundReplay} round
 * @param {Stop} stop
 * @returns {GameEvent[]}
 */
export function eventsOfStop({ steps }, { step, isResult }) {
  const { events = [] } = steps[step];
  const isScored = events.some(({ type }) => type === 'round_scored');
  const end = events.findLastIndex(({ type }) => type === 'trick_taken' || type === 'set_aside') + 1;
  if (!isScored || end === 0) return events;
  return isResult ? events.slice(end) : events.slice(0, end);
}

/**
 * The announcements of the events from a stop to the one that is shown, and the points of the tricks among them.
 * @param {{ round: RoundReplay, stops: readonly Stop[], index: number }} shown
 * @param {number} first the index of the first stop
 * @param {Perspective} perspective
 * @param {PlayState} playing
 * @returns {string[]}
 */
function stopTexts({ round, stops, index }, first, perspective, playing) {
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
    const texts = stopTexts(shown, isNear ? told.index + 1 : index, replay.place.perspective, playing);
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
