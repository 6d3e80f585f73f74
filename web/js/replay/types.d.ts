// The types of replays: the bodies of `api/games/…`, and the state of the page `/g/{id}`.

import type {
  GameReplay,
  Seat,
  View,
  ReplayStep as WireReplayStep,
  RoundReplay as WireRoundReplay,
} from '../protocol.js';

/** A step of a round, with the types of its own parts. An omitted part has not changed. */
export interface ReplayStep extends Omit<WireReplayStep, 'own'> {
  /** The own parts of the seats whose own part has changed. */
  own?: [Seat, NonNullable<View['own']>][];
}

/** The body of `GET api/games/{id}/rounds/{round}`, with the types of its steps. */
export interface RoundReplay extends Omit<WireRoundReplay, 'steps'> {
  steps: ReplayStep[];
}

/** The perspective on the table: all hands are open, or it is shown as one seat knew it, or as a spectator did. */
export type Perspective = { kind: 'open' } | { kind: 'seat'; seat: Seat } | { kind: 'spectator' };

/** The place in a replay that an address names: a stop of a round, and the perspective. It may not exist. */
export interface Place {
  round: number;
  /** The number of the trick; 0 for the time before the first one. */
  trick: number;
  /** The number of the stop within the trick, or within the time before the first trick. */
  number: number;
  perspective: Perspective;
}

/** A stop: a point of a round where the replay can stand, after a step or at the result of the round. */
export interface Stop {
  /** The index of its step in the round. */
  step: number;
  /** The number of the trick; 0 for the time before the first one. */
  trick: number;
  /** The number of the stop within the trick, or within the time before the first trick. */
  number: number;
  /** Whether it is the result of the round. The stop before it shows the last trick. */
  isResult: boolean;
}

/** The stop that is shown, with its round, all stops of the round, and its index among them. */
export interface ShownStop {
  round: RoundReplay;
  stops: readonly Stop[];
  stop: Stop;
  index: number;
}

export type Speed = 'slow' | 'normal' | 'fast';

/** The dialogs of the page. */
export type ReplayDialog = null | 'menu' | 'log' | 'hands' | 'scores' | 'link' | 'export' | 'play_on';

/** The state of the page of a replay. */
export interface ReplayState {
  id: string;
  overview: GameReplay | null;
  /** The rounds that were loaded, by their numbers. */
  rounds: Record<number, RoundReplay>;
  /** The code of the error because of which the game, or its chosen round, cannot be shown. */
  error: string | null;
  /** The place that was asked for. */
  place: Place;
  /** The index of the stop in the round of the place. */
  stopIndex: number;
  /** The viewpoint where all hands are open, and for a spectator. From the perspective of a seat it is this seat. */
  viewpoint: Seat;
  isAutoplaying: boolean;
  speed: Speed;
  dialog: ReplayDialog;
  /** The seat that was chosen to play on from here. */
  playOnSeat: Seat;
  /** Whether an answer of the server is awaited. */
  isBusy: boolean;
  /** The key of the text that says why the last request of a dialog was refused. */
  refusal: string | null;
}
