// The events that the page has seen, and those that it has missed while there was no connection.

/** @import { Game, Room, ServerMessage } from './protocol.js' */

/** The events that the page has seen. No events are seen when the session begins. */
export function createSeenEvents() {
  /** @type {number | null} */
  let rev = null;
  let isNextMissed = false;
  return {
    /** The revision up to which the page has seen all events; null before the first one. */
    rev: () => rev,

    /**
     * Counts the events of a message as seen. After `welcome` the first `game` message has the missed events; later ones
     * have new events, even if they arrive before the page has caught up.
     * @param {ServerMessage} message
     * @returns {boolean} whether the page has missed the events of this message
     */
    add(message) {
      if (message.type === 'welcome') isNextMissed = rev !== null;
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
