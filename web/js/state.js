// The one state of the page. `reduce` makes a new one from it; templates read it and never write it.
// All times are milliseconds by the clock of this device.

/** @typedef {import('./settings.js').Settings} Settings */
/** @typedef {import('./i18n.js').Args} Args */
/** @typedef {{ key: string, args?: Args }} Words */

/** @typedef {{ kind: 'free' }} FreeChair */
/**
 * @typedef {{ kind: 'person', name: string, presence: 'here' | 'lost' | 'away', ready: boolean, stood_in: boolean, waits_for_deal?: boolean }}
 *   PersonChair
 */
/** How well bots play. */
export const LEVELS = /** @type {const} */ (['beginner', 'normal', 'expert']);
/** @typedef {typeof LEVELS[number]} Level */
/** @typedef {{ kind: 'bot', name: string, level: Level }} BotChair */
/** @typedef {FreeChair | PersonChair | BotChair} Chair */

/** @typedef {{ type: 'rounds', rounds: number } | { type: 'target', target: number, max_rounds?: number }} End */
/**
 * @typedef {object} Options
 * @property {'nsv' | 'amigo-1993'} edition
 * @property {End | null} end
 * @property {'nobody' | 'leader' | null} all_zero_trick
 * @property {boolean} show_last_trick
 * @property {'off' | 'last_trick' | 'all'} show_history
 * @property {boolean} show_running_score
 */

/**
 * The last `room` message, with the fields of its table beside its own.
 * @typedef {object} Room
 * @property {number} rev
 * @property {{ seat: number | null, host: boolean }} you
 * @property {'sticheln' | 'nyet'} game
 * @property {string | null} title
 * @property {boolean} listed
 * @property {boolean} [locked]
 * @property {'lobby' | 'playing' | 'paused' | 'over'} phase
 * @property {Chair[]} chairs
 * @property {number | null} host
 * @property {Options} options
 * @property {number | null} opening_seat
 * @property {number | null} turn_seconds
 * @property {boolean} spectator_chat
 * @property {boolean} fast_bots whether bots act quickly as long as one person plays with them
 * @property {number} spectators
 * @property {any} sheet
 * @property {any} standings
 */

/** @typedef {{ round: number, leader: number, cards: string[], taker: number | null, points: number }} Trick */
/** @typedef {{ at: number, seat: number | null, name: string | null, text: string }} Line */
/** @typedef {{ seat: number, reaction: string, until: number }} Reaction */
/** @typedef {{ id: number, key: string, args?: Args, kind: 'news' | 'good' | 'warn', until: number }} Toast */

/**
 * @typedef {'connecting' | 'open' | 'waiting' | 'restarting' | 'unsaved' | 'elsewhere' | 'removed' | 'gone' | 'damaged' | 'full'
 *   | 'password' | 'old'} Status
 */
/**
 * `since`: when the connection was lost; `retryAt`: when it is tried again; `isRestart`: the server said it would
 * be back; `isUnsaved`: it said that it cannot save.
 * @typedef {{ status: Status, retryAt: number | null, since: number | null, isRestart: boolean, isUnsaved: boolean }} Link
 */

/**
 * `cover`: the space that was covered just now; `byBot`: the seats for whose person a bot has laid a card to this trick.
 * @typedef {{ rev: number, view: any, legal: any[], deadline: number | null, cover: any, byBot: number[] }} Game
 */
/**
 * @typedef {{ kind: 'reveal' | 'trick' | 'settled' | 'teams' | 'chosen', until: number, view: any, event: any }} Pause
 */

/**
 * A question or a small form that lies over the page.
 * @typedef {{ kind: 'sit', seat: number | null }
 *   | { kind: 'chair', seat: number }
 *   | { kind: 'leave' }
 *   | { kind: 'end' }
 *   | { kind: 'handover' }
 *   | { kind: 'takeover', offer?: { seat: number, code: string } }
 *   | { kind: 'moved' }} Ask
 */

/**
 * A table as the server lists it.
 * @typedef {object} Summary
 * @property {string} room
 * @property {'sticheln' | 'nyet'} game
 * @property {string | null} title
 * @property {number} seats
 * @property {number} taken
 * @property {string} phase
 * @property {boolean} [locked]
 * @property {number} [spectators]
 */

/**
 * The home page: listed tables (null until they are known), and tables where this browser has a seat.
 * @typedef {{ rooms: Summary[] | null, kept: { code: string, title: string | null, phase: string | null }[],
 *   draft: { game: 'sticheln' | 'nyet', seats: number } }} Home
 */

/**
 * @typedef {null | 'scores' | 'history' | 'chat' | 'menu' | 'settings' | 'help' | 'keys' | 'check' | { player: number }} Sheet
 */

/** What a check of the connection has found, one thing after the other. @typedef {{ kind: 'good' | 'bad' | 'note' | 'wait', key: string, args: Args }} Found */

/**
 * @typedef {object} State
 * @property {'home' | 'table'} page
 * @property {string | null} code
 * @property {Link} link
 * @property {{ seat: number | null, host: boolean }} you
 * @property {Room | null} room
 * @property {Game | null} game
 * @property {Pause | null} pause the table as it is shown while something finished stays on it
 * @property {Trick[]} history the finished tricks of this round, oldest first
 * @property {string[]} lifted the names of what is lifted (see `handNames`)
 * @property {{ id: string, card: string | null, copies: number, rev: number } | null} sending
 * @property {{ lines: Line[], unread: number, open: boolean }} chat
 * @property {Reaction[]} reactions
 * @property {{ number: number, text: string }[]} log what was said aloud, newest last
 * @property {string} sentence the one over the hand, as it was said last
 * @property {Toast[]} toasts
 * @property {Sheet} sheet
 * @property {number} viewpoint for spectators: the seat at the bottom
 * @property {number} clock
 * @property {Settings} settings
 * @property {Ask | null} ask
 * @property {Record<string, Words>} errors what is wrong with a form, by the name of the form
 * @property {Record<string, boolean>} busy which forms wait for an answer
 * @property {Home} home
 * @property {(number | null)[]} away since when each seat's person has been gone
 * @property {number} skew by how much the server's clock is ahead
 * @property {boolean} settled whether everything that was there before has been told
 * @property {number} seen the time of the newest line of chat that was read
 * @property {boolean} [selectLink] whether the link is to be copied by hand
 * @property {{ code: string, until: number } | null} offer the code with which another device may take the seat
 * @property {number | 'later' | null} intro which card explains the game now; null before the first one
 * @property {import('./storage.js').Known} known
 * @property {Found[]} found what the last check of the connection has found so far
 * @property {{ game: 'sticheln' | 'nyet', edition: Options['edition'] }} help what is explained where there is no table
 */

/**
 * The state before anything is known.
 * @param {Settings} settings
 * @param {number} now
 * @param {import('./storage.js').Known} [known]
 * @returns {State}
 */
export function initialState(settings, now, known = { intro: [], games: 0 }) {
  return {
    ...emptyTable(now),
    page: 'home',
    toasts: [],
    clock: now,
    settings,
    errors: {},
    busy: {},
    home: { rooms: null, kept: [], draft: { game: 'sticheln', seats: 4 } },
    skew: 0,
    known,
    help: { game: 'sticheln', edition: 'nsv' },
    found: [],
  };
}

/**
 * Everything that belongs to a table, before it is known.
 * @param {number} now
 */
export function emptyTable(now) {
  return {
    code: null,
    link: /** @type {Link} */ ({ status: 'connecting', retryAt: null, since: now, isRestart: false, isUnsaved: false }),
    you: { seat: null, host: false },
    room: null,
    game: null,
    pause: null,
    history: [],
    lifted: [],
    sending: null,
    chat: { lines: [], unread: 0, open: false },
    reactions: [],
    log: [],
    sentence: '',
    sheet: null,
    viewpoint: 0,
    ask: null,
    away: [],
    settled: false,
    seen: -1,
    selectLink: false,
    offer: null,
    intro: null,
  };
}

/**
 * The name of whoever sits there; empty if nobody does.
 * @param {Room | null} room
 * @param {number | null | undefined} seat
 */
export function nameAt(room, seat) {
  const chair = seat === null || seat === undefined ? undefined : room?.chairs[seat];
  return chair && chair.kind !== 'free' ? chair.name : '';
}

/** @param {State} state */
export const isGameOn = (state) => state.room?.phase === 'playing' || state.room?.phase === 'paused';

/**
 * The view that is shown now: that of the pause, or the newest.
 * @param {State} state
 */
export const shownView = (state) => state.pause?.view ?? state.game?.view ?? null;

/** @param {State} state */
export function isMyTurn(state) {
  // In the view of somebody who plays from the next round on there is no seat.
  const seat = state.game?.view.seat ?? null;
  return state.room?.phase === 'playing' && seat !== null && Boolean(state.game?.view.to_act?.includes(seat));
}

/**
 * Whether the page looks like a table in play, with rail and felt; else it scrolls.
 * @param {State} state
 */
export function isTableScreen(state) {
  if (state.page !== 'table' || !state.room || state.room.phase === 'lobby') return false;
  return state.pause !== null || state.game?.view.table?.phase !== 'round_end';
}

/**
 * A chair that somebody who watches may take: a free one, or one that a bot keeps.
 * @param {State} state
 */
export function seatToTake(state) {
  const chairs = state.room?.chairs ?? [];
  const free = chairs.findIndex((chair) => chair.kind === 'free');
  if (free >= 0 && !isGameOn(state)) return free;
  const bot = chairs.findIndex((chair) => chair.kind === 'bot');
  return bot >= 0 ? bot : free >= 0 ? free : null;
}

/**
 * The names of the cards of a hand, in its order, by which they are lifted: `red-7`; the second and third of equal
 * cards are `red-1 2` and `red-1 3`. What else can be lifted is a space of the board (`trump:red`), or somebody chosen
 * for a team (`seat:2`, `x2:2`).
 * @param {readonly string[]} hand
 * @returns {string[]}
 */
export function cardKeys(hand) {
  return hand.map((card, place) => {
    const copies = hand.slice(0, place).filter((other) => other === card).length;
    return copies === 0 ? card : `${card} ${copies + 1}`;
  });
}

/**
 * The card of this name.
 * @param {string} name
 */
export const cardOfKey = (name) => name.split(' ')[0];

/**
 * Of what was lifted, what is still there to be played.
 * @param {readonly string[]} lifted
 * @param {any} view
 * @returns {string[]}
 */
export function stillLifted(lifted, view) {
  const cards = cardKeys(view.own?.hand ?? []);
  return lifted.filter((name) => {
    const [group, member] = name.split(':');
    if (member === undefined) return cards.includes(name);
    if (group === 'seat' || group === 'x2') return view.table.phase === 'team';
    return view.table.phase === 'nyet' && view.table.board[group]?.[member] === null;
  });
}
