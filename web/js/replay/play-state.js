// The state of the table at a stop of a replay. The reducer makes it from messages of the room, as a seat or a spectator would
// have got them. So the templates of the table draw a replay too.

import { reduce } from '../reduce.js';
import { emptyRoom } from '../state.js';
import { stopsOf } from './stops.js';

/** @import { Chair, GameEvent, GameReplay, ReplayPlayer, Room, Sheet, TableState, View } from '../protocol.js' */
/** @import { GameState, HoldState, PlayState, RoomState, State } from '../types.js' */
/** @import { Perspective, ReplayState, ReplayStep, RoundReplay, ShownStop } from './types.js' */

/** The table after a step. @typedef {{ room: RoomState, sheet: Sheet | null, game: GameState, hold: HoldState | null }} Frame */

/** A replay shows no ranks: only the screen after a game does. The event `game_over` has those for the log. @type {number[]} */
const NO_RANKS = [];

/** The frames of the rounds that were shown, by perspective. @type {WeakMap<RoundReplay, Map<string, Frame[]>>} */
const known = new WeakMap();

/**
 * The state for the templates of the table; null as long as the game or its round is not loaded.
 * @param {State} state
 * @returns {PlayState | null}
 */
export function playStateOf(state) {
  const { replay } = state;
  const shown = replay && shownRound(replay);
  if (!replay?.overview || !shown) return null;
  const { round, stop } = shown;
  const frame = framesOf(state, replay.overview, round, replay.place.perspective)[stop.step];
  // The result is shown without the last trick.
  const hold = stop.isResult ? null : frame.hold;
  const { perspective } = replay.place;
  const viewpoint = perspective.kind === 'seat' ? perspective.seat : replay.viewpoint;
  const { you } = frame.room;
  // A replay does not mark cards that would win.
  const settings = { ...state.settings, hints: false };
  return { ...state, ...frame, hold, viewpoint, you, settings };
}

/**
 * The round that is shown, and its stop; null if it is not loaded.
 * @param {ReplayState} replay
 * @returns {ShownStop | null}
 */
export function shownRound({ rounds, place, stopIndex }) {
  const round = rounds[place.round];
  if (!round) return null;
  const stops = stopsOf(round);
  const stop = stops[Math.min(stopIndex, stops.length - 1)];
  return stop ? { round, stops, stop, index: stops.indexOf(stop) } : null;
}

/**
 * The table after each step of a round.
 * @param {State} state
 * @param {GameReplay} overview
 * @param {RoundReplay} round
 * @param {Perspective} perspective
 * @returns {Frame[]}
 */
export function framesOf(state, overview, round, perspective) {
  const key = JSON.stringify(perspective);
  const ofRound = known.get(round) ?? new Map();
  known.set(round, ofRound);
  const frames = ofRound.get(key) ?? makeFrames(state, overview, round, perspective);
  ofRound.set(key, frames);
  return frames;
}

/**
 * @param {State} base
 * @param {GameReplay} overview
 * @param {RoundReplay} round
 * @param {Perspective} perspective
 * @returns {Frame[]}
 */
function makeFrames(base, overview, round, perspective) {
  const you = { seat: perspective.kind === 'seat' ? perspective.seat : null, host: false };
  let table = tableOf(overview, round);
  /** @type {State} */
  let state = { ...base, ...emptyRoom(0), route: 'room', isCaughtUp: true, introCard: 'done' };
  const receive = (/** @type {Parameters<typeof reduce>[1]} */ update) => {
    state = reduce(state, update);
  };
  receive({ type: 'message', message: sheetBefore(overview, round), now: 0 });
  receive({ type: 'message', message: roomOf(table, you), now: 0 });
  const views = viewsOf(round, perspective);
  return round.steps.map((step, at) => {
    const next = actedOn(table, step);
    if (next !== table) receive({ type: 'message', message: roomOf(next, you), now: 0 });
    table = next;
    receive({ type: 'end_hold', now: 0 });
    const { rev, events = [] } = step;
    receive({ type: 'message', message: { type: 'game', rev, events, view: views[at], legal: [] }, now: 0 });
    const scored = events.find(({ type }) => type === 'round_scored');
    if (scored) receive({ type: 'message', message: sheetAfter(scored, state.sheet), now: 0 });
    return frameOf(state);
  });
}

/**
 * @param {State} state
 * @returns {Frame}
 */
function frameOf({ room, sheet, game, hold }) {
  if (!room || !game) throw new Error('the first step of a round has a table');
  // A hold of a replay does not end by itself.
  return { room, sheet, game, hold: hold && { ...hold, until: 0 } };
}

/**
 * The view after each step of a round.
 * @param {RoundReplay} round
 * @param {Perspective} perspective
 * @returns {View[]}
 */
function viewsOf({ steps, players }, perspective) {
  /** @type {View['table']} */
  let table = null;
  /** @type {(View['own'])[]} */
  const owns = Array(players.length).fill(undefined);
  /** @type {number[]} */
  let toAct = [];
  return steps.map((step) => {
    table = step.table ?? table;
    toAct = step.to_act ?? toAct;
    for (const [seat, own] of step.own ?? []) owns[seat] = own;
    const seat = perspective.kind === 'seat' ? perspective.seat : null;
    const own = seat === null ? undefined : owns[seat];
    const hands = perspective.kind === 'open' && owns.every(Boolean) ? [...owns] : undefined;
    return /** @type {View} */ ({ table, to_act: toAct, seat, ...(own && { own }), ...(hands && { hands }) });
  });
}

/**
 * The table of the room as it was in a round.
 * @param {GameReplay} overview
 * @param {RoundReplay} round
 * @returns {TableState}
 */
const tableOf = ({ game, title, options }, { players }) => ({
  game,
  title,
  listed: false,
  locked: false,
  phase: 'playing',
  chairs: players.map(chairOf),
  host: null,
  options,
  opening_seat: null,
  turn_seconds: null,
  spectator_chat: false,
  fast_bots: false,
  waiting_room: false,
  replays: 'everybody',
  spectators: [],
});

/**
 * The chair of a player. A person without a name is shown by the number of their seat, as a free chair is.
 * @param {ReplayPlayer} player
 * @returns {Chair}
 */
function chairOf(player) {
  if (player.kind === 'bot') return { kind: 'bot', name: player.name, level: player.level };
  if (player.name === null) return { kind: 'free' };
  return { kind: 'person', name: player.name, presence: 'here', ready: false, stood_in: false };
}

/**
 * The table after the act of a step: a bot plays for a person, or no longer does.
 * @param {TableState} table
 * @param {ReplayStep} step
 * @returns {TableState}
 */
function actedOn(table, { act }) {
  if (act?.type !== 'stood_in' && act?.type !== 'returned') return table;
  const chairs = table.chairs.map((chair, seat) =>
    seat === act.seat && chair.kind === 'person' ? { ...chair, stood_in: act.type === 'stood_in' } : chair,
  );
  return { ...table, chairs };
}

/**
 * @param {TableState} table
 * @param {{ seat: number | null, host: boolean }} you
 * @returns {Room}
 */
const roomOf = (table, you) => ({ type: 'room', rev: 0, you, table });

/**
 * The sheet at the deal of a round. Rounds that were abandoned have no points.
 * @param {GameReplay} overview
 * @param {RoundReplay} round
 * @returns {Sheet}
 */
function sheetBefore({ rounds }, { round, totals }) {
  const before = rounds.flatMap((each) => (each.round < round && each.points ? [each.points] : []));
  return { type: 'sheet', rounds: before, totals, ranks: NO_RANKS };
}

/**
 * The sheet after a round was scored.
 * @param {GameEvent} scored
 * @param {Sheet | null} before
 * @returns {Sheet}
 */
function sheetAfter(scored, before) {
  if (scored.type !== 'round_scored') throw new Error('the event scores a round');
  const { totals, scores } = scored;
  const rounds = [...(before?.rounds ?? []), scores.map(({ points }) => points)];
  return { type: 'sheet', rounds, totals, ranks: NO_RANKS };
}
