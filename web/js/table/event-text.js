/** What a screen reader is told: one line for each event worth a line. */

import { cardName } from './cards.js';
import { listed, nameOf, signed } from './format.js';

/** @import { Event, Game, Room, Translate } from './types.js' */

/**
 * Events as lines for the spoken log.
 * @param {readonly Event[]} events
 * @param {{ room: Pick<Room, 'chairs'> | null, you: { seat: number | null }, game?: any }} state
 * @param {Translate} t
 * @param {Pick<Game, 'tell'>} game
 * @returns {string[]}
 */
export function narrate(events, { room, you, game: told }, t, game) {
  const whose = { ...you, characters: told?.view?.table?.characters };
  return events.flatMap((event) =>
    event.type === 'acted_for' ? actedFor(event, room, you.seat, t) : (game.tell(event, room, whose, t) ?? []),
  );
}

/**
 * For whom a bot makes the move that comes next, and why.
 * @param {Event} event
 * @param {Pick<Room, 'chairs'> | null} room
 * @param {number | null} own
 * @param {Translate} t
 */
function actedFor({ seat, by }, room, own, t) {
  return voice(room, own, t).line(`narrate.${by}`, seat);
}

/**
 * How seats are named in the log, and how a line is chosen that has two forms: for the own seat and for any other.
 * @param {Pick<Room, 'chairs'> | null} room
 * @param {number | null} own
 * @param {Translate} t
 */
export function voice(room, own, t) {
  const name = (/** @type {number} */ seat) => (seat === own ? t('play.you') : nameOf(room, seat, t));
  const line = (/** @type {string} */ key, /** @type {number} */ seat, args = {}) =>
    t(seat === own ? `${key}.you` : key, { name: name(seat), ...args });
  return { name, line };
}

/**
 * Who plays what to a trick, and whether it leads or wins.
 * @param {Event} event
 * @param {ReturnType<typeof voice>['line']} line
 * @param {Translate} t
 */
export function played(event, line, t) {
  const key = event.leads ? 'narrate.leads' : event.winning ? 'narrate.playsWinning' : 'narrate.plays';
  return line(key, event.seat, { card: cardName(event.card, t) });
}

/**
 * What a round was for everybody.
 * @param {Event} event
 * @param {(seat: number) => string} name
 * @param {Translate} t
 */
export function scored(event, name, t) {
  const scores = event.scores.map(
    (/** @type {{ points: number }} */ score, /** @type {number} */ seat) => `${name(seat)} ${signed(score.points)}`,
  );
  return t('narrate.scored', { round: String(event.round), scores: scores.join(', ') });
}

/**
 * Who has won the game.
 * @param {Event} event
 * @param {number | null} own
 * @param {(seat: number) => string} name
 * @param {Translate} t
 */
export function over(event, own, name, t) {
  const winners = event.ranks.flatMap((/** @type {number} */ rank, /** @type {number} */ seat) =>
    rank === 1 ? [seat] : [],
  );
  if (winners.length > 1) {
    return t('end.tie', { names: listed(winners.map(name), t) });
  }
  return winners[0] === own ? t('play.end.you') : t('end.wins', { name: name(winners[0]) });
}
