// What happens to the state: one pure function.

import { pauseOf } from './pause.js';
import { cardOfKey, emptyTable, isMyTurn, nameAt, stillLifted } from './state.js';

/** @typedef {import('./state.js').State} State */

/** How long a reaction and a piece of news stay. */
const SHOWN = 4000;
/** How long a code for another device is good. */
const OFFER = 120_000;
/** How long the next round waits at most for those who are not ready. */
const BREAK = 30_000;
const LINES = 50;
const LOG = 20;
const TOASTS = 4;

/**
 * The state after an event. Every event says when it happened (`now`).
 * @param {State} state
 * @param {any} event
 * @returns {State}
 */
export function reduce(state, event) {
  return introduced(step(tick(state, event.now), event));
}

/**
 * Explains a game to whoever sits down to it for the first time, but never over his own turn.
 * @param {State} state
 * @returns {State}
 */
function introduced(state) {
  const { intro, room, known } = state;
  if (intro === 'later' || !state.settled || !room || room.you.seat === null) return state;
  if (isMyTurn(state)) return { ...state, intro: 'later' };
  return intro === null && !known.intro.includes(room.game) ? { ...state, intro: 0 } : state;
}

/**
 * @param {State} state
 * @param {any} event
 * @returns {State}
 */
function step(state, event) {
  switch (event.type) {
    case 'message':
      return hear(state, event.message);
    case 'page':
      return {
        ...state,
        ...emptyTable(event.now),
        page: event.code === null ? 'home' : 'table',
        code: event.code,
        errors: {},
        busy: {},
      };
    case 'link':
      return withLink(state, event.status, event.retryAt ?? null);
    case 'settled':
      return settle(state);
    case 'lift':
      return { ...state, lifted: event.names };
    case 'sending':
      return withSending(state, event.id, event.card);
    case 'not_sent':
      return state.sending?.id === event.id ? { ...state, sending: null, lifted: [] } : state;
    case 'go_on':
      return { ...state, pause: null };
    case 'open':
      return withSheet(state, event.sheet);
    case 'chat_read':
      return read(state);
    case 'set':
      return { ...state, settings: { ...state.settings, ...event.settings } };
    case 'viewpoint':
      return { ...state, viewpoint: event.seat };
    case 'ask':
      return { ...state, ask: event.ask, errors: without(state.errors, event.ask?.kind) };
    case 'busy':
      return { ...state, busy: { ...state.busy, [event.form]: event.busy } };
    case 'error':
      return {
        ...state,
        errors: { ...without(state.errors, event.form), ...(event.error && { [event.form]: event.error }) },
      };
    case 'home':
      return { ...state, home: { ...state.home, ...event.home } };
    case 'draft':
      return { ...state, home: { ...state.home, draft: { ...state.home.draft, ...event.draft } } };
    case 'log':
      return { ...withLines(state, event.lines), sentence: event.sentence };
    case 'toast':
      return withToast(state, event.key, event.args, event.kind);
    case 'moved':
      return { ...state, offer: null, ask: { kind: 'moved' } };
    case 'intro':
      return { ...state, intro: event.intro };
    case 'known':
      return { ...state, known: event.known };
    case 'help':
      return { ...state, help: { ...state.help, ...event.help } };
    case 'found':
      return { ...state, found: event.found };
    case 'select_link':
      return { ...state, selectLink: event.select };
    default:
      return state;
  }
}

/**
 * Lines that are to be said. Each has a number of its own: what was said already is not said again.
 * @param {State} state
 * @param {string[]} lines
 * @returns {State}
 */
function withLines(state, lines) {
  const next = (state.log.at(-1)?.number ?? 0) + 1;
  const said = lines.map((text, at) => ({ number: next + at, text }));
  return { ...state, log: [...state.log, ...said].slice(-LOG) };
}

/**
 * What is over by itself.
 * @param {State} state
 * @param {number} now
 * @returns {State}
 */
function tick(state, now) {
  const isOn = (/** @type {{ until: number }} */ shown) => shown.until > now;
  const pause = state.pause && isOn(state.pause) ? state.pause : null;
  const reactions = state.reactions.every(isOn) ? state.reactions : state.reactions.filter(isOn);
  const toasts = state.toasts.every(isOn) ? state.toasts : state.toasts.filter(isOn);
  const offer = state.offer && isOn(state.offer) ? state.offer : null;
  return { ...state, pause, reactions, toasts, offer, clock: now };
}

/**
 * What the server says.
 * @param {State} state
 * @param {any} message
 * @returns {State}
 */
function hear(state, message) {
  switch (message.type) {
    case 'welcome':
      return { ...state, you: message.you, settled: false, chat: { ...state.chat, lines: [] }, sending: null };
    case 'room':
      return hearRoom(state, message);
    case 'game':
      return hearGame(state, message);
    case 'chat':
      return hearChat(state, message);
    case 'reacted': {
      const others = state.reactions.filter(({ seat }) => seat !== message.seat);
      const reaction = { seat: message.seat, reaction: message.reaction, until: state.clock + SHOWN };
      return { ...state, reactions: [...others, reaction] };
    }
    case 'nudged':
      return hearNudge(state, message);
    case 'handover': {
      const offer = { code: message.code, until: state.clock + OFFER };
      const skew = message.expires_at - offer.until;
      return { ...state, skew, offer, ask: { kind: 'handover' }, sheet: null, selectLink: false };
    }
    default:
      return state;
  }
}

/**
 * @param {State} state
 * @param {any} message
 * @returns {State}
 */
function hearRoom(state, message) {
  const { rev, you, table } = message;
  const room = { ...table, rev, you };
  const hasGame = room.phase !== 'lobby';
  const away = room.chairs.map((/** @type {any} */ chair, /** @type {number} */ seat) => {
    const isGone = chair.kind === 'person' && chair.presence !== 'here';
    return isGone ? (state.away[seat] ?? state.clock) : null;
  });
  let next = { ...state, room, you, away };
  if (!hasGame) next = { ...next, game: null, pause: null, history: [], lifted: [], sending: null };
  if (next.viewpoint >= room.chairs.length) next = { ...next, viewpoint: 0 };
  if (next.ask?.kind === 'chair' && room.chairs[next.ask.seat]?.kind === 'free') next = { ...next, ask: null };
  if (next.ask && you.seat !== null && NOT_SEATED.includes(next.ask.kind)) next = { ...next, ask: null };
  return state.room && state.settled ? withNews(next, state.room) : next;
}

/**
 * Says what has changed among the people.
 * @param {State} state
 * @param {import('./state.js').Room} before
 * @returns {State}
 */
function withNews(state, before) {
  const { room } = state;
  if (!room) return state;
  let next = state;
  if (room.host !== null && room.host !== before.host && room.phase !== 'lobby' && before.host !== null) {
    const key = room.you.host ? 'news.hostYou' : 'news.host';
    next = withToast(next, key, { name: nameAt(room, room.host) });
  } else if (room.you.host && !before.you.host && before.host !== null && before.you.seat !== null) {
    next = withToast(next, 'news.hostYou');
  }
  if (room.phase === before.phase && (room.phase === 'playing' || room.phase === 'paused')) {
    room.chairs.forEach((chair, seat) => {
      const old = before.chairs[seat];
      if (!old || seat === room.you.seat) return;
      if (old.kind === 'bot' && chair.kind === 'bot' && old.name === chair.name && old.level !== chair.level) {
        next = withToast(next, `news.level.${chair.level}`, { name: chair.name });
      }
      const [was, is] = [old.kind === 'person' ? old : null, chair.kind === 'person' ? chair : null];
      if (was && is && was.name === is.name) {
        if (was.presence !== 'away' && is.presence === 'away') next = withToast(next, 'live.left', { name: is.name });
        if (was.presence === 'away' && is.presence === 'here') next = withToast(next, 'live.back', { name: is.name });
        if (!was.stood_in && is.stood_in) next = withToast(next, 'live.bot', { name: is.name });
      } else if (was && chair.kind === 'bot') {
        next = withToast(next, 'news.stood', { name: was.name, bot: chair.name });
      } else if (is && old.kind === 'bot') {
        next = withToast(next, 'news.sat', { name: is.name });
      }
    });
  }
  return next;
}

/** Questions to somebody who has no seat. */
const NOT_SEATED = ['sit', 'takeover', 'moved'];

/** Events with which the table begins to wait anew. */
const MOVES = ['dealt', 'revealed', 'played', 'covered', 'board_settled', 'teams_formed', 'discards_done'];
/** Those with which it waits for the next round. */
const SCORED = ['round_scored'];

/**
 * @param {State} state
 * @param {any} message
 * @returns {State}
 */
function hearGame(state, message) {
  const { rev, events = [], view, legal = [] } = message;
  const has = (/** @type {string[]} */ types) => events.some((/** @type {any} */ event) => types.includes(event.type));
  const isBreak = view.table?.phase === 'round_end';
  const seconds = state.room?.turn_seconds ?? null;
  const longest = isBreak ? BREAK : seconds === null ? null : seconds * 1000;
  let { skew } = state;
  let deadline = message.deadline ?? null;
  if (deadline !== null && longest !== null) {
    if (has(isBreak ? SCORED : MOVES)) skew = deadline - longest - state.clock;
    deadline = Math.min(deadline - skew, state.clock + longest);
  }
  const cover = events.findLast((/** @type {any} */ event) => event.type === 'covered') ?? null;
  const game = { rev, view, legal, deadline, cover, byBot: byBotAfter(state.game?.byBot ?? [], events) };
  const pause = pauseOf(state, events, view) ?? state.pause;
  const history = historyAfter(state, events, view);
  const next = { ...state, game, pause, skew, history };
  return putBack(state.settled ? withClocks(next, events) : next);
}

/**
 * For whose person a bot has laid a card to the trick that lies.
 * @param {number[]} seats
 * @param {any[]} events
 */
function byBotAfter(seats, events) {
  let after = seats;
  events.forEach((event, at) => {
    if (event.type === 'dealt' || event.leads) after = [];
    const before = events[at - 1];
    if (event.type === 'played' && before?.type === 'acted_for' && before.seat === event.seat)
      after = [...after, event.seat];
  });
  return after;
}

/**
 * Says for whom a bot has moved because the time was over. Where one stands in, the seat shows it.
 * @param {State} state
 * @param {any[]} events
 * @returns {State}
 */
function withClocks(state, events) {
  let next = state;
  for (const { type, seat, by } of events) {
    if (type !== 'acted_for' || by !== 'clock') continue;
    const isOwn = seat === state.you.seat;
    next = withToast(next, isOwn ? 'news.clock.you' : 'news.clock', { name: nameAt(state.room, seat) });
  }
  return next;
}

/**
 * The finished tricks of the round as far as they were seen, or may be looked up.
 * @param {State} state
 * @param {any[]} events
 * @param {any} view
 */
function historyAfter(state, events, view) {
  const table = view.table ?? {};
  const round = table.round ?? 0;
  let tricks = state.history;
  for (const event of events) {
    if (event.type === 'dealt') tricks = [];
    if (event.type !== 'trick_taken' && event.type !== 'set_aside') continue;
    const { leader, cards, seat, points } = event;
    tricks = [...tricks, { round, leader, cards, taker: seat ?? null, points: points ?? 0 }];
  }
  tricks = tricks.filter((trick) => trick.round === round);
  if (tricks.length > 0 || !(table.tricks_played > 0)) return tricks;
  const told = table.history?.length ? table.history : table.last_trick ? [table.last_trick] : [];
  return told.map((/** @type {any} */ trick) => ({
    round,
    leader: trick.leader,
    cards: trick.cards,
    taker: trick.taker ?? null,
    points: trick.points ?? 0,
  }));
}

/**
 * Something was sent. A card stays lifted until it has left the hand, which may hold others like it; all else until
 * the game has gone on.
 * @param {State} state
 * @param {string} id
 * @param {string | null} card
 * @returns {State}
 */
function withSending(state, id, card) {
  const isLifted = card === null || state.lifted.some((name) => cardOfKey(name) === card);
  const sending = { id, card, copies: copiesOf(card, state.game?.view), rev: state.game?.rev ?? 0 };
  return { ...state, sending, lifted: isLifted ? state.lifted : [card] };
}

/**
 * Puts down what is no longer there to be played.
 * @param {State} state
 * @returns {State}
 */
function putBack(state) {
  const { sending } = state;
  const view = state.game?.view;
  const { card = null, copies = 0, rev = 0 } = sending ?? {};
  const isDone = sending !== null && (card === null ? state.game?.rev !== rev : copiesOf(card, view) < copies);
  return isDone ? { ...state, sending: null, lifted: [] } : { ...state, lifted: stillLifted(state.lifted, view) };
}

/**
 * How many cards like this one are in the hand.
 * @param {string | null} card
 * @param {any} view
 */
const copiesOf = (card, view) => (view?.own?.hand ?? []).filter((/** @type {string} */ other) => other === card).length;

/**
 * @param {State} state
 * @param {any} message
 * @returns {State}
 */
function hearChat(state, message) {
  const { at, seat, name, text } = message;
  const lines = [...state.chat.lines, { at, seat, name, text }].slice(-LINES);
  const isOwn = seat !== null && seat === state.you.seat && name === nameAt(state.room, seat);
  const isNew = state.settled ? !isOwn : state.seen >= 0 && at > state.seen;
  const isShown = state.chat.open || state.settings.hideChat;
  const unread = isShown ? 0 : state.chat.unread + (isNew ? 1 : 0);
  const seen = state.settled ? Math.max(state.seen, at) : state.seen;
  return { ...state, seen, chat: { ...state.chat, lines, unread } };
}

/**
 * From now on everything is news.
 * @param {State} state
 * @returns {State}
 */
function settle(state) {
  const newest = state.chat.lines.reduce((newest, { at }) => Math.max(newest, at), 0);
  return { ...state, settled: true, seen: Math.max(state.seen, newest) };
}

/**
 * @param {State} state
 * @param {any} message
 * @returns {State}
 */
function hearNudge(state, { seat, by }) {
  const [name, other] = [nameAt(state.room, by), nameAt(state.room, seat)];
  if (seat === state.you.seat) return withToast(state, 'news.nudgedYou', { name });
  return withToast(state, by === state.you.seat ? 'news.youNudged' : 'news.nudged', { name, other });
}

/**
 * @param {State} state
 * @param {import('./state.js').Status} status
 * @param {number | null} retryAt
 * @returns {State}
 */
function withLink(state, status, retryAt) {
  const { link } = state;
  const isOpen = status === 'open';
  const since = isOpen ? null : (link.since ?? state.clock);
  const wasMissed = isOpen && state.room !== null && link.since !== null && state.clock - link.since > 2000;
  const isRestart = status === 'restarting' || (!isOpen && link.isRestart);
  const isUnsaved = status === 'unsaved' || (status !== 'restarting' && !isOpen && link.isUnsaved);
  const next = { ...state, link: { status, retryAt, since, isRestart, isUnsaved } };
  return wasMissed ? withToast(next, 'state.back', {}, 'good') : next;
}

/**
 * @param {State} state
 * @param {import('./state.js').Sheet} sheet
 * @returns {State}
 */
function withSheet(state, sheet) {
  const open = sheet === 'chat';
  const next = { ...state, sheet, chat: { ...state.chat, open } };
  return open ? read(next) : next;
}

/**
 * @param {State} state
 * @returns {State}
 */
function read(state) {
  return state.chat.unread === 0 ? state : { ...state, chat: { ...state.chat, unread: 0 } };
}

let toasts = 0;

/**
 * @param {State} state
 * @param {string} key
 * @param {import('./i18n.js').Args} [args]
 * @param {'news' | 'good' | 'warn'} [kind]
 * @returns {State}
 */
function withToast(state, key, args, kind = 'news') {
  toasts += 1;
  const toast = { id: toasts, key, args, kind, until: state.clock + SHOWN + (kind === 'warn' ? 2000 : 0) };
  const others = state.toasts.filter((other) => other.key !== key || other.args?.name !== args?.name);
  return { ...state, toasts: [...others, toast].slice(-TOASTS) };
}

/**
 * @template T
 * @param {Record<string, T>} entries
 * @param {string | undefined} name
 */
function without(entries, name) {
  if (name === undefined || !(name in entries)) return entries;
  const { [name]: _, ...rest } = entries;
  return rest;
}
