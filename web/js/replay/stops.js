// The stops of a round: the points where a replay can stand, and the ways from one to another.

/** @import { GameEvent } from '../protocol.js' */
/** @import { Place, RoundReplay, Stop } from './types.js' */

/** The stops that were computed before, by round. @type {WeakMap<RoundReplay, Stop[]>} */
const known = new WeakMap();

/**
 * The stops of a round, in their order: one for each step that changes the game, and one for the result. A step that is only
 * an act at the table has no stop.
 * @param {RoundReplay} round
 * @returns {Stop[]}
 */
export function stopsOf(round) {
  const found = known.get(round) ?? findStops(round);
  known.set(round, found);
  return found;
}

/**
 * @param {RoundReplay} round
 * @returns {Stop[]}
 */
function findStops({ steps }) {
  /** @type {Stop[]} */
  const stops = [];
  let trick = 0;
  let number = 0;
  steps.forEach(({ events = [], table, own }, step) => {
    if (events.length === 0 && !table && !own) return;
    if (events.some(isLead)) {
      trick += 1;
      number = 0;
    }
    number += 1;
    const isScored = events.some(({ type }) => type === 'round_scored');
    // The result of a round has a stop of its own if the step also ends a trick.
    const isTaken = events.some(isTrickEnd);
    if (!isScored || isTaken) stops.push({ step, trick, number, isResult: false });
    if (isScored && isTaken) number += 1;
    if (isScored) stops.push({ step, trick, number, isResult: true });
  });
  return stops;
}

/** Whether an event is the first card of a trick. @param {GameEvent} event */
const isLead = (event) => event.type === 'played' && event.leads === true;

/** Whether an event ends a trick. @param {GameEvent} event */
const isTrickEnd = ({ type }) => type === 'trick_taken' || type === 'set_aside';

/**
 * Whether the round was abandoned at a stop: it is the last one, and not a result.
 * @param {readonly Stop[]} stops
 * @param {number} index
 */
export const isAbandonedAt = (stops, index) => index === stops.length - 1 && !stops[index].isResult;

/**
 * The events of a stop. The events after the last trick of a round belong to its result.
 * @param {RoundReplay} round
 * @param {Stop} stop
 * @returns {GameEvent[]}
 */
export function eventsOfStop({ steps }, { step, isResult }) {
  const { events = [] } = steps[step];
  const isScored = events.some(({ type }) => type === 'round_scored');
  const end = events.findLastIndex(isTrickEnd) + 1;
  if (!isScored || end === 0) return events;
  return isResult ? events.slice(end) : events.slice(0, end);
}

/**
 * The index of the stop that a place names. If there is none, the last one before it.
 * @param {readonly Stop[]} stops
 * @param {Pick<Place, 'trick' | 'number'>} place
 */
export function stopAt(stops, { trick, number }) {
  const after = stops.findIndex((stop) => stop.trick > trick || (stop.trick === trick && stop.number > number));
  return Math.max(0, (after < 0 ? stops.length : after) - 1);
}

/**
 * The index of the first stop of the trick after or before that of a stop. Backwards, the first stop of the same trick comes
 * first. Undefined if there is none.
 * @param {readonly Stop[]} stops
 * @param {number} from
 * @param {1 | -1} direction
 * @returns {number | undefined}
 */
export function trickFrom(stops, from, direction) {
  const firsts = spansOf(stops).map(({ first }) => first);
  return direction > 0 ? firsts.find((index) => index > from) : firsts.findLast((index) => index < from);
}

/**
 * The indices of the first and the last stop of each trick, without the result of the round.
 * @param {readonly Stop[]} stops
 * @returns {{ trick: number, first: number, last: number }[]}
 */
export const spansOf = (stops) =>
  stops.flatMap(({ trick }, first) => {
    if (first > 0 && stops[first - 1].trick === trick) return [];
    return [{ trick, first, last: stops.findLastIndex((stop) => stop.trick === trick && !stop.isResult) }];
  });

/**
 * The number of cards that were played to the trick of a stop, up to this stop.
 * @param {RoundReplay} round
 * @param {readonly Stop[]} stops
 * @param {number} index
 */
export function cardsPlayed(round, stops, index) {
  const { trick } = stops[index];
  return stops
    .slice(0, index + 1)
    .filter((stop) => stop.trick === trick && !stop.isResult)
    .filter(({ step }) => round.steps[step].events?.some(({ type }) => type === 'played')).length;
}
