// The state of the page before anything is known, and selectors, which compute a value from a state. types.d.ts has its type.
// A `Seat` is also the number of a chair: the seat of a game has the same number as its chair.

import { enumValues } from './exhaustive.js';
import { findGame, GAMES } from './games.js';

/** @import { Translate } from './i18n.js' */
/** @import { Card, Chair, ChatLine, GameOptions, Level, PresenceState, ReplayAccess, RoomPhase, Seat, View } from './protocol.js' */
/** @import { Settings } from './settings.js' */
/** @import { Experience } from './storage.js' */
/** @import { ConnectionStatus, DealtView, ConnectionState, PendingChange, RoomState, State } from './types.js' */

/** The levels of bots. @type {readonly Level[]} */
export const LEVELS = enumValues({ beginner: true, normal: true, expert: true });

/** The people who may see replays, the fewest first. @type {readonly ReplayAccess[]} */
export const REPLAY_ACCESS = enumValues({ nobody: true, players: true, everybody: true });

/** Whether a game is on or paused, by the phase of the room. @type {Readonly<Record<RoomPhase, boolean>>} */
const IS_GAME_ON = { lobby: false, playing: true, paused: true, over: false };
/** Whether a person can react at once, by presence. @type {Readonly<Record<PresenceState, boolean>>} */
const IS_HERE = { here: true, lost: false, away: false };
/** Whether a person has been disconnected for at least 5 s, by presence. @type {Readonly<Record<PresenceState, boolean>>} */
const IS_AWAY = { here: false, lost: false, away: true };

/**
 * A loss of the connection that is shorter than this is not shown. A longer one has a banner, and a toast says when the
 * connection is back.
 */
export const LOSS_GRACE_MS = 2000;

/** For how long a notice of the operator has a banner, in milliseconds. */
const NOTICE_MS = 10 * 60_000;

/**
 * The state before anything is known.
 * @param {Settings} settings
 * @param {number} now
 * @param {Experience} [experience]
 * @returns {State}
 */
export function initialState(settings, now, experience = { explainedGames: [], games: 0, soundOffered: false }) {
  const [{ id, usualSeats }] = GAMES;
  return {
    ...emptyRoom(now),
    route: 'home',
    toasts: [],
    toastCount: 0,
    clock: now,
    settings,
    errors: {},
    busy: {},
    home: { rooms: null, savedRooms: [], draft: { game: id, seats: usualSeats } },
    clockSkew: 0,
    experience,
    help: { game: id, variant: null },
    checkResults: [],
  };
}

/**
 * The part of the state that belongs to a room, before anything is known of it.
 * @param {number} now
 */
export function emptyRoom(now) {
  /** @type {ConnectionState} */
  const connection = { status: 'connecting', retryAt: null, since: now, isRestart: false, isUnsaved: false };
  return {
    code: null,
    replay: null,
    connection,
    you: { seat: null, host: false },
    room: null,
    sheet: null,
    game: null,
    hold: null,
    nextHolds: [],
    lifted: [],
    pendingMove: null,
    pendingChanges: [],
    chat: { lines: [], unread: 0, open: false },
    notice: null,
    lost: null,
    reactions: [],
    announcements: [],
    statusLine: '',
    dialog: null,
    roundLog: null,
    gameList: null,
    viewpoint: 0,
    dialogFocus: null,
    muted: [],
    prompt: null,
    isCaughtUp: false,
    newestLineAt: -1,
    isLinkSelected: false,
    offeredHandover: null,
    introCard: null,
  };
}

/**
 * The name of the person or bot on a seat. If nobody sits there: the number of the seat as a text, or nothing without `t`.
 * @param {Pick<RoomState, 'chairs'> | null} room
 * @param {Seat | null | undefined} seat
 * @param {Translate} [t]
 * @returns {string}
 */
export function nameOf(room, seat, t) {
  if (seat === null || seat === undefined) return '';
  const chair = room?.chairs[seat];
  return chair && chair.kind !== 'free' ? chair.name : (t?.('seat.number', { n: seat + 1 }) ?? '');
}

/** The numbers of spectators modulo this count them from 1 since the room woke. */
const SPECTATOR_NUMBERS = 1_000;

/**
 * The name of a spectator, or the last digits of their number in words.
 * @param {{ name?: string | null, spectator?: number | null }} spectator
 * @param {Translate} t
 * @returns {string}
 */
export const spectatorName = ({ name, spectator }, t) =>
  name ?? t('spectators.number', { n: (spectator ?? 0) % SPECTATOR_NUMBERS });

/**
 * The time by the clock of this device until which a free seat is kept for this spectator; null if none is.
 * @param {Pick<State, 'room' | 'you' | 'clockSkew'>} state
 */
export function offerEnd(state) {
  const until = ownSpectator(state)?.offered_until;
  return until === undefined ? null : until - state.clockSkew;
}

/**
 * The own entry among the spectators; undefined for somebody with a seat.
 * @param {Pick<State, 'room' | 'you'>} state
 */
export const ownSpectator = ({ room, you }) =>
  you.seat === null ? room?.spectators.find(({ spectator }) => spectator === you.spectator) : undefined;

/**
 * Whether this spectator sees all hands of the round. Until its end they only watch.
 * @param {Pick<State, 'room' | 'you'>} state
 */
export const seesAllHands = (state) => ownSpectator(state)?.sees_hands === true;

/**
 * The name of the person or bot on a seat; `you` for the own seat.
 * @param {Pick<RoomState, 'chairs'> | null} room
 * @param {Seat} seat
 * @param {Seat | null} ownSeat
 * @param {Translate} t
 * @returns {string}
 */
export const nameOrYou = (room, seat, ownSeat, t) => (seat === ownSeat ? t('play.you') : nameOf(room, seat, t));

/**
 * Whether a bot plays on a chair: one that sits there, or one that stands in for a person.
 * @param {Chair | undefined} chair
 */
export const isPlayedByBot = (chair) => chair?.kind === 'bot' || (chair?.kind === 'person' && chair.stood_in);

/**
 * Whether a person sits on a chair who is connected.
 * @param {Chair | undefined} chair
 */
export const isHere = (chair) => chair?.kind === 'person' && IS_HERE[chair.presence];

/**
 * Whether a person sits on a chair who has been disconnected for a longer time.
 * @param {Chair | undefined} chair
 */
export const isAway = (chair) => chair?.kind === 'person' && IS_AWAY[chair.presence];

/**
 * The time by the clock of this device from which a bot may be asked to stand in on a chair; null if it is not known.
 * @param {Chair | undefined} chair
 * @param {Pick<State, 'clockSkew'>} state
 * @returns {number | null}
 */
export function standInFrom(chair, { clockSkew }) {
  return chair?.kind === 'person' && chair.stand_in_from !== undefined ? chair.stand_in_from - clockSkew : null;
}

/**
 * The idleness of a person, with the times by the clock of this device; null if they are not idle.
 * @param {Chair | undefined} chair
 * @param {Pick<State, 'clockSkew'>} state
 * @returns {{ since: number, warnAt: number | null, isWarned: boolean } | null}
 */
export function idleOf(chair, { clockSkew }) {
  if (chair?.kind !== 'person' || !chair.idle) return null;
  const { since, warn_at, warned } = chair.idle;
  const warnAt = warn_at === undefined ? null : warn_at - clockSkew;
  return { since: since - clockSkew, warnAt, isWarned: warned === true };
}

/**
 * Whether the own person is idle and has to be warned: a bot may play for them soon.
 * @param {Pick<State, 'room' | 'you' | 'clock' | 'clockSkew'>} state
 */
export function isWarned({ room, you, clock, clockSkew }) {
  const idle = you.seat === null ? null : idleOf(room?.chairs[you.seat], { clockSkew });
  if (!idle || idle.warnAt === null) return false;
  // The timers of a hidden page are late, and messages are not.
  return idle.isWarned || idle.warnAt <= clock;
}

/**
 * Whether the own person is warned and may ask for more time: they can do so once in a turn.
 * @param {Parameters<typeof isWarned>[0]} state
 */
export function mayAskForMoreTime(state) {
  const { room, you } = state;
  const chair = you.seat === null ? undefined : room?.chairs[you.seat];
  return isWarned(state) && !room?.turn_seconds && chair?.kind === 'person' && !chair.has_more_time;
}

/**
 * Whether the own seat may pause the game once more.
 * @param {Pick<RoomState, 'chairs' | 'you'>} room
 */
export function mayPause({ chairs, you }) {
  const chair = you.seat === null ? undefined : chairs[you.seat];
  return chair?.kind === 'person' && (chair.pauses_left ?? 0) > 0;
}

/**
 * The time by the clock of this device when another person becomes the host in the place of one who is connected and idle;
 * null if nobody waits for the host.
 * @param {Pick<State, 'room' | 'clockSkew'>} state
 */
export function hostPassesAt({ room, clockSkew }) {
  if (room?.host_passes_at === undefined || room.host === null || !isHere(room.chairs[room.host])) return null;
  return room.host_passes_at - clockSkew;
}

/**
 * Whether the results of the game are shown. The sheet of a rematch comes before its `room`, and has no rounds.
 * @param {Pick<State, 'room' | 'sheet'>} state
 */
export const isGameOver = ({ room, sheet }) => room?.phase === 'over' && sheet !== null && sheet.rounds.length > 0;

/**
 * The latest time of a planned restart of the server, by the clock of this device; null if none is planned.
 * @param {Pick<State, 'room' | 'clockSkew'>} state
 */
export const restartAt = ({ room, clockSkew }) => (room?.restart_at === undefined ? null : room.restart_at - clockSkew);

/**
 * When the banner of the notice goes by itself, by the clock of this device; null if it has none.
 * @param {Pick<State, 'notice' | 'clockSkew'>} state
 */
export const noticeEnd = ({ notice, clockSkew }) =>
  notice === null || notice.isClosed ? null : notice.at - clockSkew + NOTICE_MS;

/**
 * Whether a game is on or paused.
 * @param {Pick<State, 'room'>} state
 */
export const isGameOn = ({ room }) => room !== null && IS_GAME_ON[room.phase];

/**
 * Whether the chat is not shown: it was hidden, or somebody streams their screen.
 * @param {Pick<Settings, 'hideChat' | 'streamer'>} settings
 */
export const isChatHidden = ({ hideChat, streamer }) => hideChat || streamer;

/**
 * Whether the line that offers the sound is shown: at the first table, until it is answered.
 * @param {Pick<State, 'room' | 'settings' | 'experience'>} state
 */
export const isSoundOffered = ({ room, settings, experience }) =>
  room !== null && room.you.seat !== null && !settings.sound && !experience.soundOffered;

/**
 * Whether the own seat must act. A person who plays from the next round on has no seat in the view.
 * @param {State} state
 */
export function isMyTurn({ room, game }) {
  const seat = game?.view.seat ?? null;
  return room?.phase === 'playing' && seat !== null && Boolean(game?.view.to_act?.includes(seat));
}

/**
 * Whether the screen is a table in play or that of a replay, with felt and tray. Any other screen scrolls.
 * @param {State} state
 */
export function isTableScreen(state) {
  const { route, room, game, hold, replay } = state;
  if (route === 'replay') return replay !== null && replay.overview !== null;
  if (route !== 'room' || !room || room.phase === 'lobby') return false;
  return hold !== null || !(isGameOver(state) || game?.view.table.phase === 'round_end');
}

/**
 * Whether the page reconnects by itself in this status.
 * @param {ConnectionStatus} status
 */
export const isReconnecting = (status) => ['waiting', 'connecting', 'restarting', 'unsaved'].includes(status);

/**
 * Whether this client has written a line. On a chair the name counts too, because somebody else may have had it before.
 * @param {State} state
 * @param {ChatLine} line
 */
export function isOwnLine({ you, room }, { seat, name, spectator }) {
  if (seat === null) return you.seat === null && spectator !== undefined && spectator === you.spectator;
  return seat === you.seat && name === nameOf(room, seat);
}

/**
 * A chair that a spectator may take: a free one, or that of a bot; null if there is none.
 * @param {State} state
 * @returns {Seat | null}
 */
export function chairToTake(state) {
  const chairs = state.room?.chairs ?? [];
  const seats = ['free', 'bot'].map((kind) => chairs.findIndex((chair) => chair.kind === kind));
  return seats.find((seat) => seat >= 0) ?? null;
}

/**
 * Whether a spectator has to wait for a seat: no chair can be taken, or each of them is kept for somebody in the queue.
 * @param {State} state
 */
export function isQueueNeeded(state) {
  const chairs = state.room?.chairs.filter(({ kind }) => kind !== 'person').length ?? 0;
  const others = state.room?.spectators.filter(
    ({ spectator, offered_until }) => offered_until !== undefined && spectator !== state.you.spectator,
  );
  return chairs <= (others?.length ?? 0);
}

/**
 * The options of a room with the own changes that the room does not show yet.
 * @param {RoomState} room
 * @param {readonly PendingChange[]} changes
 * @returns {GameOptions}
 */
export const changedOptions = ({ options }, changes) =>
  Object.assign({}, options, ...changes.map(({ change }) => change.options));

/**
 * A room with the pending changes of its options.
 * @param {RoomState} room
 * @param {readonly PendingChange[]} changes
 * @returns {RoomState}
 */
export const changedRoom = (room, changes) => ({ ...room, options: changedOptions(room, changes) });

/**
 * The number of seats of a room with the own changes that the room does not show yet.
 * @param {RoomState} room
 * @param {readonly PendingChange[]} changes
 */
export const changedSeats = ({ chairs }, changes) =>
  changes.findLast(({ change }) => change.seats !== undefined)?.change.seats ?? chairs.length;

/**
 * The keys of the cards of a hand, in its order: `red-7`; of equal cards the second is `red-1 2`, the third `red-1 3`.
 * A lifted card has such a key. Other things that a game lets people lift have keys like `trump:red`.
 * @param {readonly Card[]} hand
 * @returns {string[]}
 */
export function cardKeys(hand) {
  return hand.map((card, index) => {
    const copies = hand.slice(0, index).filter((other) => other === card).length;
    return copies === 0 ? card : `${card} ${copies + 1}`;
  });
}

/**
 * The card with this key.
 * @param {string} key
 * @returns {Card}
 */
export const cardOfKey = (key) => key.split(' ')[0];

/**
 * The lifted keys that can still be chosen.
 * @param {State} state
 * @returns {string[]}
 */
export function stillLifted({ lifted, room, game }) {
  if (!game) return [];
  const cards = cardKeys(handOf(game.view));
  return lifted.filter((key) =>
    key.includes(':') ? findGame(room?.game)?.canStayLifted(key, game.view) : cards.includes(key),
  );
}

/**
 * The own hand in a view.
 * @param {DealtView<View> | undefined} view
 * @returns {readonly Card[]}
 */
export const handOf = (view) => view?.own?.hand ?? [];
