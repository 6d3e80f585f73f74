// Every state of the page that has a look of its own. `of` says what the page hears, `next` what is done next; both
// are the same in both languages.

import { CODE } from './recordings.js';

/** @import { Setting } from './stage.js' */
/** @import { Stage } from './stage.js' */
/**
 * `isPictured`: whether pictures of it are kept; `areNamesLong`: whether names in it have to be shortened.
 * @typedef {object} Scene
 * @property {string} name
 * @property {Setting} of
 * @property {(stage: Stage) => Promise<unknown>} [next]
 * @property {boolean} [isPictured]
 * @property {boolean} [areNamesLong]
 */

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
  },
  { room: 'cdef4567', game: 'nyet', title: null, seats: 3, taken: 1, phase: 'lobby', spectators: 0, locked: false },
];
const SUMMARY = {
  room: CODE,
  game: 'sticheln',
  title: 'Donnerstagsrunde',
  seats: 4,
  taken: 4,
  phase: 'playing',
  spectators: 0,
  locked: false,
};
const SEATS = { 'sticheln.seats': [{ code: CODE, title: 'Donnerstagsrunde', at: 1 }] };

/** @param {number} at */
const lift =
  (at) =>
  (/** @type {Stage} */ { page }) =>
    page.locator('.hand .cb').nth(at).click();

/** @param {string} key */
const press =
  (key) =>
  async (/** @type {Stage} */ { page }) => {
    await page.evaluate(() => (document.activeElement instanceof HTMLElement ? document.activeElement.blur() : null));
    await page.keyboard.press(key);
  };

/** @param {string} button its text, by its key */
const menu = (button) => async (/** @type {Stage} */ stage) => {
  await stage.click(stage.t('menu.title'));
  await stage.click(stage.t(button));
};

/** @param {string} recording @param {string} mark @returns {Setting} */
const at = (recording, mark) => ({ recording, mark });

/** The pause for something finished is over. @param {Stage} stage */
const goOn = (stage) => stage.wait(6000);

const TURN = at('four', 'turn');

/** @type {Scene[]} */
const HOME = [
  { name: 'home', of: {}, isPictured: true },
  { name: 'home-listed', of: { rooms: LISTED, summaries: { [CODE]: SUMMARY }, kept: SEATS }, isPictured: true },
  {
    name: 'home-more',
    of: {},
    next: async ({ page }) => {
      await page.locator('details.more summary').first().click();
      await page.locator('[name=code]').fill('23456789');
      await page.locator('.joinrow .btn').click();
      await page.locator('#code-error').getByText(/./).waitFor();
    },
    isPictured: true,
  },
  { name: 'help', of: {}, next: (stage) => stage.click(stage.t('menu.help')), isPictured: true },
  {
    name: 'check',
    of: {},
    next: async (stage) => {
      await stage.click(stage.t('menu.help'));
      await stage.click(stage.t('menu.check'));
      // The socket opens, and is silent for longer than it should be.
      await stage.page.locator('.checks li').nth(4).waitFor();
      await stage.wait(26_000);
    },
  },
  {
    name: 'settings',
    of: {},
    next: ({ page }) => page.locator('footer a[href="#settings"]').click(),
    isPictured: true,
  },
];

/** @type {Scene[]} */
const LOBBY = [
  { name: 'lobby-alone', of: at('lobby', 'host') },
  { name: 'lobby', of: at('lobby', 'three'), isPictured: true },
  { name: 'lobby-full', of: at('lobby', 'full') },
  { name: 'lobby-configured', of: at('lobby', 'configured'), isPictured: true },
  { name: 'lobby-guest', of: at('guest', 'guest'), isPictured: true },
  { name: 'lobby-ready', of: at('guest', 'ready') },
  { name: 'lobby-bots', of: at('bots', 'bots'), areNamesLong: true },
  { name: 'lobby-nyet', of: at('nyetLobby', 'lobby'), isPictured: true },
  { name: 'lobby-stranger', of: at('empty', 'lobby') },
  { name: 'name-taken', of: { ...at('empty', 'lobby'), answers: { refused: 'name_taken' } }, next: sitDown },
  { name: 'chair', of: at('lobby', 'full'), next: ({ page }) => page.locator('.seatlist .icb').nth(1).click() },
  {
    name: 'chair-bot',
    of: at('lobby', 'full'),
    next: ({ page }) => page.locator('.seatlist li:has(.level) .icb').first().click(),
    isPictured: true,
  },
];

/** @param {Stage} stage */
async function sitDown({ page }) {
  await page.locator('#sit-name').fill('Mira');
  await page.locator('form:has(#sit-name) .btn.pri').click();
}

/** @type {Scene[]} */
const STICHELN = [
  { name: 'pick', of: at('four', 'pick'), isPictured: true },
  { name: 'pick-lifted', of: at('four', 'pick'), next: lift(6) },
  { name: 'pick-laid', of: at('four', 'picked'), isPictured: true },
  { name: 'pick-6', of: at('six', 'pick') },
  { name: 'reveal', of: at('four', 'reveal'), isPictured: true },
  { name: 'reveal-3', of: at('three', 'reveal') },
  { name: 'reveal-5', of: at('five', 'reveal') },
  { name: 'reveal-6', of: at('six', 'reveal') },
  { name: 'trick-waiting', of: at('four', 'waiting') },
  { name: 'trick', of: TURN, isPictured: true },
  { name: 'trick-lifted', of: TURN, next: lift(2), isPictured: true },
  { name: 'trick-lead', of: at('four', 'lead'), next: goOn },
  { name: 'trick-sending', of: { ...TURN, answers: 'silence' }, next: lay },
  { name: 'trick-refused', of: { ...TURN, answers: { refused: 'not_your_turn' } }, next: lay },
  { name: 'trick-taken', of: at('four', 'taken'), isPictured: true },
  { name: 'trick-3', of: at('three', 'turn'), isPictured: true },
  { name: 'trick-5', of: at('five', 'turn'), isPictured: true },
  { name: 'trick-5-taken', of: at('five', 'taken') },
  { name: 'trick-6', of: at('six', 'turn'), isPictured: true },
  { name: 'trick-large', of: { ...TURN, settings: { bigCards: true } } },
  { name: 'trick-zeros', of: at('zeros', 'turn'), next: lift(0) },
  { name: 'trick-aside', of: at('zeros', 'aside') },
  { name: 'round-end', of: at('six', 'round-end'), next: goOn, isPictured: true },
  { name: 'game-end', of: at('four', 'game-end'), isPictured: true },
  { name: 'game-end-tie', of: at('tie', 'game-end'), next: goOn },
  { name: 'long-pick', of: at('long', 'pick'), areNamesLong: true },
  { name: 'long-reveal', of: at('long', 'reveal'), areNamesLong: true },
  { name: 'long-trick', of: at('long', 'turn'), isPictured: true, areNamesLong: true },
  { name: 'long-game-end', of: at('long', 'game-end'), areNamesLong: true },
  { name: 'spectator', of: at('spectator', 'trick'), isPictured: true },
  { name: 'spectator-round-end', of: at('spectator', 'round-end'), next: goOn },
];

/** @param {Stage} stage */
async function lay(stage) {
  await lift(2)(stage);
  await stage.wait(1000);
  await stage.page.locator('[data-play]').click();
}

/** @type {Scene[]} */
const NYET = [
  { name: 'nyet-board', of: at('nyet4', 'board'), isPictured: true },
  {
    name: 'nyet-board-chosen',
    of: at('nyet4', 'board'),
    next: ({ page }) => page.locator('button.sp').first().click(),
  },
  { name: 'nyet-board-2', of: at('nyet2', 'board') },
  { name: 'nyet-board-3', of: at('nyet3', 'board') },
  { name: 'nyet-board-5', of: at('nyet5', 'board') },
  { name: 'nyet-settled', of: at('nyet4', 'settled'), isPictured: true },
  { name: 'nyet-team', of: at('nyet4', 'team'), next: goOn, isPictured: true },
  { name: 'nyet-team-3', of: at('nyet3', 'team'), next: goOn },
  { name: 'nyet-team-5', of: at('nyet5', 'team'), next: goOn },
  { name: 'nyet-teams', of: at('nyet5', 'discard') },
  { name: 'nyet-discard', of: at('nyet4', 'discard'), next: goOn, isPictured: true },
  { name: 'nyet-discard-3', of: at('nyet3', 'discard'), next: goOn },
  { name: 'nyet-discarded', of: at('nyet4', 'discarded'), next: goOn },
  { name: 'nyet-trick', of: at('nyet4', 'turn'), isPictured: true },
  { name: 'nyet-trick-2', of: at('nyet2', 'turn') },
  { name: 'nyet-trick-3', of: at('nyet3', 'turn') },
  { name: 'nyet-trick-5', of: at('nyet5', 'turn'), isPictured: true },
  { name: 'nyet-taken', of: at('nyet5', 'taken') },
  { name: 'nyet-round-end', of: at('nyet3', 'round-end'), next: goOn, isPictured: true },
  { name: 'nyet-game-end', of: at('nyet4', 'game-end'), next: goOn },
  { name: 'nyet-game-end-2', of: at('nyet2', 'game-end'), next: goOn },
  { name: 'nyet-long-board', of: at('nyetLong', 'board'), areNamesLong: true },
  { name: 'nyet-long-team', of: at('nyetLong', 'team'), next: goOn, areNamesLong: true },
  { name: 'nyet-long-discard', of: at('nyetLong', 'discard'), next: goOn, areNamesLong: true },
  { name: 'nyet-long-trick', of: at('nyetLong', 'turn'), areNamesLong: true },
  { name: 'nyet-long-taken', of: at('nyetLong', 'taken'), areNamesLong: true },
  { name: 'nyet-long-scores', of: at('nyetLong', 'turn'), next: press('s'), areNamesLong: true },
  { name: 'nyet-long-game-end', of: at('nyetLong', 'game-end'), next: goOn, areNamesLong: true },
];

/** @type {Scene[]} */
const SHEETS = [
  { name: 'menu', of: TURN, next: (stage) => stage.click(stage.t('menu.title')), isPictured: true },
  { name: 'keys', of: TURN, next: press('?') },
  { name: 'scores', of: TURN, next: press('s'), isPictured: true },
  { name: 'scores-long', of: at('long', 'turn'), next: press('s'), areNamesLong: true },
  { name: 'history', of: TURN, next: press('h'), isPictured: true },
  {
    name: 'first-visit',
    of: { ...at('guest', 'guest'), kept: { 'sticheln.known': { explainedGames: [], games: 0 } } },
    next: ({ page }) => page.locator('dialog[open]').waitFor(),
    isPictured: true,
  },
  { name: 'player', of: TURN, next: ({ page }) => page.locator('button.plate').first().click() },
  {
    name: 'chat',
    of: at('talk', 'talk'),
    next: (stage) => stage.page.locator('.chat-button').click(),
    isPictured: true,
  },
  { name: 'table-help', of: TURN, next: menu('menu.help') },
  { name: 'leave', of: TURN, next: menu('menu.leave') },
  { name: 'end', of: TURN, next: menu('menu.end') },
  {
    name: 'handover',
    of: TURN,
    next: async (stage) => {
      await menu('handover.move')(stage);
      await stage.tell({ type: 'handover', code: 'k7qm2x4p', expires_at: (await stage.now()) + 60_000 });
    },
    isPictured: true,
  },
];

/** @type {Scene[]} */
const TROUBLE = [
  { name: 'toasts', of: { ...TURN, answers: { refused: 'too_soon' } }, next: tellNews },
  { name: 'paused', of: at('four', 'paused'), isPictured: true },
  { name: 'absent', of: at('absent', 'away'), next: (stage) => stage.wait(5000), isPictured: true },
  { name: 'absent-long', of: at('absent', 'away'), next: (stage) => stage.wait(32_000) },
  { name: 'stand-in', of: at('stoodIn', 'back') },
  { name: 'card-by-bot', of: at('byBot', 'laid'), isPictured: true },
  {
    name: 'reconnecting',
    of: { ...TURN, summaries: { [CODE]: SUMMARY } },
    next: async (stage) => {
      await stage.close(1006);
      await stage.wait(4000);
    },
    isPictured: true,
  },
  {
    name: 'restart',
    of: { ...TURN, summaries: { [CODE]: SUMMARY } },
    next: async (stage) => {
      await stage.tell({ type: 'closing', reason: 'restarting', retry_after_ms: 5000 });
      await stage.close(4000);
      await stage.wait(2500);
    },
  },
  {
    name: 'unsaved',
    of: { ...TURN, summaries: { [CODE]: SUMMARY } },
    next: async (stage) => {
      await stage.tell({ type: 'closing', reason: 'storage', retry_after_ms: 5000 });
      await stage.close(4000);
      await stage.wait(2500);
    },
  },
  { name: 'second-window', of: TURN, next: (stage) => stage.close(4001), isPictured: true },
  { name: 'removed', of: TURN, next: (stage) => stage.close(4003) },
  { name: 'closed', of: TURN, next: (stage) => stage.close(4004) },
  { name: 'old-browser', of: { isOld: true } },
  { name: 'wrong-code', of: { hello: 4004 } },
  { name: 'full', of: { hello: 'room_full' } },
  { name: 'password', of: { hello: 'password_needed' }, isPictured: true },
  {
    name: 'wrong-password',
    of: { hello: 'wrong_password' },
    next: async ({ page }) => {
      await page.locator('dialog[open] input').fill('swordfish');
      await page.locator('dialog[open] .btn.pri').click();
      await page.locator('dialog[open] .neg').waitFor();
    },
  },
];

/** @param {Stage} stage */
async function tellNews(stage) {
  await stage.tell({ type: 'nudged', seat: 0, by: 1 });
  await stage.tell({ type: 'nudged', seat: 0, by: 2 });
  await stage.tell({ type: 'reacted', seat: 1, reaction: 'laugh' });
}

/** All scenes, in groups of about the same size. */
export const GROUPS = { lobby: [...HOME, ...LOBBY], sticheln: STICHELN, nyet: NYET, sheets: [...SHEETS, ...TROUBLE] };
export const SCENES = Object.values(GROUPS).flat();

/**
 * Puts a scene on a page.
 * @param {Stage} stage
 * @param {Scene} scene
 * @param {'en' | 'de'} language
 */
export async function show(stage, { of, next }, language) {
  await stage.show(of, { language });
  await next?.(stage);
  await stage.settles();
}
