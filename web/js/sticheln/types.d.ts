// The types of Sticheln.

import type { BaseDisplay, Display, GameTypes } from '../game.js';
import type {
  ActedForEvent,
  Card,
  Seat,
  StichelnAction,
  StichelnEvent,
  StichelnOptions,
  StichelnView,
} from '../protocol.js';

/** The last trick that was taken, with its points: they are in the event only. */
export interface Memory {
  lastTrick: { cards: Card[]; points: number } | null;
}

/** The display of the table. */
export interface StichelnDisplay extends Omit<Display, 'legal'>, BaseDisplay<Sticheln> {
  kind: 'pick' | 'reveal' | 'trick' | 'taken' | 'round_end';
  /** The seats that have picked, or all of them. */
  hasPicked: boolean[];
  /** The picked cards once they are open. */
  picks: Card[] | null;
  /** The seat that leads the first trick. */
  firstLeader: Seat;
  /** The own picked card, as long as it lies face down. */
  ownPick: Card | null;
}

/** The types of the game. */
export interface Sticheln extends GameTypes {
  options: StichelnOptions;
  view: StichelnView;
  event: StichelnEvent | ActedForEvent;
  action: StichelnAction;
  hold: 'reveal' | 'taken';
  memory: Memory;
  display: StichelnDisplay;
}
