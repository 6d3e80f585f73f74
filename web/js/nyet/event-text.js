// The announcements of Nyet!: a line for each event that is worth one.

import { ignoreUnknown } from '../exhaustive.js';
import { cardList, cardName } from '../table/card-text.js';
import { eventTexts, gameOverText, playedText, roundScoredText } from '../table/event-text.js';
import { rulesText, spaceName, teamsText } from './phrases.js';

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
  const own = you.seat;
  const { name, line } = eventTexts(room, own, t);
  switch (event.type) {
    case 'dealt':
      return t('announce.dealt', { round: String(event.round), n: event.cards });
    case 'covered': {
      const what = spaceName(event.row, event.space, game.view.table.characters, own, room, t);
      return line('nyet.announce.covered', event.seat, { what });
    }
    case 'board_settled':
      return `${t('nyet.settled.all')} ${rulesText(event.conditions, own, room, t)}`;
    case 'teams_formed': {
      const { bonus } = event.teams;
      const teams = `${teamsText(event.teams, own, room, t)}.`;
      if (bonus === null) return teams;
      return `${teams} ${bonus === own ? t('nyet.holds.you') : t('nyet.holds', { name: name(bonus) })}`;
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
      return gameOverText(event, own, name, t);
    default:
      return ignoreUnknown(event, null);
  }
}
