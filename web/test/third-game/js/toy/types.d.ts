// The types of the toy.

import type { BaseDisplay, Display, GameTypes } from '../game.js';
import type { ActedForEvent, ToyAction, ToyEvent, ToyOptions, ToyView } from '../protocol.js';

/** The display of the table. */
export interface ToyDisplay extends Omit<Display, 'legal'>, BaseDisplay<Toy> {
  kind: 'trick' | 'taken' | 'round_end';
}

/** The types of the game. */
export interface Toy extends GameTypes {
  options: ToyOptions;
  view: ToyView;
  event: ToyEvent | ActedForEvent;
  action: ToyAction;
  hold: 'taken';
  memory: null;
  display: ToyDisplay;
}
