// Made from docs/wire/schema.json by web/test/types.mjs: do not edit.

/**
 * The wire protocol, version 1: every message in both directions, and the bodies of the HTTP requests.
 */
export type WireProtocol =
  | ClientMessage
  | OpenRoom
  | ConnectionCheck
  | ServerMessage
  | RoomOpened
  | RoomList
  | RoomSummary
  | GameReplay
  | RoundReplay
  | CurrentPage
  | ErrorBody
  | ConnectionFindings
  | IdleMessage;
/**
 * A message of a client.
 */
export type ClientMessage =
  | Hello
  | Sit
  | Stand
  | Rename
  | Ready
  | ChooseCharacter
  | Configure
  | AddBot
  | SetBot
  | Remove
  | MuteSpectator
  | RemoveSpectator
  | Queue
  | WatchHands
  | AllowWatching
  | GiveHost
  | Swap
  | Start
  | PauseGiven
  | Resume
  | EndGame
  | ReturnToLobby
  | AgreeToEnd
  | Hold
  | MoreTime
  | Rematch
  | StandIn
  | Back
  | Act
  | AskForRoundLog
  | AskForGames
  | Handover
  | Admit
  | ClaimSeat
  | AnswerClaim
  | Chat
  | React
  | Nudge
  | AskHost
  | Ping;
/**
 * An id that the client chooses; the answer carries it.
 */
export type Id = string;
/**
 * The secret of a client: 256 random bits as base64url.
 */
export type Token = string;
/**
 * The password of a room.
 */
export type Password = string;
/**
 * A place in the game, counted clockwise from 0.
 */
export type Seat = number;
/**
 * The options of the game.
 */
export type GameOptionsGiven = StichelnOptionsGiven | NyetOptionsGiven;
/**
 * The seat that gets a trick of zeros only (`docs/rules/sticheln.md`, sections 5.2 and 5.3).
 *
 * - `nobody`: No seat: its cards are set aside, and the same seat leads again.
 * - `leader`: The seat that led it.
 */
export type AllZeroTrick = 'nobody' | 'leader';
/**
 * The edition of the game. `docs/rules/sticheln.md`, section 2, has all differences.
 *
 * - `nsv`: The later edition, and the default.
 * - `amigo-1993`: The first edition, of 1993: with orange, a dealer, and 10 rounds.
 */
export type Edition = 'nsv' | 'amigo-1993';
/**
 * The condition that ends a game.
 */
export type GameEndGiven = EndAfterRounds | EndAtTargetGiven;
/**
 * The finished tricks that stay open (`docs/rules/sticheln.md`, sections 9 and 10).
 *
 * - `off`: No trick.
 * - `last_trick`: The last trick.
 * - `all`: All tricks of the round.
 */
export type History = 'off' | 'last_trick' | 'all';
/**
 * The animal that stands for a seat in the row `start` (`docs/rules/nyet.md`, section 1).
 *
 * - `bear`: Seat 0, unless chosen otherwise.
 * - `wolf`: Seat 1, unless chosen otherwise.
 * - `tiger`: Seat 2, unless chosen otherwise.
 * - `crane`: Seat 3, unless chosen otherwise.
 * - `eagle`: Seat 4, unless chosen otherwise.
 */
export type Character = 'bear' | 'wolf' | 'tiger' | 'crane' | 'eagle';
/**
 * The people who may see the replays of a room.
 *
 * - `nobody`: Nobody.
 * - `players`: The people who had a seat in the game.
 * - `everybody`: Everybody who has the address of the replay.
 */
export type ReplayAccess = 'nobody' | 'players' | 'everybody';
/**
 * The level of a bot.
 *
 * - `beginner`: Plays by simple heuristics.
 * - `normal`: Plays by a learned policy, or by good heuristics in games without one.
 * - `expert`: Plays like `Level::Normal`, but searches if it has time.
 */
export type Level = 'beginner' | 'normal' | 'expert';
/**
 * An action of a seat.
 */
export type ActionGiven = StichelnAction | NyetActionGiven;
/**
 * An action of a seat (section 8).
 */
export type StichelnAction = StichelnPickAction | StichelnPlayAction;
/**
 * A colour and a value.
 */
export type Card = string;
/**
 * An action of a seat (section 9).
 */
export type NyetActionGiven = NyetCoverAction | NyetTeamActionGiven | NyetDiscardAction | NyetPlayAction;
/**
 * The use of cards before the first trick (`docs/rules/nyet.md`, section 5).
 *
 * - `none`: Nothing.
 * - `one`: Each seat lays a card aside.
 * - `two`: Each seat lays two cards aside.
 * - `one_not_1`: Each seat lays a card aside. It may be a 1 only if the hand has nothing else.
 * - `pass_left`: Each seat gives a card to its left neighbour.
 */
export type DiscardRule = 'none' | 'one' | 'two' | 'one_not_1' | 'pass_left';
/**
 * A space of the trump row or of the supertrump row: a colour of the game, or none (`docs/rules/nyet.md`, section 3).
 *
 * - `blue`: The colour blue.
 * - `red`: The colour red.
 * - `yellow`: The colour yellow.
 * - `green`: The colour green.
 * - `none`: No colour. The trump row has this space only if the options add it.
 */
export type TrumpSpace = 'blue' | 'red' | 'yellow' | 'green' | 'none';
/**
 * The points of a trick and of a loot card (`docs/rules/nyet.md`, section 7).
 *
 * - `1`: 1 point.
 * - `2`: 2 points.
 * - `3`: 3 points.
 * - `4`: 4 points.
 * - `-2`: Minus 2 points.
 */
export type PointsSpace = '1' | '2' | '3' | '4' | '-2';
/**
 * A reaction without words.
 */
export type Reaction =
  'laugh' | 'ouch' | 'applause' | 'thinking' | 'hurry' | 'sorry' | 'thanks' | 'good_game';
/**
 * The id of a game: its name on the wire and in room logs.
 */
export type GameId = 'sticheln' | 'nyet';
/**
 * The id of a replay: 128 random bits as base64url.
 */
export type ReplayId = string;
/**
 * A message of the server.
 */
export type ServerMessage =
  | Welcome
  | Waiting
  | Ok
  | Refused
  | Room
  | Game
  | Sheet
  | RoundLog
  | Games
  | HandoverOffer
  | ChatLine
  | Reacted
  | Nudged
  | Notice
  | Closing;
/**
 * The code of a room, in lower case.
 */
export type RoomCode = string;
/**
 * A point in time, in milliseconds since the Unix epoch.
 */
export type Timestamp = number;
/**
 * The reason why a message is refused.
 */
export type Code =
  | 'malformed'
  | 'unknown_type'
  | 'hello_first'
  | 'hello_twice'
  | 'bad_token'
  | 'password_needed'
  | 'wrong_password'
  | 'too_many_attempts'
  | 'bad_password'
  | 'busy'
  | 'name_needed'
  | 'too_many_guests'
  | 'not_admitted'
  | 'no_such_guest'
  | 'no_such_spectator'
  | 'muted'
  | 'seat_offered'
  | 'watches_hands'
  | 'not_asked'
  | 'too_many_watchers'
  | 'too_many_spectators'
  | 'name_empty'
  | 'name_too_long'
  | 'name_not_allowed'
  | 'name_taken'
  | 'no_such_chair'
  | 'chair_taken'
  | 'no_free_chair'
  | 'already_seated'
  | 'not_host'
  | 'game_in_progress'
  | 'no_game'
  | 'no_such_round'
  | 'round_unavailable'
  | 'games_unavailable'
  | 'game_not_over'
  | 'wrong_seats'
  | 'unknown_character'
  | 'character_taken'
  | 'position_given'
  | 'no_such_position'
  | 'bad_options'
  | 'paused'
  | 'not_paused'
  | 'no_pause_left'
  | 'not_between_rounds'
  | 'no_hold_left'
  | 'no_more_time'
  | 'turn_limited'
  | 'unknown_level'
  | 'not_a_bot'
  | 'not_a_person'
  | 'chair_free'
  | 'not_here'
  | 'not_away'
  | 'stood_in'
  | 'not_stood_in'
  | 'waits_for_deal'
  | 'nobody_of_that_name'
  | 'still_here'
  | 'claim_pending'
  | 'no_such_claim'
  | 'bad_handover'
  | 'chat_closed'
  | 'bad_text'
  | 'unknown_reaction'
  | 'replaced_too_often'
  | 'not_awaited'
  | 'too_soon'
  | 'log_full'
  | 'written_too_much'
  | 'storage_full'
  | 'restart_planned'
  | 'outdated'
  | 'round_over'
  | 'not_seated'
  | 'wrong_phase'
  | 'not_your_turn'
  | 'unknown_card'
  | 'card_not_in_hand'
  | 'already_picked'
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
 * The phase of a room.
 *
 * - `lobby`: People choose seats and options.
 * - `playing`: A game is running.
 * - `paused`: A game is paused.
 * - `over`: A game is over.
 */
export type RoomPhase = 'lobby' | 'playing' | 'paused' | 'over';
/**
 * A chair, the same for all clients.
 */
export type Chair = FreeChair | PersonChair | BotChair;
/**
 * Whether a person is connected.
 *
 * - `here`: Connected.
 * - `lost`: Not connected for a short time.
 * - `away`: Not connected for a longer time.
 */
export type PresenceState = 'here' | 'lost' | 'away';
/**
 * The options of the game.
 */
export type GameOptions = StichelnOptions | NyetOptions;
/**
 * The condition that ends a game.
 */
export type GameEnd = EndAfterRounds | EndAtTarget;
/**
 * A public event.
 */
export type GameEvent = StichelnEvent | NyetEvent | ActedForEvent;
/**
 * A public fact: one that all games have, or one of this game.
 */
export type StichelnEvent =
  | DealtEvent
  | StichelnRoundScoredEvent
  | GameOverEvent
  | StichelnPickedEvent
  | StichelnRevealedEvent
  | PlayedEvent
  | StichelnTrickTakenEvent
  | StichelnSetAsideEvent;
/**
 * A public fact: one that all games have, or one of this game.
 */
export type NyetEvent =
  | DealtEvent
  | NyetRoundScoredEvent
  | GameOverEvent
  | NyetCoveredEvent
  | NyetBoardSettledEvent
  | NyetTeamsFormedEvent
  | NyetDiscardedEvent
  | NyetDiscardsDoneEvent
  | PlayedEvent
  | NyetTrickTakenEvent
  | NyetCardsRevealedEvent;
/**
 * The actor of an action.
 *
 * - `bot`: A bot, whose chair it is or that stands in.
 * - `clock`: A bot, once, because the turn timed out.
 */
export type Actor = 'bot' | 'clock';
/**
 * The view of the receiver.
 */
export type View = StichelnView | NyetView;
/**
 * The public part of a round (section 9).
 */
export type StichelnTable = StichelnPickTable | StichelnTrickTable | StichelnRoundEndTable;
/**
 * All seats lay a card face down, in any order.
 */
export type StichelnPickTable = StichelnTableBase & {
  phase: 'pick';
  /**
   * The seats that have picked.
   *
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
   * The picked card of each seat.
   *
   * @minItems 2
   * @maxItems 6
   */
  picks: Card[];
  /**
   * The trick on the table.
   */
  trick: ColourTrick;
};
/**
 * A colour of cards. Each game has some of them.
 */
export type Colour = 'red' | 'orange' | 'yellow' | 'green' | 'blue' | 'purple' | 'grey';
/**
 * The round is over and scored.
 */
export type StichelnRoundEndTable = StichelnTableBase & {
  phase: 'round_end';
  /**
   * The picked card of each seat.
   *
   * @minItems 2
   * @maxItems 6
   */
  picks: Card[];
  /**
   * The score of each seat.
   *
   * @minItems 2
   * @maxItems 6
   */
  scores: StichelnScore[];
  /**
   * The seat that leads the first trick of the next round, if there is one.
   */
  next_leader: Seat;
};
/**
 * The public part of a round (section 10).
 */
export type NyetTable =
  NyetCoverTable | NyetTeamTable | NyetDiscardTable | NyetTrickTable | NyetRoundEndTable;
/**
 * The spaces of the board are covered in turn.
 */
export type NyetCoverTable = NyetTableBase & {
  phase: 'cover';
  /**
   * The seat that covers the next space.
   */
  turn: Seat;
  /**
   * The number of covers until the board is settled.
   */
  covers_left: number;
};
/**
 * The start player forms the teams.
 */
export type NyetTeamTable = NyetTableBase & {
  phase: 'team';
  /**
   * The rules of the round.
   */
  conditions: Conditions;
};
/**
 * All seats choose the cards to lay aside or to pass, in any order.
 */
export type NyetDiscardTable = NyetTableBase & {
  phase: 'discard';
  /**
   * The rules of the round.
   */
  conditions: Conditions;
  /**
   * The teams.
   */
  teams: Teams;
  /**
   * The seats that have chosen.
   *
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
  /**
   * The rules of the round.
   */
  conditions: Conditions;
  /**
   * The teams.
   */
  teams: Teams;
  /**
   * The trick on the table.
   */
  trick: SuitTrick;
};
/**
 * A suit: trump, or a colour without its supertrumps (`docs/rules/nyet.md`, section 6).
 */
export type Suit = 'trump' | Colour;
/**
 * The round is over and scored.
 */
export type NyetRoundEndTable = NyetTableBase & {
  phase: 'round_end';
  /**
   * The rules of the round.
   */
  conditions: Conditions;
  /**
   * The teams.
   */
  teams: Teams;
  /**
   * The score of each seat.
   *
   * @minItems 2
   * @maxItems 6
   */
  scores: NyetScore[];
  /**
   * The dealer of the next round, if there is one.
   */
  next_dealer: Seat;
  /**
   * The cards that were turned up at the end of the round; left out if there are none.
   */
  revealed?: NyetRevealedCards;
};
/**
 * An action of a seat.
 */
export type Action = StichelnAction | NyetAction;
/**
 * An action of a seat (section 9).
 */
export type NyetAction = NyetCoverAction | NyetTeamAction | NyetDiscardAction | NyetPlayAction;
/**
 * Something that happened at the table besides the moves.
 */
export type TableAct =
  | TableSatAct
  | TableStoodAct
  | TableRemovedAct
  | TableBotSeatedAct
  | TableConfiguredAct
  | TableGuestAdmittedAct
  | TableSpectatorRemovedAct
  | TableHostPassedAct
  | TableStoodInAct
  | TableReturnedAct
  | TablePausedAct
  | TableResumedAct
  | TableAskedForTimeAct
  | TableHeldAct
  | TableEndAgreedAct
  | TableEndedEarlyAct
  | TableHandedOverAct
  | TableClaimedAct
  | TableRestoredAct;
/**
 * A setting that the host can change in a game.
 *
 * - `title`: The title of the room.
 * - `listed`: Whether the home page lists the room.
 * - `locked`: Whether the room has a password.
 * - `turn_seconds`: The time limit of a turn.
 * - `spectator_chat`: Whether spectators may write.
 * - `fast_bots`: Whether bots act quickly while a single person is seated.
 * - `waiting_room`: Whether newcomers wait for the host.
 * - `replays`: The people who may see the replays.
 */
export type ChangedSetting =
  | 'title'
  | 'listed'
  | 'locked'
  | 'turn_seconds'
  | 'spectator_chat'
  | 'fast_bots'
  | 'waiting_room'
  | 'replays';
/**
 * The status of a game in a replay.
 *
 * - `playing`: Another round follows.
 * - `over`: The game has ended as usual.
 * - `ended_early`: The game was ended early; the scored rounds count.
 * - `cleared`: The game was cleared before a round was scored.
 */
export type GameStatus = 'playing' | 'over' | 'ended_early' | 'cleared';
/**
 * The player of a seat.
 */
export type ReplayPlayer = ReplayPersonPlayer | ReplayBotPlayer;
/**
 * The reason why the server closes a connection that the client should open again.
 *
 * - `restarting`: The server is shutting down, or the task of the room has ended. It may run again when the client reconnects.
 * - `storage`: The database cannot be read or written at present.
 * - `moving`: This server shuts down, and others go on with the room. The client reconnects at once.
 */
export type ReconnectReason = 'restarting' | 'storage' | 'moving';
/**
 * The format of a replay.
 *
 * - `sticheln/replay/1`: The first one.
 */
export type ReplayFormat = 'sticheln/replay/1';
/**
 * The public part of a round.
 */
export type GameTable = StichelnTable | NyetTable;
/**
 * The reason why a request is refused, besides the codes of messages.
 */
export type HttpCode =
  | 'malformed'
  | 'too_large'
  | 'too_slow'
  | 'bad_origin'
  | 'no_upgrade'
  | 'unknown_protocol'
  | 'not_found'
  | 'no_such_room'
  | 'no_such_game'
  | 'replay_forbidden'
  | 'round_unavailable'
  | 'game_not_over'
  | 'open_password_needed'
  | 'wrong_open_password'
  | 'too_many_open_attempts'
  | 'too_many_rooms'
  | 'too_many_sockets'
  | 'too_often'
  | 'too_many_wrong_codes'
  | 'too_many_requests'
  | 'written_too_much'
  | 'storage_full'
  | 'server_full'
  | 'shutting_down'
  | 'storage'
  | 'internal_error'
  | 'wrong_method';
/**
 * Whether the page has the host that the server expects. Otherwise rooms refuse it.
 *
 * - `ok`: The host is the expected one.
 * - `changed`: A proxy sends another host than the browser.
 * - `not_public`: The page has another host than the public address.
 */
export type HostFinding = 'ok' | 'changed' | 'not_public';
/**
 * Whether the page is in the public folder.
 *
 * - `ok`: The folder is the public one, or none is set.
 * - `not_public`: The folder is another one.
 */
export type PathFinding = 'ok' | 'not_public';
/**
 * The scheme by which the browser has loaded the page.
 *
 * - `https`: HTTPS.
 * - `http`: HTTP without encryption.
 * - `changed`: A proxy names another scheme than the browser.
 */
export type SchemeFinding = 'https' | 'http' | 'changed';
/**
 * Whether clients are counted by their own addresses.
 *
 * - `apart`: Each client is counted by its own address.
 * - `as_one`: A proxy names the addresses and is not trusted, so all clients share one.
 * - `not_named`: Proxies are trusted and name no addresses.
 */
export type AddressFinding = 'apart' | 'as_one' | 'not_named';

/**
 * Lets the client in: the first message.
 */
export interface Hello {
  type: 'hello';
  id: Id;
  /**
   * The secret of the client, as 43 characters of base64url.
   */
  token: Token;
  /**
   * The generation of this `rev`, from the last `welcome`; 0 if it is omitted.
   */
  generation?: number | null;
  /**
   * The name of the client as a spectator, and in the waiting room: 1 to 20 graphemes.
   */
  name?: string | null;
  /**
   * The password of the room.
   */
  password?: Password | null;
  /**
   * The `rev` of the last `game` that the client has received, or of a later `room` in the lobby. The next `game` has the events since.
   */
  rev?: number | null;
}
/**
 * Takes a chair.
 */
export interface Sit {
  type: 'sit';
  id: Id;
  /**
   * The name that others see: 1 to 20 graphemes.
   */
  name: string;
  /**
   * The chair to take. Without it the server chooses: the chair that the sender has left in this round, a free one, that of a bot, or that of a person who has long been absent.
   */
  seat?: Seat | null;
}
/**
 * Leaves the chair.
 */
export interface Stand {
  type: 'stand';
  id: Id;
}
/**
 * Changes the name of the sender, or gives a spectator a name.
 */
export interface Rename {
  type: 'rename';
  id: Id;
  /**
   * The name that others see: 1 to 20 graphemes.
   */
  name: string;
}
/**
 * Says whether the sender is ready for the start, the next round, a rematch, or the end of a pause.
 */
export interface Ready {
  type: 'ready';
  id: Id;
  /**
   * Whether the sender is ready.
   */
  ready: boolean;
}
/**
 * Chooses the character of the sender, in the lobby of a game with characters.
 */
export interface ChooseCharacter {
  type: 'choose_character';
  id: Id;
  /**
   * The name of the character, as the game lists it; `null` leaves the choice to the room.
   */
  character?: string | null;
}
/**
 * Changes the settings of the room. Host only.
 */
export interface Configure {
  type: 'configure';
  id: Id;
  /**
   * Whether bots act after a shorter delay while only one person has a seat.
   */
  fast_bots?: boolean;
  /**
   * Whether the home page lists it.
   */
  listed?: boolean;
  /**
   * The seat that has the rotating role in round 1; `null` selects one at random.
   */
  opening_seat?: Seat | null;
  /**
   * The options of the game.
   */
  options?: GameOptionsGiven;
  /**
   * The password of the room.
   */
  password?: Password | null;
  /**
   * The people who may see the replays of the games.
   */
  replays?: ReplayAccess;
  /**
   * The number of chairs.
   */
  seats?: number;
  /**
   * Whether spectators may write in the chat.
   */
  spectator_chat?: boolean;
  /**
   * The title of the room: 1 to 40 graphemes.
   */
  title?: string | null;
  /**
   * The time limit of a turn.
   */
  turn_seconds?: number | null;
  /**
   * Whether each newcomer waits until the host lets them in.
   */
  waiting_room?: boolean;
}
/**
 * The options of a game. An option that is left out has its default.
 */
export interface StichelnOptionsGiven {
  /**
   * The seat that gets a trick of zeros only; none: that of the edition (`Edition::all_zero_trick`).
   */
  all_zero_trick?: AllZeroTrick | null;
  /**
   * The edition.
   */
  edition?: Edition & string;
  /**
   * The end of the game; none: that of the edition (`Edition::end`).
   */
  end?: GameEndGiven | null;
  /**
   * The finished tricks that can be looked up. With `History::Off` the last trick does not lie open; with `History::All` it can always be looked up.
   */
  show_history?: History & string;
  /**
   * Whether the last finished trick lies open until the next one is finished.
   */
  show_last_trick?: boolean;
  /**
   * Whether the points of the round are shown while it is played.
   */
  show_running_score?: boolean;
}
/**
 * After this many rounds.
 */
export interface EndAfterRounds {
  type: 'rounds';
  /**
   * The number of rounds.
   */
  rounds: number;
}
/**
 * After the round in which the total of a seat reaches the target.
 */
export interface EndAtTargetGiven {
  type: 'target';
  /**
   * The most rounds, because totals may fall for ever; 30 by default.
   */
  max_rounds?: number;
  /**
   * The points to reach; 100 by default.
   */
  target?: number;
}
/**
 * The options of a game (`docs/rules/nyet.md`, section 11). An option that is left out has its default.
 */
export interface NyetOptionsGiven {
  /**
   * The characters of the seats.
   *
   * @minItems 5
   * @maxItems 5
   */
  characters?: Character[];
  /**
   * The end of the game; none: after 8, 9 or 10 rounds, depending on the number of seats.
   */
  end?: GameEndGiven | null;
  /**
   * Whether the trump row has the space `none`.
   */
  no_trump_space?: boolean;
  /**
   * Whether a supertrump can be loot.
   */
  supertrump_loot?: boolean;
}
/**
 * Puts a bot on a chair. Host only.
 */
export interface AddBot {
  type: 'add_bot';
  id: Id;
  /**
   * The strength of the bot.
   */
  level: Level;
  /**
   * The chair to fill. Without it, the first free one.
   */
  seat?: Seat | null;
}
/**
 * Changes the level of a bot. Host only.
 */
export interface SetBot {
  type: 'set_bot';
  id: Id;
  /**
   * The chair of the bot.
   */
  seat: Seat;
  /**
   * The new strength of the bot.
   */
  level: Level;
}
/**
 * Removes a person or a bot from a chair. In a game a bot takes the chair of the person, and a bot stays. Host only.
 */
export interface Remove {
  type: 'remove';
  id: Id;
  /**
   * The chair that becomes free, or passes to a bot.
   */
  seat: Seat;
}
/**
 * Forbids a spectator to write, or allows it again. Host only.
 */
export interface MuteSpectator {
  type: 'mute_spectator';
  id: Id;
  /**
   * The number of the spectator.
   */
  spectator: number;
  /**
   * Whether the spectator may not write.
   */
  muted: boolean;
}
/**
 * Disconnects a spectator. Newcomers wait for the host from then on. Host only.
 */
export interface RemoveSpectator {
  type: 'remove_spectator';
  id: Id;
  /**
   * The number of the spectator.
   */
  spectator: number;
}
/**
 * Enters the queue for the next free seat, or leaves it. For spectators.
 */
export interface Queue {
  type: 'queue';
  id: Id;
  /**
   * Whether the sender wants to wait for a seat.
   */
  queue: boolean;
}
/**
 * Asks all seats whether the sender may see their hands in the next round, or asks no more. For spectators with a name.
 */
export interface WatchHands {
  type: 'watch_hands';
  id: Id;
  /**
   * Whether the sender asks.
   */
  watch: boolean;
}
/**
 * Says whether a spectator may see the hand of the sender in the next round. If not, the request ends.
 */
export interface AllowWatching {
  type: 'allow_watching';
  id: Id;
  /**
   * The number of the request of the spectator.
   */
  request: number;
  /**
   * Whether they may see it.
   */
  allow: boolean;
}
/**
 * Makes somebody else the host. Host only.
 */
export interface GiveHost {
  type: 'give_host';
  id: Id;
  /**
   * The chair of the next host.
   */
  seat: Seat;
}
/**
 * Swaps two chairs. Host only.
 */
export interface Swap {
  type: 'swap';
  id: Id;
  /**
   * A chair with or without a person or a bot.
   */
  a: Seat;
  /**
   * The chair with which it changes places.
   */
  b: Seat;
}
/**
 * Starts the game. Host only.
 */
export interface Start {
  type: 'start';
  id: Id;
}
/**
 * Pauses the game. Each seat may do so twice in a game.
 */
export interface PauseGiven {
  type: 'pause';
  id: Id;
}
/**
 * Resumes the game.
 */
export interface Resume {
  type: 'resume';
  id: Id;
}
/**
 * Ends the game early, with the standings of the rounds that have been scored. Without such a round the room is in the lobby. Host only.
 */
export interface EndGame {
  type: 'end';
  id: Id;
}
/**
 * Clears a game that is over; the room is in the lobby. Host only.
 */
export interface ReturnToLobby {
  type: 'return_to_lobby';
  id: Id;
}
/**
 * Says whether the sender agrees to end the game early. It ends when enough people agree.
 */
export interface AgreeToEnd {
  type: 'agree_to_end';
  id: Id;
  /**
   * Whether the sender agrees.
   */
  agree: boolean;
}
/**
 * Delays the deal of the next round by a minute, once for each seat and round.
 */
export interface Hold {
  type: 'hold';
  id: Id;
}
/**
 * Asks for more time before a bot may stand in for the sender, once in a turn.
 */
export interface MoreTime {
  type: 'more_time';
  id: Id;
}
/**
 * Starts another game after one that is over. Host only.
 */
export interface Rematch {
  type: 'rematch';
  id: Id;
}
/**
 * Lets a bot play for a person who has been absent or idle for too long.
 */
export interface StandIn {
  type: 'stand_in';
  id: Id;
  /**
   * The chair of that person.
   */
  seat: Seat;
}
/**
 * Takes the game back from the bot that stands in.
 */
export interface Back {
  type: 'back';
  id: Id;
}
/**
 * Performs an action of the game.
 */
export interface Act {
  type: 'act';
  id: Id;
  /**
   * The action, in the form of the game.
   */
  action: ActionGiven;
}
/**
 * Lays a card face down: its colour becomes the unwanted colour of the seat (section 3).
 */
export interface StichelnPickAction {
  type: 'pick';
  /**
   * A card of the hand.
   */
  card: Card;
}
/**
 * Plays a card to the trick (section 4).
 */
export interface StichelnPlayAction {
  type: 'play';
  /**
   * A card of the hand.
   */
  card: Card;
}
/**
 * Covers a space: it does not apply in this round (section 3).
 */
export interface NyetCoverAction {
  type: 'cover';
  /**
   * A row of the board.
   */
  row: 'start' | 'discard' | 'trump' | 'supertrump' | 'points';
  /**
   * A space of this row.
   */
  space: Character | DiscardRule | TrumpSpace | PointsSpace;
}
/**
 * Forms the teams (section 4).
 */
export interface NyetTeamActionGiven {
  type: 'team';
  /**
   * The partners of the start player.
   *
   * @maxItems 2
   */
  partners: Seat[];
  /**
   * The holder of the x2 card, where the start player chooses one.
   */
  bonus?: Seat | null;
}
/**
 * Lays cards aside, or passes one to the left (section 5).
 */
export interface NyetDiscardAction {
  type: 'discard';
  /**
   * Cards of the hand, in any order.
   *
   * @maxItems 2
   */
  cards: Card[];
}
/**
 * Plays a card to the trick (section 6).
 */
export interface NyetPlayAction {
  type: 'play';
  /**
   * A card of the hand.
   */
  card: Card;
}
/**
 * Asks for the log of a round of the current game.
 */
export interface AskForRoundLog {
  type: 'round_log';
  id: Id;
  /**
   * The number of the round, from 1.
   */
  round: number;
}
/**
 * Asks for the list of the games that have a finished round.
 */
export interface AskForGames {
  type: 'games';
  id: Id;
}
/**
 * Asks for a code that moves the seat to another device, or takes a seat with a code.
 */
export interface Handover {
  type: 'handover';
  id: Id;
  /**
   * The code from the other device. Without it, the message asks for a code.
   */
  code?: string | null;
}
/**
 * Lets a guest in, or turns them away. Host only.
 */
export interface Admit {
  type: 'admit';
  id: Id;
  /**
   * The number of the guest.
   */
  guest: number;
  /**
   * Whether they may come in.
   */
  admit: boolean;
}
/**
 * Asks the seated people for the seat of a person whose browser has lost its token.
 */
export interface ClaimSeat {
  type: 'claim';
  id: Id;
  /**
   * The name of the person.
   */
  name: string;
}
/**
 * Agrees to the claim to a seat, or rejects it.
 */
export interface AnswerClaim {
  type: 'answer_claim';
  id: Id;
  /**
   * The number of the claim.
   */
  claim: number;
  /**
   * Whether the sender agrees.
   */
  agree: boolean;
}
/**
 * Sends a chat message.
 */
export interface Chat {
  type: 'chat';
  id: Id;
  /**
   * The text: 1 to 200 graphemes, at most 1600 bytes of UTF-8.
   */
  text: string;
}
/**
 * Sends a reaction.
 */
export interface React {
  type: 'react';
  id: Id;
  /**
   * The name of the reaction.
   */
  reaction: Reaction;
}
/**
 * Reminds a seat that the others wait for it.
 */
export interface Nudge {
  type: 'nudge';
  id: Id;
  /**
   * The seat to remind.
   */
  seat: Seat;
}
/**
 * Asks the host to act. Another person becomes the host if this one sends no accepted command for three minutes.
 */
export interface AskHost {
  type: 'ask_host';
  id: Id;
}
/**
 * Checks the connection.
 */
export interface Ping {
  type: 'ping';
  id: Id;
}
/**
 * The body of the request that opens a room.
 */
export interface OpenRoom {
  /**
   * The id of the game.
   */
  game: GameId;
  /**
   * The number of chairs.
   */
  seats: number;
  /**
   * Whether the home page lists the room.
   */
  listed?: boolean;
  /**
   * The password for opening rooms, if the server has one.
   */
  open_password?: Password | null;
  /**
   * The options of the game.
   */
  options?: GameOptionsGiven;
  /**
   * The password of the room.
   */
  password?: Password | null;
  /**
   * The position of a replay from which the first game is played on. It fixes the seats and the options.
   */
  play_on?: PlayOn;
  /**
   * The title of the room.
   */
  title?: string | null;
}
/**
 * A position of a replay.
 */
export interface PlayOn {
  /**
   * The id of the replay.
   */
  replay: ReplayId;
  /**
   * The number of the round.
   */
  round: number;
  /**
   * The revision of the step: the position is that after it.
   */
  rev: number;
}
/**
 * Asks the server to compare the address of the page with the request that it receives.
 */
export interface ConnectionCheck {
  /**
   * The address of the page in the browser.
   */
  page: string;
}
/**
 * The client was admitted.
 */
export interface Welcome {
  type: 'welcome';
  /**
   * The version of the protocol of this connection.
   */
  protocol: 1;
  /**
   * The version of the server.
   */
  server: string;
  /**
   * The code of the room.
   */
  room: RoomCode;
  /**
   * The time by the clock of the server, from which all times in its messages come.
   */
  now: Timestamp;
  /**
   * The place of the client in the room.
   */
  you: You;
  /**
   * The generation of the revisions that follow. Within one they never go back. Omitted for generation 0.
   */
  generation?: number;
  /**
   * A failover of the database has lost all revisions after this one that the client has seen. Omitted if it has lost none.
   */
  lost_after?: number;
}
/**
 * The place of a client in a room.
 */
export interface You {
  /**
   * The seat of the client; `null` for a spectator.
   */
  seat: Seat | null;
  /**
   * Whether the client is the host.
   */
  host: boolean;
  /**
   * The seat that the client claims; omitted if it claims none.
   */
  claims?: Seat;
  /**
   * The number of the client as a spectator; omitted for a client with a seat.
   */
  spectator?: number;
}
/**
 * The client is in the waiting room. The answer to its `hello` follows when the host has decided.
 */
export interface Waiting {
  type: 'waiting';
}
/**
 * A message had its effect.
 */
export interface Ok {
  type: 'ok';
  /**
   * The id of that message.
   */
  id: Id;
}
/**
 * A message was refused and has changed nothing.
 */
export interface Refused {
  type: 'refused';
  /**
   * The id of the message; `null` if it had no valid one.
   */
  id: Id | null;
  /**
   * The reason, as in the list of refusals.
   */
  code: Code;
}
/**
 * The public state of the room, and the place of the client in it.
 */
export interface Room {
  type: 'room';
  /**
   * The revision of this state: the number of the last entry that it includes, without private entries.
   */
  rev: number;
  /**
   * The place of the client.
   */
  you: You;
  /**
   * The public state of the room, the same for all clients.
   */
  table: TableState;
  /**
   * The clients in the waiting room, the oldest first. Omitted if there are none, and for all clients but the host.
   */
  guests?: Guest[];
}
/**
 * The public state of a room, which is sent after each change. It changes rarely; the data that changes with every move is in the message `game`, and the points of the rounds are in `sheet`.
 */
export interface TableState {
  /**
   * The id of the game.
   */
  game: GameId;
  /**
   * The title of the room.
   */
  title: string | null;
  /**
   * Whether the home page lists the room.
   */
  listed: boolean;
  /**
   * Whether a password is needed.
   */
  locked: boolean;
  /**
   * The phase of the room.
   */
  phase: RoomPhase;
  /**
   * The chairs, in the order of their numbers.
   *
   * @minItems 2
   * @maxItems 6
   */
  chairs: Chair[];
  /**
   * The seat of the host.
   */
  host: Seat | null;
  /**
   * The options of the game.
   */
  options: GameOptions;
  /**
   * The seat that has the rotating role in round 1; `null` selects one at random.
   */
  opening_seat: Seat | null;
  /**
   * The time limit of a turn; `null` for no limit.
   */
  turn_seconds: number | null;
  /**
   * Whether spectators may write in the chat.
   */
  spectator_chat: boolean;
  /**
   * Whether bots act quickly while a single person is seated.
   */
  fast_bots: boolean;
  /**
   * Whether each newcomer waits until the host lets them in.
   */
  waiting_room: boolean;
  /**
   * The spectators, in the order of their numbers.
   */
  spectators: SpectatorState[];
  /**
   * How many people have to agree to end the game early. Omitted as long as nobody agrees.
   */
  agreements_needed?: number;
  /**
   * The seats that are claimed, the lowest first; omitted if there are none.
   */
  claims?: Claim[];
  /**
   * Whether the game was ended early; omitted if false.
   */
  ended_early?: true;
  /**
   * The time when another person becomes the host, because the host is absent, or idle while others wait for them. Omitted if nobody waits for the host.
   */
  host_passes_at?: Timestamp;
  /**
   * The pause; omitted unless the game is paused.
   */
  pause?: Pause;
  /**
   * The position from which the game, or the next one in the lobby, is played on. Omitted for other games.
   */
  played_on?: PlayedOn;
  /**
   * The id of the replay of the game. Omitted until a round is finished, and if nobody may see replays.
   */
  replay?: ReplayId;
  /**
   * The people who may see the replays of the games; omitted if everybody may. Until the host chooses, everybody may, and only the players if a password is needed.
   */
  replays?: ReplayAccess;
  /**
   * The latest time of a planned restart of the server. Until then no game begins and no round is dealt. Omitted if none is planned.
   */
  restart_at?: Timestamp;
}
/**
 * The chair is free.
 */
export interface FreeChair {
  kind: 'free';
}
/**
 * A person sits on it.
 */
export interface PersonChair {
  kind: 'person';
  /**
   * The name of the person.
   */
  name: string;
  /**
   * Whether the person is connected.
   */
  presence: PresenceState;
  /**
   * Whether the person is ready for the start, the next round, a rematch, or the end of a pause.
   */
  ready: boolean;
  /**
   * Whether a bot plays for the person now.
   */
  stood_in: boolean;
  /**
   * Whether the person agrees to end the game early; omitted if false.
   */
  agrees_to_end?: true;
  /**
   * The character that the person has chosen; omitted without a choice.
   */
  character?: string;
  /**
   * Whether the person has asked for more time in this turn; omitted if false.
   */
  has_more_time?: true;
  /**
   * Whether the person has delayed the deal of the next round; omitted if false.
   */
  holds?: true;
  /**
   * Since when the person is idle; omitted if they are not.
   */
  idle?: Idle;
  /**
   * How often the person may still pause this game; omitted without a game.
   */
  pauses_left?: number;
  /**
   * The time from which the others may let a bot stand in for a person who is absent or idle. Omitted for other people, while a bot plays for them, and without a game.
   */
  stand_in_from?: Timestamp;
  /**
   * Whether the person sees a hand only from the next deal on; omitted if false.
   */
  waits_for_deal?: true;
}
/**
 * The idleness of a connected person for whom the others have waited for a while.
 */
export interface Idle {
  /**
   * The time since which the others have waited.
   */
  since: Timestamp;
  /**
   * The time from which the client of the person warns them. Omitted if no bot can stand in.
   */
  warn_at?: Timestamp;
  /**
   * Whether this time has come. Omitted if not.
   */
  warned?: boolean;
}
/**
 * A bot sits on it.
 */
export interface BotChair {
  kind: 'bot';
  /**
   * The name of the bot.
   */
  name: string;
  /**
   * The strength of the bot.
   */
  level: Level;
}
/**
 * The options of a game. An option that is left out has its default.
 */
export interface StichelnOptions {
  /**
   * The edition.
   */
  edition: Edition;
  /**
   * The end of the game; none: that of the edition (`Edition::end`).
   */
  end: GameEnd | null;
  /**
   * The seat that gets a trick of zeros only; none: that of the edition (`Edition::all_zero_trick`).
   */
  all_zero_trick: AllZeroTrick | null;
  /**
   * Whether the last finished trick lies open until the next one is finished.
   */
  show_last_trick: boolean;
  /**
   * The finished tricks that can be looked up. With `History::Off` the last trick does not lie open; with `History::All` it can always be looked up.
   */
  show_history: History;
  /**
   * Whether the points of the round are shown while it is played.
   */
  show_running_score: boolean;
}
/**
 * After the round in which the total of a seat reaches the target.
 */
export interface EndAtTarget {
  type: 'target';
  /**
   * The points to reach; 100 by default.
   */
  target: number;
  /**
   * The most rounds, because totals may fall for ever; 30 by default.
   */
  max_rounds: number;
}
/**
 * The options of a game (`docs/rules/nyet.md`, section 11). An option that is left out has its default.
 */
export interface NyetOptions {
  /**
   * The end of the game; none: after 8, 9 or 10 rounds, depending on the number of seats.
   */
  end: GameEnd | null;
  /**
   * The characters of the seats.
   *
   * @minItems 5
   * @maxItems 5
   */
  characters: Character[];
  /**
   * Whether the trump row has the space `none`.
   */
  no_trump_space: boolean;
  /**
   * Whether a supertrump can be loot.
   */
  supertrump_loot: boolean;
}
/**
 * A spectator, the same for all clients. All connections of a token are one spectator.
 */
export interface SpectatorState {
  /**
   * The number of the spectator. No two spectators of a room have the same one, also after a restart. Clients show its last three digits for a spectator without a name.
   */
  spectator: number;
  /**
   * The seats that allow the spectator to see their hands in the next round. Omitted if the spectator has not asked.
   */
  allowed_by?: Seat[];
  /**
   * Whether the host has forbidden the spectator to write; omitted if false.
   */
  muted?: true;
  /**
   * The name; omitted without one.
   */
  name?: string;
  /**
   * The time until which a free seat is kept for the spectator; omitted if none is.
   */
  offered_until?: Timestamp;
  /**
   * The place in the queue for the next free seat, from 1; omitted for spectators outside of it.
   */
  queue_place?: number;
  /**
   * The number of the request to see all hands of the next round, by which people answer it. Omitted if the spectator has not asked.
   */
  request?: number;
  /**
   * Whether the spectator sees all hands of this round; omitted if false. Such a spectator is listed until its end, also without a connection.
   */
  sees_hands?: true;
}
/**
 * The claim of a client to the seat of a person whose browser has lost its token.
 */
export interface Claim {
  /**
   * Its number, by which people answer it. No two claims in a room have the same one, also after a restart.
   */
  claim: number;
  /**
   * The seat.
   */
  seat: Seat;
  /**
   * The seats whose people have agreed.
   */
  agreed: Seat[];
}
/**
 * A pause of the game.
 */
export interface Pause {
  /**
   * The seat that has paused the game.
   */
  by: Seat;
  /**
   * The time when the game resumes by itself. It resumes earlier when all connected people are ready.
   */
  ends_at: Timestamp;
}
/**
 * The position from which a game was played on.
 */
export interface PlayedOn {
  /**
   * The number of the round.
   */
  round: number;
  /**
   * The number of moves of the round that were taken over.
   */
  moves: number;
  /**
   * The id of the replay with the position; omitted if it comes from a file.
   */
  replay?: ReplayId;
}
/**
 * A client in the waiting room.
 */
export interface Guest {
  /**
   * Its number, by which the host lets it in. No two guests of a room have the same one, also after a restart.
   */
  guest: number;
  /**
   * The name that its person has given.
   */
  name: string;
}
/**
 * The game and its new events.
 */
export interface Game {
  type: 'game';
  /**
   * The revision of this state: the number of the last entry that it includes, without private entries.
   */
  rev: number;
  /**
   * The events, the oldest first.
   */
  events: GameEvent[];
  /**
   * The view of the observer.
   */
  view: View;
  /**
   * All legal actions of the observer.
   */
  legal: Action[];
  /**
   * The actions with which the observer may replace the choice that they have made. Omitted if there is none.
   */
  changes?: Action[];
  /**
   * The time when the game continues by itself, if it does.
   */
  deadline?: Timestamp;
  /**
   * True if events between the `rev` of the last `game`, or of the `hello`, and this one are missing. Otherwise omitted.
   */
  gap?: boolean;
}
/**
 * A round has been dealt.
 */
export interface DealtEvent {
  type: 'dealt';
  /**
   * The number of the round, from 1.
   */
  round: number;
  /**
   * The seat that has the rotating role in it.
   */
  opening: Seat;
  /**
   * The number of cards in each hand.
   */
  cards: number;
}
/**
 * A round has been scored.
 */
export interface StichelnRoundScoredEvent {
  type: 'round_scored';
  /**
   * The number of the round.
   */
  round: number;
  /**
   * The score of each seat, with its parts.
   *
   * @minItems 2
   * @maxItems 6
   */
  scores: StichelnScore[];
  /**
   * The totals after the round.
   *
   * @minItems 2
   * @maxItems 6
   */
  totals: number[];
}
/**
 * The score of a seat in a round, with its parts (`docs/rules/sticheln.md`, section 6).
 */
export interface StichelnScore {
  /**
   * @maxItems 16
   */
  minus_cards: Card[];
  minus: number;
  plus: number;
  points: number;
}
/**
 * The game is over.
 */
export interface GameOverEvent {
  type: 'game_over';
  /**
   * The sum of each seat's scores.
   *
   * @minItems 2
   * @maxItems 6
   */
  totals: number[];
  /**
   * 1 + the number of seats with more points.
   *
   * @minItems 2
   * @maxItems 6
   */
  ranks: number[];
}
/**
 * A seat has laid a card face down.
 */
export interface StichelnPickedEvent {
  type: 'picked';
  /**
   * The seat.
   */
  seat: Seat;
}
/**
 * All seats have picked, and the cards are turned up together.
 */
export interface StichelnRevealedEvent {
  type: 'revealed';
  /**
   * The picked card of each seat.
   *
   * @minItems 2
   * @maxItems 6
   */
  picks: Card[];
  /**
   * The seat that leads the first trick.
   */
  leader: Seat;
}
/**
 * A seat has played a card.
 */
export interface PlayedEvent {
  type: 'played';
  /**
   * The seat that played it.
   */
  seat: Seat;
  /**
   * The card.
   */
  card: Card;
  /**
   * Whether the seat is now winning.
   */
  winning: boolean;
  /**
   * Whether the card leads the trick; left out of the JSON if it does not.
   */
  leads?: true;
}
/**
 * A trick is finished and taken. The taker leads the next one.
 */
export interface StichelnTrickTakenEvent {
  type: 'trick_taken';
  /**
   * The taker.
   */
  seat: Seat;
  /**
   * The seat that led.
   */
  leader: Seat;
  /**
   * The cards in playing order.
   */
  cards: Card[];
  /**
   * By how much the cards change the points of the taker.
   */
  points: number;
}
/**
 * A trick of zeros only is set aside. The same seat leads again.
 */
export interface StichelnSetAsideEvent {
  type: 'set_aside';
  /**
   * The seat that led.
   */
  leader: Seat;
  /**
   * The cards in playing order.
   */
  cards: Card[];
}
/**
 * A round has been scored.
 */
export interface NyetRoundScoredEvent {
  type: 'round_scored';
  /**
   * The number of the round.
   */
  round: number;
  /**
   * The score of each seat, with its parts.
   *
   * @minItems 2
   * @maxItems 6
   */
  scores: NyetScore[];
  /**
   * The totals after the round.
   *
   * @minItems 2
   * @maxItems 6
   */
  totals: number[];
}
/**
 * The score of a seat in a round, with its parts (`docs/rules/nyet.md`, section 7).
 */
export interface NyetScore {
  /**
   * The number of tricks of the team.
   */
  tricks: number;
  /**
   * The number of loot cards of the team.
   */
  loot: number;
  /**
   * The points of each of them.
   */
  each: number;
  /**
   * Whether the seat holds the x2 card.
   */
  doubled: boolean;
  /**
   * The points of the round.
   */
  points: number;
}
/**
 * A seat has covered a space.
 */
export interface NyetCoveredEvent {
  type: 'covered';
  /**
   * The seat.
   */
  seat: Seat;
  /**
   * A row of the board.
   */
  row: 'start' | 'discard' | 'trump' | 'supertrump' | 'points';
  /**
   * A space of this row.
   */
  space: Character | DiscardRule | TrumpSpace | PointsSpace;
  /**
   * The number of covers until the board is settled.
   */
  covers_left: number;
}
/**
 * Each row has one free space: these are the rules of the round.
 */
export interface NyetBoardSettledEvent {
  type: 'board_settled';
  /**
   * The free spaces.
   */
  conditions: Conditions;
}
/**
 * The rules of a round: the free space of each row.
 */
export interface Conditions {
  /**
   * The character of the seat that leads the first trick.
   */
  start: Character;
  /**
   * The seat of that character: the start player.
   */
  start_seat: Seat;
  /**
   * The use of cards before the first trick.
   */
  discard: DiscardRule;
  /**
   * The trump colour.
   */
  trump: TrumpSpace;
  /**
   * The colour whose 1s are supertrumps.
   */
  supertrump: TrumpSpace;
  /**
   * The points of tricks and loot cards.
   */
  points: PointsSpace;
}
/**
 * The start player has formed the teams.
 */
export interface NyetTeamsFormedEvent {
  type: 'teams_formed';
  /**
   * The start player.
   */
  seat: Seat;
  /**
   * The teams.
   */
  teams: Teams;
}
/**
 * The teams of a round (`docs/rules/nyet.md`, section 4).
 */
export interface Teams {
  /**
   * The team of each seat: 0 for that of the start player, 1 for the other one. With two seats it is the number of the seat.
   *
   * @minItems 2
   * @maxItems 6
   */
  of: number[];
  /**
   * The seat that holds the x2 card.
   */
  bonus: Seat | null;
}
/**
 * A seat has chosen the cards to lay aside or to pass.
 */
export interface NyetDiscardedEvent {
  type: 'discarded';
  /**
   * The seat.
   */
  seat: Seat;
}
/**
 * All seats have chosen: the cards are laid aside or passed.
 */
export interface NyetDiscardsDoneEvent {
  type: 'discards_done';
  /**
   * The space of the row `discard`.
   */
  discard: DiscardRule;
}
/**
 * A trick is finished and taken. The taker leads the next one.
 */
export interface NyetTrickTakenEvent {
  type: 'trick_taken';
  /**
   * The taker.
   */
  seat: Seat;
  /**
   * The seat that led.
   */
  leader: Seat;
  /**
   * The cards in playing order.
   */
  cards: Card[];
  /**
   * The loot cards among them.
   */
  loot: Card[];
}
/**
 * The round is over: the cards that were laid aside, passed or not dealt are turned up. A round without such cards has no such event.
 */
export interface NyetCardsRevealedEvent {
  type: 'cards_revealed';
  /**
   * The space of the row `discard`.
   */
  discard: DiscardRule;
  /**
   * The cards that each seat laid aside, or the card that it passed to its left neighbour.
   *
   * @minItems 2
   * @maxItems 6
   */
  discards: Card[][];
  /**
   * The cards that were not dealt, sorted.
   */
  undealt: Card[];
}
/**
 * The next action of a seat in the events was played by a bot or by the clock.
 */
export interface ActedForEvent {
  type: 'acted_for';
  /**
   * The seat whose action it is.
   */
  seat: Seat;
  /**
   * The bot or the clock that chose the action.
   */
  by: Actor;
}
/**
 * The view of an observer.
 */
export interface StichelnView {
  /**
   * The public part of the round; none before the first deal.
   */
  table: StichelnTable | null;
  /**
   * The seats that can act now.
   */
  to_act: Seat[];
  /**
   * The seat of the observer; none for a spectator.
   */
  seat: Seat | null;
  /**
   * What each seat knows besides, in their order, for a spectator whom all seats allow to see their hands. Left out for all others.
   */
  hands?: StichelnOwn[];
  /**
   * The effect of each card, for the seat that is to play one.
   */
  hints?: Hints;
  /**
   * The part of the round that only this seat knows; left out for a spectator.
   */
  own?: StichelnOwn;
}
/**
 * The public part of a round (section 9).
 */
export interface StichelnTableBase {
  /**
   * The number of the round, from 1.
   */
  round: number;
  /**
   * The seat that leads the first trick.
   */
  first_leader: Seat;
  /**
   * The number of cards in each hand.
   *
   * @minItems 2
   * @maxItems 6
   */
  hand_counts: number[];
  /**
   * The number of cards that each seat has captured.
   *
   * @minItems 2
   * @maxItems 6
   */
  captured: number[];
  /**
   * The number of finished tricks.
   */
  tricks_played: number;
  /**
   * The dealer, in an edition that has one.
   */
  dealer?: Seat;
  /**
   * All finished tricks, if they can be looked up.
   */
  history?: FinishedTrick[];
  /**
   * The last finished trick, if it lies open.
   */
  last_trick?: FinishedTrick;
  /**
   * The score of each seat if the round ended now, if the options show it; from the reveal on.
   *
   * @minItems 2
   * @maxItems 6
   */
  running?: StichelnScore[];
  /**
   * The number of cards that were set aside; left out of the JSON if it is 0.
   */
  set_aside?: number;
}
/**
 * A trick to which all seats have played.
 */
export interface FinishedTrick {
  /**
   * The seat that led.
   */
  leader: Seat;
  /**
   * The cards in playing order.
   */
  cards: Card[];
  /**
   * The seat that took the cards; none: they were set aside.
   */
  taker?: Seat;
}
/**
 * The trick on the table. `L` is the type of the lead: a colour or a suit.
 */
export interface ColourTrick {
  /**
   * The seat that leads.
   */
  leader: Seat;
  /**
   * The cards so far in playing order: that of the leader first, then clockwise.
   */
  cards: Card[];
  /**
   * The colour or suit that was led; none before the first card.
   */
  lead?: Colour;
  /**
   * The seat that would take the trick if it ended now.
   */
  winning?: Seat;
}
/**
 * The part of a round that only one seat knows.
 */
export interface StichelnOwn {
  /**
   * The hand.
   *
   * @maxItems 16
   */
  hand: Card[];
  /**
   * The picked card, while it lies face down.
   */
  pick?: Card;
}
/**
 * Hints about each card of a hand, in the order of the hand: the effect of the card on the trick on the table. They follow from public data alone.
 */
export interface Hints {
  /**
   * Whether the seat would then be winning.
   */
  winning: boolean[];
  /**
   * By how much the card would change the points of the seat that would then be winning; 0 if no seat would.
   */
  points: number[];
}
/**
 * The view of an observer.
 */
export interface NyetView {
  /**
   * The public part of the round; none before the first deal.
   */
  table: NyetTable | null;
  /**
   * The seats that can act now.
   */
  to_act: Seat[];
  /**
   * The seat of the observer; none for a spectator.
   */
  seat: Seat | null;
  /**
   * What each seat knows besides, in their order, for a spectator whom all seats allow to see their hands. Left out for all others.
   */
  hands?: NyetOwn[];
  /**
   * The effect of each card, for the seat that is to play one.
   */
  hints?: Hints;
  /**
   * The part of the round that only this seat knows; left out for a spectator.
   */
  own?: NyetOwn;
}
/**
 * The public part of a round (section 10).
 */
export interface NyetTableBase {
  /**
   * The number of the round, from 1.
   */
  round: number;
  /**
   * The dealer.
   */
  dealer: Seat;
  /**
   * The character of each seat.
   *
   * @minItems 2
   * @maxItems 6
   */
  characters: Character[];
  /**
   * The board.
   */
  board: Board;
  /**
   * The number of cards in each hand.
   *
   * @minItems 2
   * @maxItems 6
   */
  hand_counts: number[];
  /**
   * The number of cards that were not dealt, and so are out of the round.
   */
  undealt: number;
  /**
   * The number of tricks that each seat has taken.
   *
   * @minItems 2
   * @maxItems 6
   */
  tricks_won: number[];
  /**
   * The loot of each seat, in the order it was taken.
   *
   * @minItems 2
   * @maxItems 6
   */
  loot: Card[][];
  /**
   * The last finished trick.
   */
  last_trick?: FinishedTrick;
}
/**
 * The five rows of spaces. Characters without a seat count as covered and are left out. The trump row has `none` only if the options add it.
 */
export interface Board {
  /**
   * The start player, who leads the first trick.
   */
  start: StartRow;
  /**
   * The use of cards before the first trick.
   */
  discard: DiscardRow;
  /**
   * The trump colour.
   */
  trump: TrumpRow;
  /**
   * The colour whose 1s are supertrumps.
   */
  supertrump: SupertrumpRow;
  /**
   * The points of tricks and loot cards.
   */
  points: PointsRow;
}
/**
 * The start player: the characters with a seat.
 */
export interface StartRow {
  bear?: Seat | null;
  crane?: Seat | null;
  eagle?: Seat | null;
  tiger?: Seat | null;
  wolf?: Seat | null;
}
/**
 * The use of cards before the first trick.
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
 * The points of tricks and loot cards.
 */
export interface PointsRow {
  '1': Seat | null;
  '2': Seat | null;
  '3': Seat | null;
  '4': Seat | null;
  '-2': Seat | null;
}
/**
 * The trick on the table. `L` is the type of the lead: a colour or a suit.
 */
export interface SuitTrick {
  /**
   * The seat that leads.
   */
  leader: Seat;
  /**
   * The cards so far in playing order: that of the leader first, then clockwise.
   */
  cards: Card[];
  /**
   * The colour or suit that was led; none before the first card.
   */
  lead?: Suit;
  /**
   * The seat that would take the trick if it ended now.
   */
  winning?: Seat;
}
/**
 * The cards that are turned up at the end of a scored round (section 10). With the cards that were played they show each hand as it was dealt.
 */
export interface NyetRevealedCards {
  /**
   * The cards that each seat laid aside, or the card that it passed to its left neighbour.
   *
   * @minItems 2
   * @maxItems 6
   */
  discards: Card[][];
  /**
   * The cards that were not dealt, sorted.
   */
  undealt: Card[];
}
/**
 * The part of a round that only one seat knows.
 */
export interface NyetOwn {
  /**
   * The hand.
   *
   * @maxItems 16
   */
  hand: Card[];
  /**
   * The cards chosen to be laid aside or passed. They leave the hand when all seats have chosen.
   *
   * @maxItems 16
   */
  discard?: Card[];
  /**
   * The card that the seat got from its neighbour.
   */
  received?: Card;
}
/**
 * Forms the teams (section 4).
 */
export interface NyetTeamAction {
  type: 'team';
  /**
   * The partners of the start player.
   *
   * @maxItems 2
   */
  partners: Seat[];
  /**
   * The holder of the x2 card, where the start player chooses one.
   */
  bonus: Seat | null;
}
/**
 * The points of the finished rounds, and the standings.
 */
export interface Sheet {
  type: 'sheet';
  /**
   * The points of each seat in each finished round, the first round first.
   */
  rounds: number[][];
  /**
   * The sum of each seat's points.
   *
   * @minItems 2
   * @maxItems 6
   */
  totals: number[];
  /**
   * 1 + the number of seats with more points.
   *
   * @minItems 2
   * @maxItems 6
   */
  ranks: number[];
}
/**
 * The log of a round, on request.
 */
export interface RoundLog {
  type: 'round_log';
  /**
   * The number of the round, from 1.
   */
  round: number;
  /**
   * The entries, the oldest first.
   */
  entries: RoundLogEntry[];
  /**
   * How many of the oldest acts at the table are left out, because there are too many. Omitted if none is.
   */
  acts_left_out?: number;
  /**
   * How many finished tricks are left out, because the options do not show them while the round is played. Omitted if none is.
   */
  tricks_left_out?: number;
}
/**
 * The public part of an entry of the room log.
 */
export interface RoundLogEntry {
  /**
   * The revision after the entry, as in `room` and `game`.
   */
  rev: number;
  /**
   * The time of the entry, rounded down to a second.
   */
  at: Timestamp;
  /**
   * The act at the table; omitted for a move.
   */
  act?: TableAct;
  /**
   * The events of the game, as they were sent in `game`; omitted if there are none.
   */
  events?: GameEvent[];
}
/**
 * A person has taken the chair.
 */
export interface TableSatAct {
  type: 'sat';
  /**
   * The chair.
   */
  seat: Seat;
}
/**
 * The person has given up the chair.
 */
export interface TableStoodAct {
  type: 'stood';
  /**
   * The chair.
   */
  seat: Seat;
}
/**
 * The host has removed the person or the bot.
 */
export interface TableRemovedAct {
  type: 'removed';
  /**
   * The chair.
   */
  seat: Seat;
}
/**
 * The host has put a bot on the chair, or has changed its level.
 */
export interface TableBotSeatedAct {
  type: 'bot_seated';
  /**
   * The chair.
   */
  seat: Seat;
  /**
   * The strength of the bot.
   */
  level: Level;
}
/**
 * The host has changed settings.
 */
export interface TableConfiguredAct {
  type: 'configured';
  /**
   * The settings that differ now.
   */
  settings: ChangedSetting[];
}
/**
 * The host has let somebody in from the waiting room.
 */
export interface TableGuestAdmittedAct {
  type: 'guest_admitted';
}
/**
 * The host has removed a spectator.
 */
export interface TableSpectatorRemovedAct {
  type: 'spectator_removed';
}
/**
 * There is another host.
 */
export interface TableHostPassedAct {
  type: 'host_passed';
  /**
   * The chair of the host; `null` if there is none.
   */
  seat: Seat | null;
}
/**
 * A bot plays for the person.
 */
export interface TableStoodInAct {
  type: 'stood_in';
  /**
   * The seat of the person.
   */
  seat: Seat;
}
/**
 * The person has taken the game back from the bot.
 */
export interface TableReturnedAct {
  type: 'returned';
  /**
   * The seat of the person.
   */
  seat: Seat;
}
/**
 * The person has paused the game.
 */
export interface TablePausedAct {
  type: 'paused';
  /**
   * The seat of the person.
   */
  seat: Seat;
}
/**
 * The game goes on after a pause.
 */
export interface TableResumedAct {
  type: 'resumed';
}
/**
 * The person has asked for more time.
 */
export interface TableAskedForTimeAct {
  type: 'asked_for_time';
  /**
   * The seat of the person.
   */
  seat: Seat;
}
/**
 * The person has delayed the next deal.
 */
export interface TableHeldAct {
  type: 'held';
  /**
   * The seat of the person.
   */
  seat: Seat;
}
/**
 * The person agrees to end the game early, or not any more.
 */
export interface TableEndAgreedAct {
  type: 'end_agreed';
  /**
   * The seat of the person.
   */
  seat: Seat;
  /**
   * Whether the person agrees.
   */
  agrees: boolean;
}
/**
 * The game was ended early.
 */
export interface TableEndedEarlyAct {
  type: 'ended_early';
}
/**
 * The person has moved the seat to another device.
 */
export interface TableHandedOverAct {
  type: 'handed_over';
  /**
   * The seat of the person.
   */
  seat: Seat;
}
/**
 * The others have given the seat to a client that has claimed it.
 */
export interface TableClaimedAct {
  type: 'claimed';
  /**
   * The seat.
   */
  seat: Seat;
}
/**
 * The former owner has returned after a claim, and owns the seat again.
 */
export interface TableRestoredAct {
  type: 'restored';
  /**
   * The seat.
   */
  seat: Seat;
}
/**
 * The games of the room that have a finished round, on request.
 */
export interface Games {
  type: 'games';
  /**
   * The games, the newest first.
   */
  games: ListedGame[];
}
/**
 * A game in the list of a room.
 */
export interface ListedGame {
  /**
   * The id of its replay.
   */
  replay: ReplayId;
  /**
   * The time when it began, rounded down to a second.
   */
  began_at: Timestamp;
  /**
   * Its status after the newest finished round.
   */
  status: GameStatus;
  /**
   * The player of each seat in the newest finished round.
   */
  players: ReplayPlayer[];
  /**
   * The number of its finished rounds.
   */
  rounds: number;
  /**
   * The sum of each seat's points.
   *
   * @minItems 2
   * @maxItems 6
   */
  totals: number[];
}
/**
 * A person.
 */
export interface ReplayPersonPlayer {
  kind: 'person';
  /**
   * Their name; `null` if the name was erased, or left out of an imported record.
   */
  name: string | null;
}
/**
 * A bot.
 */
export interface ReplayBotPlayer {
  kind: 'bot';
  /**
   * Its name.
   */
  name: string;
  /**
   * Its level.
   */
  level: Level;
}
/**
 * A code that moves the seat of the client to another device.
 */
export interface HandoverOffer {
  type: 'handover';
  /**
   * The code, which is valid once.
   */
  code: string;
  /**
   * The time when the code expires.
   */
  expires_at: Timestamp;
}
/**
 * A chat message.
 */
export interface ChatLine {
  type: 'chat';
  /**
   * The time when it was sent.
   */
  at: Timestamp;
  /**
   * The seat of the sender; `null` for a spectator.
   */
  seat: Seat | null;
  /**
   * The name of the sender; `null` for a spectator without one.
   */
  name: string | null;
  /**
   * The text: 1 to 200 graphemes, at most 1600 bytes of UTF-8.
   */
  text: string;
  /**
   * The number of the sender as a spectator; omitted for a seat.
   */
  spectator?: number;
}
/**
 * A person at a seat has reacted.
 */
export interface Reacted {
  type: 'reacted';
  /**
   * The seat that reacted.
   */
  seat: Seat;
  /**
   * Which of the fixed reactions it is.
   */
  reaction: Reaction;
}
/**
 * A seat is reminded that the others wait for it.
 */
export interface Nudged {
  type: 'nudged';
  /**
   * The seat that is reminded.
   */
  seat: Seat;
  /**
   * The seat that reminds.
   */
  by: Seat;
}
/**
 * A line of the operator of the server, the same in all rooms.
 */
export interface Notice {
  type: 'notice';
  /**
   * The time when the room got it.
   */
  at: Timestamp;
  /**
   * The text: 1 to 200 graphemes, at most 1600 bytes of UTF-8.
   */
  text: string;
}
/**
 * The server is about to close the connection, and the client should reconnect.
 */
export interface Closing {
  type: 'closing';
  /**
   * Why the connection ends.
   */
  reason: ReconnectReason;
  /**
   * The time to wait before reconnecting, in milliseconds.
   */
  retry_after_ms: number;
}
/**
 * The answer to a request that has opened a room.
 */
export interface RoomOpened {
  /**
   * The code of the room.
   */
  room: RoomCode;
  /**
   * The address of the page of the room, relative to the request.
   */
  url: string;
}
/**
 * The answer to the request for the public list of rooms.
 */
export interface RoomList {
  /**
   * Their summaries, the most recently changed first.
   */
  rooms: RoomSummary[];
}
/**
 * The public data of a room.
 */
export interface RoomSummary {
  /**
   * The code of the room.
   */
  room: RoomCode;
  /**
   * The id of the game.
   */
  game: GameId;
  /**
   * The title of the room.
   */
  title: string | null;
  /**
   * The number of chairs.
   */
  seats: number;
  /**
   * The number of chairs with a person or a bot.
   */
  taken: number;
  /**
   * The phase of the room.
   */
  phase: RoomPhase;
  /**
   * The number of spectators.
   */
  spectators: number;
  /**
   * Whether a password is needed.
   */
  locked: boolean;
  /**
   * The people who may see the replays of its games.
   */
  replays: ReplayAccess;
}
/**
 * A game with its finished rounds.
 */
export interface GameReplay {
  /**
   * The format of the replay.
   */
  format: ReplayFormat;
  /**
   * The id of the replay.
   */
  id: ReplayId;
  /**
   * The id of the game.
   */
  game: GameId;
  /**
   * The title of the room.
   */
  title: string | null;
  /**
   * The options of the game.
   */
  options: GameOptions;
  /**
   * The time when the game began, rounded down to a second.
   */
  began_at: Timestamp;
  /**
   * The status of the game after the newest finished round.
   */
  status: GameStatus;
  /**
   * The player of each seat in the newest finished round.
   */
  players: ReplayPlayer[];
  /**
   * The finished rounds, the first one first.
   */
  rounds: FinishedRound[];
  /**
   * The sum of each seat's points.
   *
   * @minItems 2
   * @maxItems 6
   */
  totals: number[];
  /**
   * 1 + the number of seats with more points.
   *
   * @minItems 2
   * @maxItems 6
   */
  ranks: number[];
  /**
   * Whether the game was imported from a file; omitted if not.
   */
  imported?: boolean;
  /**
   * The position from which the game was played on; omitted for other games.
   */
  played_on?: PlayedOn;
}
/**
 * A finished round of a game.
 */
export interface FinishedRound {
  /**
   * The number of the round, from 1.
   */
  round: number;
  /**
   * The points of each seat; omitted if the round was abandoned.
   *
   * @minItems 2
   * @maxItems 6
   */
  points?: number[];
}
/**
 * A finished round, step by step.
 */
export interface RoundReplay {
  /**
   * The format of the replay.
   */
  format: ReplayFormat;
  /**
   * The number of the round, from 1.
   */
  round: number;
  /**
   * The player of each seat at the deal.
   */
  players: ReplayPlayer[];
  /**
   * The points of each seat before the round.
   *
   * @minItems 2
   * @maxItems 6
   */
  totals: number[];
  /**
   * The steps. The first one is the deal.
   */
  steps: ReplayStep[];
}
/**
 * A step of a round: what one revision of the room has changed.
 */
export interface ReplayStep {
  /**
   * The revision after the step, as in `room` and `game`.
   */
  rev: number;
  /**
   * The time of the step, rounded down to a second.
   */
  at: Timestamp;
  /**
   * The seats that could act.
   */
  to_act: Seat[];
  /**
   * The act at the table; omitted for a move.
   */
  act?: TableAct;
  /**
   * The events of the game, as they were sent in `game`; omitted if there are none.
   */
  events?: GameEvent[];
  /**
   * The parts of the round that only one seat knew and that have changed, as in the views of `game`.
   */
  own?: unknown[][];
  /**
   * The public part of the round, as in the view of `game`; omitted if it has not changed.
   */
  table?: GameTable;
}
/**
 * The version of the page on the server.
 */
export interface CurrentPage {
  /**
   * The hash of all files of the page.
   */
  files: string;
}
/**
 * The body of a failed request.
 */
export interface ErrorBody {
  /**
   * The reason, as in the list of errors.
   */
  code: HttpCode | Code;
}
/**
 * The findings of the connection check.
 */
export interface ConnectionFindings {
  /**
   * The host of the page.
   */
  host: HostFinding;
  /**
   * The folder of the page.
   */
  path: PathFinding;
  /**
   * The scheme of the page.
   */
  scheme: SchemeFinding;
  /**
   * The addresses of clients.
   */
  client_addresses: AddressFinding;
  /**
   * The time without a message on the socket of the check, in seconds.
   */
  idle_seconds: number;
  /**
   * The public address of the page, if one is set.
   */
  public_url?: string;
}
/**
 * The only message on the socket of the connection check, sent after the idle time.
 */
export interface IdleMessage {
  /**
   * The idle time, in seconds.
   */
  seconds: number;
}
