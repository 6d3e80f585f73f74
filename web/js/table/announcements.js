// The announcements of events to screen readers: a line for each event that is worth one, or one line for all missed events.

import { t } from '../i18n.js';
import { nameOrYou } from '../state.js';
import { cardName } from './card-text.js';
import { gameTableOf, hasGame, isGameLoaded } from './display.js';
import { signed } from './format.js';

/** @import { Args, Translate } from '../i18n.js' */
/** @import { Game, GameEvent, PlayedEvent, Seat } from '../protocol.js' */
/** @import { PlayState, RoomState, State } from '../types.js' */

/** The missed events that are announced as if they were new. @type {readonly GameEvent['type'][]} */
const ANNOUNCED_IF_MISSED = ['round_scored', 'game_over'];
/** Those of the running round: what they announce holds until its end. @type {readonly GameEvent['type'][]} */
const ANNOUNCED_UNTIL_ROUND_END = ['dealt', 'board_settled', 'discards_done', 'teams_formed', 'revealed'];

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
    asideText(events, t),
    ownMovesText(events, state, t),
    ...stillTrue(events).map((event) => announcement(event, state, t)),
    cardsText(events, t),
    gap ? t('missed.gap') : null,
  ].flatMap((text) => (text === null ? [] : [sentence(text)]));
  // On a slow connection too the server can leave events out.
  const why = t(state.isCaughtUp ? 'missed.slow' : 'missed.away');
  return news.length > 0 ? [[why, ...news].join(' ')] : [];
}

/** A text that ends like a sentence, so that the next one can follow. @param {string} text */
const sentence = (text) => (/[.!?]$/.test(text) ? text : `${text}.`);

/**
 * The missed events whose announcements still hold: the results, and those of the running round.
 * @param {readonly GameEvent[]} events
 */
function stillTrue(events) {
  const begin = events.findLastIndex(({ type }) => type === 'dealt' || type === 'round_scored');
  const areDiscardsDone = events.some(({ type }, at) => type === 'discards_done' && at > begin);
  return events.filter((event, at) => {
    if (ANNOUNCED_IF_MISSED.includes(event.type)) return true;
    if (at < begin) return false;
    return ANNOUNCED_UNTIL_ROUND_END.includes(event.type) || (event.type === 'discarded' && !areDiscardsDone);
  });
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
 * How many tricks no seat has taken.
 * @param {readonly GameEvent[]} events
 * @param {Translate} t
 */
function asideText(events, t) {
  const n = events.filter(({ type }) => type === 'set_aside').length;
  return n > 0 ? t('missed.aside', { n }) : null;
}

/**
 * How many moves a bot has made for the own seat.
 * @param {readonly GameEvent[]} events
 * @param {PlayState} state
 * @param {Translate} t
 */
function ownMovesText(events, { you }, t) {
  const n = events.filter((event) => event.type === 'acted_for' && event.seat === you.seat).length;
  return n > 0 ? t('missed.actedFor', { n }) : null;
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
