// Builders for the unit tests: complete messages and states, of which a test names only the fields that matter to it.
// All of them have the types of the wire, so a renamed field is an error of types here or in a test.

import { defaultSettings } from '../../js/settings.js';
import { initialState } from '../../js/state.js';

/** @import { Nyet } from '../../js/nyet/types.js' */
/** @import { GameEvent, Level, BotChair, Game, PersonChair, Room, Sheet, StichelnOptions, StichelnTrickTable, StichelnView, TableState, View, Welcome, You } from '../../js/protocol.js' */
/** @import { Sticheln } from '../../js/sticheln/types.js' */
/** @import { DealtView, GameState, ConnectionState, HoldState, RoomState, State, TimedUpdate, Toast, Update } from '../../js/types.js' */

/** The time of the tests, in milliseconds. */
export const NOW = 1_000_000;
/** The clock of the server is ahead by this much, in milliseconds. */
export const AHEAD = 500_000;
/** The room code of the tests. */
export const ROOM_CODE = 'k7qm2x4p';
/** The role of a host on seat 0. */
export const HOST = /** @type {const} */ ({ seat: 0, host: true });

/** @type {StichelnOptions} */
export const STICHELN_OPTIONS = {
  edition: 'nsv',
  end: null,
  all_zero_trick: null,
  show_last_trick: true,
  show_history: 'last_trick',
  show_running_score: false,
};

/**
 * The chair of a person who is here.
 * @param {string} name
 * @param {Partial<PersonChair>} [fields]
 * @returns {PersonChair}
 */
export const person = (name, fields = {}) => ({
  kind: 'person',
  name,
  presence: 'here',
  ready: false,
  stood_in: false,
  ...fields,
});

/**
 * The chair of a bot.
 * @param {string} name
 * @param {Level} level
 * @returns {BotChair}
 */
export const bot = (name, level) => ({ kind: 'bot', name, level });

/**
 * A table of Sticheln with three people, whose game is on.
 * @param {Partial<TableState>} [fields]
 * @returns {TableState}
 */
export const tableState = (fields = {}) => ({
  game: 'sticheln',
  title: null,
  listed: false,
  locked: false,
  phase: 'playing',
  chairs: ['Ann', 'Bob', 'Cem'].map((name) => person(name)),
  host: 0,
  options: STICHELN_OPTIONS,
  opening_seat: null,
  turn_seconds: 30,
  spectator_chat: true,
  fast_bots: false,
  waiting_room: false,
  replays: 'everybody',
  spectators: [],
  ...fields,
});

/**
 * A `room` message about such a table.
 * @param {Partial<TableState>} [table]
 * @param {You} [you]
 * @returns {Room}
 */
export const roomMessage = (table = {}, you = HOST) => ({ type: 'room', rev: 1, you, table: tableState(table) });

/**
 * A `sheet` message after these rounds of three seats.
 * @param {number[][]} [rounds] the points of each round, by seat
 * @returns {Sheet}
 */
export const sheetMessage = (rounds = []) => ({
  type: 'sheet',
  rounds,
  totals: [0, 1, 2].map((seat) => rounds.reduce((sum, round) => sum + round[seat], 0)),
  ranks: [1, 1, 1],
});

/**
 * A `welcome` of a server whose clock is ahead by {@link AHEAD}, at the time of the tests.
 * @param {Partial<Welcome>} [fields]
 * @returns {Welcome}
 */
export const welcomeMessage = (fields = {}) => ({
  type: 'welcome',
  protocol: 1,
  server: '0.1.0',
  room: ROOM_CODE,
  now: NOW + AHEAD,
  you: HOST,
  ...fields,
});

/**
 * The fields of a room that do not depend on its game.
 * @param {Partial<Omit<TableState, 'options'>>} [fields]
 * @returns {Omit<RoomState, 'options'>}
 */
export function sharedRoom(fields = {}) {
  const { options: _, ...shared } = tableState(fields);
  return { ...shared, rev: 1, you: HOST, guests: [] };
}

/**
 * A table of Sticheln during a trick.
 * @param {Partial<StichelnTrickTable>} [fields]
 * @returns {StichelnTrickTable}
 */
export const trickTable = (fields = {}) => ({
  phase: 'trick',
  round: 1,
  first_leader: 0,
  hand_counts: [2, 2, 2],
  captured: [0, 0, 0],
  tricks_played: 0,
  picks: ['red-1', 'red-2', 'red-3'],
  trick: { leader: 0, cards: [] },
  ...fields,
});

/**
 * A view of Sticheln during a trick, in which the own seat 0 must act.
 * @param {Partial<DealtView<StichelnView>>} [fields]
 * @returns {DealtView<StichelnView>}
 */
export const view = (fields = {}) => ({
  table: trickTable(),
  to_act: [0],
  seat: 0,
  own: { hand: ['red-1', 'blue-2'] },
  ...fields,
});

/**
 * A `game` message with a view and with the events that led to it.
 * @param {View} [seen]
 * @param {GameEvent[]} [events]
 * @param {Partial<Game>} [fields]
 * @returns {Game}
 */
export const gameMessage = (seen = view(), events = [], fields = {}) => ({
  type: 'game',
  rev: 2,
  events,
  view: seen,
  legal: [],
  ...fields,
});

/** A connection that is open. @type {ConnectionState} */
export const OPEN_CONNECTION = { status: 'open', retryAt: null, since: null, isRestart: false, isUnsaved: false };

/**
 * The state of a page at a table, before any message.
 * @param {Partial<State>} [fields]
 * @returns {State}
 */
export const pageState = (fields = {}) => ({
  ...initialState(defaultSettings(['en']), NOW),
  route: 'room',
  code: ROOM_CODE,
  connection: OPEN_CONNECTION,
  ...fields,
});

/**
 * A room of any game.
 * @param {Partial<RoomState>} [fields]
 * @returns {RoomState}
 */
export const roomState = (fields = {}) => ({ ...tableState(), rev: 1, you: HOST, guests: [], ...fields });

/**
 * A game with this view.
 * @param {DealtView<View>} seen
 * @param {Partial<GameState>} [fields]
 * @returns {GameState}
 */
export const gameState = (seen, fields = {}) => ({
  ...SHARED_GAME,
  view: seen,
  legal: [],
  changes: [],
  memory: null,
  ...fields,
});

/** The fields of a game that do not depend on its rules. @type {Omit<GameState, 'view' | 'memory' | 'legal' | 'changes'>} */
export const SHARED_GAME = { rev: 1, deadline: null, byBot: [] };

/**
 * A hold of the given kind.
 * @param {Sticheln['hold'] | Nyet['hold']} kind
 * @param {number} until
 * @returns {HoldState}
 */
export const holdState = (kind, until) => ({ kind, until, view: view(), event: { type: 'picked', seat: 0 } });

/**
 * A toast.
 * @param {number} until
 * @returns {Toast}
 */
export const toast = (until) => ({ id: 1, key: 'news.back', kind: 'news', seat: 1, until });

/**
 * An update at a time, by default at `NOW`.
 * @param {Update} update
 * @param {number} [now]
 * @returns {TimedUpdate}
 */
export const at = (update, now = NOW) => ({ ...update, now });

/**
 * A value with a type that the page does not know, as a newer server can send it.
 * @template T
 * @param {{ type: string } & Record<string, unknown>} value
 * @returns {T}
 */
export const ofNewerServer = (value) => JSON.parse(JSON.stringify(value));
