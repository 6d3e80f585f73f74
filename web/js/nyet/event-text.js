/** What a screen reader is told of Nyet!: one line for each event worth a line. */

import { cardName } from '../table/cards.js';
import { over, played, scored, voice } from '../table/event-text.js';
import { listed } from '../table/format.js';
import { rules, sides, spaceName } from './phrases.js';

/** @import { Event, Room, Translate } from '../table/types.js' */

/**
 * An event as a line for the spoken log; `null` if it is not worth one.
 * @param {Event} event
 * @param {Pick<Room, 'chairs'> | null} room
 * @param {{ seat: number | null, characters?: string[] }} you
 * @param {Translate} t
 * @returns {string | null}
 */
export function tell(event, room, you, t) {
  const own = you.seat;
  const { name, line } = voice(room, own, t);
  const cards = (/** @type {string[]} */ all) =>
    listed(
      all.map((card) => cardName(card, t)),
      t,
    );

  switch (event.type) {
    case 'dealt':
      return t('narrate.dealt', { round: String(event.round), n: event.cards });
    case 'covered': {
      const what = spaceName(event.row, event.space, you.characters ?? [], own, room, t);
      return line('narrate.covered', event.seat, { what });
    }
    case 'board_settled':
      return `${t('nyet.settled.all')} ${rules(event.conditions, own, room, t)}`;
    case 'teams_formed': {
      const { bonus } = event.teams;
      const double =
        bonus === null ? '' : ` ${bonus === own ? t('nyet.holds.you') : t('nyet.holds', { name: name(bonus) })}`;
      return `${sides(event.teams, own, room, t)}.${double}`;
    }
    case 'discarded':
      return line('narrate.discarded', event.seat);
    case 'discards_done':
      return t(event.discard === 'pass_left' ? 'nyet.came.passed' : 'nyet.came.aside');
    case 'played':
      return played(event, line, t);
    case 'trick_taken': {
      const taken = line('narrate.takesIt', event.seat, {
        cards: event.cards.map((/** @type {string} */ card) => cardName(card, t)).join(', '),
      });
      return event.loot.length > 0 ? `${taken} ${t('nyet.lootIs', { cards: cards(event.loot) })}` : taken;
    }
    case 'round_scored':
      return scored(event, name, t);
    case 'game_over':
      return over(event, own, name, t);
    default:
      return null;
  }
}
