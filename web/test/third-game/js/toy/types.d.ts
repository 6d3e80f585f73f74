// The types of the toy.

import type { BaseDisplay, Display, GameTypes, SharedTable } from '../game.js';
import type {
  ActedForEvent,
  Card,
  ColourTrick,
  DealtEvent,
  FinishedTrick,
  GameEnd,
  GameOverEvent,
  PlayedEvent,
  Seat,
} from '../protocol.js';

/** What everybody knows of a round. */
export type ToyTable = ToyTrickTable | ToyRoundEndTable;

/** The public part of a round while tricks are played. */
export interface ToyTrickTable extends SharedTable {
  phase: 'trick';
  tricks_won: number[];
  trick: ColourTrick;
}

/** The public part of a finished round. */
export interface ToyRoundEndTable extends SharedTable {
  phase: 'round_end';
  tricks_won: number[];
  scores: { points: number }[];
}

/** A finished trick. */
export interface ToyTrickTakenEvent extends FinishedTrick {
  type: 'trick_taken';
  taker: Seat;
}

/** What the table shows now. */
export interface ToyDisplay extends Omit<Display, 'legal'>, BaseDisplay<Toy> {
  kind: 'trick' | 'taken' | 'round_end';
}

/** The types of the game. */
export interface Toy extends GameTypes {
  options: { end?: GameEnd | null; lowest_takes: boolean };
  view: { table: ToyTable | null; to_act: Seat[]; seat: Seat | null; own?: { hand: Card[] } };
  event:
    | DealtEvent
    | PlayedEvent
    | ToyTrickTakenEvent
    | { type: 'round_scored'; round: number; scores: { points: number }[]; totals: number[] }
    | GameOverEvent
    | ActedForEvent;
  action: { type: 'play'; card: Card };
  score: { points: number };
  hold: 'trick';
  memory: null;
  display: ToyDisplay;
}
