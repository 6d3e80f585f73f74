/** What a screen reader is told: one line for each event worth a line. */

import { listed, signed } from './words.js';

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
  return events.flatMap((event) => game.tell(event, room, whose, t) ?? []);
}

/**
 * What a round was for everybody.
 * @param {Event} event
 * @param {(seat: number) => string} name
 * @param {Translate} t
 */
export function scored(event, name, t) {
  const scores = event.scores.map(
    (/** @type {{ points: number }} */ score, /** @type {number} */ seat) =>
      `${name(seat)} ${signed(score.points)}`,
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
