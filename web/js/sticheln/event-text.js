/** What a screen reader is told of Sticheln: one line for each event worth a line. */

import { cardName, parts } from '../table/cards.js';
import { over, played, scored, voice } from '../table/event-text.js';
import { signed } from '../table/format.js';

/** @import { Event, Room, Translate } from '../table/types.js' */

/**
 * An event as a line for the spoken log; `null` if it is not worth one.
 * @param {Event} event
 * @param {Pick<Room, 'chairs'> | null} room
 * @param {{ seat: number | null }} you
 * @param {Translate} t
 * @returns {string | null}
 */
export function tell(event, room, you, t) {
  const own = you.seat;
  const { name, line } = voice(room, own, t);

  switch (event.type) {
    case 'dealt':
      return t('narrate.dealt', { round: String(event.round), n: event.cards });
    case 'picked':
      return line('narrate.picked', event.seat);
    case 'revealed':
      return [...avoided(event.picks, own, name, t), line('narrate.begins', event.leader)].join(' ');
    case 'played':
      return played(event, line, t);
    case 'trick_taken': {
      const cards = event.cards.map((/** @type {string} */ card) => cardName(card, t)).join(', ');
      return line('narrate.takes', event.seat, { cards, points: signed(event.points) });
    }
    case 'set_aside':
      return line('narrate.aside', event.leader);
    case 'round_scored':
      return scored(event, name, t);
    case 'game_over':
      return over(event, own, name, t);
    default:
      return null;
  }
}

/**
 * @param {string[]} picks
 * @param {number | null} own
 * @param {(seat: number) => string} name
 * @param {Translate} t
 */
function avoided(picks, own, name, t) {
  return picks.map((card, seat) => {
    const args = { name: name(seat), suit: t(`suit.${parts(card).colour}`), card: cardName(card, t) };
    return t(seat === own ? 'narrate.avoids.you' : 'narrate.avoids', args);
  });
}
