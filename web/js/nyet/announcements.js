// The announcements of Nyet!: a line for each event that is worth one.

import { ignoreUnknown } from '../exhaustive.js';
import { announcementTexts, playedText, roundScoredText } from '../table/announcements.js';
import { cardList, cardName } from '../table/card-text.js';
import { winnersText } from '../table/winners.js';
import { conditionsText, spaceText, teamsText } from './phrases.js';

/** @import { Translate } from '../i18n.js' */
/** @import { NyetEvent } from '../protocol.js' */
/** @import { PlayState, State } from '../types.js' */
/** @import { People } from './phrases.js' */
/** @import { Nyet } from './types.js' */

/**
 * The announcement of an event; null if it is not worth one.
 * @param {NyetEvent} event
 * @param {{ room: People, you: State['you'], game: PlayState<Nyet>['game'] }} state
 * @param {Translate} t
 * @returns {string | null}
 */
export function announcement(event, { room, you, game }, t) {
  const ownSeat = you.seat;
  const { name, line } = announcementTexts(room, ownSeat, t);
  switch (event.type) {
    case 'dealt':
      return t('announce.dealt', { round: String(event.round), n: event.cards });
    case 'covered': {
      const what = spaceText(event.row, event.space, game.view.table.characters, ownSeat, room, t);
      return line('nyet.announce.covered', event.seat, { what });
    }
    case 'board_settled':
      return `${t('nyet.settled.all')} ${conditionsText(event.conditions, ownSeat, room, t)}`;
    case 'teams_formed': {
      const { bonus } = event.teams;
      const teams = `${teamsText(event.teams, ownSeat, room, t)}.`;
      if (bonus === null) return teams;
      return `${teams} ${bonus === ownSeat ? t('nyet.holds.you') : t('nyet.holds', { name: name(bonus) })}`;
    }
    case 'discarded':
      return line('nyet.announce.discarded', event.seat);
    case 'discards_done':
      return t(event.discard === 'pass_left' ? 'nyet.allPassed' : 'nyet.allLaidAside');
    case 'played':
      return playedText(event, line, t);
    case 'trick_taken': {
      const cards = event.cards.map((card) => cardName(card, t)).join(', ');
      const taken = line('nyet.announce.takes', event.seat, { cards });
      return event.loot.length > 0 ? `${taken} ${t('nyet.lootIs', { cards: cardList(event.loot, t) })}` : taken;
    }
    case 'discards_revealed':
      return null;
    case 'round_scored':
      return roundScoredText(event, name, t);
    case 'game_over':
      return winnersText(event.ranks, ownSeat, room, t);
    default:
      return ignoreUnknown(event, null);
  }
}
