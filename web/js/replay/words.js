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
 * @param {number} at
 * @returns {string}
 */
export function stopText(round, stops, at) {
  const place = placeText(round, stops, at);
  return isAbandonedAt(stops, at) ? t('replay.at.abandoned', { place }) : place;
}

/**
 * Whether a round ends with a stop without a result, because it was abandoned.
 * @param {readonly Stop[]} stops
 * @param {number} at
 */
export const isAbandonedAt = (stops, at) => at === stops.length - 1 && !stops[at].isResult;

/**
 * @param {RoundReplay} round
 * @param {readonly Stop[]} stops
 * @param {number} at
 * @returns {string}
 */
function placeText(round, stops, at) {
  const { trick, isResult } = stops[at];
  const n = round.round;
  if (isResult) return t('replay.at.result', { n });
  if (at === 0) return t('replay.at.deal', { n });
  const seats = round.players.length;
  if (trick > 0) return t('replay.at.card', { n, trick, card: cardsPlayed(round, stops, at), max: seats });
  const max = stops.filter((stop) => stop.trick === 0).length;
  return t('replay.at.start', { n, step: at + 1, max });
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
 * @param {{ round: RoundReplay, stops: readonly Stop[], at: number }} shown
 * @param {number} first the index of the first stop
 * @param {Perspective} perspective
 * @param {PlayState} playing
 * @returns {string[]}
 */
function stopTexts({ round, stops, at }, first, perspective, playing) {
  const effects = effectsOf(playing.room.game, round, perspective);
  return stops.slice(first, at + 1).flatMap((stop, after) => {
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
  /** The stop that was told last. @type {{ round: RoundReplay, at: number } | null} */
  let told = null;

  function tell() {
    isPlanned = false;
    const { replay } = state();
    const shown = replay && shownRound(replay);
    const playing = playState(state());
    if (!shown || !playing || !told || !isGameLoaded(playing.room)) return;
    const { round, stops, at } = shown;
    if (told.round === round && told.at === at) return;
    const isNear = told.round === round && at > told.at && at - told.at <= MAX_TOLD_STOPS;
    const before = isNear ? [] : [`${stopText(round, stops, at)}.`];
    const texts = stopTexts(shown, isNear ? told.at + 1 : at, replay.place.perspective, playing);
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
