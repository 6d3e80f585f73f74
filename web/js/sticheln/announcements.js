// The announcements of Sticheln: a line for each event that is worth one.

import { ignoreUnknown } from '../exhaustive.js';
import { announcementTexts, playedText, roundScoredText } from '../table/announcements.js';
import { cardName, parseCard } from '../table/card-text.js';
import { signed } from '../table/format.js';
import { handsOf } from '../table/log-groups.js';
import { winnersText } from '../table/winners.js';

/** @import { Translate } from '../i18n.js' */
/** @import { Card, Seat, StichelnEvent } from '../protocol.js' */
/** @import { GameTable } from '../game.js' */
/** @import { RoomState, State } from '../types.js' */
/** @import { Sticheln } from './types.js' */

/**
 * The announcement of an event; null if it is not worth one.
 * @param {StichelnEvent} event
 * @param {{ room: Pick<RoomState, 'chairs'> | null, you: State['you'] }} state
 * @param {Translate} t
 * @returns {string | null}
 */
export function announcement(event, { room, you }, t) {
  const { name, line } = announcementTexts(room, you.seat, t);
  switch (event.type) {
    case 'dealt':
      return t('announce.dealt', { round: String(event.round), n: event.cards });
    case 'picked':
      return line('sticheln.announce.picked', event.seat);
    case 'revealed':
      return [...pickTexts(event.picks, you.seat, name, t), line('sticheln.leadsFirst', event.leader)].join(' ');
    case 'played':
      return playedText(event, line, t);
    case 'trick_taken': {
      const cards = event.cards.map((card) => cardName(card, t)).join(', ');
      return line('sticheln.announce.takes', event.seat, { cards, points: signed(event.points) });
    }
    case 'set_aside':
      return line('sticheln.announce.aside', event.leader);
    case 'round_scored':
      return roundScoredText(event, name, t);
    case 'game_over':
      return winnersText(event.ranks, you.seat, room, t);
    default:
      return ignoreUnknown(event, null);
  }
}

/**
 * A line of the log of a round that differs from the announcement: the cards of a trick are in the lines before it.
 * @type {NonNullable<GameTable<Sticheln>['logText']>}
 */
export function logText(event, { room, you }, t) {
  if (event.type !== 'trick_taken') return undefined;
  const { line } = announcementTexts(room, you.seat, t);
  return line('sticheln.log.takes', event.seat, { n: event.cards.length, points: signed(event.points) });
}

/**
 * The hands of a round as they were dealt: the picks, and the cards that were played.
 * @type {NonNullable<GameTable<Sticheln>['dealtHands']>}
 */
export function dealtHands(events) {
  const revealed = events.find((event) => event.type === 'revealed');
  return revealed?.type === 'revealed'
    ? handsOf(
        events,
        revealed.picks.map((card) => [card]),
      )
    : null;
}

/**
 * Which colour each seat avoids.
 * @param {readonly Card[]} picks
 * @param {Seat | null} ownSeat
 * @param {(seat: Seat) => string} name
 * @param {Translate} t
 */
function pickTexts(picks, ownSeat, name, t) {
  return picks.map((card, seat) => {
    const args = { name: name(seat), colour: t(`colour.${parseCard(card).colour}`), card: cardName(card, t) };
    return t(seat === ownSeat ? 'sticheln.announce.avoids.you' : 'sticheln.announce.avoids', args);
  });
}
