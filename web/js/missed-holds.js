// The holds that show missed events after the connection was lost: quickly, one after the other.

/** @import { Game } from './game.js' */
/** @import { GameEvent, View } from './protocol.js' */
/** @import { DealtView, HoldState, State } from './types.js' */

/** For how long missed events are shown at most, all together and each of them, in milliseconds. */
const MAX_MS = 2500;
const MAX_STEP_MS = 600;

/**
 * The holds for missed events: what would have been held if the page had been connected. Those of an earlier round are left
 * out, because the page has no view of them. There are none before the page has shown the game.
 * @param {Game} game
 * @param {State} state the state before the events
 * @param {readonly GameEvent[]} events
 * @param {DealtView<View>} view the view after the events
 * @returns {HoldState[]}
 */
export function missedHolds(game, state, events, view) {
  if (state.isCaughtUp || state.game === null) return [];
  const dealt = events.findLastIndex(({ type }) => type === 'dealt');
  const before = dealt < 0 ? state.game.view : null;
  const held = events.slice(dealt + 1).flatMap((event) => {
    const rule = game.holds[event.type];
    return rule ? [{ kind: rule.kind, event, view: game.heldView(event, view, before) }] : [];
  });
  const step = Math.min(MAX_STEP_MS, MAX_MS / held.length);
  return held.map((hold, at) => ({ ...hold, until: state.clock + Math.round(step * (at + 1)) }));
}
