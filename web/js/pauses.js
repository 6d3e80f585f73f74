// Pauses: something finished stays on the table for a while, though the game has gone on.

/** @import { Game } from './game.js' */
/** @import { Card, GameEvent, Seat, View } from './protocol.js' */
/** @import { DealtView, PauseState, State } from './types.js' */

/**
 * The pause after these events; null if they lead to none. The last event that leaves something on the table decides.
 * A pause other than that of a finished trick is not cut short, unless the next one interrupts.
 * @param {Game} game
 * @param {State} state
 * @param {readonly GameEvent[]} events
 * @param {DealtView<View>} view the view after the events
 * @returns {PauseState | null}
 */
export function pauseAfter(game, state, events, view) {
  if (!state.isCaughtUp) return null;
  const event = events.findLast(({ type }) => type in game.pauses);
  const rule = event && game.pauses[event.type];
  if (!event || !rule) return null;
  if (state.pause && state.pause.kind !== 'trick' && !rule.interrupts) return null;
  const shown = game.pausedView(event, view, state.game?.view ?? null);
  return { kind: rule.kind, until: state.clock + rule.ms, view: shown, event };
}

/**
 * A view of a table at which nobody is to act.
 * @template {{ table: unknown, hints?: unknown, to_act: Seat[] }} V
 * @param {V} view
 * @param {V['table']} table
 * @returns {V}
 */
export function idleView(view, table) {
  return { ...view, table, hints: undefined, to_act: [] };
}

/**
 * The colour that was led to a finished trick, or the suit if the trick was seen before.
 * @template {string} Lead
 * @param {readonly Card[]} cards
 * @param {{ cards: readonly Card[], lead?: Lead } | null} seen
 * @returns {Lead}
 */
export function leadOf(cards, seen) {
  const known = seen?.cards[0] === cards[0] ? seen?.lead : undefined;
  return known ?? /** @type {Lead} */ (cards[0]?.split('-')[0]);
}
