// The events that the page has seen, those that it has missed while there was no connection, and those that a failover of the
// database has lost.

/** @import { Game, GameEvent, Room, ServerMessage, Welcome } from './protocol.js' */
/** @import { LostChanges } from './types.js' */

/** The most events that are kept, so that lost ones can be named. More than a failover is likely to lose. */
const MAX_EVENTS = 200;

/**
 * The events of a `game` message.
 * @typedef {object} EventsOfMessage
 * @property {number} after the revision after which they happened
 * @property {number} rev the revision of the message
 * @property {readonly GameEvent[]} events
 * @property {boolean} hasGap
 */

/** The events that the page has seen. No events are seen when the session begins. */
export function createSeenEvents() {
  /** @type {number | null} */
  let rev = null;
  let generation = 0;
  let isNextMissed = false;
  /** The newest events, the oldest first. @type {EventsOfMessage[]} */
  let recent = [];
  /** @type {LostChanges | null} */
  let lost = null;

  /** @param {Game} message */
  function keep(message) {
    recent.push({ after: rev ?? message.rev, rev: message.rev, events: message.events, hasGap: message.gap === true });
    let count = recent.reduce((sum, { events }) => sum + events.length, 0);
    while (count > MAX_EVENTS) count -= recent.shift()?.events.length ?? 0;
  }

  /** @param {Welcome} message */
  function begin({ generation: next = 0, lost_after }) {
    isNextMissed = rev !== null;
    generation = next;
    if (rev === null || lost_after === undefined || rev <= lost_after) return;
    const later = recent.filter(({ rev }) => rev > lost_after);
    // A message with events from before and from after that revision does not tell which are which.
    const isComplete = later[0]?.after === lost_after && later.every(({ hasGap }) => !hasGap);
    lost = { changes: rev - lost_after, events: isComplete ? later.flatMap(({ events }) => events) : [] };
    recent = recent.filter(({ rev }) => rev <= lost_after);
    rev = lost_after;
  }

  return {
    /** The revision up to which the page has seen all events, or null before the first one, and its generation. */
    seen: () => ({ rev, generation }),

    /** Takes what the last `welcome` has declared lost; null if it was nothing. */
    takeLost() {
      const taken = lost;
      lost = null;
      return taken;
    },

    /**
     * Counts the events of a message as seen. After `welcome` the first `game` message has the missed events; later ones
     * have new events, even if they arrive before the page has caught up.
     * @param {ServerMessage} message
     * @returns {boolean} whether the page has missed the events of this message
     */
    add(message) {
      if (message.type === 'welcome') begin(message);
      if (message.type === 'game') keep(message);
      const isMissed = message.type === 'game' && (isNextMissed || message.gap === true);
      if (showsAllEvents(message)) [rev, isNextMissed] = [message.rev, false];
      return isMissed;
    },
  };
}

/**
 * Whether the page has seen all events up to the revision of a message: after a `game`, and in a lobby.
 * @param {ServerMessage} message
 * @returns {message is Game | Room}
 */
function showsAllEvents(message) {
  return message.type === 'game' || (message.type === 'room' && message.table.phase === 'lobby');
}
