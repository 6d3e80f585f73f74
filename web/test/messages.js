// Filters for messages of the server.

/** @import { GameEvent, ServerMessage } from '../js/protocol.js' */

/**
 * Whether a message has this type.
 * @template {ServerMessage['type']} T
 * @param {T} type
 * @param {ServerMessage} message
 * @returns {message is Extract<ServerMessage, { type: T }>}
 */
const hasType = (type, message) => message.type === type;

/**
 * The messages of a type, in their order.
 * @template {ServerMessage['type']} T
 * @param {readonly ServerMessage[]} messages
 * @param {T} type
 */
export const ofType = (messages, type) => messages.filter((message) => hasType(type, message));

/**
 * The events of a message; none if it is not about the game.
 * @param {ServerMessage} message
 * @returns {GameEvent[]}
 */
export const eventsOf = (message) => (message.type === 'game' ? message.events : []);
