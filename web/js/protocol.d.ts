// Made from docs/wire/schema.json by web/test/types.mjs: do not edit.

/**
 * The wire protocol, version 1: every message in both directions, and the bodies of the calls over HTTP.
 */
export type WireProtocol =
  ClientMessage | ServerMessage | OpenRoom | RoomOpened | RoomList | RoomSummary | HttpRefused;
/**
 * What a client may send. Nothing else is understood.
 */
export type ClientMessage =
  | Hello
  | Sit
  | Stand
  | Rename
  | Ready
  | Configure
  | AddBot
  | SetBot
  | Remove
  | GiveHost
  | Swap
  | Start
  | Pause
  | Resume
  | EndGame
  | Rematch
  | StandIn
  | Back
  | Act
  | Handover
  | Chat
  | React
  | Nudge
  | Ping;
/**
 * Chosen by the client; the answer carries it.
 */
export type Id = string;
/**
 * The secret of a client: 256 random bits as base64url.
 */
export type Token = string;
/**
 * The password of a table.
 */
export type Password = string;
/**
 * A place in the game, clockwise from 0; in a room the chair of this number.
 */
export type Seat = number;
/**
 * Options as a client gives them: what is left out is as usual.
 */
export type GameOptionsGiven = StichelnOptionsGiven | NyetOptionsGiven;
/**
 * The edition of Sticheln.
 */
export type Edition = 'nsv' | 'amigo-1993';
/**
 * When a game is over.
 */
export type GameEnd = EndAfterRounds | EndAtTarget;
/**
 * Who gets a trick of zeros only.
 */
export type AllZeroTrick = 'nobody' | 'leader';
/**
 * Which finished tricks can be looked up.
 */
export type History = 'off' | 'last_trick' | 'all';
/**
 * The animal that stands for a seat of Nyet!.
 */
export type Character = 'bear' | 'wolf' | 'tiger' | 'crane' | 'eagle';
/**
 * A time to think.
 */
export type TurnSeconds = number;
/**
 * How well a bot plays.
 */
export type Level = 'beginner' | 'normal' | 'expert';
/**
 * What a seat does in the game.
 */
export type Action = PickAction | PlayAction | CoverAction | TeamAction | DiscardAction;
/**
 * A colour and a value.
 */
export type Card = string;
/**
 * A row of the board.
 */
export type Row = 'start' | 'discard' | 'trump' | 'supertrump' | 'points';
/**
 * A space of a row of the board.
 */
export type Space =
  | 'bear'
  | 'wolf'
  | 'tiger'
  | 'crane'
  | 'eagle'
  | 'none'
  | 'one'
  | 'two'
  | 'one_not_1'
  | 'pass_left'
  | 'blue'
  | 'red'
  | 'yellow'
  | 'green'
  | '1'
  | '2'
  | '3'
  | '4'
  | '-2';
/**
 * What can be said without words.
 */
export type ReactionName =
  'laugh' | 'ouch' | 'applause' | 'thinking' | 'hurry' | 'sorry' | 'thanks' | 'good_game';
/**
 * What the server sends. A client ignores types and fields that it does not know.
 */
export type ServerMessage =
  Welcome | Ok | Refused | Room | Game | HandoverOffer | ChatLine | Reacted | Nudged | Closing;
/**
 * The code of a room, in small letters.
 */
export type RoomCode = string;
/**
 * Why a message is refused.
 */
export type Code =
  | 'malformed'
  | 'unknown_type'
  | 'hello_first'
  | 'hello_twice'
  | 'bad_token'
  | 'password_needed'
  | 'wrong_password'
  | 'too_many_tries'
  | 'bad_password'
  | 'busy'
  | 'room_full'
  | 'name_empty'
  | 'name_too_long'
  | 'name_not_allowed'
  | 'name_taken'
  | 'no_such_seat'
  | 'seat_taken'
  | 'table_full'
  | 'already_seated'
  | 'not_host'
  | 'game_runs'
  | 'no_game'
  | 'game_not_over'
  | 'wrong_seats'
  | 'bad_options'
  | 'paused'
  | 'not_paused'
  | 'unknown_level'
  | 'not_a_bot'
  | 'not_a_person'
  | 'nobody_there'
  | 'not_here'
  | 'not_away'
  | 'stood_in'
  | 'not_stood_in'
  | 'waits_for_deal'
  | 'bad_handover'
  | 'chat_closed'
  | 'bad_text'
  | 'unknown_reaction'
  | 'not_waited'
  | 'too_soon'
  | 'log_full'
  | 'round_over'
  | 'not_seated'
  | 'wrong_phase'
  | 'already_picked'
  | 'not_your_turn'
  | 'unknown_card'
  | 'card_not_in_hand'
  | 'unknown_space'
  | 'space_covered'
  | 'last_space_in_row'
  | 'invalid_team'
  | 'invalid_bonus'
  | 'already_discarded'
  | 'wrong_discard_count'
  | 'discard_must_not_be_1'
  | 'must_follow_suit';
/**
 * The games there are.
 */
export type Kind = 'sticheln' | 'nyet';
/**
 * What a table does.
 */
export type RoomPhase = 'lobby' | 'playing' | 'paused' | 'over';
/**
 * A chair, and who sits there.
 */
export type Chair = FreeChair | PersonChair | BotChair;
/**
 * Whether a person is here, was lost a moment ago, or is away.
 */
export type Presence = 'here' | 'lost' | 'away';
/**
 * The options of the game at hand.
 */
export type GameOptions = StichelnOptions | NyetOptions;
/**
 * What a seat scores in a round.
 */
export type Score = StichelnScore | NyetScore;
/**
 * A public fact about what has happened.
 */
export type GameEvent =
  | DealtEvent
  | RoundScoredEvent
  | GameOverEvent
  | ActedForEvent
  | PickedEvent
  | RevealedEvent
  | PlayedEvent
  | StichelnTrickTakenEvent
  | SetAsideEvent
  | CoveredEvent
  | BoardSettledEvent
  | TeamsFormedEvent
  | DiscardedEvent
  | DiscardsDoneEvent
  | NyetTrickTakenEvent
  | DiscardsRevealedEvent;
/**
 * What each seat does with its hand before the first trick.
 */
export type DiscardRule = 'none' | 'one' | 'two' | 'one_not_1' | 'pass_left';
/**
 * A colour of Nyet!, or none.
 */
export type Trump = 'blue' | 'red' | 'yellow' | 'green' | 'none';
/**
 * What a trick and a card of loot are worth.
 */
export type PointsSpace = '1' | '2' | '3' | '4' | '-2';
/**
 * What everybody knows about a round of Sticheln.
 */
export type StichelnTable = StichelnPickTable | StichelnTrickTable | StichelnRoundEndTable;
/**
 * Everybody lays a card face down.
 */
export type StichelnPickTable = StichelnTableBase & {
  phase: 'pick';
  /**
   * @minItems 2
   * @maxItems 6
   */
  picked: boolean[];
};
/**
 * A trick is played.
 */
export type StichelnTrickTable = StichelnTableBase & {
  phase: 'trick';
  /**
   * @minItems 2
   * @maxItems 6
   */
  picks: Card[];
  trick: Trick;
};
/**
 * A colour of cards.
 */
export type Colour = 'red' | 'orange' | 'yellow' | 'green' | 'blue' | 'purple' | 'grey';
/**
 * The round is scored.
 */
export type StichelnRoundEndTable = StichelnTableBase & {
  phase: 'round_end';
  /**
   * @minItems 2
   * @maxItems 6
   */
  picks: Card[];
  /**
   * @minItems 2
   * @maxItems 6
   */
  scores: StichelnScore[];
  next_leader: Seat;
};
/**
 * What everybody knows about a round of Nyet!.
 */
export type NyetTable =
  NyetCoverTable | NyetTeamTable | NyetDiscardTable | NyetTrickTable | NyetRoundEndTable;
/**
 * Spaces are covered in turn.
 */
export type NyetCoverTable = NyetTableBase & {
  phase: 'nyet';
  turn: Seat;
  covers_left: number;
};
/**
 * The start player forms the teams.
 */
export type NyetTeamTable = NyetTableBase & {
  phase: 'team';
  conditions: Conditions;
};
/**
 * Everybody chooses what to lay aside or to pass.
 */
export type NyetDiscardTable = NyetTableBase & {
  phase: 'discard';
  conditions: Conditions;
  teams: Teams;
  /**
   * @minItems 2
   * @maxItems 6
   */
  discarded: boolean[];
};
/**
 * A trick is played.
 */
export type NyetTrickTable = NyetTableBase & {
  phase: 'trick';
  conditions: Conditions;
  teams: Teams;
  trick: Trick;
};
/**
 * The round is scored.
 */
export type NyetRoundEndTable = NyetTableBase & {
  phase: 'round_end';
  conditions: Conditions;
  teams: Teams;
  /**
   * @minItems 2
   * @maxItems 6
   */
  scores: NyetScore[];
  next_dealer: Seat;
  /**
   * What was laid aside, if the options show it.
   *
   * @minItems 2
   * @maxItems 6
   */
  discards?: Card[][];
};
/**
 * Milliseconds since the Unix epoch.
 */
export type Time = number;
/**
 * Why a call is refused, besides the codes of messages.
 */
export type HttpCode =
  | 'malformed'
  | 'too_large'
  | 'too_slow'
  | 'bad_origin'
  | 'no_upgrade'
  | 'not_found'
  | 'no_such_room'
  | 'too_many_rooms'
  | 'too_many_sockets'
  | 'too_often'
  | 'too_many_wrong_codes'
  | 'too_many_calls'
  | 'server_full'
  | 'restarting'
  | 'storage'
  | 'internal_error'
  | 'wrong_method';

/**
 * Says who it is: the first message.
 */
export interface Hello {
  type: 'hello';
  id: Id;
  token: Token;
  password?: Password | null;
}
/**
 * Takes this chair, or any that is free.
 */
export interface Sit {
  type: 'sit';
  id: Id;
  /**
   * 1 to 20 graphemes.
   */
  name: string;
  seat?: Seat | null;
}
/**
 * Leaves the chair for good.
 */
export interface Stand {
  type: 'stand';
  id: Id;
}
/**
 * Takes another name.
 */
export interface Rename {
  type: 'rename';
  id: Id;
  /**
   * 1 to 20 graphemes.
   */
  name: string;
}
/**
 * Is ready to go on, or not any more.
 */
export interface Ready {
  type: 'ready';
  id: Id;
  ready: boolean;
}
/**
 * Host: what is given is changed.
 */
export interface Configure {
  type: 'configure';
  id: Id;
  options?: GameOptionsGiven;
  seats?: number;
  /**
   * null: chance decides.
   */
  opening_seat?: Seat | null;
  title?: string | null;
  listed?: boolean;
  /**
   * null: no limit.
   */
  turn_seconds?: TurnSeconds | null;
  spectator_chat?: boolean;
  fast_bots?: boolean;
  /**
   * null: the link is enough.
   */
  password?: Password | null;
}
/**
 * Options of Sticheln as a client gives them: what is left out is as usual.
 */
export interface StichelnOptionsGiven {
  edition?: Edition;
  end?: GameEnd | null;
  all_zero_trick?: AllZeroTrick | null;
  show_last_trick?: boolean;
  show_history?: History;
  show_running_score?: boolean;
}
/**
 * After this many rounds.
 */
export interface EndAfterRounds {
  type: 'rounds';
  rounds: number;
}
/**
 * After the round in which somebody's total is at least the target, at the latest after `max_rounds`.
 */
export interface EndAtTarget {
  type: 'target';
  target?: number;
  max_rounds?: number;
}
/**
 * Options of Nyet! as a client gives them: what is left out is as usual.
 */
export interface NyetOptionsGiven {
  end?: GameEnd | null;
  /**
   * An order of all five; the first ones sit down, seat 0 first.
   *
   * @minItems 5
   * @maxItems 5
   */
  characters?: Character[];
  no_trump_space?: boolean;
  supertrump_loot?: boolean;
  reveal_discards?: boolean;
}
/**
 * Host: puts a bot on a free chair.
 */
export interface AddBot {
  type: 'add_bot';
  id: Id;
  level: Level;
  seat?: Seat | null;
}
/**
 * Host: sets how well a bot plays.
 */
export interface SetBot {
  type: 'set_bot';
  id: Id;
  seat: Seat;
  level: Level;
}
/**
 * Host: clears a chair.
 */
export interface Remove {
  type: 'remove';
  id: Id;
  seat: Seat;
}
/**
 * Host: makes somebody else host.
 */
export interface GiveHost {
  type: 'give_host';
  id: Id;
  seat: Seat;
}
/**
 * Host: two chairs change places.
 */
export interface Swap {
  type: 'swap';
  id: Id;
  a: Seat;
  b: Seat;
}
/**
 * Host: begins a game.
 */
export interface Start {
  type: 'start';
  id: Id;
}
/**
 * Host: lets the game rest.
 */
export interface Pause {
  type: 'pause';
  id: Id;
}
/**
 * Host: lets it go on.
 */
export interface Resume {
  type: 'resume';
  id: Id;
}
/**
 * Host: gives the game up, or leaves the final table.
 */
export interface EndGame {
  type: 'end';
  id: Id;
}
/**
 * Host: begins another game with the same people.
 */
export interface Rematch {
  type: 'rematch';
  id: Id;
}
/**
 * Lets a bot play for an absent person.
 */
export interface StandIn {
  type: 'stand_in';
  id: Id;
  seat: Seat;
}
/**
 * Plays himself again.
 */
export interface Back {
  type: 'back';
  id: Id;
}
/**
 * Does one of the `legal` things.
 */
export interface Act {
  type: 'act';
  id: Id;
  action: Action;
}
/**
 * Sticheln: lay a card face down; its colour is the unwanted one.
 */
export interface PickAction {
  type: 'pick';
  card: Card;
}
/**
 * Play a card to the trick.
 */
export interface PlayAction {
  type: 'play';
  card: Card;
}
/**
 * Nyet!: cover a space of the board.
 */
export interface CoverAction {
  type: 'cover';
  row: Row;
  space: Space;
}
/**
 * Nyet!: form the teams.
 */
export interface TeamAction {
  type: 'team';
  /**
   * @maxItems 2
   */
  partners: Seat[];
  /**
   * Who gets the x2 card, where that is to be chosen.
   */
  bonus?: Seat | null;
}
/**
 * Nyet!: lay cards aside, or pass one to the left.
 */
export interface DiscardAction {
  type: 'discard';
  /**
   * @maxItems 2
   */
  cards: Card[];
}
/**
 * Asks for a code, or takes over a seat with one.
 */
export interface Handover {
  type: 'handover';
  id: Id;
  code?: string | null;
}
/**
 * Writes a line of 1 to 200 graphemes.
 */
export interface Chat {
  type: 'chat';
  id: Id;
  text: string;
}
/**
 * Says something without words.
 */
export interface React {
  type: 'react';
  id: Id;
  reaction: ReactionName;
}
/**
 * Reminds a seat for which all wait.
 */
export interface Nudge {
  type: 'nudge';
  id: Id;
  seat: Seat;
}
/**
 * Asks for an answer.
 */
export interface Ping {
  type: 'ping';
  id: Id;
}
/**
 * Somebody was let in.
 */
export interface Welcome {
  type: 'welcome';
  protocol: 1;
  /**
   * The version of the server.
   */
  server: string;
  room: RoomCode;
  you: You;
}
/**
 * Who the receiver is.
 */
export interface You {
  seat: Seat | null;
  host: boolean;
}
/**
 * A message was accepted.
 */
export interface Ok {
  type: 'ok';
  id: Id;
}
/**
 * A message was refused; it has changed nothing.
 */
export interface Refused {
  type: 'refused';
  /**
   * null: the message had none that can be used.
   */
  id: Id | null;
  code: Code;
}
/**
 * The table, and the place of the receiver at it.
 */
export interface Room {
  type: 'room';
  /**
   * The number of things that were decided at the table; 0 at first.
   */
  rev: number;
  you: You;
  table: TableState;
}
/**
 * The table, the same for everybody; it changes seldom.
 */
export interface TableState {
  game: Kind;
  title: string | null;
  listed: boolean;
  /**
   * Whether a password is needed.
   */
  locked: boolean;
  phase: RoomPhase;
  /**
   * @minItems 2
   * @maxItems 6
   */
  chairs: Chair[];
  host: Seat | null;
  options: GameOptions;
  /**
   * null: chance decides.
   */
  opening_seat: Seat | null;
  /**
   * null: no limit.
   */
  turn_seconds: TurnSeconds | null;
  spectator_chat: boolean;
  /**
   * Whether bots act quickly as long as one person sits at the table.
   */
  fast_bots: boolean;
  /**
   * How many watch.
   */
  spectators: number;
  /**
   * null without a game.
   */
  sheet: Sheet | null;
  /**
   * null without a game.
   */
  standings: Standings | null;
}
/**
 * Nobody sits there.
 */
export interface FreeChair {
  kind: 'free';
}
/**
 * A person sits there.
 */
export interface PersonChair {
  kind: 'person';
  name: string;
  presence: Presence;
  ready: boolean;
  /**
   * Whether a bot plays for the person now.
   */
  stood_in: boolean;
  /**
   * Only there if the person took the chair in the middle of a round: they see a hand from the next deal on, and until then a bot plays.
   */
  waits_for_deal?: true;
}
/**
 * A bot sits there that belongs to nobody.
 */
export interface BotChair {
  kind: 'bot';
  name: string;
  level: Level;
}
/**
 * The options of Sticheln; null: as the edition says.
 */
export interface StichelnOptions {
  edition: Edition;
  end: GameEnd | null;
  all_zero_trick: AllZeroTrick | null;
  show_last_trick: boolean;
  show_history: History;
  show_running_score: boolean;
}
/**
 * The options of Nyet!; an `end` of null: as the number of seats asks for.
 */
export interface NyetOptions {
  end: GameEnd | null;
  /**
   * An order of all five; the first ones sit down, seat 0 first.
   *
   * @minItems 5
   * @maxItems 5
   */
  characters: Character[];
  no_trump_space: boolean;
  supertrump_loot: boolean;
  reveal_discards: boolean;
}
/**
 * The scores of all rounds so far.
 */
export interface Sheet {
  rounds: Score[][];
  /**
   * @minItems 2
   * @maxItems 6
   */
  totals: number[];
}
/**
 * What a seat scores in a round, with its parts.
 */
export interface StichelnScore {
  minus_cards: Card[];
  minus: number;
  plus: number;
  points: number;
}
/**
 * What a seat scores in a round, with its parts.
 */
export interface NyetScore {
  tricks: number;
  loot: number;
  each: number;
  doubled: boolean;
  points: number;
}
/**
 * Totals and ranks; equal totals share a rank.
 */
export interface Standings {
  /**
   * @minItems 2
   * @maxItems 6
   */
  totals: number[];
  /**
   * @minItems 2
   * @maxItems 6
   */
  ranks: number[];
}
/**
 * What has happened, and what the receiver may see now.
 */
export interface Game {
  type: 'game';
  /**
   * The number of things that were decided at the table; 0 at first.
   */
  rev: number;
  events: GameEvent[];
  view: View;
  /**
   * Empty if the receiver is not to act.
   */
  legal: Action[];
  /**
   * When the game goes on by itself.
   */
  deadline?: Time;
}
/**
 * A round was dealt; `opening` has the rotating role in it.
 */
export interface DealtEvent {
  type: 'dealt';
  round: number;
  opening: Seat;
  cards: number;
}
/**
 * A round was scored.
 */
export interface RoundScoredEvent {
  type: 'round_scored';
  round: number;
  /**
   * @minItems 2
   * @maxItems 6
   */
  scores: Score[];
  /**
   * @minItems 2
   * @maxItems 6
   */
  totals: number[];
}
/**
 * The game is over.
 */
export interface GameOverEvent {
  type: 'game_over';
  /**
   * @minItems 2
   * @maxItems 6
   */
  totals: number[];
  /**
   * @minItems 2
   * @maxItems 6
   */
  ranks: number[];
}
/**
 * What the seat does next in these events was done by a bot for the person there.
 */
export interface ActedForEvent {
  type: 'acted_for';
  seat: Seat;
  /**
   * bot: one that stands in; clock: one that acts once for who is out of time.
   */
  by: 'bot' | 'clock';
}
/**
 * Sticheln: a seat has laid a card face down.
 */
export interface PickedEvent {
  type: 'picked';
  seat: Seat;
}
/**
 * Sticheln: all picked cards are turned up.
 */
export interface RevealedEvent {
  type: 'revealed';
  /**
   * @minItems 2
   * @maxItems 6
   */
  picks: Card[];
  leader: Seat;
}
/**
 * A seat has played a card.
 */
export interface PlayedEvent {
  type: 'played';
  seat: Seat;
  card: Card;
  /**
   * Missing: it does not lead.
   */
  leads?: true;
  winning: boolean;
}
/**
 * Sticheln: a seat has taken a trick; by how much its points change.
 */
export interface StichelnTrickTakenEvent {
  type: 'trick_taken';
  seat: Seat;
  leader: Seat;
  cards: Card[];
  points: number;
}
/**
 * Sticheln: a trick of zeros was set aside.
 */
export interface SetAsideEvent {
  type: 'set_aside';
  leader: Seat;
  cards: Card[];
}
/**
 * Nyet!: a seat has covered a space.
 */
export interface CoveredEvent {
  type: 'covered';
  seat: Seat;
  row: Row;
  space: Space;
  covers_left: number;
}
/**
 * Nyet!: each row has one free space.
 */
export interface BoardSettledEvent {
  type: 'board_settled';
  conditions: Conditions;
}
/**
 * The free spaces: the rules of the round.
 */
export interface Conditions {
  start: Character;
  start_seat: Seat;
  discard: DiscardRule;
  trump: Trump;
  supertrump: Trump;
  points: PointsSpace;
}
/**
 * Nyet!: the start player has formed the teams.
 */
export interface TeamsFormedEvent {
  type: 'teams_formed';
  seat: Seat;
  teams: Teams;
}
/**
 * The team of each seat (0: the start player's), and who holds the x2 card.
 */
export interface Teams {
  /**
   * @minItems 2
   * @maxItems 6
   */
  of: number[];
  bonus: Seat | null;
}
/**
 * Nyet!: a seat has chosen what to lay aside or to pass.
 */
export interface DiscardedEvent {
  type: 'discarded';
  seat: Seat;
}
/**
 * Nyet!: all have; the cards are laid aside or passed.
 */
export interface DiscardsDoneEvent {
  type: 'discards_done';
  discard: DiscardRule;
}
/**
 * Nyet!: a seat has taken a trick, with this loot.
 */
export interface NyetTrickTakenEvent {
  type: 'trick_taken';
  seat: Seat;
  leader: Seat;
  cards: Card[];
  loot: Card[];
}
/**
 * Nyet!: what was laid aside is shown.
 */
export interface DiscardsRevealedEvent {
  type: 'discards_revealed';
  /**
   * @minItems 2
   * @maxItems 6
   */
  discards: Card[][];
}
/**
 * What the receiver may see now.
 */
export interface View {
  /**
   * null before the first deal.
   */
  table: StichelnTable | NyetTable | null;
  /**
   * Who is waited for.
   */
  to_act: Seat[];
  /**
   * The receiver's; null for a spectator.
   */
  seat: Seat | null;
  /**
   * Missing for a spectator.
   */
  own?: Own;
  /**
   * For the seat that is to play a card.
   */
  hints?: Hints;
}
/**
 * What everybody knows in every phase of a round of Sticheln.
 */
export interface StichelnTableBase {
  round: number;
  /**
   * Only in `amigo-1993`.
   */
  dealer?: Seat;
  first_leader: Seat;
  /**
   * @minItems 2
   * @maxItems 6
   */
  hand_counts: number[];
  /**
   * @minItems 2
   * @maxItems 6
   */
  captured: number[];
  /**
   * Missing: none.
   */
  set_aside?: number;
  tricks_played: number;
  last_trick?: FinishedTrick;
  history?: FinishedTrick[];
  /**
   * @minItems 2
   * @maxItems 6
   */
  running?: StichelnScore[];
}
/**
 * A trick to which all have played.
 */
export interface FinishedTrick {
  leader: Seat;
  cards: Card[];
  /**
   * Missing: it was set aside.
   */
  taker?: Seat;
}
/**
 * The trick on the table.
 */
export interface Trick {
  leader: Seat;
  /**
   * What was led; missing before the first card.
   */
  lead?: Colour | 'trump';
  /**
   * In playing order: the leader's first, then clockwise.
   */
  cards: Card[];
  /**
   * Who would take it now; missing: nobody.
   */
  winning?: Seat;
}
/**
 * What everybody knows in every phase of a round of Nyet!.
 */
export interface NyetTableBase {
  round: number;
  dealer: Seat;
  /**
   * @minItems 2
   * @maxItems 6
   */
  characters: Character[];
  board: Board;
  /**
   * @minItems 2
   * @maxItems 6
   */
  hand_counts: number[];
  undealt: number;
  /**
   * @minItems 2
   * @maxItems 6
   */
  tricks_won: number[];
  /**
   * @minItems 2
   * @maxItems 6
   */
  loot: Card[][];
  last_trick?: FinishedTrick;
}
/**
 * The spaces of each row, each with the seat that has covered it; null: free.
 */
export interface Board {
  start: StartRow;
  discard: DiscardRow;
  trump: TrumpRow;
  supertrump: SupertrumpRow;
  points: PointsRow;
}
/**
 * Who leads the first trick: the characters that are played.
 */
export interface StartRow {
  bear?: Seat | null;
  wolf?: Seat | null;
  tiger?: Seat | null;
  crane?: Seat | null;
  eagle?: Seat | null;
}
/**
 * What happens before the first trick.
 */
export interface DiscardRow {
  none: Seat | null;
  one: Seat | null;
  two: Seat | null;
  one_not_1: Seat | null;
  pass_left: Seat | null;
}
/**
 * The trump colour; `none` only if the options add it.
 */
export interface TrumpRow {
  blue: Seat | null;
  red: Seat | null;
  yellow: Seat | null;
  green: Seat | null;
  none?: Seat | null;
}
/**
 * The colour whose 1s are supertrumps.
 */
export interface SupertrumpRow {
  blue: Seat | null;
  red: Seat | null;
  yellow: Seat | null;
  green: Seat | null;
  none: Seat | null;
}
/**
 * What tricks and loot are worth.
 */
export interface PointsRow {
  '1': Seat | null;
  '2': Seat | null;
  '3': Seat | null;
  '4': Seat | null;
  '-2': Seat | null;
}
/**
 * What only the receiver's seat knows.
 */
export interface Own {
  /**
   * Sorted by colour and value.
   */
  hand: Card[];
  /**
   * Sticheln: its picked card, as long as it lies face down.
   */
  pick?: Card;
  /**
   * Nyet!: what it has chosen, until all have; the cards are still in the hand.
   */
  discard?: Card[];
  /**
   * Nyet!: the card that was passed to it.
   */
  received?: Card;
}
/**
 * For each card of the hand, in its order: whether it would be winning, and by how much it would change the points of the seat that would be.
 */
export interface Hints {
  winning: boolean[];
  points: number[];
}
/**
 * A code by which the seat can be taken over.
 */
export interface HandoverOffer {
  type: 'handover';
  code: string;
  expires_at: Time;
}
/**
 * A line of chat.
 */
export interface ChatLine {
  type: 'chat';
  at: Time;
  seat: Seat | null;
  /**
   * null for a spectator.
   */
  name: string | null;
  text: string;
}
/**
 * Somebody has said something without words.
 */
export interface Reacted {
  type: 'reacted';
  seat: Seat;
  reaction: ReactionName;
}
/**
 * Somebody was reminded.
 */
export interface Nudged {
  type: 'nudged';
  seat: Seat;
  by: Seat;
}
/**
 * The server ends, or cannot write down what is decided; come back after this time.
 */
export interface Closing {
  type: 'closing';
  reason: 'restarting' | 'storage';
  retry_after_ms: number;
}
/**
 * The body of `POST /api/rooms`.
 */
export interface OpenRoom {
  game: Kind;
  seats: number;
  title?: string | null;
  options?: GameOptionsGiven;
  listed?: boolean;
  password?: Password | null;
}
/**
 * Its answer: the code of the room, and its address relative to the call.
 */
export interface RoomOpened {
  room: RoomCode;
  url: string;
}
/**
 * The answer to `GET /api/rooms`.
 */
export interface RoomList {
  rooms: RoomSummary[];
}
/**
 * What everybody may know of a room.
 */
export interface RoomSummary {
  room: RoomCode;
  game: Kind;
  title: string | null;
  seats: number;
  taken: number;
  phase: RoomPhase;
  spectators: number;
  locked: boolean;
}
/**
 * Why a call was refused.
 */
export interface HttpRefused {
  code: HttpCode | Code;
}
