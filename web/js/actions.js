// What people can do on the page.

import { fetchTable, fetchTables, openTable } from './api.js';
import { t } from './i18n.js';
import { removeSeat, savedSeats, saveName } from './identity.js';
import { part } from './parts.js';
import { pageUrl, parseCode, tableUrl } from './urls.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./state.js').Ask} Ask */
/** @typedef {import('./state.js').Sheet} Sheet */
/** @typedef {ReturnType<typeof createActions>} Actions */

/** How long names and titles may be, in what people call characters. */
const MOST_OF_NAME = 20;
const MOST_OF_TITLE = 40;

/**
 * The actions of the page.
 * @param {import('./store.js').Store} store
 * @param {ReturnType<typeof import('./router.js').createRouter>} router
 */
export function createActions({ state, dispatch }, { session, go }) {
  return {
    send,
    dispatch,
    go,
    hrefOf: pageUrl,
    /** @param {string[]} names */
    lift: (names) => dispatch({ type: 'lift', names }),
    act,
    goOn: () => dispatch({ type: 'go_on' }),
    /** @param {Sheet} sheet */
    open: (sheet) => dispatch({ type: 'open', sheet }),
    /** @param {Partial<import('./settings.js').Settings>} settings */
    set: (settings) => dispatch({ type: 'set', settings }),
    notify,
    redraw: () => dispatch({ type: 'tick' }),
    /** @param {number} intro */
    introduce: (intro) => dispatch({ type: 'intro', intro }),
    introduced,
    /** @param {Partial<State['help']>} help */
    help: (help) => dispatch({ type: 'help', help }),
    check,
    /** @param {number} seat */
    viewpoint: (seat) => dispatch({ type: 'viewpoint', seat }),
    /** @param {boolean} ready */
    ready: (ready) => tell('ready', { ready }),
    say,
    /** @param {string} reaction */
    react: (reaction) => tell('react', { reaction }),
    /** @param {number} seat */
    nudge: (seat) => tell('nudge', { seat }),
    /** @param {number} seat */
    standIn: (seat) => tell('stand_in', { seat }),
    back: () => tell('back'),
    /** @param {Ask | null} ask */
    ask: (ask) => dispatch({ type: 'ask', ask }),
    tell,
    sit,
    rename,
    leave,
    fillAndStart,
    shuffle,
    /** @param {string} password */
    enter: (password) => {
      dispatch({ type: 'busy', form: 'password', busy: true });
      session()?.enter(password);
    },
    reconnect: () => session()?.takeBack(),
    handover: () => tell('handover'),
    takeOver,
    copy,
    copyLink,
    shareLink,
    create,
    join,
    refresh,
    /** @param {string} code */
    dismiss: (code) => {
      removeSeat(code);
      const kept = state().home.kept.filter((seat) => seat.code !== code);
      dispatch({ type: 'home', home: { kept } });
    },
    /** @param {string} key @param {import('./i18n.js').Args} [args] @param {'news' | 'good' | 'warn'} [kind] */
    toast: (key, args, kind) => dispatch({ type: 'toast', key, args, kind }),
  };

  /**
   * Says something to the table; `ok`, or the code of the refusal.
   * @param {string} type
   * @param {object} [fields]
   * @param {(id: string) => void} [named]
   */
  async function send(type, fields, named) {
    return (await session()?.send(type, fields, named)) ?? 'not_connected';
  }

  /**
   * Says something, and tells in words if it is refused.
   * @param {string} type
   * @param {object} [fields]
   */
  async function tell(type, fields) {
    const answer = await send(type, fields);
    if (answer !== 'ok' && answer !== 'not_connected') warn(answer);
    return answer;
  }

  /** @param {string} refusal */
  function warn(refusal) {
    dispatch({ type: 'toast', key: `refused.${refusal}`, args: { n: MOST_OF_TITLE }, kind: 'warn' });
  }

  /**
   * Makes a move of the game.
   * @param {any} action
   */
  async function act(action) {
    if (state().sending || state().link.status !== 'open') return 'not_connected';
    const card = action.card ?? null;
    let id = '';
    const answer = await send('act', { action }, (named) => {
      id = named;
      dispatch({ type: 'sending', id, card });
    });
    if (answer === 'ok') return answer;
    dispatch({ type: 'not_sent', id });
    if (answer === 'not_connected') return answer;
    const reason = t(`refused.${answer}`);
    if (card === null) warn(answer);
    else {
      const [suit, n] = card.split('-');
      const name = t('card.name', { suit: t(`suit.${suit}`), n: Number(n) });
      dispatch({ type: 'toast', key: 'error.refused', args: { card: name, reason }, kind: 'warn' });
    }
    return answer;
  }

  /** @param {string} text */
  async function say(text) {
    return text.trim() === '' ? 'ok' : tell('chat', { text: text.trim() });
  }

  /**
   * Sits down.
   * @param {string} name
   * @param {number | null} seat
   */
  async function sit(name, seat) {
    const answer = await submit('sit', { name, n: MOST_OF_NAME }, () =>
      send('sit', { name, ...(seat !== null && { seat }) }),
    );
    if (answer !== 'ok') return;
    saveName(name.trim());
    dispatch({ type: 'ask', ask: null });
  }

  /** @param {string} name */
  async function rename(name) {
    const answer = await submit('chair', { name, n: MOST_OF_NAME }, () => send('rename', { name }));
    if (answer !== 'ok') return;
    saveName(name.trim());
    dispatch({ type: 'ask', ask: null });
  }

  /** @param {string} code */
  async function takeOver(code) {
    const answer = await submit('takeover', {}, () =>
      send('handover', { code: code.replace(/[\s-]/g, '').toLowerCase() }),
    );
    if (answer === 'ok') dispatch({ type: 'ask', ask: null });
  }

  /**
   * Sends a form: it waits, and a refusal stands in it.
   * @param {string} form
   * @param {import('./i18n.js').Args} args
   * @param {() => Promise<string>} ask
   */
  async function submit(form, args, ask) {
    dispatch({ type: 'busy', form, busy: true });
    dispatch({ type: 'error', form, error: null });
    const answer = await ask();
    dispatch({ type: 'busy', form, busy: false });
    if (answer !== 'ok') {
      const alt = `${args.name ?? ''} 2`;
      const error = answer === 'name_taken' ? { key: 'error.name', args: { ...args, alt } } : refusal(answer, args);
      dispatch({ type: 'error', form, error });
    }
    return answer;
  }

  /**
   * @param {string} code
   * @param {import('./i18n.js').Args} [args]
   */
  function refusal(code, args) {
    return { key: `refused.${code}`, args };
  }

  /** Gives the chair away for good, and goes home. */
  async function leave() {
    const { code, you } = state();
    dispatch({ type: 'ask', ask: null });
    if (you.seat !== null && (await tell('stand')) !== 'ok') return;
    if (code !== null) removeSeat(code);
    go(null);
  }

  /** Seats everybody anew, by lot. */
  async function shuffle() {
    const count = state().room?.chairs.length ?? 0;
    for (let a = count - 1; a > 0; a -= 1) {
      const b = Math.floor(Math.random() * (a + 1));
      if (a !== b && (await tell('swap', { a, b })) !== 'ok') return;
    }
  }

  /** Puts a bot on every free chair, and starts. */
  async function fillAndStart() {
    const { room, settings } = state();
    for (const [seat, chair] of (room?.chairs ?? []).entries()) {
      if (chair.kind === 'free' && (await tell('add_bot', { level: settings.botLevel, seat })) !== 'ok') return;
    }
    await tell('start');
  }

  /** Copies the invitation. */
  async function copyLink() {
    const { code } = state();
    if (code !== null) await copy(tableUrl(code));
  }

  /**
   * Copies a link that is shown, or selects it for the hand where the page may not.
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

  /**
   * Switches messages of the device on, if they may be shown, or off.
   * @param {boolean} notification
   */
  async function notify(notification) {
    const isAllowed = notification && (await part('deferred')?.requestNotifications());
    dispatch({ type: 'set', settings: { notification: isAllowed } });
    if (notification && !isAllowed) dispatch({ type: 'toast', key: 'set.notification.denied', kind: 'warn' });
  }

  /** The game of this table was explained, or need not be. */
  function introduced() {
    const { room, known } = state();
    dispatch({ type: 'intro', intro: 'later' });
    if (!room) return;
    const next = { ...known, intro: [...known.intro.filter((game) => game !== room.game), room.game] };
    dispatch({ type: 'known', known: next });
  }

  function selectLink() {
    const shown = document.querySelector('dialog[open] .link') ?? document.querySelector('.link');
    if (!shown) return;
    getSelection()?.selectAllChildren(shown);
    dispatch({ type: 'select_link', select: true });
  }

  async function shareLink() {
    const { code, room } = state();
    if (code === null) return;
    try {
      await navigator.share({ title: room?.title ?? t('app.name'), url: tableUrl(code) });
    } catch {
      // Nobody was chosen.
    }
  }

  /**
   * Opens a table of the game and for the seats that were chosen, and goes there.
   * @param {{ name: string, title: string, listed: boolean, password: string }} form
   */
  async function create({ name, title, listed, password }) {
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
    dispatch({ type: 'error', form: 'create', error: refusal(answer.code, { n: MOST_OF_TITLE }) });
  }

  /**
   * Goes to the table with this code, if there is one.
   * @param {string} text
   * @param {string} name
   */
  async function join(text, name) {
    if (name.trim()) saveName(name.trim());
    const code = parseCode(text);
    const fail = (/** @type {string} */ key) => dispatch({ type: 'error', form: 'join', error: { key } });
    if (code === null) return fail(text.trim() === '' ? 'error.codeEmpty' : 'error.codeForm');
    dispatch({ type: 'busy', form: 'join', busy: true });
    const summary = await fetchTable(code);
    dispatch({ type: 'busy', form: 'join', busy: false });
    if (summary === false) return fail('error.code');
    go(code);
  }

  /** Checks the connection, and shows what is found. */
  async function check() {
    dispatch({ type: 'open', sheet: 'check' });
    // One that is not over goes on.
    if (state().found.at(-1)?.kind === 'wait') return;
    await part('deferred')?.checkConnection((found) => dispatch({ type: 'found', found }));
  }

  /** Looks at what is open now, if the home page is seen. */
  async function refresh() {
    if (state().page !== 'home' || document.visibilityState !== 'visible') return;
    const rooms = await fetchTables();
    if (rooms) dispatch({ type: 'home', home: { rooms } });
    const kept = await Promise.all(
      savedSeats().map(async ({ code, title }) => {
        const summary = await fetchTable(code);
        if (summary === false) removeSeat(code);
        return { code, title: summary ? summary.title : title, phase: summary ? summary.phase : null, summary };
      }),
    );
    dispatch({ type: 'home', home: { kept: kept.filter(({ summary }) => summary !== false) } });
  }
}
