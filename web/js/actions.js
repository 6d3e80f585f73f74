// The actions: what people can do on the page. Templates call them.

import { fetchTable, fetchTables, openTable } from './api.js';
import { t } from './i18n.js';
import { removeSeat, savedSeats, saveName } from './identity.js';
import { part } from './parts.js';
import { changedOptions } from './state.js';
import { pageUrl, parseCode, tableUrl } from './urls.js';

/** @import { Args } from './i18n.js' */
/** @import { Action, Code, GameOptions, HttpCode, Reaction, Seat } from './protocol.js' */
/** @import { Router } from './router.js' */
/** @import { Settings } from './settings.js' */
/** @import { Store } from './store.js' */
/** @import { Answer, Command, DialogName, Draft, FormName, HelpTopic, Prompt, TextKey, ToastKind } from './types.js' */

/** @typedef {ReturnType<typeof createActions>} Actions */

/** How long names and titles may be, in graphemes. */
const MAX_NAME = 20;
const MAX_TITLE = 40;

/**
 * The actions of the page.
 * @param {Store} store
 * @param {Router} router
 */
export function createActions({ state, dispatch }, { session, go }) {
  return {
    redraw: () => dispatch({ type: 'tick' }),

    // Pages and tables
    go,
    urlOf: pageUrl,
    createTable,
    join,
    refreshHome,
    dismissSeat,
    /** @param {Partial<Draft>} draft */
    setDraft: (draft) => dispatch({ type: 'draft', draft }),

    // Commands to the table
    command,
    sit,
    rename,
    leave,
    takeSeat,
    fillAndStart,
    shuffleSeats,
    sendChat,
    changeOptions,
    /** @param {boolean} ready */
    setReady: (ready) => command({ type: 'ready', ready }),
    /** @param {Reaction} reaction */
    react: (reaction) => command({ type: 'react', reaction }),
    /** @param {Seat} seat */
    nudge: (seat) => command({ type: 'nudge', seat }),
    /** @param {Seat} seat */
    standIn: (seat) => command({ type: 'stand_in', seat }),
    takeOverFromBot: () => command({ type: 'back' }),
    requestHandover: () => command({ type: 'handover' }),

    // The connection
    /** @param {string} password */
    enterPassword: (password) => {
      dispatch({ type: 'busy', form: 'password', busy: true });
      session()?.enter(password);
    },
    reconnect: () => session()?.reconnect(),
    checkConnection,

    // The game
    act,
    /** @param {string[]} keys */
    lift: (keys) => dispatch({ type: 'lift', keys }),
    endPause: () => dispatch({ type: 'end_pause' }),
    /** @param {Seat} seat */
    setViewpoint: (seat) => dispatch({ type: 'viewpoint', seat }),

    // What lies over the page
    /** @param {DialogName} dialog */
    open: (dialog) => dispatch({ type: 'open', dialog }),
    /** @param {Prompt | null} prompt */
    prompt: (prompt) => dispatch({ type: 'prompt', prompt }),
    /** @param {string} key @param {Args} [args] @param {ToastKind} [kind] */
    toast: (key, args, kind) => dispatch({ type: 'toast', key, args, kind }),
    /** @param {number} card */
    showIntroCard: (card) => dispatch({ type: 'intro', intro: card }),
    finishIntro,
    /** @param {Partial<HelpTopic>} help */
    setHelpTopic: (help) => dispatch({ type: 'help', help }),

    // Settings and links
    /** @param {Partial<Settings>} settings */
    changeSettings: (settings) => dispatch({ type: 'settings', settings }),
    setNotifications,
    copy,
    copyInvitation,
    shareInvitation,
  };

  /**
   * Sends a command to the table.
   * @param {Command} command
   * @param {(id: string) => void} [onId] is told the id of the message
   * @returns {Promise<Answer>}
   */
  async function send(command, onId) {
    return (await session()?.send(command, onId)) ?? 'not_connected';
  }

  /**
   * Sends a command to the table, and shows a toast if it is refused.
   * @param {Command} command
   */
  async function command(command) {
    const answer = await send(command);
    if (answer !== 'ok' && answer !== 'not_connected') warn(answer);
    return answer;
  }

  /** @param {Code} code */
  function warn(code) {
    dispatch({ type: 'toast', key: `refused.${code}`, args: { n: MAX_TITLE }, kind: 'warn' });
  }

  /**
   * Makes a move of the game.
   * @param {Action} action
   */
  async function act(action) {
    if (state().sending || state().link.status !== 'open') return;
    const card = 'card' in action ? action.card : null;
    let id = '';
    const answer = await send({ type: 'act', action }, (own) => {
      id = own;
      dispatch({ type: 'sending', id, card });
    });
    if (answer === 'ok') return;
    dispatch({ type: 'not_sent', id });
    if (answer === 'not_connected') return;
    if (card === null) return warn(answer);
    const [suit, n] = card.split('-');
    const name = t('card.name', { suit: t(`suit.${suit}`), n: Number(n) });
    const reason = t(`refused.${answer}`);
    dispatch({ type: 'toast', key: 'error.refused', args: { card: name, reason }, kind: 'warn' });
  }

  /**
   * Changes options of the game. A command has all options, so it repeats the changes that were sent before and that
   * the room does not show yet.
   * @param {Partial<GameOptions>} change
   */
  async function changeOptions(change) {
    const { room, optionChanges } = state();
    if (!room) return;
    const options = /** @type {GameOptions} */ ({ ...changedOptions(room, optionChanges), ...change });
    let id = '';
    const answer = await send({ type: 'configure', options }, (own) => {
      id = own;
      dispatch({ type: 'option_change', id, change });
    });
    dispatch({ type: 'option_answer', id, isDone: answer === 'ok' });
    if (answer !== 'ok' && answer !== 'not_connected') warn(answer);
  }

  /** @param {string} text */
  async function sendChat(text) {
    return text.trim() === '' ? 'ok' : command({ type: 'chat', text: text.trim() });
  }

  /**
   * Sits down on a chair, or on the first free one.
   * @param {string} name
   * @param {Seat | null} seat
   */
  async function sit(name, seat) {
    const answer = await submit('sit', { type: 'sit', name, ...(seat !== null && { seat }) }, { name, n: MAX_NAME });
    if (answer !== 'ok') return;
    saveName(name.trim());
    dispatch({ type: 'prompt', prompt: null });
  }

  /** @param {string} name */
  async function rename(name) {
    const answer = await submit('chair', { type: 'rename', name }, { name, n: MAX_NAME });
    if (answer !== 'ok') return;
    saveName(name.trim());
    dispatch({ type: 'prompt', prompt: null });
  }

  /**
   * Takes a seat with the code of a handover.
   * @param {string} code
   */
  async function takeSeat(code) {
    const text = code.replace(/[\s-]/g, '').toLowerCase();
    const answer = await submit('takeover', { type: 'handover', code: text });
    if (answer === 'ok') dispatch({ type: 'prompt', prompt: null });
  }

  /**
   * Sends the command of a form. The form is busy until it is answered, and shows why it is refused.
   * @param {FormName} form
   * @param {Command} command
   * @param {Args} [args] what fills the text of a refusal
   */
  async function submit(form, command, args = {}) {
    dispatch({ type: 'busy', form, busy: true });
    dispatch({ type: 'error', form, error: null });
    const answer = await send(command);
    dispatch({ type: 'busy', form, busy: false });
    if (answer !== 'ok') {
      const other = { key: 'error.name', args: { ...args, alt: `${args.name ?? ''} 2` } };
      dispatch({ type: 'error', form, error: answer === 'name_taken' ? other : refusal(answer, args) });
    }
    return answer;
  }

  /** Leaves the table for good, and goes home. */
  async function leave() {
    const { code, you } = state();
    dispatch({ type: 'prompt', prompt: null });
    if (you.seat !== null && (await command({ type: 'stand' })) !== 'ok') return;
    if (code !== null) removeSeat(code);
    void go(null);
  }

  /** Shuffles the seats (Fisher-Yates). */
  async function shuffleSeats() {
    const count = state().room?.chairs.length ?? 0;
    for (let a = count - 1; a > 0; a -= 1) {
      const b = Math.floor(Math.random() * (a + 1));
      if (a !== b && (await command({ type: 'swap', a, b })) !== 'ok') return;
    }
  }

  /** Puts a bot on every free chair, and starts the game. */
  async function fillAndStart() {
    const { room, settings } = state();
    for (const [seat, chair] of (room?.chairs ?? []).entries()) {
      if (chair.kind !== 'free') continue;
      if ((await command({ type: 'add_bot', level: settings.botLevel, seat })) !== 'ok') return;
    }
    await command({ type: 'start' });
  }

  async function copyInvitation() {
    const { code } = state();
    if (code !== null) await copy(tableUrl(code));
  }

  /**
   * Copies a link that is shown. Where the page may not copy, the link is selected, to be copied by hand.
   * @param {string} link
   */
  async function copy(link) {
    try {
      await navigator.clipboard.writeText(link);
      dispatch({ type: 'toast', key: 'lobby.copied' });
    } catch {
      selectLink();
    }
  }

  function selectLink() {
    const shown = document.querySelector('dialog[open] .link') ?? document.querySelector('.link');
    if (!shown) return;
    getSelection()?.selectAllChildren(shown);
    dispatch({ type: 'link_selected' });
  }

  async function shareInvitation() {
    const { code, room } = state();
    if (code === null) return;
    try {
      await navigator.share({ title: room?.title ?? t('app.name'), url: tableUrl(code) });
    } catch {
      // The dialog of the device was closed.
    }
  }

  /**
   * Switches notifications on, if the browser allows them, or off.
   * @param {boolean} isWanted
   */
  async function setNotifications(isWanted) {
    const notification = isWanted && Boolean(await part('deferred')?.requestNotifications());
    dispatch({ type: 'settings', settings: { notification } });
    if (isWanted && !notification) dispatch({ type: 'toast', key: 'set.notification.denied', kind: 'warn' });
  }

  /** Ends the intro of the game of this table for good. */
  function finishIntro() {
    const { room, experience } = state();
    dispatch({ type: 'intro', intro: 'done' });
    if (!room) return;
    const intro = [...experience.intro.filter((game) => game !== room.game), room.game];
    dispatch({ type: 'experience', experience: { ...experience, intro } });
  }

  /**
   * Opens a table of the chosen game for the chosen number of seats, goes there and sits down.
   * @param {{ name: string, title: string, listed: boolean, password: string }} form
   */
  async function createTable({ name, title, listed, password }) {
    const { game, seats } = state().home.draft;
    if (name.trim()) saveName(name.trim());
    dispatch({ type: 'busy', form: 'create', busy: true });
    dispatch({ type: 'error', form: 'create', error: null });
    const answer = await openTable({
      game,
      seats,
      listed,
      ...(title.trim() && { title: title.trim() }),
      ...(password && { password }),
    });
    dispatch({ type: 'busy', form: 'create', busy: false });
    if ('room' in answer) {
      await go(answer.room, password || undefined);
      if (name.trim()) await sit(name, null);
      return;
    }
    dispatch({ type: 'error', form: 'create', error: refusal(answer.code, { n: MAX_TITLE }) });
  }

  /**
   * Goes to the table with a code, if there is one.
   * @param {string} text the code, as it was typed
   * @param {string} name
   */
  async function join(text, name) {
    if (name.trim()) saveName(name.trim());
    const code = parseCode(text);
    const fail = (/** @type {string} */ key) => dispatch({ type: 'error', form: 'join', error: { key } });
    if (code === null) return fail(text.trim() === '' ? 'error.codeEmpty' : 'error.codeForm');
    dispatch({ type: 'busy', form: 'join', busy: true });
    const table = await fetchTable(code);
    dispatch({ type: 'busy', form: 'join', busy: false });
    if (table === false) return fail('error.code');
    void go(code);
  }

  /** Checks the connection, and shows the results. A check that is still running goes on. */
  async function checkConnection() {
    dispatch({ type: 'open', dialog: 'check' });
    if (state().checkResults.at(-1)?.kind === 'wait') return;
    await part('deferred')?.checkConnection((results) => dispatch({ type: 'check_results', results }));
  }

  /** Asks the server which tables are open, if the home page can be seen. */
  async function refreshHome() {
    if (state().page !== 'home' || document.visibilityState !== 'visible') return;
    const rooms = await fetchTables();
    if (rooms) dispatch({ type: 'home', home: { rooms } });
    const seats = await Promise.all(
      savedSeats().map(async ({ code, title }) => {
        const table = await fetchTable(code);
        if (table === false) {
          removeSeat(code);
          return [];
        }
        return [{ code, title: table?.title ?? title, phase: table?.phase ?? null }];
      }),
    );
    dispatch({ type: 'home', home: { seats: seats.flat() } });
  }

  /**
   * Takes a table off the list of those where this browser has a seat.
   * @param {string} code
   */
  function dismissSeat(code) {
    removeSeat(code);
    const seats = state().home.seats.filter((seat) => seat.code !== code);
    dispatch({ type: 'home', home: { seats } });
  }
}

/**
 * The text of a refusal.
 * @param {Code | HttpCode | string} code
 * @param {Args} args
 * @returns {TextKey}
 */
const refusal = (code, args) => ({ key: `refused.${code}`, args });
