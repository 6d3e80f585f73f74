// The types of the toy.

import type { BaseDisplay, Display, GameTypes } from '../game.js';
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
export interface ToyTable {
  round: number;
  hand_counts: number[];
  tricks_won: number[];
  trick: ColourTrick;
  scores: { points: number }[] | null;
}

/** A finished trick. */
export interface ToyTrickTakenEvent extends FinishedTrick {
  type: 'trick_taken';
  taker: Seat;
}

/** What the table shows now. */
export interface ToyDisplay extends Omit<Display, 'legal'>, BaseDisplay<Toy> {
  kind: 'trick' | 'taken' | 'over';
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
  pause: 'trick';
  memory: null;
  display: ToyDisplay;
}
