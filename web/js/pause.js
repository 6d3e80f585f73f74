/** What stays on the table for a while, though the game is further. */

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./state.js').Pause} Pause */

/** How long the turned up colours stay. */
const REVEAL = 5000;
/** How long a finished trick stays. */
const TRICK = 1200;
/** How long one stays of which nobody gets the cards: that has to be read. */
const SET_ASIDE = 3000;
/** How long the rules of a round stay, and what came of choosing cards. */
const BOARD = 5000;
const TEAMS = 3000;
const CHOSEN = 3000;

/** Which events leave something on the table, as what, and for how long. A deal clears it. */
const STAYS = /** @type {Record<string, { kind: Pause['kind'], time: number } | null>} */ ({
  revealed: { kind: 'reveal', time: REVEAL },
  trick_taken: { kind: 'trick', time: TRICK },
  set_aside: { kind: 'trick', time: SET_ASIDE },
  board_settled: { kind: 'settled', time: BOARD },
  teams_formed: { kind: 'teams', time: TEAMS },
  discards_done: { kind: 'chosen', time: CHOSEN },
  dealt: null,
});

/**
 * What stays on the table after these events. Of several, the last one; what has to be read is cut short by none.
 * @param {State} state
 * @param {any[]} events
 * @param {any} view
 * @returns {Pause | null}
 */
export function pauseOf(state, events, view) {
  if (!state.settled) return null;
  const event = events.filter(({ type }) => type in STAYS).at(-1);
  const stay = event && STAYS[event.type];
  if (!stay || (state.pause && state.pause.kind !== 'trick' && event.type !== 'revealed')) return null;
  const shown = stay.kind === 'trick' ? finished(state, event, view) : still(view, tableOf(event, view));
  return { kind: stay.kind, until: state.clock + stay.time, view: shown, event };
}

/**
 * The table as an event other than a finished trick has left it.
 * @param {any} event
 * @param {any} view
 */
function tableOf(event, view) {
  if (event.type !== 'revealed') return view.table;
  return { ...view.table, phase: 'trick', picks: event.picks, trick: { cards: [], leader: event.leader } };
}

/**
 * The table with a finished trick on it.
 * @param {State} state
 * @param {any} event
 * @param {any} view
 */
function finished(state, event, view) {
  const before = state.game?.view.table?.phase === 'trick' ? state.game.view.table : view.table;
  const winning = event.type === 'trick_taken' ? event.seat : undefined;
  const isSame = before.trick?.cards[0] === event.cards[0];
  const lead = (isSame && before.trick?.lead) || event.cards[0]?.split('-')[0];
  const trick = { cards: event.cards, leader: event.leader, lead, winning };
  const { scores, next_leader, next_dealer, ...rest } = before;
  return still(view, { ...rest, phase: 'trick', hand_counts: view.table.hand_counts, trick });
}

/**
 * A view in which nobody is to act.
 * @param {any} view
 * @param {any} table
 */
function still(view, table) {
  const { hints, ...rest } = view;
  return { ...rest, table, to_act: [] };
}
