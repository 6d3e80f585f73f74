// The session of a replay: it moves from stop to stop, plays, and writes the place into the address.

import { createDialogActions } from './dialog-actions.js';
import { createNavigation } from './navigation.js';
import { createRoundWatch } from './new-rounds.js';
import { fragmentOf, placeOf } from './place.js';
import { createReader } from './reader.js';
import { createRequests } from './requests.js';
import { shownRound } from './view.js';
import { createSpeaker } from './words.js';

/** @import { Seat } from '../protocol.js' */
/** @import { Store } from '../store.js' */
/** @import { Direction } from './navigation.js' */
/** @import { Requests } from './requests.js' */
/** @import { Place, ReplayDialog, ReplayState, Speed, Perspective } from './types.js' */

/** The session of a replay. @typedef {ReturnType<typeof openReplay>} ReplaySession */

/** How long each stop is shown while the replay plays, in milliseconds. */
export const STOP_MS = { slow: 2400, normal: 1200, fast: 600 };
/** The address is written after this delay: browsers allow few changes of it in a short time. */
const ADDRESS_DELAY_MS = 300;

/**
 * The parts of the browser that a session changes.
 * @typedef {object} Browser
 * @property {(fragment: string) => void} setFragment writes the fragment of the address
 * @property {(callback: () => void, ms: number) => unknown} later
 * @property {() => boolean} isVisible whether the page is in the foreground
 * @property {(text: string, name: string) => void} save saves a text as a file
 * @property {(code: string) => void} goToRoom
 */

/**
 * Opens a replay at the place that a fragment names.
 * @param {string} id
 * @param {string} fragment
 * @param {Pick<Store, 'state' | 'dispatch'>} store
 * @param {Browser} browser
 * @param {Requests} [requests]
 */
export function openReplay(id, fragment, store, browser, requests = createRequests(id)) {
  let isEnded = false;
  const state = () => /** @type {ReplayState} */ (store.state().replay);
  const change = (/** @type {Partial<ReplayState>} */ part) => {
    if (!isEnded) store.dispatch({ type: 'replay', replay: { ...state(), ...part } });
  };
  store.dispatch({ type: 'replay', replay: newReplay(id, placeOf(fragment)) });
  const speak = createSpeaker(store, browser.later);
  const notify = (/** @type {string} */ key, /** @type {number} */ n) => {
    if (!isEnded) store.dispatch({ type: 'toast', key, args: { n } });
  };
  const reader = createReader(requests, state, change, notify);
  const writeAddress = createAddressWriter(state, browser, () => isEnded);
  const moveTo = (/** @type {Partial<ReplayState>} */ part) => {
    change(part);
    speak();
    writeAddress();
  };
  const goToRound = (/** @type {number} */ round, /** @type {Pick<Place, 'trick' | 'card'>} */ place) => {
    moveTo({ place: { ...state().place, ...place, round } });
    void reader.readRound().then(() => moveTo({}));
  };
  const navigation = createNavigation(state, (stop) => moveTo({ stop }), goToRound);
  const player = createPlayer(state, change, navigation, browser);
  const watch = createRoundWatch(requests, state, change, notify, browser, () => isEnded);
  const readGame = async () => {
    await reader.readGame();
    // The first stop is not announced: the page begins with it.
    speak();
    if (fragment !== '') writeAddress();
    watch.start();
  };
  void readGame();
  return {
    ...movesByHand(navigation, player.pause, watch.look, state, moveTo, goToRound),
    togglePlay: player.toggle,
    ...choices(player.pause, state, change, moveTo),
    ...createDialogActions(requests, state, change, browser),
    readAgain: () => void (state().overview ? reader.readRound().then(speak) : readGame()),
    /** Goes to the place that the address names by now. @param {string} newFragment */
    onAddress: (newFragment) => {
      player.pause();
      change({ place: placeOf(newFragment) });
      void reader.readRound().then(() => moveTo({}));
    },
    /** Ends the session: the page shows something else. */
    end: () => {
      player.pause();
      isEnded = true;
    },
  };
}

/**
 * The state of a replay of which nothing is read.
 * @param {string} id
 * @param {Place} place
 * @returns {ReplayState}
 */
export const newReplay = (id, place) => ({
  id,
  overview: null,
  rounds: {},
  error: null,
  place,
  stop: 0,
  south: 0,
  isPlaying: false,
  speed: 'normal',
  dialog: null,
  seat: 0,
  isBusy: false,
  refusal: null,
});

/**
 * The fragment of the stop that is shown.
 * @param {ReplayState} state
 */
export function fragmentNow(state) {
  const { stop } = shownRound(state) ?? {};
  return fragmentOf(stop ? { ...state.place, trick: stop.trick, card: stop.card } : state.place);
}

/**
 * A function that writes the place into the address, after a short delay and once for all steps in it.
 * @param {() => ReplayState} state
 * @param {Browser} browser
 * @param {() => boolean} isEnded
 */
function createAddressWriter(state, { later, setFragment }, isEnded) {
  let isPlanned = false;
  return () => {
    if (isPlanned) return;
    isPlanned = true;
    later(() => {
      isPlanned = false;
      if (!isEnded()) setFragment(fragmentNow(state()));
    }, ADDRESS_DELAY_MS);
  };
}

/**
 * Plays a replay: a step after each pause.
 * @param {() => ReplayState} state
 * @param {(part: Partial<ReplayState>) => void} change
 * @param {ReturnType<typeof createNavigation>} navigation
 * @param {Browser} browser
 */
function createPlayer(state, change, navigation, { later }) {
  /** The number of the run. A step of an earlier run comes too late. */
  let run = 0;
  const pause = () => {
    run += 1;
    if (state().isPlaying) change({ isPlaying: false });
  };
  const play = (/** @type {number} */ ofRun) => {
    later(() => {
      if (ofRun !== run) return;
      const isRead = shownRound(state()) !== null || state().error !== null;
      if (!isRead || navigation.card(1)) play(ofRun);
      else pause();
    }, STOP_MS[state().speed]);
  };
  const toggle = () => {
    if (state().isPlaying) return pause();
    if (navigation.isAtEnd()) navigation.toBeginning();
    change({ isPlaying: true });
    run += 1;
    play(run);
  };
  return { pause, toggle };
}

/**
 * The choices of the page: the speed, the perspective, the seat at the bottom, and the dialog.
 * @param {() => void} pause
 * @param {() => ReplayState} state
 * @param {(part: Partial<ReplayState>) => void} change
 * @param {(part: Partial<ReplayState>) => void} moveTo
 */
const choices = (pause, state, change, moveTo) => ({
  /** @param {Speed} speed */
  setSpeed: (speed) => change({ speed }),
  /** @param {Perspective} perspective */
  setPerspective: (perspective) => moveTo({ place: { ...state().place, perspective } }),
  /** @param {Seat} south */
  setSouth: (south) => change({ south }),
  /** @param {ReplayDialog} dialog */
  open: (dialog) => {
    if (dialog !== null) pause();
    change({ dialog, refusal: null, isBusy: false });
  },
});

/**
 * The moves by hand. Each ends the play. A step from the end of the last round looks for a new one.
 * @param {ReturnType<typeof createNavigation>} navigation
 * @param {() => void} pause
 * @param {() => Promise<boolean>} lookForRounds
 * @param {() => ReplayState} state
 * @param {(part: Partial<ReplayState>) => void} moveTo
 * @param {(round: number, place: Pick<Place, 'trick' | 'card'>) => void} goToRound
 */
function movesByHand(navigation, pause, lookForRounds, state, moveTo, goToRound) {
  const byHand = (/** @type {(direction: Direction) => boolean} */ step) => (/** @type {Direction} */ direction) => {
    pause();
    if (step(direction) || direction < 0) return;
    const { place, stop } = state();
    void lookForRounds().then((hasNew) => {
      // Meanwhile they may have gone elsewhere.
      if (hasNew && state().place === place && state().stop === stop) step(direction);
    });
  };
  return {
    card: byHand(navigation.card),
    trick: byHand(navigation.trick),
    round: byHand(navigation.round),
    toBeginning: () => {
      pause();
      navigation.toBeginning();
    },
    toEnd: () => {
      pause();
      navigation.toEnd();
    },
    /** @param {number} round */
    goToRound: (round) => {
      pause();
      if (state().overview?.rounds.some((each) => each.round === round)) goToRound(round, { trick: 0, card: 1 });
    },
    /** @param {number} stop */
    goToStop: (stop) => {
      pause();
      moveTo({ stop });
    },
  };
}
