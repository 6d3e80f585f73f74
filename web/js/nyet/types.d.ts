// The types of Nyet!.

import type { BaseDisplay, Display, GameTypes } from '../game.js';
import type {
  ActedForEvent,
  Board,
  Card,
  Character,
  Conditions,
  NyetAction,
  NyetCoverAction,
  NyetCoveredEvent,
  NyetEvent,
  NyetOptions,
  NyetView,
  Teams,
} from '../protocol.js';

/** A row of the board. */
export type Row = NyetCoverAction['row'];

/** A space of the board. */
export type Space = NyetCoverAction['space'];

/** The space that was covered in the last message, if one was. */
export interface Memory {
  covered: NyetCoveredEvent | null;
}

/** The display of the table. */
export interface NyetDisplay extends Omit<Display, 'legal'>, BaseDisplay<Nyet> {
  kind: 'board' | 'settled' | 'choosing_team' | 'teams_formed' | 'discard' | 'chosen' | 'trick' | 'taken' | 'round_end';
  /** Each row with its spaces, and the seat that has covered each. */
  board: Board;
  /** The character of each seat. */
  characters: Character[];
  /** The space that was covered just now. */
  covered: NyetCoveredEvent | null;
  /** How many spaces are still to be covered. */
  coversLeft: number;
  /** The rules of the round, once they are settled. */
  conditions: Conditions | null;
  /** The teams, once they are formed. */
  teams: Teams | null;
  /** The seats that have chosen the cards that they give up, or all of them. */
  hasDiscarded: boolean[];
  /** The cards that the own seat has chosen to lay aside or to pass. */
  discard: Card[];
  /** The card that was passed to the own seat. */
  received: Card | null;
  /** Everything that the own seat may do, or with which it may replace its choice. */
  actions: NyetAction[];
}

/** The types of the game. */
export interface Nyet extends GameTypes {
  options: NyetOptions;
  view: NyetView;
  event: NyetEvent | ActedForEvent;
  action: NyetAction;
  hold: 'settled' | 'teams_formed' | 'chosen' | 'taken';
  memory: Memory;
  display: NyetDisplay;
}
