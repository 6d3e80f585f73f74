// Commands to the room, and the effects of their answers: a toast, the error of a form, a move that is taken back.

import { gameOf } from './games.js';
import { t } from './i18n.js';
import { changedOptions, changedSeats, isReconnecting } from './state.js';

/** @import { Args } from './i18n.js' */
/** @import { Action, Card, Code, GameOptions, HttpCode } from './protocol.js' */
/** @import { Session } from './session.js' */
/** @import { Store } from './store.js' */
/** @import { Answer, Command, FormName, RoomChange, State, TextKey } from './types.js' */

/** The longest title of a room, in graphemes. */
const MAX_TITLE = 40;

/**
 * Sends a command to the room.
 * @callback Send
 * @param {Command} command
 * @param {(id: string) => void} [onId] is called with the id of the message
 * @param {() => boolean} [isCurrent] whether the command still fits the state of the room
 * @returns {Promise<Answer>}
 */

/**
 * The commands of this page to the room of its session.
 * @param {Store} store
 * @param {() => Pick<Session, 'send'> | null} session
 */
export function createCommands(store, session) {
  /** @type {Send} */
  const send = async (command, onId, isCurrent) => (await session()?.send(command, onId, isCurrent)) ?? 'not_connected';
  /** Whether a move is not answered. */
  let isMoving = false;
  return {
    /**
     * Sends a command, and shows a toast if it is refused or lost.
     * @param {Command} command
     */
    command: (command) => sendOrWarn(store, send, command, () => session() === null),
    /**
     * Sends the command of a form.
     * @param {FormName} form
     * @param {Command} command
     * @param {Args} [args] the values that fill the text of a refusal
     */
    submit: (form, command, args = {}) => submitForm(store, send, form, command, args),
    /**
     * Makes a move of the game, unless another one is not answered.
     * @param {Action} action
     */
    act: async (action) => {
      if (isMoving) return;
      isMoving = true;
      await makeMove(store, send, action);
      isMoving = false;
    },
    /** @param {Partial<GameOptions>} change */
    changeOptions: (change) => changeOptions(store, send, change),
    /** @param {1 | -1} difference */
    changeSeats: (difference) => changeSeats(store, send, difference),
  };
}

/**
 * Sends a command, and shows a toast if it is refused, or is lost with the connection.
 * @param {Store} store
 * @param {Send} send
 * @param {Command} command
 * @param {() => boolean} hasLeft whether the page has left the room
 */
async function sendOrWarn(store, send, command, hasLeft) {
  const answer = await send(command);
  const { status } = store.state().connection;
  const isLost = answer === 'not_connected' && !hasLeft() && (status === 'open' || isReconnecting(status));
  if (isLost) store.dispatch({ type: 'toast', key: 'refused.not_connected', kind: 'warn' });
  warnOfRefusal(store, answer);
  return answer;
}

/**
 * Shows a toast if a command was refused. Only forms send names of people, so a refused name is the title of the room.
 * @param {Store} store
 * @param {Answer} answer
 */
function warnOfRefusal({ dispatch }, answer) {
  if (answer === 'ok' || answer === 'not_connected') return;
  dispatch({ type: 'toast', ...titleRefusalText(answer), kind: 'warn' });
}

/**
 * Sends the command of a form. The form is busy until it is answered, and shows why it is refused.
 * @param {Store} store
 * @param {Send} send
 * @param {FormName} form
 * @param {Command} command
 * @param {Args} args the values that fill the text of a refusal
 */
async function submitForm({ dispatch }, send, form, command, args) {
  dispatch({ type: 'busy', form, busy: true });
  dispatch({ type: 'error', form, error: null });
  const answer = await send(command);
  dispatch({ type: 'busy', form, busy: false });
  if (answer === 'name_taken') {
    const error = { key: 'refused.name_taken.suggestion', args: { ...args, alt: `${args.name ?? ''} 2` } };
    dispatch({ type: 'error', form, error });
  } else if (answer !== 'ok') {
    dispatch({ type: 'error', form, error: refusalText(answer, args) });
  }
  return answer;
}

/**
 * Makes a move of the game. A new connection sends it again only as long as its decision is open.
 * @param {Store} store
 * @param {Send} send
 * @param {Action} action
 */
async function makeMove(store, send, action) {
  const { state, dispatch } = store;
  if (state().pendingMove || state().connection.status !== 'open') return;
  const card = 'card' in action ? action.card : null;
  let id = '';
  const onId = (/** @type {string} */ newId) => {
    id = newId;
    dispatch({ type: 'move_sent', id, card });
  };
  const decision = decisionOf(state());
  const answer = await send({ type: 'act', action }, onId, () => decisionOf(state()) === decision);
  if (answer === 'ok') return;
  dispatch({ type: 'move_failed', id });
  if (card === null || answer === 'not_connected') return warnOfRefusal(store, answer);
  const args = { card: cardText(card), reason: t(refusalText(answer).key) };
  dispatch({ type: 'toast', key: 'refused.card', args, kind: 'warn' });
}

/**
 * The decision that the own seat can make now, as a text: the same action can be a move in a later trick or round too.
 * @param {State} state
 */
function decisionOf({ game }) {
  if (!game) return '';
  const { view, legal, changes } = game;
  return JSON.stringify([view.table.round, view.table.phase, view.own, legal, changes]);
}

/** @param {Card} card */
function cardText(card) {
  const [colour, value] = card.split('-');
  return t('card.name', { colour: t(`colour.${colour}`), value });
}

/**
 * Changes options of the game. A command has all options, so it repeats the changes that were sent before and that the
 * room does not show yet.
 * @param {Store} store
 * @param {Send} send
 * @param {Partial<GameOptions>} change
 */
async function changeOptions(store, send, change) {
  const { room, pendingChanges } = store.state();
  if (!room) return;
  const options = /** @type {GameOptions} */ ({ ...changedOptions(room, pendingChanges), ...change });
  await configure(store, send, { options }, { options: change });
}

/**
 * Adds a seat, or removes the last one. It counts from the number of seats that was sent last, because the room may not
 * show it yet. It does nothing if the game has no such number of seats, or if the last chair is taken.
 * @param {Store} store
 * @param {Send} send
 * @param {1 | -1} difference
 */
async function changeSeats(store, send, difference) {
  const { room, pendingChanges } = store.state();
  if (!room) return;
  const seats = changedSeats(room, pendingChanges) + difference;
  const isLastTaken = difference < 0 && (room.chairs[seats]?.kind ?? 'free') !== 'free';
  if (isLastTaken || !gameOf(room).seats.includes(seats)) return;
  await configure(store, send, { seats }, { seats });
}

/**
 * Changes the room, and shows a toast if the command is refused. The change is pending until the room shows it.
 * @param {Store} store
 * @param {Send} send
 * @param {{ options: GameOptions } | { seats: number }} fields the fields of the room that change
 * @param {RoomChange} change
 */
async function configure(store, send, fields, change) {
  let id = '';
  const answer = await send({ type: 'configure', ...fields }, (newId) => {
    id = newId;
    store.dispatch({ type: 'pending_change', id, change });
  });
  store.dispatch({ type: 'change_answer', id, isDone: answer === 'ok' });
  warnOfRefusal(store, answer);
}

/**
 * The text of a refusal.
 * @param {Code | HttpCode | string} code
 * @param {Args} [args]
 * @returns {TextKey}
 */
export const refusalText = (code, args = {}) => ({ key: `refused.${code}`, args });

/**
 * The text of a refusal where the only name that can be refused is the title of a room.
 * @param {Code | HttpCode | string} code
 * @returns {TextKey}
 */
export const titleRefusalText = (code) =>
  refusalText(code === 'name_not_allowed' ? 'title_not_allowed' : code, { n: MAX_TITLE });
