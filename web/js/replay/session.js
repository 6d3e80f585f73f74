// The session of a replay: it moves from stop to stop, autoplays, and writes the place into the address.

import { createReplayAnnouncer } from './announcer.js';
import { createDialogActions } from './dialog-actions.js';
import { createLoader } from './loader.js';
import { createNavigation } from './navigation.js';
import { FIRST_STOP, fragmentOf, placeOf } from './place.js';
import { shownRound } from './play-state.js';
import { createRequests } from './requests.js';
import { createRoundPoll } from './round-poll.js';

/** @import { Seat } from '../protocol.js' */
/** @import { Store } from '../store.js' */
/** @import { Direction } from './navigation.js' */
/** @import { Requests } from './requests.js' */
/** @import { Place, ReplayDialog, ReplayState, Speed, Perspective } from './types.js' */

/** The session of a replay. @typedef {ReturnType<typeof openReplay>} ReplaySession */

/** The time for which the autoplay shows a stop, by speed, in milliseconds. */
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
  const announce = createReplayAnnouncer(store, browser.later);
  const notify = (/** @type {string} */ key, /** @type {number} */ n) => {
    if (!isEnded) store.dispatch({ type: 'toast', key, args: { n } });
  };
  const loader = createLoader(requests, state, change, notify);
  const writeAddress = createAddressWriter(state, browser, () => isEnded);
  const onMoved = () => {
    announce();
    writeAddress();
  };
  const moveTo = (/** @type {Partial<ReplayState>} */ part) => {
    change(part);
    onMoved();
  };
  const setPlace = (/** @type {Partial<Place>} */ part) => moveTo({ place: { ...state().place, ...part } });
  const goToRound = (/** @type {number} */ round, /** @type {Pick<Place, 'trick' | 'number'>} */ place) => {
    setPlace({ ...place, round });
    void loader.showPlace().then(onMoved);
  };
  const navigation = createNavigation(state, (stopIndex) => moveTo({ stopIndex }), goToRound, setPlace);
  const autoplay = createAutoplay(state, change, navigation, browser);
  const roundPoll = createRoundPoll(requests, state, change, notify, browser, () => isEnded);
  const loadGame = async () => {
    await loader.loadGame();
    // The first stop is noted, not announced: the page begins with it.
    announce();
    if (fragment !== '') writeAddress();
    roundPoll.start();
  };
  void loadGame();
  return {
    ...movesByHand(navigation, autoplay.pause, roundPoll.poll, state, moveTo, goToRound),
    togglePlay: autoplay.toggle,
    ...choices(autoplay.pause, state, change, moveTo),
    ...createDialogActions(requests, state, change, browser),
    loadAgain: () => void (state().overview ? loader.showPlace().then(announce) : loadGame()),
    /** Goes to the place that the address names by now. @param {string} newFragment */
    onAddress: (newFragment) => {
      autoplay.pause();
      change({ place: placeOf(newFragment) });
      void loader.showPlace().then(onMoved);
    },
    /** Ends the session: the page shows something else. */
    end: () => {
      autoplay.pause();
      isEnded = true;
    },
  };
}

/**
 * The state of a replay of which nothing is loaded.
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
  stopIndex: 0,
  viewpoint: 0,
  isAutoplaying: false,
  speed: 'normal',
  dialog: null,
  playOnSeat: 0,
  isBusy: false,
  refusal: null,
});

/**
 * The fragment of the stop that is shown.
 * @param {ReplayState} state
 */
export function fragmentNow(state) {
  const { stop } = shownRound(state) ?? {};
  return fragmentOf(stop ? { ...state.place, trick: stop.trick, number: stop.number } : state.place);
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
 * The autoplay: it goes to the next stop after each delay.
 * @param {() => ReplayState} state
 * @param {(part: Partial<ReplayState>) => void} change
 * @param {ReturnType<typeof createNavigation>} navigation
 * @param {Browser} browser
 */
function createAutoplay(state, change, navigation, { later }) {
  /** The number of starts and pauses so far. A timer of an earlier start has no effect. */
  let starts = 0;
  const pause = () => {
    starts += 1;
    if (state().isAutoplaying) change({ isAutoplaying: false });
  };
  const plan = (/** @type {number} */ start) => {
    later(() => {
      if (start !== starts) return;
      const isLoaded = shownRound(state()) !== null || state().error !== null;
      if (!isLoaded || navigation.stepByStop(1)) plan(start);
      else pause();
    }, STOP_MS[state().speed]);
  };
  const toggle = () => {
    if (state().isAutoplaying) return pause();
    if (navigation.isAtEnd()) navigation.toBeginning();
    change({ isAutoplaying: true });
    starts += 1;
    plan(starts);
  };
  return { pause, toggle };
}

/**
 * The choices of the page: the speed, the perspective, the viewpoint, and the dialog.
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
  /** @param {Seat} viewpoint */
  setViewpoint: (viewpoint) => change({ viewpoint }),
  /** @param {ReplayDialog} dialog */
  open: (dialog) => {
    if (dialog !== null) pause();
    change({ dialog, refusal: null, isBusy: false });
  },
});

/**
 * The moves by hand. Each pauses the autoplay. A step from the end of the last round asks for a new one.
 * @param {ReturnType<typeof createNavigation>} navigation
 * @param {() => void} pause
 * @param {() => Promise<boolean>} pollRounds
 * @param {() => ReplayState} state
 * @param {(part: Partial<ReplayState>) => void} moveTo
 * @param {(round: number, place: Pick<Place, 'trick' | 'number'>) => void} goToRound
 */
function movesByHand(navigation, pause, pollRounds, state, moveTo, goToRound) {
  const byHand = (/** @type {(direction: Direction) => boolean} */ step) => (/** @type {Direction} */ direction) => {
    pause();
    if (step(direction) || direction < 0) return;
    const { place, stopIndex } = state();
    void pollRounds().then((hasNew) => {
      // Another place may have been chosen meanwhile.
      if (hasNew && state().place === place && state().stopIndex === stopIndex) step(direction);
    });
  };
  return {
    stepByStop: byHand(navigation.stepByStop),
    stepByTrick: byHand(navigation.stepByTrick),
    stepByRound: byHand(navigation.stepByRound),
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
      if (state().overview?.rounds.some((each) => each.round === round)) goToRound(round, FIRST_STOP);
    },
    /** @param {number} stopIndex */
    goToStop: (stopIndex) => {
      pause();
      moveTo({ stopIndex });
    },
  };
}
