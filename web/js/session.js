// The session in a room, of a player or a spectator. It passes the messages of the room to the store, and causes
// the other effects of a message, such as sounds and announcements.

import { BATCH_MS, createAnnouncer } from './announcer.js';
import { fetchRoom, reloadIfOutdated } from './api.js';
import { refusalText } from './commands.js';
import { DEVICE_CLOCK, openConnection, openSocket } from './connection.js';
import { findGame } from './games.js';
import { t } from './i18n.js';
import { deleteRoomAndToken, removeSavedRoom, saveRoom, tokenFor } from './identity.js';
import { createLogReader } from './log-reader.js';
import { isMuted } from './mutes.js';
import { part } from './parts.js';
import { createSeenEvents } from './seen-events.js';
import { prefersReducedMotion, wasEverChosen } from './settings.js';
import { isChatHidden, isMyTurn, isOwnLine, nameOf, offerEnd, spectatorName } from './state.js';
import { loadExperience, mutedIn } from './storage.js';
import { socketUrl } from './urls.js';

/** @import { Announcer } from './announcer.js' */
/** @import { Code, GameEvent, ServerMessage } from './protocol.js' */
/** @import { SoundName } from './sound.js' */
/** @import { Store } from './store.js' */
/** @import { ConnectionStatus, RoomState, State } from './types.js' */

/** @typedef {ReturnType<typeof openSession>} Session */

/** The longest name of a person, in graphemes. */
const MAX_NAME = 20;
/** The versions of the protocol that the page speaks. The server chooses the highest one that it knows. */
const SUBPROTOCOLS = ['trick.v1'];
/** A page younger than this is not checked for outdated files. */
const MAX_FRESH_AGE_MS = 5000;
/** In the first games of a browser the hints are on, unless somebody has chosen otherwise. */
const GAMES_WITH_HINTS = 2;
/** The sounds of events, the most important first: of several events one is heard. @type {readonly SoundName[]} */
const EVENT_SOUNDS = ['end', 'pluck', 'trick', 'card'];

/**
 * Opens a session in a room.
 * @param {string} code
 * @param {string | undefined} password
 * @param {Store} store
 */
export function openSession(code, password, store) {
  const { state, dispatch } = store;
  const announcer = createAnnouncer({
    announce: (lines, statusLine) => dispatch({ type: 'announce', lines, statusLine }),
    later: (callback) => setTimeout(callback, BATCH_MS),
  });
  dispatch({ type: 'experience', experience: loadExperience() });
  dispatch({ type: 'muted', names: mutedIn(code) });
  const filesCheck = createFilesCheck(state);
  const seenEvents = createSeenEvents();
  const connection = openConnection({
    open: () => openSocket(socketUrl(`api/rooms/${code}/socket`), SUBPROTOCOLS),
    token: tokenFor(code),
    password,
    seen: seenEvents.seen,
    onMessage: (message) => {
      const isMissed = seenEvents.add(message);
      const lost = seenEvents.takeLost();
      if (lost) dispatch({ type: 'changes_lost', lost });
      onMessage(code, store, announcer, message, isMissed);
      if (message.type === 'game' && message.events.length > 0) logReader.onEvents();
      if (message.type === 'room') filesCheck.onRoom();
    },
    onStatus: (status, retryAt) => {
      // The seat has most likely moved to the other device: the server will say so to this one.
      if (status === 'elsewhere' && state().offeredHandover) {
        dispatch({ type: 'seat_moved' });
        return connection.reconnect();
      }
      dispatch({ type: 'connection', status, retryAt });
      filesCheck.onStatus(status);
      if (status === 'gone' || status === 'closed') deleteRoomAndToken(code);
      if (status === 'removed') removeSavedRoom(code);
    },
    onCaughtUp: () => {
      dispatch({ type: 'caught_up' });
      filesCheck.onCaughtUp();
    },
    onRefused: (refusal) => onRefused(store, refusal),
    roomExists: async () => {
      const room = await fetchRoom(code);
      return room === null ? null : room !== false;
    },
    clock: DEVICE_CLOCK,
  });
  const logReader = createLogReader(store, connection.send, setTimeout);
  const { describePending, setStatusLine } = announcer;
  return { ...connection, ...logReader, describePending, setStatusLine, end };

  /** Leaves the room: from now on nothing is received or announced. */
  function end() {
    announcer.clear();
    connection.end();
  }
}

/**
 * Checks whether the server has other files after a new connection, because it may have restarted. A game goes on with the files
 * of the page, so the check waits for the lobby.
 * @param {() => State} state
 */
function createFilesCheck(state) {
  /** Whether the connection has opened since the page was last caught up. */
  let isReopened = false;
  let mayBeOutdated = performance.now() > MAX_FRESH_AGE_MS;
  let isDue = false;
  function check() {
    if (!isDue || state().room?.phase !== 'lobby') return;
    isDue = false;
    void reloadIfOutdated();
  }
  return {
    onStatus: (/** @type {ConnectionStatus} */ status) => {
      isReopened = status === 'open';
    },
    onCaughtUp: () => {
      if (isReopened && mayBeOutdated) isDue = true;
      isReopened = false;
      mayBeOutdated = true;
      check();
    },
    onRoom: check,
  };
}

/**
 * Shows in the form for the password, or for the name of a guest, why the server does not let this client in.
 * @param {Store} store
 * @param {Code} refusal
 */
function onRefused({ state, dispatch }, refusal) {
  const form = state().connection.status === 'guest_name' ? 'guest_name' : 'password';
  dispatch({ type: 'busy', form, busy: false });
  const isFirst = refusal === 'password_needed' || refusal === 'name_needed';
  dispatch({ type: 'error', form, error: isFirst ? null : refusalText(refusal, { n: MAX_NAME }) });
}

/** The table, once its texts can be announced. */
const loadedTable = () => (part('deferred') ? part('table') : null);

/**
 * Passes a message to the store, and causes its other effects.
 * @param {string} code
 * @param {Store} store
 * @param {Pick<Announcer, 'addEvents' | 'addLines'>} announcer
 * @param {ServerMessage} message
 * @param {boolean} isMissed whether the page has missed the events of the message
 */
function onMessage(code, store, announcer, message, isMissed) {
  const before = store.state();
  store.dispatch({ type: 'message', message });
  const now = store.state();
  if (message.type === 'room' && now.room) saveOwnSeat(code, now.room, before);
  if (message.type === 'game' && now.room) {
    if (isMissed) announcer.addEvents(() => loadedTable()?.missedSummary(message, now) ?? null);
    else if (message.events.length > 0) {
      announcer.addEvents(() => loadedTable()?.announcements(message.events, now) ?? null);
    }
    if (!before.isCaughtUp && now.hold !== before.hold && prefersReducedMotion()) store.dispatch({ type: 'end_hold' });
    if (now.settings.sound) playSounds(message.events, now, before);
    if (message.events.some(({ type }) => type === 'game_over')) countGame(store);
  }
  const spoken = talkText(message, now);
  if (spoken !== null) announcer.addLines(spoken);
  notifyOfTurn(now, before, message.type === 'nudged' && message.seat === now.you.seat);
}

/**
 * A line of the chat or a reaction of somebody else, as screen readers are told it; null if they are told nothing. Lines
 * from before the page came are not news.
 * @param {ServerMessage} message
 * @param {State} state
 */
function talkText(message, state) {
  const { settings, you, room, isCaughtUp } = state;
  if (!isCaughtUp || !settings.speakChat || (message.type !== 'chat' && message.type !== 'reacted')) return null;
  if (message.type === 'chat' ? isOwnLine(state, message) : message.seat === you.seat) return null;
  const sender = message.type === 'chat' ? message : { name: nameOf(room, message.seat) };
  if (isMuted(state, sender)) return null;
  const name = message.type === 'chat' && message.seat === null ? spectatorName(message, t) : sender.name;
  if (message.type === 'reacted') return t('announce.reacts', { name, reaction: t(`react.${message.reaction}`) });
  return isChatHidden(settings) ? null : t('announce.says', { name: name ?? '', text: message.text });
}

/**
 * Saves a room where this browser has a seat, and removes it once the seat is lost. Only a `room` message decides:
 * a `welcome` has the own seat before it.
 * @param {string} code
 * @param {RoomState} room
 * @param {State} before
 */
function saveOwnSeat(code, room, before) {
  if (room.you.seat !== null) saveRoom(code, room.title);
  else if (!before.room || before.room.you.seat !== null) removeSavedRoom(code);
}

/**
 * Tells people who do not look at the page that it is their turn, when it begins and when they are nudged, or that a free seat
 * is offered to them.
 * @param {State} now
 * @param {State} before
 * @param {boolean} isNudged
 */
function notifyOfTurn(now, before, isNudged) {
  const { settings } = now;
  const isOffered = offerEnd(now) !== null;
  const isOfferNew = isOffered && offerEnd(before) === null;
  if ((isNudged || isOfferNew) && settings.sound) part('deferred')?.playSound('turn', settings.volume);
  if (isOfferNew) part('deferred')?.notifyTurn(settings, t('queue.offer.short'), titleOf(now));
  else if (isOffered) return;
  else if (!isMyTurn(now)) part('deferred')?.dismissNotification();
  else if (isNudged || !isMyTurn(before)) {
    part('deferred')?.notifyTurn(settings, t('turn.you'), titleOf(now));
  }
}

/**
 * The title of a room, or the name of its game.
 * @param {State} state
 */
const titleOf = ({ room }) => room?.title ?? findGame(room?.game)?.name ?? '';

/**
 * Counts a game that was played to its end. People who have played some need no hints, unless they chose them.
 * @param {Store} store
 */
function countGame({ state, dispatch }) {
  const { you, experience } = state();
  if (you.seat === null) return;
  const games = experience.games + 1;
  dispatch({ type: 'experience', experience: { ...experience, games, soundOffered: true } });
  if (games >= GAMES_WITH_HINTS && !wasEverChosen('hints')) dispatch({ type: 'settings', settings: { hints: false } });
}

/**
 * Plays the sound of the most important event, and that of the own turn.
 * @param {readonly GameEvent[]} events
 * @param {State} now
 * @param {State} before
 */
function playSounds(events, now, before) {
  const play = (/** @type {SoundName} */ name) => part('deferred')?.playSound(name, now.settings.volume);
  const game = findGame(now.room?.game);
  const sounds = events.map((event) => (event.type === 'game_over' ? 'end' : game?.sound(event)));
  const mostImportant = EVENT_SOUNDS.find((name) => sounds.includes(name));
  if (mostImportant) play(mostImportant);
  if (isMyTurn(now) && !isMyTurn(before)) play('turn');
}
