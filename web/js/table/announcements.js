// The announcements of events to screen readers: a line for each event that is worth one.

import { t } from '../i18n.js';
import { nameOrYou } from '../state.js';
import { cardName } from './card-text.js';
import { gameTableOf, hasGame, isGameLoaded } from './display.js';
import { signed } from './format.js';

/** @import { Args, Translate } from '../i18n.js' */
/** @import { GameEvent, PlayedEvent, Seat } from '../protocol.js' */
/** @import { PlayState, RoomState, State } from '../types.js' */

/**
 * The announcements of events; null as long as the game and its texts are not loaded.
 * @param {readonly GameEvent[]} events
 * @param {State} state the state after the events
 * @returns {string[] | null}
 */
export function announcementsIfLoaded(events, state) {
  if (!hasGame(state)) return [];
  return isGameLoaded(state.room) ? announcements(events, state, t) : null;
}

/**
 * The announcements of events.
 * @param {readonly GameEvent[]} events
 * @param {PlayState} state the state after the events
 * @param {Translate} t
 * @returns {string[]}
 */
export function announcements(events, state, t) {
  const table = gameTableOf(state.room);
  return events.flatMap((event) => {
    if (event.type !== 'acted_for') return table.announcement(event, state, t) ?? [];
    return announcementTexts(state.room, state.you.seat, t).line(`announce.${event.by}`, event.seat);
  });
}

/**
 * How seats are named, and how a text is chosen that has two forms: for the own seat and for any other.
 * @param {Pick<RoomState, 'chairs'> | null} room
 * @param {Seat | null} ownSeat
 * @param {Translate} t
 */
export function announcementTexts(room, ownSeat, t) {
  const name = (/** @type {Seat} */ seat) => nameOrYou(room, seat, ownSeat, t);
  const line = (/** @type {string} */ key, /** @type {Seat} */ seat, /** @type {Args} */ args = {}) =>
    t(seat === ownSeat ? `${key}.you` : key, { name: name(seat), ...args });
  return { name, line };
}

/**
 * A line about a card that was played, and whether it leads or wins.
 * @param {PlayedEvent} event
 * @param {ReturnType<typeof announcementTexts>['line']} line
 * @param {Translate} t
 */
export function playedText({ seat, card, leads, winning }, line, t) {
  const key = leads ? 'announce.leads' : winning ? 'announce.playsWinning' : 'announce.plays';
  return line(key, seat, { card: cardName(card, t) });
}

/**
 * The result of a round for each seat.
 * @param {{ round: number, scores: { points: number }[] }} event
 * @param {(seat: Seat) => string} name
 * @param {Translate} t
 */
export function roundScoredText({ round, scores }, name, t) {
  const texts = scores.map(({ points }, seat) => `${name(seat)} ${signed(points)}`);
  return t('announce.scored', { round: String(round), scores: texts.join(', ') });
}
