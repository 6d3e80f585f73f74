// The actions of people on the page. Templates call them.

import { fetchRoom, fetchRooms, postRoom } from './api.js';
import { createCommands, refusalText, titleRefusalText } from './commands.js';
import { removeSavedRoom, savedRooms, saveName } from './identity.js';
import { part } from './parts.js';
import { KEYS, readItem, writeItem } from './storage.js';
import { parseCode } from './urls.js';

/** @import { Args } from './i18n.js' */
/** @import { Reaction, Seat } from './protocol.js' */
/** @import { Router } from './router.js' */
/** @import { Settings } from './settings.js' */
/** @import { Store } from './store.js' */
/** @import { Command, DialogFocus, DialogName, Draft, FormName, HelpTopic, Prompt, RoomForm, ToastKind } from './types.js' */

/** @typedef {ReturnType<typeof createActions>} Actions */
/** @typedef {ReturnType<typeof createCommands>} Commands */

/** The longest name of a person, in graphemes. */
const MAX_NAME = 20;

/**
 * The actions of the page.
 * @param {Store} store
 * @param {Router} router
 */
export function createActions(store, router) {
  const commands = createCommands(store, router.session);
  const chairs = chairActions(store, router, commands);
  return {
    go: router.go,
    /** The session of the replay that is shown; null on other pages. */
    replay: router.replay,
    ...screenActions(store),
    ...settingsActions(store),
    ...homeActions(store, router, chairs.sit),
    ...connectionActions(store, router),
    ...logActions(store, router),
    command: commands.command,
    act: commands.act,
    changeOptions: commands.changeOptions,
    changeSeats: commands.changeSeats,
    ...chairs,
    ...waitActions(store, commands),
    ...hostActions(store, commands),
    ...peopleActions(commands),
  };
}

/**
 * Actions that change only what this page shows.
 * @param {Store} store
 */
const screenActions = ({ state, dispatch }) => ({
  redraw: () => dispatch({ type: 'tick' }),
  /** @param {string[]} keys */
  lift: (keys) => dispatch({ type: 'lift', keys }),
  endHold: () => dispatch({ type: 'end_hold' }),
  /** @param {Seat} seat */
  setViewpoint: (seat) => dispatch({ type: 'viewpoint', seat }),
  /** @param {DialogName} dialog @param {DialogFocus} [focus] */
  open: (dialog, focus) => dispatch({ type: 'open', dialog, ...(focus && { focus }) }),
  closeNotice: () => dispatch({ type: 'close_notice' }),
  closeLost: () => dispatch({ type: 'close_lost' }),
  /** @param {Prompt | null} prompt */
  prompt: (prompt) => dispatch({ type: 'prompt', prompt }),
  /** @param {string} key @param {Args} [args] @param {ToastKind} [kind] */
  toast: (key, args, kind) => dispatch({ type: 'toast', key, args, kind }),
  showLinkSelected: () => dispatch({ type: 'link_selected' }),
  /** @param {Partial<HelpTopic>} help */
  setHelpTopic: (help) => dispatch({ type: 'help', help }),
  /** @param {number} card */
  showIntroCard: (card) => dispatch({ type: 'intro_card', card }),

  /** Ends the intro of the game of this room for good. */
  finishIntro: () => {
    const { room, experience } = state();
    dispatch({ type: 'intro_card', card: 'done' });
    if (!room) return;
    const explainedGames = [...experience.explainedGames.filter((game) => game !== room.game), room.game];
    dispatch({ type: 'experience', experience: { ...experience, explainedGames } });
  },
});

/**
 * Actions that change the settings of this browser.
 * @param {Store} store
 */
const settingsActions = ({ state, dispatch }) => ({
  /** @param {Partial<Settings>} settings */
  changeSettings: (settings) => dispatch({ type: 'settings', settings }),

  /**
   * Answers the offer of the sound, which is not made again.
   * @param {boolean} sound whether it is wanted
   */
  answerSoundOffer: (sound) => {
    dispatch({ type: 'experience', experience: { ...state().experience, soundOffered: true } });
    if (sound) dispatch({ type: 'settings', settings: { sound } });
  },

  /**
   * Mutes a person, or ends that.
   * @param {string} name a name, or another key of mutes.js
   * @param {boolean} isWanted
   */
  mute: (name, isWanted) => {
    const others = state().muted.filter((other) => other !== name);
    dispatch({ type: 'muted', names: isWanted ? [...others, name] : others });
  },
  unmuteAll: () => dispatch({ type: 'muted', names: [] }),

  /**
   * Switches notifications on, if the browser allows them, or off.
   * @param {boolean} isWanted
   */
  setNotifications: async (isWanted) => {
    const notification = isWanted && Boolean(await part('deferred')?.requestNotifications());
    dispatch({ type: 'settings', settings: { notification } });
    if (isWanted && !notification) dispatch({ type: 'toast', key: 'set.notification.denied', kind: 'warn' });
  },
});

/**
 * Actions of the home page.
 * @param {Store} store
 * @param {Router} router
 * @param {(name: string, seat: Seat | null) => Promise<void>} sit
 */
const homeActions = (store, { go }, sit) => ({
  /** @param {Partial<Draft>} draft */
  setDraft: (draft) => store.dispatch({ type: 'draft', draft }),
  /** @param {RoomForm} form */
  createRoom: (form) => createRoom(store, go, sit, form),
  /** @param {RoomForm} form @param {string} password the password for opening rooms */
  createRoomWith: (form, password) => createRoom(store, go, sit, form, password),
  /** @param {string} text @param {string} name */
  join: (text, name) => joinRoom(store, go, text, name),
  refreshHome: () => refreshHome(store),

  /**
   * Removes a room from the saved ones.
   * @param {string} code
   */
  removeSavedRoom: (code) => {
    removeSavedRoom(code);
    const saved = store.state().home.savedRooms.filter((room) => room.code !== code);
    store.dispatch({ type: 'home', home: { savedRooms: saved } });
  },
});

/** The errors after which the password for opening rooms is asked for. @type {readonly string[]} */
const OPEN_PASSWORD_CODES = ['open_password_needed', 'wrong_open_password', 'too_many_open_attempts'];

/**
 * Opens a room of the chosen game for the chosen number of seats, goes there and sits down.
 * @param {Store} store
 * @param {Router['go']} go
 * @param {(name: string, seat: Seat | null) => Promise<void>} sit
 * @param {RoomForm} form
 * @param {string | null} [typed] the password for opening rooms that was typed for this form; null: the saved one
 */
async function createRoom({ state, dispatch }, go, sit, form, typed = null) {
  const { name, title, listed, password } = form;
  const { game, seats } = state().home.draft;
  if (name.trim()) saveName(name.trim());
  const formName = typed === null ? 'create' : 'open_password';
  dispatch({ type: 'busy', form: formName, busy: true });
  dispatch({ type: 'error', form: formName, error: null });
  const openPassword = typed ?? readItem(KEYS.openPassword);
  const answer = await postRoom({
    game,
    seats,
    listed,
    ...(title.trim() && { title: title.trim() }),
    ...(password && { password }),
    ...(openPassword && { open_password: openPassword }),
  });
  dispatch({ type: 'busy', form: formName, busy: false });
  if ('code' in answer) {
    if (typed !== null) writeItem(KEYS.openPassword, typed);
    await go(answer.code, password || undefined);
    if (name.trim()) await sit(name, null);
  } else if (OPEN_PASSWORD_CODES.includes(answer.error)) {
    dispatch({ type: 'prompt', prompt: { kind: 'open_password', form } });
    const isMissing = answer.error === 'open_password_needed';
    dispatch({ type: 'error', form: 'open_password', error: isMissing ? null : refusalText(answer.error) });
  } else {
    // The title and the password of the room are in the form under the prompt.
    dispatch({ type: 'prompt', prompt: null });
    dispatch({ type: 'error', form: 'create', error: titleRefusalText(answer.error) });
  }
}

/**
 * Goes to the room with a code, if there is one.
 * @param {Store} store
 * @param {Router['go']} go
 * @param {string} text the code, as it was typed
 * @param {string} name
 */
async function joinRoom({ dispatch }, go, text, name) {
  if (name.trim()) saveName(name.trim());
  const code = parseCode(text);
  const fail = (/** @type {string} */ key) => dispatch({ type: 'error', form: 'join', error: { key } });
  if (code === null) return fail(text.trim() === '' ? 'error.codeEmpty' : 'error.codeForm');
  dispatch({ type: 'busy', form: 'join', busy: true });
  const room = await fetchRoom(code);
  dispatch({ type: 'busy', form: 'join', busy: false });
  if (room === false) return fail('refused.no_such_room');
  void go(code);
}

/**
 * Asks the server which rooms are open, if the home page can be seen.
 * @param {Store} store
 */
async function refreshHome({ state, dispatch }) {
  if (state().route !== 'home' || document.visibilityState !== 'visible') return;
  const rooms = await fetchRooms();
  if (rooms) dispatch({ type: 'home', home: { rooms } });
  const saved = await Promise.all(
    savedRooms().map(async ({ code, title }) => {
      const room = await fetchRoom(code);
      if (room === false) {
        removeSavedRoom(code);
        return [];
      }
      return [{ code, title: room?.title ?? title, phase: room?.phase ?? null }];
    }),
  );
  dispatch({ type: 'home', home: { savedRooms: saved.flat() } });
}

/**
 * Actions about the log of a round.
 * @param {Store} store
 * @param {Router} router
 */
const logActions = ({ state, dispatch }, { session }) => ({
  /** Opens the list of the games of the room, and reads it. */
  openGames: () => {
    dispatch({ type: 'open', dialog: 'games' });
    void session()?.readGames();
  },
  /**
   * Opens the log of a round, and reads it.
   * @param {number} [round] the newest one if it is missing
   */
  openLog: (round = state().game?.view.table.round) => {
    if (round === undefined) return;
    dispatch({ type: 'open', dialog: 'log' });
    void session()?.readLog(round);
  },
});

/**
 * Actions about the connection to the room.
 * @param {Store} store
 * @param {Router} router
 */
const connectionActions = ({ state, dispatch }, { session }) => ({
  /** @param {string} password */
  enterPassword: (password) => {
    dispatch({ type: 'busy', form: 'password', busy: true });
    session()?.tryPassword(password);
  },
  /**
   * Asks the host to be let in.
   * @param {string} name
   */
  enterGuestName: (name) => {
    if (name.trim()) saveName(name.trim());
    dispatch({ type: 'busy', form: 'guest_name', busy: true });
    session()?.tryGuestName(name);
  },
  reconnect: () => session()?.reconnect(),

  /** Checks the connection, and shows the results. It starts no second check while one runs. */
  checkConnection: async () => {
    dispatch({ type: 'open', dialog: 'check' });
    const isRunning = state().checkResults.at(-1)?.kind === 'wait';
    if (isRunning) return;
    await part('deferred')?.checkConnection((results) => dispatch({ type: 'check_results', results }));
  },
});

/**
 * Actions about the own chair.
 * @param {Store} store
 * @param {Router} router
 * @param {Commands} commands
 */
function chairActions({ state, dispatch }, { go, session }, { command, submit }) {
  const closePrompt = () => dispatch({ type: 'prompt', prompt: null });
  const submitName = async (
    /** @type {FormName} */ form,
    /** @type {Command} */ command,
    /** @type {string} */ name,
  ) => {
    if ((await submit(form, command, { name, n: MAX_NAME })) !== 'ok') return;
    saveName(name.trim());
    closePrompt();
  };
  return {
    /**
     * Sits down on a chair, or on the first free one.
     * @param {string} name
     * @param {Seat | null} seat
     */
    sit: (name, seat) => submitName('sit', { type: 'sit', name, ...(seat !== null && { seat }) }, name),
    /** @param {string} name */
    rename: (name) => submitName('chair', { type: 'rename', name }, name),
    /** Gives the own name as a spectator. @param {string} name */
    renameSpectator: async (name) => {
      await submitName('spectator', { type: 'rename', name }, name);
      if (!state().errors.spectator) session()?.setName(name);
    },

    /**
     * Moves a seat to this device.
     * @param {string} code the code that the other device shows
     */
    redeemHandover: async (code) => {
      const text = code.replace(/[\s-]/g, '').toLowerCase();
      if ((await submit('redeem_handover', { type: 'handover', code: text })) === 'ok') closePrompt();
    },
    /**
     * Asks the others for the seat of a person, whose browser has forgotten it.
     * @param {string} name
     */
    claimSeat: async (name) => {
      if ((await submit('claim', { type: 'claim', name }, { name, n: MAX_NAME })) === 'ok') closePrompt();
    },
    offerHandover: () => command({ type: 'handover' }),
    endStandIn: () => command({ type: 'back' }),
    /** @param {boolean} ready */
    setReady: (ready) => command({ type: 'ready', ready }),

    /** Leaves the room for good, and goes home. A player can do so only while the server can be told. */
    leave: async () => {
      const { code, connection, you } = state();
      if (you.seat !== null && connection.status !== 'open') {
        return dispatch({ type: 'toast', key: 'refused.not_connected', kind: 'warn' });
      }
      closePrompt();
      if (you.seat !== null && (await command({ type: 'stand' })) !== 'ok') return;
      if (code !== null) removeSavedRoom(code);
      void go(null);
    },
  };
}

/**
 * Actions about waits: more time, the early end of the game, and a sign that the host is there.
 * @param {Store} store
 * @param {Commands} commands
 */
const waitActions = ({ state }, { command }) => ({
  askForMoreTime: () => command({ type: 'more_time' }),
  /** @param {boolean} agree */
  agreeToEnd: (agree) => command({ type: 'agree_to_end', agree }),
  /** Shows the others that the host is there, with a command that changes nothing. */
  showPresence: () => {
    const { room, you } = state();
    const chair = you.seat === null ? undefined : room?.chairs[you.seat];
    return command({ type: 'ready', ready: chair?.kind === 'person' && chair.ready });
  },
});

/**
 * Actions of the host that take several commands.
 * @param {Store} store
 * @param {Commands} commands
 */
const hostActions = ({ state }, { command }) => ({
  /** Shuffles the seats (Fisher-Yates). */
  shuffleSeats: async () => {
    const count = state().room?.chairs.length ?? 0;
    for (let a = count - 1; a > 0; a -= 1) {
      const b = Math.floor(Math.random() * (a + 1));
      if (a !== b && (await command({ type: 'swap', a, b })) !== 'ok') return;
    }
  },

  /** Puts a bot on every free chair, and starts the game. */
  fillAndStart: async () => {
    const { room, settings } = state();
    for (const [seat, chair] of (room?.chairs ?? []).entries()) {
      if (chair.kind !== 'free') continue;
      if ((await command({ type: 'add_bot', level: settings.botLevel, seat })) !== 'ok') return;
    }
    await command({ type: 'start' });
  },
});

/**
 * Actions towards the other people in the room.
 * @param {Commands} commands
 */
const peopleActions = ({ command }) => ({
  /** @param {string} text */
  sendChat: async (text) => (text.trim() === '' ? 'ok' : command({ type: 'chat', text: text.trim() })),
  /** @param {Reaction} reaction */
  react: (reaction) => command({ type: 'react', reaction }),
  /** @param {Seat} seat */
  nudge: (seat) => command({ type: 'nudge', seat }),
  /** @param {Seat} seat */
  standIn: (seat) => command({ type: 'stand_in', seat }),
  /** @param {number} guest @param {boolean} admit */
  admit: (guest, admit) => command({ type: 'admit', guest, admit }),
  /** @param {number} claim @param {boolean} agree */
  answerClaim: (claim, agree) => command({ type: 'answer_claim', claim, agree }),
});
