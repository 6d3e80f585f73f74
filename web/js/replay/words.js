// A replay in words: its stops, its viewpoints, and the announcements to screen readers.

import { BATCH_MS, createAnnouncer } from '../announcer.js';
import { t } from '../i18n.js';
import { nameOf } from '../state.js';
import { announcements } from '../table/announcements.js';
import { isGameLoaded } from '../table/display.js';
import { cardsPlayed } from './stops.js';
import { playState, shownRound } from './view.js';

/** @import { GameEvent } from '../protocol.js' */
/** @import { Store } from '../store.js' */
/** @import { PlayState } from '../types.js' */
/** @import { ReplayRound, Stop, Viewpoint } from './types.js' */

/** The events that are told with the result of a round. @type {readonly GameEvent['type'][]} */
const OF_RESULT = ['round_scored', 'game_over'];

/**
 * A stop in words: `Round 2, trick 7, card 3 of 4`.
 * @param {ReplayRound} round
 * @param {readonly Stop[]} stops
 * @param {number} at
 * @returns {string}
 */
export function stopText(round, stops, at) {
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
 * From where the table is seen, as a text.
 * @param {Viewpoint} viewpoint
 * @param {Pick<PlayState, 'room'>} state
 * @returns {string}
 */
export function viewpointText(viewpoint, { room }) {
  if (viewpoint.kind === 'seat') return t('replay.view.seat', { name: nameOf(room, viewpoint.seat, t) });
  return t(viewpoint.kind === 'open' ? 'replay.view.open' : 'replay.view.spectator');
}

/**
 * The events of a stop. Those of the result of a round come after the last trick.
 * @param {ReplayRound} round
 * @param {Stop} stop
 * @returns {GameEvent[]}
 */
export function eventsOfStop({ steps }, { step, isResult }) {
  const { events = [] } = steps[step];
  const hasTrickEnd = events.some(({ type }) => type === 'trick_taken' || type === 'set_aside');
  if (!isResult) return events.filter(({ type }) => !OF_RESULT.includes(type));
  return hasTrickEnd ? events.filter(({ type }) => OF_RESULT.includes(type)) : events;
}

/**
 * A function that tells screen readers the stop that is shown, unless it has told them before. After a step over several cards
 * it also says where the replay is.
 * @param {Pick<Store, 'state' | 'dispatch'>} store
 * @param {(callback: () => void, ms: number) => unknown} later
 */
export function createSpeaker({ state, dispatch }, later) {
  const announcer = createAnnouncer({
    announce: (lines, statusLine) => dispatch({ type: 'announce', lines, statusLine }),
    later: (callback) => later(callback, BATCH_MS),
  });
  /** @type {{ round: ReplayRound, at: number } | null} */
  let told = null;
  return () => {
    const { replay } = state();
    const shown = replay && shownRound(replay);
    if (!shown || (told?.round === shown.round && told.at === shown.at)) return;
    const playing = playState(state());
    const isNext = told?.round === shown.round && shown.at === told.at + 1;
    const isFirst = told === null;
    told = shown;
    if (isFirst || !playing || !isGameLoaded(playing.room)) return;
    const { round, stops, stop, at } = shown;
    const events = announcements(eventsOfStop(round, stop), playing, t);
    announcer.addLines(...(isNext ? [] : [`${stopText(round, stops, at)}.`]), ...events);
  };
}
