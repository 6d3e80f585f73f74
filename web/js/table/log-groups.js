// The log of a round as data for its drawing: its lines in groups, and the hands as they were dealt.

import { sortCards } from './card-text.js';

/** @import { ActedForEvent, Card, GameEvent, RoundLog, TableAct } from '../protocol.js' */

/**
 * A line of a log: an act at the table, or an event of the game with the one before it that says who has moved for a person.
 * `entry` is the index of the entry to which it belongs.
 * @typedef {{ at: number, entry: number, act: TableAct } | { at: number, entry: number, event: Exclude<GameEvent, ActedForEvent>, actedFor: ActedForEvent | null }} LogLine
 */

/**
 * The lines before the first trick, of a trick, or after the last one.
 * @typedef {{ kind: 'start' | 'trick' | 'end', trick: number, lines: LogLine[] }} LogGroup
 */

/**
 * The lines of a log in groups. The tricks that the server leaves out are the first ones.
 * @param {Pick<RoundLog, 'entries'> & Partial<RoundLog>} log
 * @returns {LogGroup[]}
 */
export function logGroups({ entries, tricks_left_out: leftOut = 0 }) {
  /** @type {LogGroup[]} */
  const groups = [{ kind: 'start', trick: 0, lines: [] }];
  let trick = leftOut;
  const add = (/** @type {LogLine} */ line) => groups[groups.length - 1].lines.push(line);
  for (const [entry, { at, act, events = [] }] of entries.entries()) {
    if (act) add({ at, entry, act });
    /** @type {ActedForEvent | null} */
    let actedFor = null;
    for (const event of events) {
      if (event.type === 'acted_for') {
        actedFor = event;
        continue;
      }
      if (event.type === 'played' && event.leads) {
        trick += 1;
        groups.push({ kind: 'trick', trick, lines: [] });
      }
      const isEnd = event.type === 'cards_revealed' || event.type === 'round_scored';
      if (isEnd && groups[groups.length - 1].kind !== 'end') groups.push({ kind: 'end', trick: 0, lines: [] });
      add({ at, entry, event, actedFor });
      actedFor = null;
    }
  }
  return groups.filter(({ lines }) => lines.length > 0);
}

/**
 * The cards that each seat has played, and more cards that became known as theirs. Null if a hand that was dealt had others.
 * @param {readonly { type: string }[]} events all events of a round
 * @param {readonly (readonly Card[])[]} others more cards by seat
 * @param {readonly (readonly Card[])[]} [received] cards by seat that were not dealt to it, and that it has played
 * @returns {Card[][] | null}
 */
export function handsOf(events, others, received = []) {
  const dealt = /** @type {{ cards: number } | undefined} */ (events.find(({ type }) => type === 'dealt'));
  const hands = others.map((cards) => [...cards]);
  for (const event of /** @type {GameEvent[]} */ (events)) {
    if (event.type === 'played') hands[event.seat]?.push(event.card);
  }
  received.forEach((cards, seat) => {
    for (const card of cards) {
      const at = hands[seat].lastIndexOf(card);
      if (at >= 0) hands[seat].splice(at, 1);
    }
  });
  return dealt && hands.every((hand) => hand.length === dealt.cards) ? hands.map(sortCards) : null;
}
