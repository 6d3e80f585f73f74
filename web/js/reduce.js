// The reducer: a pure function from a state and an update to the next state.

import { ignoreUnknown } from './exhaustive.js';
import { followSeat } from './follow-seat.js';
import { findGame } from './games.js';
import { isMuted, MAX_MUTED, mutedAfter } from './mutes.js';
import { TOAST_MS, withNewsOf, withRoomNews, withRoundLimitNews, withTimeUpNews, withToast } from './news.js';
import {
  cardOfKey,
  emptyRoom,
  handOf,
  isChatHidden,
  isGameOn,
  isMyTurn,
  isOwnLine,
  isSoundOffered,
  LOSS_GRACE_MS,
  nameOf,
  stillLifted,
} from './state.js';

/** @import { Game as GameObject } from './game.js' */
/** @import { Card, ChatLine, Game, GameEvent, Notice, Nudged, Room, Seat, ServerMessage, Sheet, View, Welcome } from './protocol.js' */
/** @import { ChatEntry, DealtView, DialogFocus, DialogName, FormName, ConnectionStatus, GameState, HoldState, LostChanges, PendingMove, Prompt, RoomChange, RoomState, State, TakenChair, TextKey, TimedUpdate, Update } from './types.js' */

const MAX_CHAT_LINES = 50;
const MAX_ANNOUNCEMENTS = 20;
/** For how long missed events are shown at most, all together and each of them, in milliseconds. */
const MAX_MISSED_MS = 2500;
const MAX_MISSED_STEP_MS = 600;

/**
 * The state after an update.
 * @param {State} state
 * @param {TimedUpdate} update
 * @returns {State}
 */
export function reduce(state, update) {
  return withIntro(apply(withoutExpired(state, update.now), update));
}

/**
 * The intro begins when somebody sits down to a game for the first time, but never during their own turn. It does not cover
 * the lobby of a host, who has just opened the room and is to invite others: a banner offers it there (banners.js).
 * @param {State} state
 * @returns {State}
 */
function withIntro(state) {
  const { introCard, room, experience } = state;
  if (introCard === 'done' || !state.isCaughtUp || !room || room.you.seat === null) return state;
  if (isMyTurn(state)) return { ...state, introCard: 'done' };
  if (introCard !== null || experience.explainedGames.includes(room.game)) return state;
  // A room without a host is about to make the person who sits down first its host.
  if (room.you.host || room.host === null) return room.phase === 'lobby' ? state : { ...state, introCard: 'done' };
  return { ...state, introCard: 0 };
}

/**
 * The next state for each type of update.
 * @type {{ readonly [Type in Update['type']]: (state: State, update: Extract<TimedUpdate, { type: Type }>) => State }}
 */
const REDUCERS = {
  tick: (state) => state,
  message: (state, { message }) => onMessage(state, message),
  route: (state, { code, isReplay = false, now }) => onRoute(state, code, isReplay, now),
  replay: (state, { replay }) => ({ ...state, replay }),
  connection: (state, { status, retryAt }) => onConnection(state, status, retryAt),
  caught_up: onCaughtUp,
  move_sent: (state, { id, card }) => withPendingMove(state, id, card),
  move_failed: withoutPendingMove,
  pending_change: (state, { id, change }) => withPendingChange(state, id, change),
  change_answer: (state, { id, isDone }) => withChangeAnswer(state, id, isDone),
  chat_read: withChatRead,
  close_notice: (state) => ({ ...state, notice: state.notice && { ...state.notice, isClosed: true } }),
  changes_lost: (state, { lost }) => withLost(state, lost),
  close_lost: (state) => ({ ...state, lost: null }),
  settings: (state, { settings }) => ({ ...state, settings: { ...state.settings, ...settings } }),
  busy: (state, { form, busy }) => ({ ...state, busy: { ...state.busy, [form]: busy } }),
  error: (state, { form, error }) => withError(state, form, error),
  home: (state, { home }) => ({ ...state, home: { ...state.home, ...home } }),
  announce: (state, { lines, statusLine }) => ({ ...withAnnouncements(state, lines), statusLine }),
  seat_moved: withSeatMoved,
  experience: (state, { experience }) => ({ ...state, experience }),
  lift: (state, { keys }) => ({ ...state, lifted: keys }),
  end_hold: (state) => ({ ...state, hold: null, nextHolds: [] }),
  log_asked: (state, { round }) => {
    const log = state.roundLog?.round === round ? state.roundLog.log : null;
    return { ...state, roundLog: { round, log, isBusy: true, error: null } };
  },
  log_refused: (state, { round, error }) =>
    state.roundLog?.round === round ? { ...state, roundLog: { ...state.roundLog, isBusy: false, error } } : state,
  games_asked: (state) => ({ ...state, gameList: { games: state.gameList?.games ?? null, isBusy: true, error: null } }),
  games_refused: (state, { error }) => ({
    ...state,
    gameList: { games: state.gameList?.games ?? null, isBusy: false, error },
  }),
  open: (state, { dialog, focus }) => onOpen(state, dialog, focus ?? null),
  muted: (state, { names }) => ({ ...state, muted: names.slice(-MAX_MUTED) }),
  viewpoint: (state, { seat }) => ({ ...state, viewpoint: seat }),
  prompt: (state, { prompt }) => ({
    ...state,
    prompt,
    errors: withoutErrorOf(state, prompt),
    isLinkSelected: false,
  }),
  draft: (state, { draft }) => ({ ...state, home: { ...state.home, draft: { ...state.home.draft, ...draft } } }),
  toast: (state, { key, args, kind }) => withToast(state, key, args, kind),
  intro_card: (state, { card }) => ({ ...state, introCard: card }),
  help: (state, { help }) => ({ ...state, help: { ...state.help, ...help } }),
  check_results: (state, { results }) => ({ ...state, checkResults: results }),
  link_selected: (state) => ({ ...state, isLinkSelected: true }),
};

/**
 * @param {State} state
 * @param {TimedUpdate} update
 */
function apply(state, update) {
  // The type checker cannot see that the reducer of this type takes this update.
  const reducer = /** @type {(state: State, update: TimedUpdate) => State} */ (REDUCERS[update.type]);
  return reducer(state, update);
}

/**
 * The state after the address has changed: in a room or a replay of which nothing is known, or at home.
 * @param {State} state
 * @param {string | null} code
 * @param {boolean} isReplay
 * @param {number} now
 * @returns {State}
 */
function onRoute(state, code, isReplay, now) {
  const route = isReplay ? 'replay' : code === null ? 'home' : 'room';
  // The sound is offered at one table only.
  const experience = isSoundOffered(state) ? { ...state.experience, soundOffered: true } : state.experience;
  return { ...state, ...emptyRoom(now), experience, route, code, errors: {}, busy: {} };
}

/**
 * The state without expired toasts, reactions, holds and handover codes.
 * @param {State} state
 * @param {number} now
 * @returns {State}
 */
function withoutExpired(state, now) {
  const isOn = (/** @type {{ until: number }} */ { until }) => until > now;
  const { hold, nextHolds } = state.hold === null || isOn(state.hold) ? state : inTurn(state.nextHolds.filter(isOn));
  const reactions = state.reactions.every(isOn) ? state.reactions : state.reactions.filter(isOn);
  const toasts = state.toasts.every(isOn) ? state.toasts : state.toasts.filter(isOn);
  const offeredHandover = state.offeredHandover && isOn(state.offeredHandover) ? state.offeredHandover : null;
  return { ...state, hold, nextHolds, reactions, toasts, offeredHandover, clock: now };
}

/**
 * @param {State} state
 * @param {ServerMessage} message
 * @returns {State}
 */
function onMessage(state, message) {
  switch (message.type) {
    case 'welcome':
      return onWelcome(state, message);
    case 'room':
      return onRoom(state, message);
    case 'sheet':
      return onSheet(state, message);
    case 'game':
      return onGame(state, message);
    case 'round_log':
      // Another round may have been asked for meanwhile.
      return state.roundLog?.round === message.round
        ? { ...state, roundLog: { round: message.round, log: message, isBusy: false, error: null } }
        : state;
    case 'games':
      return { ...state, gameList: { games: message.games, isBusy: false, error: null } };
    case 'chat':
      return onChat(state, message);
    case 'notice':
      return onNotice(state, message);
    case 'reacted': {
      const { seat, reaction } = message;
      if (isMuted(state, { name: nameOf(state.room, seat) })) return state;
      const others = state.reactions.filter((other) => other.seat !== seat);
      return { ...state, reactions: [...others, { seat, reaction, until: state.clock + TOAST_MS }] };
    }
    case 'nudged':
      return onNudge(state, message);
    case 'handover': {
      const offeredHandover = { code: message.code, until: message.expires_at - state.clockSkew };
      return { ...state, offeredHandover, prompt: { kind: 'offer_handover' }, dialog: null, isLinkSelected: false };
    }
    // `connection.js` handles these. They do not change the state.
    case 'ok':
    case 'refused':
    case 'closing':
    case 'waiting':
      return state;
    default:
      return ignoreUnknown(message, state);
  }
}

/**
 * The first message on a connection. It shows how far the clocks of the server and of this device are apart.
 * @param {State} state
 * @param {Welcome} message
 * @returns {State}
 */
function onWelcome(state, { you, now }) {
  const chat = { ...state.chat, lines: [] };
  return { ...state, you, clockSkew: now - state.clock, isCaughtUp: false, chat, pendingMove: null };
}

/**
 * @param {State} state
 * @param {Room} message
 * @returns {State}
 */
function onRoom(state, { rev, you, guests = [], table }) {
  /** @type {RoomState} */
  const room = { ...table, rev, you, guests };
  const pendingChanges = state.pendingChanges.filter(({ isDone }) => !isDone);
  /** @type {State} */
  let next = { ...state, room, you, pendingChanges, muted: mutedAfter(state, room) };
  if (room.phase === 'lobby') next = withoutGame(next);
  else if (state.room !== null && state.room.game !== room.game) next = { ...withoutGame(next), sheet: state.sheet };
  if (next.viewpoint >= room.chairs.length) next = { ...next, viewpoint: 0 };
  next = { ...next, prompt: promptIn(room, next.prompt, state.room) };
  // The other device took the seat while this one had no connection.
  if (next.prompt?.kind === 'offer_handover' && you.seat === null) next = withSeatMoved(next);
  return state.room && state.isCaughtUp ? withRoomNews(next, state.room, room) : next;
}

/**
 * The sheet of a game only grows. One that does not begin with the rounds before is that of another game.
 * @param {State} state
 * @param {Sheet} sheet
 * @returns {State}
 */
function onSheet(state, sheet) {
  const before = state.sheet?.rounds ?? [];
  const isSameGame = JSON.stringify(sheet.rounds.slice(0, before.length)) === JSON.stringify(before);
  return { ...(isSameGame ? state : withoutLog(state)), sheet };
}

/**
 * The state without the log of a round, and without its dialog.
 * @param {State} state
 * @returns {State}
 */
function withoutLog(state) {
  return { ...state, roundLog: null, dialog: state.dialog === 'log' ? null : state.dialog };
}

/** The prompts that are of no use to somebody who has a seat. @type {readonly Prompt['kind'][]} */
const PROMPTS_WITHOUT_SEAT = ['sit', 'redeem_handover', 'claim', 'seat_moved'];
/** The dialogs about a game. @type {readonly DialogName[]} */
const TABLE_DIALOGS = ['scores', 'past_tricks', 'log', 'hands'];
/** The prompts of the host about spectators. @type {readonly Prompt['kind'][]} */
const PROMPTS_OF_HOST = ['remove_spectator', 'spectators'];

/**
 * The prompt after a room has changed. It is null if the prompt no longer applies.
 * @param {RoomState} room
 * @param {Prompt | null} prompt
 * @param {RoomState | null} before
 * @returns {Prompt | null}
 */
function promptIn(room, prompt, before) {
  if (prompt === null) return null;
  if (room.you.seat !== null && PROMPTS_WITHOUT_SEAT.includes(prompt.kind)) return null;
  if (prompt.kind === 'leave') return room.you.seat === null ? null : prompt;
  if (prompt.kind === 'end') {
    const isSame = room.you.seat !== null && room.you.host === prompt.isHost;
    return isSame && isGameOn({ room }) ? prompt : null;
  }
  if (!room.you.host && PROMPTS_OF_HOST.includes(prompt.kind)) return null;
  if (prompt.kind === 'spectator' || prompt.kind === 'remove_spectator') {
    return room.spectators.some(({ spectator }) => spectator === prompt.spectator) ? prompt : null;
  }
  if (prompt.kind === 'guests') return room.guests.length > 0 ? prompt : null;
  if (before === null || (prompt.kind !== 'chair' && prompt.kind !== 'sit') || prompt.seat === null) return prompt;
  const seat = followSeat(prompt.seat, before, room);
  if (seat !== null) return seat === prompt.seat ? prompt : { ...prompt, seat };
  return prompt.kind === 'chair' ? null : prompt;
}

/**
 * The state in the lobby: without the game, its dialogs and the questions about it.
 * @param {State} state
 * @returns {State}
 */
function withoutGame(state) {
  const dialog = state.dialog !== null && TABLE_DIALOGS.includes(state.dialog) ? null : state.dialog;
  const prompt = state.prompt?.kind === 'leave' || state.prompt?.kind === 'end' ? null : state.prompt;
  return {
    ...state,
    roundLog: null,
    sheet: null,
    game: null,
    ...inTurn([]),
    lifted: [],
    pendingMove: null,
    dialog,
    prompt,
  };
}

/**
 * The state on the old device after another one has taken the seat.
 * @param {State} state
 * @returns {State}
 */
function withSeatMoved(state) {
  return { ...state, offeredHandover: null, prompt: { kind: 'seat_moved' } };
}

/**
 * @param {State} state
 * @param {Game} message
 * @returns {State}
 */
function onGame(state, { rev, events, view: { table, ...others }, legal, changes = [], deadline, gap = false }) {
  if (table === null) return state;
  const view = /** @type {DealtView<View>} */ ({ ...others, table });
  const game = findGame(state.room?.game);
  const byBot = byBotAfter(state.game?.byBot ?? [], events);
  const memory = game?.remember(state.game?.memory ?? null, events, view);
  const hold = game ? holdAfter(game, state, events, view) : null;
  const held = hold ? [hold] : game ? missedHolds(game, state, events, view) : [];
  const holds = held.length > 0 ? inTurn(held) : null;
  const until = deadline === undefined ? null : deadline - state.clockSkew;
  // A card that was lifted to replace a choice must not be played in the next phase by a late click.
  const isFinal = state.game !== null && state.game.changes.length > 0 && changes.length === 0;
  const lifted = isFinal ? [] : state.lifted;
  // The rounds of another game begin again with 1. Its first event is missing if there is a gap.
  const isEarlierRound = state.game !== null && table.round < state.game.view.table.round;
  const isNewGame = events.some((event) => event.type === 'dealt' && event.round === 1) || (gap && isEarlierRound);
  const shown = isNewGame ? withoutLog(state) : state;
  // The hands can be seen until the end of the round.
  const dialog = shown.dialog === 'hands' && !view.hands ? null : shown.dialog;
  const next = {
    ...shown,
    dialog,
    game: { rev, view, legal, changes, deadline: until, byBot, memory },
    ...holds,
    lifted,
  };
  return withoutStaleLift(state.isCaughtUp ? withRoundLimitNews(withTimeUpNews(next, events), events) : next);
}

/**
 * The hold, and those that follow it.
 * @param {HoldState[]} holds the one that ends first comes first
 * @returns {Pick<State, 'hold' | 'nextHolds'>}
 */
function inTurn(holds) {
  return { hold: holds[0] ?? null, nextHolds: holds.slice(1) };
}

/**
 * The new hold after these events. Null if no event starts one, if the current one may not be replaced, or if the page has
 * not caught up. The last event with a rule decides. A hold of a finished trick is replaced by the next hold; any
 * other one is replaced only by a hold that interrupts.
 * @param {GameObject} game
 * @param {State} state
 * @param {readonly GameEvent[]} events
 * @param {DealtView<View>} view the view after the events
 * @returns {HoldState | null}
 */
export function holdAfter(game, state, events, view) {
  if (!state.isCaughtUp) return null;
  const event = events.findLast(({ type }) => type in game.holds);
  const rule = event && game.holds[event.type];
  if (!event || !rule) return null;
  if (state.hold && state.hold.kind !== 'taken' && !rule.interrupts) return null;
  const shown = game.heldView(event, view, state.game?.view ?? null);
  return { kind: rule.kind, until: state.clock + rule.ms, view: shown, event };
}

/**
 * The holds for missed events: what would have been held if the page had been connected. Those of an earlier round are left
 * out, because the page has no view of them. There are none before the page has shown the game.
 * @param {GameObject} game
 * @param {State} state the state before the events
 * @param {readonly GameEvent[]} events
 * @param {DealtView<View>} view the view after the events
 * @returns {HoldState[]}
 */
function missedHolds(game, state, events, view) {
  if (state.isCaughtUp || state.game === null) return [];
  const dealt = events.findLastIndex(({ type }) => type === 'dealt');
  const before = dealt < 0 ? state.game.view : null;
  const held = events.slice(dealt + 1).flatMap((event) => {
    const rule = game.holds[event.type];
    return rule ? [{ kind: rule.kind, event, view: game.heldView(event, view, before) }] : [];
  });
  const step = Math.min(MAX_MISSED_STEP_MS, MAX_MISSED_MS / held.length);
  return held.map((hold, at) => ({ ...hold, until: state.clock + Math.round(step * (at + 1)) }));
}

/**
 * The seats for whose person a bot has played a card to the trick on the table.
 * @param {Seat[]} seats those before the events
 * @param {readonly GameEvent[]} events
 */
function byBotAfter(seats, events) {
  let after = seats;
  events.forEach((event, at) => {
    const before = events[at - 1];
    if (event.type === 'dealt' || (event.type === 'played' && event.leads)) after = [];
    if (event.type === 'played' && before?.type === 'acted_for' && before.seat === event.seat) {
      after = [...after, event.seat];
    }
  });
  return after;
}

/**
 * The state after a move was sent. A lifted card stays lifted until the hand has one copy of it fewer. In a phase where
 * several seats act at once, other choices stay lifted until the own seat has acted or the phase is over. Otherwise they
 * stay lifted until the revision has grown. A move that replaces a choice does not change the revision.
 * @param {State} state
 * @param {string} id
 * @param {Card | null} card
 * @returns {State}
 */
function withPendingMove(state, id, card) {
  const isLifted = card === null || state.lifted.some((key) => cardOfKey(key) === card);
  const { game } = state;
  const sharedPhase = game && game.view.to_act.length > 1 ? phaseOf(game) : null;
  const replaces = game && game.changes.length > 0 ? (game.view.own ?? null) : null;
  const pendingMove = { id, card, copies: copiesOf(card, state), rev: game?.rev ?? 0, sharedPhase, replaces };
  return { ...state, pendingMove, lifted: isLifted ? state.lifted : [card] };
}

/**
 * The state without lifted keys that can no longer be chosen.
 * @param {State} state
 * @returns {State}
 */
function withoutStaleLift(state) {
  const isDone = state.pendingMove !== null && isMoveShown(state.pendingMove, state);
  return isDone ? { ...state, pendingMove: null, lifted: [] } : { ...state, lifted: stillLifted(state) };
}

/**
 * A move was refused, or was not sent again: its card is not lifted any more. A new connection has forgotten the pending move.
 * @param {State} state
 * @param {{ id: string }} move
 * @returns {State}
 */
function withoutPendingMove(state, { id }) {
  const isOther = state.pendingMove !== null && state.pendingMove.id !== id;
  return isOther ? state : { ...state, pendingMove: null, lifted: [] };
}

/**
 * Whether the game shows a move that was sent.
 * @param {PendingMove} move
 * @param {State} state
 */
function isMoveShown({ card, copies, rev, sharedPhase, replaces }, state) {
  const { game } = state;
  if (replaces !== null) return JSON.stringify(game?.view.own) !== JSON.stringify(replaces);
  if (card !== null) return copiesOf(card, state) < copies;
  if (game === null || game.rev === rev) return false;
  return sharedPhase === null || phaseOf(game) !== sharedPhase || !isMyTurn(state);
}

/**
 * A key of the round and its phase, unique in a game.
 * @param {GameState} game
 */
const phaseOf = ({ view: { table } }) => `${table.round} ${table.phase}`;

/**
 * How many cards like this one are in the own hand.
 * @param {Card | null} card
 * @param {State} state
 */
const copiesOf = (card, { game }) => handOf(game?.view).filter((other) => other === card).length;

/**
 * @param {State} state
 * @param {string} id
 * @param {RoomChange} change
 * @returns {State}
 */
const withPendingChange = (state, id, change) => ({
  ...state,
  pendingChanges: [...state.pendingChanges, { id, change, isDone: false }],
});

/**
 * The state after the answer to a pending change. A change that is done stays until the next `room` message, which
 * can come after the answer; one that is refused is dropped.
 * @param {State} state
 * @param {string} id
 * @param {boolean} isDone
 * @returns {State}
 */
function withChangeAnswer(state, id, isDone) {
  const others = state.pendingChanges.filter((each) => isDone || each.id !== id);
  return { ...state, pendingChanges: others.map((each) => (each.id === id ? { ...each, isDone } : each)) };
}

/**
 * @param {State} state
 * @param {ChatLine} line
 * @returns {State}
 */
function onChat(state, line) {
  const { at, name, spectator: number, text } = line;
  const spectator = number ?? null;
  const lines = withLine(state.chat.lines, { at, name, spectator, text, isNotice: false });
  const isOwn = isOwnLine(state, line);
  const isNew = state.isCaughtUp ? !isOwn : state.newestLineAt >= 0 && at > state.newestLineAt;
  const isHidden = isChatHidden(state.settings);
  const isRead = state.chat.open || isHidden || isMuted(state, { name, spectator });
  const before = isHidden ? 0 : state.chat.unread;
  const unread = isNew && !isRead ? before + 1 : before;
  const newestLineAt = state.isCaughtUp ? Math.max(state.newestLineAt, at) : state.newestLineAt;
  return { ...state, newestLineAt, chat: { ...state.chat, lines, unread } };
}

/**
 * The lines of the chat with one more. Lines of one millisecond are numbered, because their names and texts can be equal.
 * @param {readonly ChatEntry[]} lines
 * @param {Omit<ChatEntry, 'number'>} line
 * @returns {ChatEntry[]}
 */
function withLine(lines, line) {
  const number = (lines.findLast(({ at }) => at === line.at)?.number ?? -1) + 1;
  return [...lines, { ...line, number }].slice(-MAX_CHAT_LINES);
}

/**
 * A notice is a line of the chat, and the newest one has a banner. After a reconnect the server sends notices again.
 * @param {State} state
 * @param {Notice} notice
 * @returns {State}
 */
function onNotice(state, { at, text }) {
  const lines = withLine(state.chat.lines, { at, name: null, spectator: null, text, isNotice: true });
  const isNewest = state.notice === null || at > state.notice.at;
  const notice = isNewest ? { at, text, isClosed: false } : state.notice;
  return { ...state, notice, chat: { ...state.chat, lines } };
}

/** The events of a move. A `played` names its card. @type {readonly GameEvent['type'][]} */
const MOVES = ['picked', 'played', 'covered', 'discarded'];

/**
 * The state without what a failover of the database has lost, as far as the page knows it. The server sends the game again.
 * @param {State} state
 * @param {LostChanges} lost
 * @returns {State}
 */
function withLost(state, { changes, events }) {
  const moves = events.flatMap((event) => {
    if (!MOVES.includes(event.type) || !('seat' in event)) return [];
    const name = event.seat === state.you.seat ? null : nameOf(state.room, event.seat);
    return [{ name, card: event.type === 'played' ? event.card : null }];
  });
  const game = { game: null, ...inTurn([]), lifted: [], pendingMove: null, pendingChanges: [] };
  return { ...withoutLog(state), ...game, lost: { changes, moves } };
}

/**
 * All earlier messages have arrived; later changes cause toasts.
 * @param {State} state
 * @returns {State}
 */
function onCaughtUp(state) {
  const times = state.chat.lines.map(({ at }) => at);
  return { ...state, isCaughtUp: true, newestLineAt: Math.max(state.newestLineAt, 0, ...times) };
}

/**
 * @param {State} state
 * @param {Nudged} nudge
 * @returns {State}
 */
function onNudge(state, { seat, by }) {
  const [name, other] = [nameOf(state.room, by), nameOf(state.room, seat)];
  if (seat === state.you.seat) {
    return withNewsOf(state, by, isMyTurn(state) ? 'news.nudgedYou' : 'news.nudgedHost', { name });
  }
  return withNewsOf(state, by, by === state.you.seat ? 'news.youNudged' : 'news.nudged', { name, other });
}

/**
 * @param {State} state
 * @param {ConnectionStatus} status
 * @param {number | null} retryAt
 * @returns {State}
 */
function onConnection(state, status, retryAt) {
  const { connection } = state;
  const isOpen = status === 'open';
  const since = isOpen ? null : (connection.since ?? state.clock);
  const wasLostForLong =
    isOpen && state.room !== null && connection.since !== null && state.clock - connection.since > LOSS_GRACE_MS;
  const isRestart = status === 'restarting' || (!isOpen && connection.isRestart);
  const isUnsaved = status === 'unsaved' || (status !== 'restarting' && !isOpen && connection.isUnsaved);
  // A seat that the host has taken away has not moved to another device.
  const isOver = status === 'removed' && state.prompt?.kind === 'offer_handover';
  const prompt = isOver ? null : state.prompt;
  const offeredHandover = status === 'removed' ? null : state.offeredHandover;
  const next = {
    ...state,
    prompt,
    offeredHandover,
    connection: { status, retryAt, since, isRestart, isUnsaved },
  };
  return wasLostForLong ? withToast(next, 'state.back') : next;
}

/**
 * @param {State} state
 * @param {DialogName} dialog
 * @param {DialogFocus | null} dialogFocus
 * @returns {State}
 */
function onOpen(state, dialog, dialogFocus) {
  const open = dialog === 'chat';
  const next = { ...state, dialog, dialogFocus, isLinkSelected: false, chat: { ...state.chat, open } };
  return open ? withChatRead(next) : next;
}

/**
 * @param {State} state
 * @returns {State}
 */
function withChatRead(state) {
  return state.chat.unread === 0 ? state : { ...state, chat: { ...state.chat, unread: 0 } };
}

/**
 * The state with more announcements. Each has a number of its own, so that none is announced twice.
 * @param {State} state
 * @param {readonly string[]} lines
 * @returns {State}
 */
function withAnnouncements(state, lines) {
  const first = (state.announcements.at(-1)?.number ?? 0) + 1;
  const announced = lines.map((text, at) => ({ number: first + at, text }));
  return { ...state, announcements: [...state.announcements, ...announced].slice(-MAX_ANNOUNCEMENTS) };
}

/**
 * The state with the reason why a form was refused, or without one.
 * @param {State} state
 * @param {FormName} form
 * @param {TextKey | null} error
 * @returns {State}
 */
function withError(state, form, error) {
  const { [form]: _, ...others } = state.errors;
  return { ...state, errors: error ? { ...others, [form]: error } : others };
}

/**
 * The errors of all forms but that of a prompt.
 * @param {State} state
 * @param {Prompt | null} prompt
 * @returns {State['errors']}
 */
function withoutErrorOf({ errors }, prompt) {
  if (prompt === null) return errors;
  const { [/** @type {keyof State['errors']} */ (prompt.kind)]: _, ...others } = errors;
  return others;
}
