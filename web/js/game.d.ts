// The interface of a game to the page. A game is one object, in the file game.js of its folder; games.js lists the games.
// Two fields of the object are loaded later: `lobby` with the deferred part of the page, `table` with the table.

import type { Actions } from './actions.js';
import type { Lazy } from './game-kit.js';
import type { Translate } from './i18n.js';
import type { Icon } from './icons.js';
import type {
  ActedForEvent,
  Action,
  Card,
  Colour,
  FinishedTrick,
  GameEvent,
  GameId,
  GameOptions,
  Seat,
  View,
} from './protocol.js';
import type { SoundName } from './sound.js';
import type { DealtView, PlayState, RoomState, TextKey } from './types.js';

/** The fields of the table of a round (`view.table`) that shared code reads. */
export interface SharedTable {
  /** The number of the round, from 1. */
  round: number;
  /** The number of cards in each hand. */
  hand_counts: number[];
  /** The phase of the round. It is `round_end` once the round is scored; the other phases are those of the game. */
  phase: string;
}

/** The types of one game. The code of a game uses these; shared code uses the types of any game. */
export interface GameTypes {
  options: object;
  view: { table: SharedTable | null };
  event: { type: string };
  action: { type: string };
  /** The kinds of its holds. `taken` is the hold of a finished trick, which any later hold replaces. */
  hold: string;
  memory: unknown;
  display: Display;
}

export interface AnyGame extends GameTypes {
  options: GameOptions;
  view: View;
  event: GameEvent;
  action: Action;
}

/** The kind and the duration of the hold after an event. */
export interface HoldRule<Kind extends string = string> {
  kind: Kind;
  ms: number;
  /** Whether it replaces any other hold. Otherwise it replaces only the hold of a finished trick. */
  interrupts?: boolean;
}

/** A game. Functions that take part in the reducer are pure. */
export interface Game<G extends GameTypes = AnyGame> {
  /** Its id on the wire, which is also the name of its folder. */
  readonly id: GameId;
  /** Its name, the same in all languages. */
  readonly name: string;
  /** A card that stands for it. */
  readonly card: Card;
  /** With how many seats it is played, the fewest first. */
  readonly seats: readonly number[];
  /** With how many seats it is usually played. */
  readonly usualSeats: number;
  /** The approximate duration of a round, in minutes for each seat. */
  readonly minutesPerSeat: number;
  /** How many rounds a game with so many players has if the options do not say. */
  rounds(options: G['options'], players: number): number;
  /** By about how many points the highest total grows in a round with so many players. */
  pointsPerRound(players: number): number;
  /** The colours that the digit keys stand for. */
  colours(options: G['options'] | null): readonly Colour[];

  /**
   * The rule for the hold after an event. Null: the event starts no hold, and neither does an earlier event of the same
   * message; a hold that is on goes on.
   */
  readonly holds: { readonly [Type in G['event']['type']]?: HoldRule<G['hold']> | null };
  /** The view that is shown during the hold after an event. `before` is the view before the event. */
  heldView(event: G['event'], view: DealtView<G['view']>, before: DealtView<G['view']> | null): DealtView<G['view']>;
  /** The memory of the game after these events; `memory` is null at the beginning. */
  remember(memory: G['memory'] | null, events: readonly G['event'][], view: DealtView<G['view']>): G['memory'];
  /** Whether something that is lifted besides cards can still be chosen. */
  canStayLifted(key: string, view: DealtView<G['view']>): boolean;
  /** The sound of an event. */
  sound(event: G['event']): SoundName | null;

  /** The files of its texts, as far as the name of the language: those of the table and of the help. */
  readonly texts: { readonly main: string; readonly help: string };
  /** Its style sheets, which come after those of the table. */
  readonly styles: readonly string[];
  readonly lobby: Lazy<GameLobby<G>>;
  readonly table: Lazy<GameTable<G>>;
}

/** A house rule and its value, as texts; the note says what the value means. */
export type OptionText = [name: string, value: string, note?: string];

/** A worked example of the help. */
export interface HelpExample {
  title: string;
  /** The drawing, made of the cards of the page. */
  drawing: unknown;
  text: string;
}

/** The part of a game for the lobby, the intro and the help. */
export interface GameLobby<G extends GameTypes = AnyGame> {
  /** The controls of the house rules that come before the end of the game. */
  firstControls(room: RoomState<G>, set: (change: Partial<G['options']>) => void): unknown;
  /** The controls of its other house rules. */
  controls(room: RoomState<G>, set: (change: Partial<G['options']>) => void): unknown;
  /** The rotating role of the opening seat: the player who sits there deals, or leads, in the first round. */
  openingRole(options: G['options']): 'deals' | 'leads';
  /** The task of the player on the opening seat, and who leads the first trick, if its name does not say so. */
  openingText?(room: RoomState<G>): string;
  /** The options of the game as text, for people who may not change them. */
  optionTexts(room: RoomState<G>): { first: OptionText[]; others: OptionText[] };
  /** The drawings of the intro cards, in their order; their texts are `<id>.intro.<n>.title` and `.text`. */
  readonly introIcons: readonly Icon[];
  /** The keys of its own at the table, each with the key of a text. */
  readonly keys: readonly (readonly [keys: string, text: string])[];
  /** The variants that the help tells apart where there is no room, if any; `label` is the key of a text. */
  readonly variants: { label: string; ids: readonly string[]; text(id: string): string } | null;
  /** The rules in sentences: of a room, or of a variant. */
  rules(room: RoomState<G> | null, variant: string | null): string[];
  /** The worked examples of the rules: for a room, or for a variant. */
  examples?(room: RoomState<G> | null, variant: string | null): HelpExample[];
  /** The sign of a person or bot beside their name in the lobby; for the own seat it can be a control. */
  chairDetails?(seat: Seat, room: RoomState<G>, actions: Actions): unknown;
}

/** The effect that a card would have. */
export interface Hint {
  winning: boolean;
  points: number;
}

/** A trick as it is shown; `taker` and `points` once it is finished. */
export interface DisplayTrick {
  leader: Seat;
  cards: Card[];
  lead?: string | undefined;
  winning?: Seat | undefined;
  taker?: Seat | null;
  points?: number | undefined;
}

/** The finished tricks of the round that may be looked at, the newest first, and which ones the table shows. */
export interface PastTricks {
  tricks: { number: number; trick: FinishedTrick }[];
  shown: 'all' | 'last' | 'none';
}

/** A column of the tables of scores: a part of the points of each seat. */
export interface ScoreColumn {
  /** The key of its heading. */
  heading: string;
  /** The points by seat. */
  points: number[];
}

/** The scores if the round ended now. */
export interface RunningScores {
  /** The points by seat. */
  points: number[];
  /** The parts of which these points are the sum. */
  columns: ScoreColumn[];
}

/** The display: the data that the table shows now. During a hold it is older than the state of the game. */
export interface BaseDisplay<G extends GameTypes = AnyGame> {
  /** How many seats the game has. */
  seats: number;
  /** The own seat; null for a spectator. */
  ownSeat: Seat | null;
  /** The seat at the bottom. */
  south: Seat;
  /** The table of the round, which everybody may know. */
  table: NonNullable<G['view']['table']>;
  /** The table of the held view; without a hold the same as `table`. */
  heldTable: NonNullable<G['view']['table']>;
  /** The compartment that only the own seat may know. */
  own: (G['view'] extends { own?: infer Own } ? Own : never) | undefined;
  /** The compartments of all seats, for an observer who may know all hands; empty for everybody else. */
  owns: readonly (G['view'] extends { own?: infer Own } ? NonNullable<Own> : never)[];
  /** The own hand, sorted. */
  hand: Card[];
  /** The legal action of each card; if the own choice may be replaced, the one that replaces it. */
  legal: Map<Card, G['action']>;
  /** The hint for each card. */
  hints: Map<Card, Hint>;
  /** The seats that must act. */
  toAct: Seat[];
  /** Whether the own seat must act. */
  yours: boolean;
  /** Whether the own seat has made a choice that it may replace. */
  mayChange: boolean;
  /** The seats for whose person a bot has played a card to the trick. */
  byBot: Seat[];
  /** Whether the room is paused. Then only the own hand can be focused. */
  isPaused: boolean;
  /** The seconds that are left to the seats that must act. */
  secondsLeft: number | null;
}

/** The kinds of displays of every game: a trick, a finished trick that is held, or the scores of a finished round. */
export type SharedDisplayKind = 'trick' | 'taken' | 'round_end';

/** The display with the fields of the game. */
export interface Display extends Omit<BaseDisplay, 'table' | 'heldTable' | 'own' | 'owns' | 'legal'> {
  /** The kind of the display; a game has kinds of its own besides. */
  kind: SharedDisplayKind | (string & Record<never, never>);
  round: number;
  dealer: Seat | null;
  legal: Map<Card, Action>;
  /** How many cards may be lifted at once. */
  maxLifted: number;
  /** Whether the own plate stands in the tray. */
  hasOwnPlate: boolean;
  /** The seats whose plates have a ring: usually those that must act. */
  highlighted: Seat[];
  trick: DisplayTrick | null;
  /** The number of that trick, from 1. */
  trickNumber: number;
  pastTricks: PastTricks;
  /** The scores if the round ended now; null where they are not shown. */
  running: RunningScores | null;
  /** Whether a finished trick stays where it lies, as in a replay that rests. */
  isStill?: boolean;
}

/** The line above the hand: the part in bold, and the rest. */
export interface StatusLine {
  strong: string;
  text: string;
}

/** The button in the tray. Without a label it names the seats that the game waits for. */
export interface TrayButton<G extends GameTypes = AnyGame> {
  label?: string;
  /** The move that it makes. */
  action?: G['action'] | undefined;
  /** Whether it ends a hold. */
  endsHold?: boolean;
}

/** Cards that a seat knows and others do not know yet. */
export interface HiddenCards {
  cards: Card[];
  /** Whether they are still in the hand of the seat. */
  isInHand: boolean;
  /** The reason why they are hidden, as a part of a sentence. */
  text: string;
}

/** A trick of a round that was taken: the event, and the table after it. */
export interface TakenTrick<G extends GameTypes = AnyGame> {
  event: Extract<G['event'], { type: 'trick_taken' }>;
  table: NonNullable<G['view']['table']>;
}

/** The effect of a trick on the points of its round. */
export interface TrickEffect {
  /** The points that it cost those whose costs were asked for; 0 if it cost them none. */
  cost: number;
  /** The points of the trick in words, if the line of the log does not have them. */
  note: TextKey | null;
}

/** The part of a game for the table. */
export interface GameTable<G extends GameTypes = AnyGame> {
  /** The display of a state. */
  display(state: PlayState<G>): G['display'];
  /** The content of the felt. */
  felt(display: G['display'], state: PlayState<G>, actions: Actions): unknown;
  /** The content of the felt, in words. */
  heading(display: G['display']): string;
  /** Where the round is, for the bar. */
  progress(display: G['display']): string;
  /** The line above the hand. */
  statusLine(display: G['display'], state: PlayState<G>, t: Translate): StatusLine;
  /** The middle of the table. */
  hub(display: G['display'], state: PlayState<G>): unknown;
  /** The badge that is pinned to a plate. */
  badge(seat: Seat, display: G['display']): unknown;
  /** The sign beside a name. */
  besideName(seat: Seat, display: G['display']): unknown;
  /** The second line of a plate. */
  plateDetails(seat: Seat, display: G['display']): unknown;
  /** The details of the own plate after the tricks. */
  ownPlateDetails(seat: Seat, display: G['display']): unknown;
  /** A tag above a plate. */
  plateTag(seat: Seat, display: G['display']): string;
  /** A plate in words. */
  plateWords(seat: Seat, display: G['display']): string[];
  /** The content of the slot in front of a seat other than a card of the trick; null if there is none. */
  slot(seat: Seat, display: G['display']): unknown;
  /** The key of the text in the own empty slot. */
  slotText(display: G['display']): string;
  /**
   * The cards of a seat besides its other ones that the other seats do not know, for an observer who knows them; null if there
   * are none.
   */
  hiddenCards?(seat: Seat, display: G['display'], state: PlayState<G>): HiddenCards | null;
  /** How many tricks a seat has taken. */
  tricksOf(seat: Seat, display: G['display']): number;
  /** Why a card cannot be lifted now; null if it can. */
  whyNotLifted(card: Card, display: G['display']): TextKey | null;
  /** The special marks of a card in this round, drawn and in words. */
  marks(card: Card, display: G['display']): { drawn: unknown; words: string[] };
  /** The button in the tray. */
  trayButton(display: G['display'], state: PlayState<G>): TrayButton<G>;
  /** The content between the status line and the hand. */
  aboveHand(display: G['display'], state: PlayState<G>): unknown;
  /** The result of a round in a sentence. */
  summary(display: G['display'], state: PlayState<G>): string;
  /** The result of a round for each seat or team. */
  calculation(display: G['display'], state: PlayState<G>): unknown;
  /** The trophy over the podium of the winner. */
  trophy(seat: Seat, display: G['display']): unknown;
  /** The announcement of an event to screen readers; null if it is not worth one. */
  announcement(
    event: Exclude<G['event'], ActedForEvent>,
    state: Pick<PlayState<G>, 'room' | 'game' | 'you'>,
    t: Translate,
  ): string | null;
  /** An event in the log of a round, if its announcement is not a good line there; null if it is not worth one. */
  logText?(
    event: Exclude<G['event'], ActedForEvent>,
    state: Pick<PlayState<G>, 'room' | 'game' | 'you'>,
    t: Translate,
  ): string | null | undefined;
  /**
   * The effect of each trick of a round on its points. The costs are those of a seat. With null they are those of the seat or
   * team that each trick, or the whole round, cost points. A game whose tricks have no points leaves it out.
   */
  trickEffects?(tricks: readonly TakenTrick<G>[], seat: Seat | null): TrickEffect[];
  /** The hands of a finished round as they were dealt; null if not all of their cards became known. */
  dealtHands?(events: readonly G['event'][], seats: number): Card[][] | null;
}
