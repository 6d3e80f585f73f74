// The scenes: all states of the page that look different. They are the same in both languages.

import { KEYS } from '../../js/storage.js';
import { serverSamples } from '../unit/samples.js';
import { ROOM_CODE, recordingOf } from './recordings.js';

/** @import { Chair, Game, Room, RoomSummary, SpectatorState, TableState } from '../../js/protocol.js' */
/** @import { Language } from '../../js/settings.js' */
/** @import { SceneInput, ScenePage } from './scene-page.js' */
/**
 * A scene. `input`: what the page receives; `act`: the steps of the user; `isPictured`: whether there are screenshots
 * of it; `areNamesLong`: whether the page must shorten names in it.
 * @typedef {object} Scene
 * @property {string} name
 * @property {SceneInput} input
 * @property {(scenePage: ScenePage) => Promise<unknown>} [act]
 * @property {boolean} [isPictured]
 * @property {boolean} [areNamesLong]
 */

/** @type {RoomSummary[]} */
const LISTED = [
  {
    room: 'abcd2345',
    game: 'sticheln',
    title: 'Donnerstagsrunde im Schwarzen Walfisch A',
    seats: 6,
    taken: 2,
    phase: 'lobby',
    spectators: 0,
    locked: true,
    replays: 'everybody',
  },
  {
    room: 'bcde3456',
    game: 'sticheln',
    title: 'Friday',
    seats: 4,
    taken: 4,
    phase: 'playing',
    spectators: 2,
    locked: false,
    replays: 'everybody',
  },
  {
    room: 'cdef4567',
    game: 'nyet',
    title: null,
    seats: 3,
    taken: 1,
    phase: 'lobby',
    spectators: 0,
    locked: false,
    replays: 'everybody',
  },
];
/** @type {RoomSummary} */
const SUMMARY = {
  room: ROOM_CODE,
  game: 'sticheln',
  title: 'Donnerstagsrunde',
  seats: 4,
  taken: 4,
  phase: 'playing',
  spectators: 0,
  locked: false,
  replays: 'everybody',
};
const SEATS = { [KEYS.savedRooms]: [{ code: ROOM_CODE, title: 'Donnerstagsrunde', at: 1 }] };

/** @param {number} at */
const lift =
  (at) =>
  (/** @type {ScenePage} */ { page }) =>
    page.locator('.hand .card-button').nth(at).click();

/** @param {string} key */
const press =
  (key) =>
  async (/** @type {ScenePage} */ { page }) => {
    await page.evaluate(() => (document.activeElement instanceof HTMLElement ? document.activeElement.blur() : null));
    await page.keyboard.press(key);
  };

/** @param {string} button its text, by its key */
const menu = (button) => async (/** @type {ScenePage} */ scenePage) => {
  await scenePage.click(scenePage.t('menu.title'));
  await scenePage.click(scenePage.t(button));
};

/** @param {string} recording @param {string} mark @returns {SceneInput} */
const at = (recording, mark) => ({ recording, mark });

/** Waits until the page has shown the finished trick or reveal. @param {ScenePage} scenePage */
const goOn = (scenePage) => scenePage.advanceClock(6000);

const TURN = at('sticheln4', 'turn');

/**
 * The newest `room` message of a recording before its mark.
 * @param {SceneInput} input
 */
function newestRoom({ recording = '', mark = '' }) {
  const { snapshot, messages, marks } = recordingOf(recording);
  const received = [...snapshot, ...messages.slice(0, marks[mark])];
  const isRoom = (/** @type {{ type: string }} */ { type }) => type === 'room';
  return /** @type {Room} */ (received.findLast(isRoom));
}

/**
 * The newest `game` message of a recording before its mark.
 * @param {SceneInput} input
 */
function newestGame({ recording = '', mark = '' }) {
  const { snapshot, messages, marks } = recordingOf(recording);
  const isGame = (/** @type {{ type: string }} */ { type }) => type === 'game';
  return /** @type {Game} */ ([...snapshot, ...messages.slice(0, marks[mark])].findLast(isGame));
}

/**
 * The page receives the newest `room` message of the recording with a changed table. All times are relative to the time of
 * the page.
 * @param {SceneInput} input
 * @param {(table: TableState, now: number) => Partial<TableState>} change
 */
const receiveTable = (input, change) => async (/** @type {ScenePage} */ scenePage) => {
  const room = newestRoom(input);
  const table = { ...room.table, ...change(room.table, await scenePage.now()) };
  await scenePage.receive({ ...room, rev: room.rev + 1, table });
};

/**
 * The chairs of a table with changes of the person on one of them.
 * @param {TableState} table
 * @param {number} seat
 * @param {Partial<Extract<Chair, { kind: 'person' }>>} change
 */
const withPerson = ({ chairs }, seat, change) =>
  chairs.map((chair, at) => (at === seat && chair.kind === 'person' ? { ...chair, ...change } : chair));

/**
 * Opens the log of the newest round, and receives the log of a sample as its answer.
 * @param {string} title the title of the sample
 */
const readLog = (title) => async (/** @type {ScenePage} */ scenePage) => {
  await press('l')(scenePage);
  const sample = serverSamples.find((sample) => sample.title === title)?.message;
  const round = Number(/\d+/.exec(await scenePage.page.locator('.log-rounds [aria-pressed=true]').innerText()));
  if (sample?.type === 'round_log') await scenePage.receive({ ...sample, round });
};

/** Spectators of all kinds. @type {SpectatorState[]} */
const SPECTATORS = [
  { spectator: 5, name: 'Frieda', queue_place: 1 },
  { spectator: 6, muted: true },
  { spectator: 7, name: 'Annegret-Charlotte A', queue_place: 2, request: 1, allowed_by: [1, 2] },
];

/**
 * The spectator of a recording sees all hands, which are made up.
 * @param {ScenePage} scenePage
 */
async function receiveHands(scenePage) {
  const input = at('spectator', 'trick');
  await receiveTable(input, () => ({ spectators: [{ spectator: 5, name: 'Frieda', sees_hands: true }] }))(scenePage);
  const game = newestGame(input);
  const colours = ['red', 'yellow', 'green', 'blue', 'purple', 'grey'];
  const counts = game.view.table?.hand_counts ?? [];
  const hands = counts.map((count, seat) => ({
    hand: Array.from({ length: count }, (_, at) => `${colours[(at + seat) % 6]}-${(at * 4 + seat) % 15}`),
  }));
  const view = /** @type {Game['view']} */ ({ ...game.view, hands });
  await scenePage.receive({ ...game, rev: game.rev + 1, events: [], view });
}

/** The game waits for Ada, the own seat. */
const OWN_TURN = TURN;
/** The game waits for another seat. */
const OTHER_TURN = at('sticheln4', 'waiting');

/**
 * The server plans a restart: it sends the room again, with the time of the restart.
 * @param {SceneInput} input
 */
const planRestart = (input) => receiveTable(input, (_, now) => ({ restart_at: now + 581_000 }));

/** The longest notice: 200 characters. */
const NOTICE_TEXT = 'The server moves to another house on Sunday at nine. '
  .padEnd(200, 'Your tables and seats move with it. ')
  .slice(0, 200);

/** @param {ScenePage} scenePage */
const postNotice = async (scenePage) =>
  scenePage.receive({ type: 'notice', at: await scenePage.now(), text: NOTICE_TEXT });

/** A failover of the database has lost the newest moves that the page has shown. @param {ScenePage} scenePage */
async function loseMoves(scenePage) {
  const [room, game] = [newestRoom(TURN), newestGame(TURN)];
  const moves = ['red-7', 'blue-3', 'green-12', 'yellow-0', 'purple-11', 'grey-4', 'red-9'];
  for (const [at, card] of moves.entries()) {
    /** @type {Game['events']} */
    const events = [{ type: 'played', seat: at % 4, card, winning: false }];
    await scenePage.receive({ ...game, rev: game.rev + at + 1, events });
  }
  const now = await scenePage.now();
  const welcome = { type: /** @type {const} */ ('welcome'), protocol: /** @type {const} */ (1), server: '0.1.0' };
  const lost = { generation: 1, lost_after: game.rev };
  await scenePage.receive({ ...welcome, room: ROOM_CODE, now, you: room.you, ...lost });
  await scenePage.receive({ ...room, rev: game.rev });
  await scenePage.receive({ ...game, events: [] });
}

/**
 * The host receives the `room` of the recording of `TURN` again, with these changes.
 * @param {Partial<Room>} change
 * @param {Partial<Room['table']>} [table]
 */
const receiveRoom =
  (change, table = {}) =>
  async (/** @type {ScenePage} */ scenePage) => {
    const room = newestRoom(TURN);
    await scenePage.receive({ ...room, ...change, table: { ...room.table, ...table } });
  };

const GUESTS = ['Gus', 'Wilhelmine Charlotte', 'Ida'].map((name, at) => ({ guest: at + 1, name }));

/** @type {Scene[]} */
const HOME = [
  { name: 'home', input: {}, isPictured: true },
  {
    name: 'home-listed',
    input: { rooms: LISTED, summaries: { [ROOM_CODE]: SUMMARY }, storage: SEATS },
    isPictured: true,
  },
  {
    name: 'home-more',
    input: {},
    act: async ({ page }) => {
      await page.locator('details.more summary').first().click();
      await page.locator('[name=code]').fill('23456789');
      await page.locator('.join-form .btn').click();
      await page.locator('#code-error').getByText(/./).waitFor();
    },
    isPictured: true,
  },
  { name: 'help', input: {}, act: (scenePage) => scenePage.click(scenePage.t('menu.help')), isPictured: true },
  {
    name: 'check',
    input: {},
    act: async (scenePage) => {
      await scenePage.click(scenePage.t('menu.help'));
      await scenePage.click(scenePage.t('menu.check'));
      // The socket opens, and the server sends nothing until the check gives up.
      await scenePage.page.locator('.checks li').nth(4).waitFor();
      await scenePage.advanceClock(26_000);
    },
  },
  {
    name: 'settings',
    input: {},
    act: ({ page }) => page.locator('footer a[href="#settings"]').click(),
    isPictured: true,
  },
];

/** @type {Scene[]} */
const LOBBY = [
  { name: 'lobby-alone', input: at('lobby', 'host') },
  { name: 'lobby', input: at('lobby', 'three'), isPictured: true },
  { name: 'lobby-full', input: at('lobby', 'full') },
  { name: 'lobby-configured', input: at('lobby', 'configured'), isPictured: true },
  { name: 'lobby-guest', input: at('guest', 'guest'), isPictured: true },
  { name: 'lobby-ready', input: at('guest', 'ready') },
  { name: 'lobby-bots', input: at('bots', 'bots'), areNamesLong: true },
  { name: 'lobby-nyet', input: at('nyetLobby', 'lobby'), isPictured: true },
  {
    name: 'lobby-new',
    input: { ...at('lobby', 'host'), storage: { [KEYS.experience]: { explainedGames: [], games: 0 } } },
    act: ({ page }) => page.locator('.banner').waitFor(),
  },
  { name: 'lobby-streamer', input: { ...at('lobby', 'three'), settings: { streamer: true } } },
  { name: 'lobby-points', input: at('lobby', 'three'), act: chooseEndByPoints },
  { name: 'lobby-stranger', input: at('lobbySpectator', 'lobby') },
  {
    name: 'name-taken',
    input: { ...at('lobbySpectator', 'lobby'), answers: { refused: 'name_taken' } },
    act: submitSitForm,
  },
  {
    name: 'chair',
    input: at('lobby', 'full'),
    act: ({ page }) => page.locator('.seat-list .icon-button').nth(1).click(),
  },
  {
    name: 'chair-bot',
    input: at('lobby', 'full'),
    act: ({ page }) => page.locator('.seat-list li:has(.level) .icon-button').first().click(),
    isPictured: true,
  },
];

/** The room shows the points at which the game ends, and the dealer of the other edition. @param {ScenePage} scenePage */
async function chooseEndByPoints(scenePage) {
  const { messages, marks } = recordingOf('lobby');
  const room = messages.slice(0, marks.three).findLast((message) => message.type === 'room');
  if (room?.type !== 'room') throw new Error('the recording has no room');
  const end = /** @type {const} */ ({ type: 'target', target: 100, max_rounds: 30 });
  const options = { ...room.table.options, edition: 'amigo-1993', end };
  const table = /** @type {TableState} */ ({ ...room.table, options, opening_seat: 0 });
  await scenePage.receive({ ...room, rev: room.rev + 1, table });
}

/** @param {ScenePage} scenePage */
async function submitSitForm({ page }) {
  await page.locator('#sit-name').fill('Mira');
  await page.locator('form:has(#sit-name) .btn.primary').click();
}

/** @type {Scene[]} */
const STICHELN = [
  { name: 'pick', input: at('sticheln4', 'pick'), isPictured: true },
  { name: 'pick-lifted', input: at('sticheln4', 'pick'), act: lift(6) },
  { name: 'pick-laid', input: at('sticheln4', 'picked'), isPictured: true },
  { name: 'pick-swap', input: at('sticheln4', 'picked'), act: lift(6) },
  { name: 'pick-6', input: at('sticheln6', 'pick') },
  { name: 'reveal', input: at('sticheln4', 'reveal'), isPictured: true },
  { name: 'reveal-3', input: at('sticheln3', 'reveal') },
  { name: 'reveal-5', input: at('sticheln5', 'reveal') },
  { name: 'reveal-6', input: at('sticheln6', 'reveal') },
  { name: 'trick-waiting', input: at('sticheln4', 'waiting') },
  { name: 'trick', input: TURN, isPictured: true },
  { name: 'trick-lifted', input: TURN, act: lift(2), isPictured: true },
  { name: 'trick-lead', input: at('sticheln4', 'lead'), act: goOn },
  { name: 'trick-sending', input: { ...TURN, answers: 'silence' }, act: lay },
  { name: 'trick-refused', input: { ...TURN, answers: { refused: 'not_your_turn' } }, act: lay },
  { name: 'trick-taken', input: at('sticheln4', 'taken'), isPictured: true },
  { name: 'trick-3', input: at('sticheln3', 'turn'), isPictured: true },
  { name: 'trick-5', input: at('sticheln5', 'turn'), isPictured: true },
  { name: 'trick-5-taken', input: at('sticheln5', 'taken') },
  { name: 'trick-6', input: at('sticheln6', 'turn'), isPictured: true },
  { name: 'trick-large', input: { ...TURN, settings: { bigCards: true } } },
  { name: 'trick-zeros', input: at('zeros', 'turn'), act: lift(0) },
  { name: 'trick-aside', input: at('zeros', 'aside') },
  { name: 'round-end', input: at('sticheln6', 'round-end'), act: goOn, isPictured: true },
  { name: 'game-end', input: at('sticheln4', 'game-end'), isPictured: true },
  { name: 'game-end-tie', input: at('tie', 'game-end'), act: goOn },
  { name: 'long-pick', input: at('longNames', 'pick'), areNamesLong: true },
  { name: 'long-reveal', input: at('longNames', 'reveal'), areNamesLong: true },
  { name: 'long-trick', input: at('longNames', 'turn'), isPictured: true, areNamesLong: true },
  { name: 'long-game-end', input: at('longNames', 'game-end'), areNamesLong: true },
  { name: 'spectator', input: at('spectator', 'trick'), isPictured: true },
  { name: 'spectator-round-end', input: at('spectator', 'round-end'), act: goOn },
];

/** @param {ScenePage} scenePage */
async function lay(scenePage) {
  await lift(2)(scenePage);
  await scenePage.advanceClock(1000);
  await scenePage.page.locator('[data-play]').click();
}

/** @type {Scene[]} */
const NYET = [
  { name: 'nyet-board', input: at('nyet4', 'board'), isPictured: true },
  {
    name: 'nyet-board-chosen',
    input: at('nyet4', 'board'),
    act: ({ page }) => page.locator('button.space').first().click(),
  },
  { name: 'nyet-board-2', input: at('nyet2', 'board') },
  { name: 'nyet-board-3', input: at('nyet3', 'board') },
  { name: 'nyet-board-5', input: at('nyet5', 'board') },
  { name: 'nyet-settled', input: at('nyet4', 'settled'), isPictured: true },
  { name: 'nyet-team', input: at('nyet4', 'team'), act: goOn, isPictured: true },
  { name: 'nyet-team-3', input: at('nyet3', 'team'), act: goOn },
  { name: 'nyet-team-5', input: at('nyet5', 'team'), act: goOn },
  { name: 'nyet-teams', input: at('nyet5', 'discard') },
  { name: 'nyet-discard', input: at('nyet4', 'discard'), act: goOn, isPictured: true },
  { name: 'nyet-discard-3', input: at('nyet3', 'discard'), act: goOn },
  { name: 'nyet-discarded', input: at('nyet4', 'discarded'), act: goOn },
  {
    name: 'nyet-discarded-otherwise',
    input: at('nyet4', 'discarded'),
    act: async (scenePage) => {
      await goOn(scenePage);
      for (const card of [4, 8]) await lift(card)(scenePage);
    },
  },
  { name: 'nyet-trick', input: at('nyet4', 'turn'), isPictured: true },
  { name: 'nyet-trick-2', input: at('nyet2', 'turn') },
  { name: 'nyet-trick-3', input: at('nyet3', 'turn') },
  { name: 'nyet-trick-5', input: at('nyet5', 'turn'), isPictured: true },
  { name: 'nyet-taken', input: at('nyet5', 'taken') },
  { name: 'nyet-round-end', input: at('nyet3', 'round-end'), act: goOn, isPictured: true },
  { name: 'nyet-round-end-2', input: at('nyetUndealt', 'round-end'), act: goOn, isPictured: true },
  { name: 'nyet-game-end', input: at('nyet4', 'game-end'), act: goOn },
  { name: 'nyet-game-end-2', input: at('nyet2', 'game-end'), act: goOn },
  { name: 'nyet-long-board', input: at('nyetLongNames', 'board'), areNamesLong: true },
  { name: 'nyet-long-team', input: at('nyetLongNames', 'team'), act: goOn, areNamesLong: true },
  { name: 'nyet-long-discard', input: at('nyetLongNames', 'discard'), act: goOn, areNamesLong: true },
  { name: 'nyet-long-trick', input: at('nyetLongNames', 'turn'), areNamesLong: true },
  { name: 'nyet-long-taken', input: at('nyetLongNames', 'taken'), areNamesLong: true },
  { name: 'nyet-long-scores', input: at('nyetLongNames', 'turn'), act: press('s'), areNamesLong: true },
  { name: 'nyet-long-game-end', input: at('nyetLongNames', 'game-end'), act: goOn, areNamesLong: true },
];

/** @type {Scene[]} */
const DIALOGS = [
  { name: 'menu', input: TURN, act: (scenePage) => scenePage.click(scenePage.t('menu.title')), isPictured: true },
  { name: 'keys', input: TURN, act: press('?') },
  { name: 'scores', input: TURN, act: press('s'), isPictured: true },
  { name: 'scores-long', input: at('longNames', 'turn'), act: press('s'), areNamesLong: true },
  { name: 'history', input: TURN, act: press('h'), isPictured: true },
  { name: 'log', input: TURN, act: readLog('round_log: the running round') },
  { name: 'log-finished', input: TURN, act: readLog('round_log: the finished round'), isPictured: true },
  { name: 'log-nyet', input: at('nyet5', 'turn'), act: readLog('round_log: Nyet!') },
  {
    name: 'log-long',
    input: at('longNames', 'turn'),
    act: readLog('round_log: the running round'),
    areNamesLong: true,
  },
  {
    name: 'first-visit',
    input: { ...at('guest', 'guest'), storage: { [KEYS.experience]: { explainedGames: [], games: 0 } } },
    act: ({ page }) => page.locator('dialog[open]').waitFor(),
    isPictured: true,
  },
  { name: 'player', input: TURN, act: ({ page }) => page.locator('button.plate').first().click() },
  {
    name: 'chat',
    input: at('talk', 'talk'),
    act: (scenePage) => scenePage.page.locator('.chat-button').click(),
    isPictured: true,
  },
  { name: 'table-help', input: TURN, act: menu('menu.help') },
  { name: 'nyet-help', input: at('nyet5', 'turn'), act: menu('menu.help') },
  {
    name: 'sound-offer',
    input: { ...TURN, storage: { [KEYS.experience]: { explainedGames: ['sticheln'], games: 0 } } },
    act: ({ page }) => page.locator('.banner').waitFor(),
  },
  { name: 'streamer', input: { ...TURN, settings: { streamer: true } } },
  { name: 'guest', input: TURN, act: receiveRoom({ guests: GUESTS.slice(0, 1) }) },
  {
    name: 'guests',
    input: TURN,
    act: async (scenePage) => {
      await receiveRoom({ guests: GUESTS })(scenePage);
      await scenePage.click(scenePage.t('guests.show'));
    },
  },
  { name: 'claim', input: TURN, act: receiveRoom({}, { claims: [{ claim: 1, seat: 2, agreed: [] }] }) },
  { name: 'claim-agreed', input: TURN, act: receiveRoom({}, { claims: [{ claim: 1, seat: 2, agreed: [0] }] }) },
  { name: 'claim-form', input: at('spectator', 'trick'), act: menu('claim.title') },
  {
    name: 'spectators',
    input: OTHER_TURN,
    act: async (scenePage) => {
      await receiveTable(OTHER_TURN, () => ({ spectators: SPECTATORS.slice(0, 2) }))(scenePage);
      await scenePage.click(scenePage.t('menu.title'));
    },
  },
  {
    name: 'spectator-dialog',
    input: OTHER_TURN,
    act: async (scenePage) => {
      await receiveTable(OTHER_TURN, () => ({ spectators: SPECTATORS.slice(0, 2) }))(scenePage);
      await scenePage.click(scenePage.t('menu.title'));
      await scenePage.click(scenePage.t('lobby.more', { name: 'Frieda' }));
    },
    isPictured: true,
  },
  {
    name: 'spectator-own',
    input: at('spectator', 'trick'),
    act: async (scenePage) => {
      await receiveTable(at('spectator', 'trick'), () => ({ spectators: SPECTATORS.slice(0, 1) }))(scenePage);
      await scenePage.click(scenePage.t('menu.title'));
      await scenePage.click(scenePage.t('lobby.more', { name: 'Frieda' }));
    },
  },
  {
    name: 'seat-offered',
    input: at('spectator', 'trick'),
    act: receiveTable(at('spectator', 'trick'), (_, now) => ({
      spectators: [{ spectator: 5, name: 'Frieda', queue_place: 1, offered_until: now + 25_000 }],
    })),
  },
  {
    name: 'watch-request',
    input: OTHER_TURN,
    act: receiveTable(OTHER_TURN, () => ({ spectators: SPECTATORS })),
    isPictured: true,
  },
  {
    name: 'watched',
    input: OTHER_TURN,
    act: receiveTable(OTHER_TURN, () => ({ spectators: [{ spectator: 5, name: 'Frieda', sees_hands: true }] })),
  },
  { name: 'watcher', input: at('spectator', 'trick'), act: receiveHands, isPictured: true },
  {
    name: 'watcher-hands',
    input: at('spectator', 'trick'),
    act: async (scenePage) => {
      await receiveHands(scenePage);
      await scenePage.click(scenePage.t('watchers.hands'));
    },
    isPictured: true,
  },
  {
    name: 'menu-rules',
    input: TURN,
    act: async (scenePage) => {
      await scenePage.click(scenePage.t('menu.title'));
      await scenePage.page.locator('.menu details.more summary').click();
      await scenePage.page.locator('.menu input[name=password]').scrollIntoViewIfNeeded();
    },
  },
  { name: 'leave', input: TURN, act: menu('menu.leave') },
  { name: 'end', input: TURN, act: menu('menu.end') },
  {
    name: 'handover',
    input: TURN,
    act: async (scenePage) => {
      await menu('handover.move')(scenePage);
      await scenePage.receive({ type: 'handover', code: 'k7qm2x4p', expires_at: (await scenePage.now()) + 120_000 });
    },
    isPictured: true,
  },
];

/** @type {Scene[]} */
const ERRORS = [
  { name: 'toasts', input: { ...TURN, answers: { refused: 'too_soon' } }, act: receiveTalk },
  {
    name: 'paused',
    input: at('sticheln4', 'paused'),
    act: receiveTable(at('sticheln4', 'paused'), (table, now) => ({
      pause: { by: 1, ends_at: now + 570_000 },
      chairs: withPerson(table, 2, { ready: true }),
    })),
    isPictured: true,
  },
  {
    name: 'idle',
    input: OTHER_TURN,
    act: receiveTable(OTHER_TURN, (table, now) => ({
      chairs: withPerson(table, 1, {
        idle: { since: now - 190_000, warn_at: now - 40_000 },
        stand_in_from: now - 10_000,
      }),
    })),
    isPictured: true,
  },
  {
    name: 'idle-you',
    input: OWN_TURN,
    act: receiveTable(OWN_TURN, (table, now) => ({
      chairs: withPerson(table, 0, {
        idle: { since: now - 155_000, warn_at: now - 5000 },
        stand_in_from: now + 25_000,
      }),
    })),
    isPictured: true,
  },
  {
    name: 'end-proposed',
    input: OTHER_TURN,
    act: receiveTable(OTHER_TURN, (table) => ({
      agreements_needed: 4,
      chairs: withPerson(table, 1, { agrees_to_end: true }),
    })),
  },
  {
    name: 'host-awaited',
    input: at('guest', 'ready'),
    act: receiveTable(at('guest', 'ready'), (_, now) => ({ host_passes_at: now + 40_000 })),
  },
  {
    name: 'absent',
    input: at('playerAway', 'away'),
    act: (scenePage) => scenePage.advanceClock(5000),
    isPictured: true,
  },
  { name: 'absent-long', input: at('playerAway', 'away'), act: (scenePage) => scenePage.advanceClock(32_000) },
  { name: 'stand-in', input: at('standInReturn', 'back') },
  { name: 'card-by-bot', input: at('standInPlays', 'laid'), isPictured: true },
  {
    name: 'reconnecting',
    input: { ...TURN, summaries: { [ROOM_CODE]: SUMMARY } },
    act: async (scenePage) => {
      await scenePage.close(1006);
      await scenePage.advanceClock(4000);
    },
    isPictured: true,
  },
  {
    name: 'restart',
    input: { ...TURN, summaries: { [ROOM_CODE]: SUMMARY } },
    act: async (scenePage) => {
      await scenePage.receive({ type: 'closing', reason: 'restarting', retry_after_ms: 5000 });
      await scenePage.close(4000);
      await scenePage.advanceClock(2500);
    },
  },
  {
    name: 'unsaved',
    input: { ...TURN, summaries: { [ROOM_CODE]: SUMMARY } },
    act: async (scenePage) => {
      await scenePage.receive({ type: 'closing', reason: 'storage', retry_after_ms: 5000 });
      await scenePage.close(4000);
      await scenePage.advanceClock(2500);
    },
  },
  { name: 'restart-planned', input: TURN, act: planRestart(TURN), isPictured: true },
  { name: 'restart-planned-lobby', input: at('lobby', 'three'), act: planRestart(at('lobby', 'three')) },
  { name: 'notice', input: TURN, act: postNotice },
  { name: 'moves-lost', input: TURN, act: loseMoves, isPictured: true },
  {
    name: 'notice-and-restart',
    input: at('sticheln6', 'turn'),
    act: async (scenePage) => {
      await planRestart(at('sticheln6', 'turn'))(scenePage);
      await postNotice(scenePage);
    },
  },
  {
    name: 'notice-chat',
    input: at('talk', 'talk'),
    act: async (scenePage) => {
      await postNotice(scenePage);
      await scenePage.page.locator('.chat-button').click();
    },
  },
  { name: 'closed-by-operator', input: TURN, act: (scenePage) => scenePage.close(4006) },
  {
    name: 'open-password',
    input: { opening: 'open_password_needed' },
    act: async ({ page, t }) => {
      await page.locator('form:has(#name) .btn.primary').click();
      await page.locator('dialog[open]').getByText(t('openPassword.text')).waitFor();
    },
  },
  { name: 'second-tab', input: TURN, act: (scenePage) => scenePage.close(4001), isPictured: true },
  { name: 'removed', input: TURN, act: (scenePage) => scenePage.close(4003) },
  { name: 'closed', input: TURN, act: (scenePage) => scenePage.close(4004) },
  { name: 'old-browser', input: { isOld: true } },
  { name: 'wrong-code', input: { hello: 4004 } },
  { name: 'full', input: { hello: 'too_many_spectators' } },
  { name: 'password', input: { hello: 'password_needed' }, isPictured: true },
  { name: 'guest-name', input: { hello: 'name_needed' } },
  { name: 'guest-waiting', input: { hello: 'silence' }, act: (scenePage) => scenePage.receive({ type: 'waiting' }) },
  { name: 'turned-away', input: { hello: 'not_admitted' } },
  {
    name: 'wrong-password',
    input: { hello: 'wrong_password' },
    act: async ({ page }) => {
      await page.locator('dialog[open] input').fill('swordfish');
      await page.locator('dialog[open] .btn.primary').click();
      await page.locator('dialog[open] .error-text').waitFor();
    },
  },
];

/** @param {ScenePage} scenePage */
async function receiveTalk(scenePage) {
  await scenePage.receive({ type: 'nudged', seat: 0, by: 1 });
  await scenePage.receive({ type: 'nudged', seat: 0, by: 2 });
  await scenePage.receive({ type: 'reacted', seat: 1, reaction: 'laugh' });
}

/** All scenes, in groups of about the same size. */
export const GROUPS = { lobby: [...HOME, ...LOBBY], sticheln: STICHELN, nyet: NYET, dialogs: [...DIALOGS, ...ERRORS] };
export const SCENES = Object.values(GROUPS).flat();

/**
 * Loads a scene, and takes the steps of the user.
 * @param {ScenePage} scenePage
 * @param {Scene} scene
 * @param {Language} language
 */
export async function showScene(scenePage, { input, act }, language) {
  await scenePage.load(input, { language });
  await act?.(scenePage);
  await scenePage.waitUntilStable();
}
