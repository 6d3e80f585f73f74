// What the page has missed while it had no connection, in one announcement.

import { t } from '../i18n.js';
import { announcementTexts } from './announcements.js';
import { gameTableOf, hasGame, isGameLoaded } from './display.js';

/** @import { Translate } from '../i18n.js' */
/** @import { Game, GameEvent, Seat } from '../protocol.js' */
/** @import { PlayState, State } from '../types.js' */

/** The events that are announced as if they were new. @type {readonly GameEvent['type'][]} */
const ANNOUNCED = ['round_scored', 'dealt', 'game_over'];

/**
 * The announcement of missed events in one line, if there is something to tell; null as long as the game and its texts are
 * not loaded.
 * @param {Game} message the message with the missed events
 * @param {State} state the state after it
 * @returns {string[] | null}
 */
export function missedSummaryIfLoaded(message, state) {
  if (!hasGame(state)) return [];
  return isGameLoaded(state.room) ? missedSummary(message, state, t) : null;
}

/**
 * @param {Pick<Game, 'events' | 'gap'>} message
 * @param {PlayState} state
 * @param {Translate} t
 * @returns {string[]}
 */
export function missedSummary({ events, gap }, state, t) {
  const news = [
    tricksText(events, state, t),
    ...events.filter(({ type }) => ANNOUNCED.includes(type)).map((event) => announcement(event, state, t)),
    cardsText(events, t),
    gap ? t('missed.gap') : null,
  ].filter((text) => text !== null);
  // On a slow connection too the server can leave events out.
  const why = t(state.isCaughtUp ? 'missed.slow' : 'missed.away');
  return news.length > 0 ? [[why, ...news].join(' ')] : [];
}

/**
 * @param {GameEvent} event
 * @param {PlayState} state
 * @param {Translate} t
 */
function announcement(event, state, t) {
  return event.type === 'acted_for' ? null : gameTableOf(state.room).announcement(event, state, t);
}

/**
 * How many tricks each seat has taken.
 * @param {readonly GameEvent[]} events
 * @param {PlayState} state
 * @param {Translate} t
 */
function tricksText(events, { room, you }, t) {
  /** @type {Map<Seat, number>} */
  const counts = new Map();
  for (const event of events) {
    if (event.type === 'trick_taken' && 'seat' in event) counts.set(event.seat, (counts.get(event.seat) ?? 0) + 1);
  }
  if (counts.size === 0) return null;
  const { name } = announcementTexts(room, you.seat, t);
  const tricks = [...counts].sort(([one], [other]) => one - other).map(([seat, count]) => `${name(seat)} ${count}`);
  return t('missed.tricks', { tricks: tricks.join(', ') });
}

/**
 * How many cards were played to the trick on the table.
 * @param {readonly GameEvent[]} events
 * @param {Translate} t
 */
function cardsText(events, t) {
  const end = events.findLastIndex(({ type }) => type === 'trick_taken' || type === 'set_aside' || type === 'dealt');
  const n = events.slice(end + 1).filter(({ type }) => type === 'played').length;
  return n > 0 ? t('missed.cards', { n }) : null;
}
