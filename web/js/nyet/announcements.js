// The announcements of Nyet!: a line for each event that is worth one.

import { ignoreUnknown } from '../exhaustive.js';
import { announcementTexts, playedText, roundScoredText } from '../table/announcements.js';
import { cardList, cardName } from '../table/card-text.js';
import { handsOf } from '../table/log-groups.js';
import { winnersText } from '../table/winners.js';
import { conditionsText, spaceText, teamsText } from './phrases.js';

/** @import { Translate } from '../i18n.js' */
/** @import { GameTable } from '../game.js' */
/** @import { Card, NyetCardsRevealedEvent, NyetEvent } from '../protocol.js' */
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
    case 'cards_revealed':
      return null;
    case 'round_scored':
      return roundScoredText(event, name, t);
    case 'game_over':
      return winnersText(event.ranks, ownSeat, room, t);
    default:
      return ignoreUnknown(event, null);
  }
}

/**
 * A line of the log of a round that differs from the announcement: the cards of a trick are in the lines before it.
 * @type {NonNullable<GameTable<Nyet>['logText']>}
 */
export function logText(event, { room, you }, t) {
  const { line } = announcementTexts(room, you.seat, t);
  switch (event.type) {
    case 'trick_taken': {
      const taken = line('nyet.log.takes', event.seat);
      return event.loot.length > 0 ? `${taken} ${t('nyet.lootIs', { cards: cardList(event.loot, t) })}` : taken;
    }
    case 'cards_revealed':
      return revealedText(event, line, t);
    default:
      return undefined;
  }
}

/**
 * The cards that each seat laid aside or passed, and those that were not dealt, in words.
 * @param {NyetCardsRevealedEvent} event
 * @param {ReturnType<typeof announcementTexts>['line']} line
 * @param {Translate} t
 */
function revealedText({ discard, discards, undealt }, line, t) {
  const key = discard === 'pass_left' ? 'nyet.log.passed' : 'nyet.log.laidAside';
  const ofSeats = discards.map((cards, seat) =>
    cards.length > 0 ? line(key, seat, { cards: cardList(cards, t) }) : '',
  );
  const rest = undealt.length > 0 ? t('nyet.log.undealt', { cards: cardList(undealt, t) }) : '';
  return [...ofSeats, rest].filter(Boolean).join(' ');
}

/**
 * The hands of a finished round as they were dealt.
 * @type {NonNullable<GameTable<Nyet>['dealtHands']>}
 */
export function dealtHands(events, seats) {
  const revealed = events.find((event) => event.type === 'cards_revealed');
  /** @type {readonly (readonly Card[])[]} */
  const discards = revealed?.type === 'cards_revealed' ? revealed.discards : Array(seats).fill([]);
  const isPassing = revealed?.type === 'cards_revealed' && revealed.discard === 'pass_left';
  return handsOf(events, discards, isPassing ? discards.map((_, seat) => discards.at(seat - 1) ?? []) : []);
}
