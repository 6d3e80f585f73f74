// The types of the page's state, and of the updates that change it. The types of messages are in protocol.d.ts, the
// interface of a game is in game.d.ts.

import type { AnyGame, GameTypes } from './game.js';
import type { Args } from './i18n.js';
import type {
  Card,
  Chair,
  ClientMessage,
  Code,
  GameEvent,
  GameOptions,
  Guest,
  ListedGame,
  Reaction,
  RoomSummary,
  RoundLog,
  Seat,
  ServerMessage,
  Sheet,
  TableState,
  You,
} from './protocol.js';
import type { ReplayState } from './replay/types.js';
import type { Settings } from './settings.js';
import type { Experience } from './storage.js';

/** A text by its key, with the arguments that fill it. */
export interface TextKey {
  key: string;
  args?: Args;
}

/** The room as the last `room` message described it: the fields of the message, and those of its `table`. */
export type RoomState<G extends GameTypes = AnyGame> = Omit<TableState, 'options'> & {
  rev: number;
  you: You;
  /** The clients in the waiting room, as the host is shown them. */
  guests: Guest[];
  options: G['options'];
};

/** A view in which a round has been dealt. */
export type DealtView<V extends { table: object | null }> = V extends unknown
  ? Omit<V, 'table'> & { table: NonNullable<V['table']> }
  : never;

/** The game as the last `game` message described it. */
export interface GameState<G extends GameTypes = AnyGame> {
  rev: number;
  view: DealtView<G['view']>;
  /** Everything that the own seat may do now. */
  legal: G['action'][];
  /** Everything with which the own seat may replace its choice. */
  changes: G['action'][];
  /** When the time of the acting seats is over. */
  deadline: number | null;
  /** The seats for whose person a bot has played a card to the trick on the table. */
  byBot: Seat[];
  /** The memory of the game: data of past events. */
  memory: G['memory'];
}

/** A hold: the table shows something finished for a while, although the game has gone on. */
export interface HoldState<G extends GameTypes = AnyGame> {
  kind: G['hold'];
  until: number;
  /** The view that the table shows until then. */
  view: DealtView<G['view']>;
  /** The event that led to the hold. */
  event: G['event'];
}

/** A chair with somebody on it. */
export type TakenChair = Exclude<Chair, { kind: 'free' }>;

export type ConnectionStatus =
  | 'connecting'
  | 'open'
  | 'waiting'
  | 'restarting'
  | 'unsaved'
  | 'elsewhere'
  | 'removed'
  | 'gone'
  | 'damaged'
  | 'closed'
  | 'full'
  | 'password'
  | 'guest_name'
  | 'guest'
  | 'turned_away';

/** The state of the connection to the room. */
export interface ConnectionState {
  status: ConnectionStatus;
  /** When the page tries again to connect. */
  retryAt: number | null;
  /** Since when there is no open connection; null while it is open. */
  since: number | null;
  /** Whether the server said that it restarts. */
  isRestart: boolean;
  /** Whether the server said that it cannot save. */
  isUnsaved: boolean;
}

/** A line of the chat. */
export interface ChatEntry {
  at: number;
  /** The number of the line among those of the same time. */
  number: number;
  name: string | null;
  /** The number of the sender as a spectator; null for a seat. */
  spectator: number | null;
  text: string;
  /** Whether it is a notice of the operator. */
  isNotice: boolean;
}

/** The newest notice of the operator. */
export interface NoticeState {
  /** The time when it was sent, by the clock of the server. */
  at: number;
  text: string;
  /** Whether the person has closed its banner. */
  isClosed: boolean;
}

/** The changes that the page has seen, and that a failover of the database has lost. */
export interface LostChanges {
  /** The number of lost revisions. */
  changes: number;
  /** The events among them; none if the page cannot tell them from others. */
  events: GameEvent[];
}

/** The banner about lost changes. */
export interface LostState {
  changes: number;
  /** The moves among them: the name of the seat, or null for the own one, and the card that was shown. */
  moves: { name: string | null; card: Card | null }[];
}

export type ToastKind = 'news' | 'warn';

/** A short message at the edge of the page. */
export interface Toast extends TextKey {
  id: number;
  kind: ToastKind;
  /** The seat of the person whom it is about. */
  seat: Seat | null;
  until: number;
}

/** The dialog that a button has opened: one of the page or of the table. */
export type DialogName =
  | null
  | 'scores'
  | 'past_tricks'
  | 'games'
  | 'log'
  | 'hands'
  | 'chat'
  | 'menu'
  | 'settings'
  | 'help'
  | 'keys'
  | 'check';

/** A part of the chat that gets the focus: the field for a line, or the reactions. */
export type DialogFocus = 'line' | 'reactions';

/** The code with which another device may take a seat. */
export interface HandoverCode {
  seat: Seat;
  code: string;
}

/** A question or a small form over the page. */
export type Prompt =
  | { kind: 'sit'; seat: Seat | null }
  | { kind: 'chair'; seat: Seat }
  | { kind: 'leave' }
  | { kind: 'end'; isHost: boolean }
  | { kind: 'offer_handover' }
  | { kind: 'redeem_handover'; offered?: HandoverCode }
  | { kind: 'claim' }
  | { kind: 'guests' }
  | { kind: 'spectator'; spectator: number }
  | { kind: 'remove_spectator'; spectator: number }
  | { kind: 'spectators' }
  | { kind: 'seat_moved' }
  | { kind: 'open_password'; form: RoomForm };

/** The form that opens a room, as it was filled. */
export interface RoomForm {
  name: string;
  title: string;
  listed: boolean;
  password: string;
}

/** The forms that wait for an answer and show why it was refused. */
export type FormName =
  | 'create'
  | 'join'
  | 'sit'
  | 'chair'
  | 'spectator'
  | 'redeem_handover'
  | 'claim'
  | 'password'
  | 'guest_name'
  | 'open_password';

/** The room that the home page is about to open. */
export interface Draft {
  game: RoomSummary['game'];
  seats: number;
}

/** A room where this browser has a seat. */
export interface SavedRoom {
  code: string;
  title: string | null;
}

/** A saved room as the home page shows it. */
export interface SavedRoomState extends SavedRoom {
  /** The phase of the room; null if it is not known. */
  phase: RoomSummary['phase'] | null;
}

export interface Home {
  /** The listed rooms; null until they are known. */
  rooms: RoomSummary[] | null;
  savedRooms: SavedRoomState[];
  draft: Draft;
}

/** The topic of the help where there is no room. */
export interface HelpTopic {
  game: RoomSummary['game'];
  /** A variant of the game, such as an edition; null for its first one. */
  variant: string | null;
}

/** A result of the connection check, or a result that is still missing (`wait`). */
export interface CheckResult {
  kind: 'good' | 'bad' | 'harmless' | 'wait';
  key: string;
  args: Args;
}

/** The log of a round that somebody reads. */
export interface GameListState {
  /** The games as they were read last; null before they are read. */
  games: ListedGame[] | null;
  /** Whether the server was asked for them and has not answered. */
  isBusy: boolean;
  /** Why they could not be read. */
  error: TextKey | null;
}

export interface RoundLogState {
  /** The number of the round. */
  round: number;
  /** The log as it was read last; null before it is read. */
  log: RoundLog | null;
  /** Whether the server was asked for it and has not answered. */
  isBusy: boolean;
  /** Why it could not be read. */
  error: TextKey | null;
}

/** A move that this page has sent, as long as the game does not show it. */
export interface PendingMove {
  id: string;
  /** The card that is played; null for any other move. */
  card: Card | null;
  /** How many cards like it were in the hand. */
  copies: number;
  /** The revision of the game in which it was sent. */
  rev: number;
  /** The round and the phase in which it was sent if other seats could act too; null if only the own seat could. */
  sharedPhase: string | null;
  /** The part that only the own seat knew when it was sent, if it replaces a choice; null for any other move. */
  replaces: DealtView<AnyGame['view']>['own'] | null;
}

/** The part of a room that a pending change replaces. */
export interface RoomChange {
  options?: Partial<GameOptions>;
  seats?: number;
}

/** A change of the room that this page has asked for, as long as the last `room` message may lack it. */
export interface PendingChange {
  /** The id of the command. */
  id: string;
  change: RoomChange;
  /** Whether the server has answered `ok`: the next `room` message has the change. */
  isDone: boolean;
}

/** The state of the page. Templates read it; only the reducer makes a new one. Times are milliseconds by this device. */
export interface State {
  /** The page that the address names: the home page, a room, or a replay. */
  route: 'home' | 'room' | 'replay';
  /** The code of the room, as the address names it. */
  code: string | null;
  /** The replay that is shown; null on other pages, and until its part is loaded. */
  replay: ReplayState | null;
  connection: ConnectionState;
  you: You;
  room: RoomState | null;
  /** The newest `sheet` message of the game. Null without a game. */
  sheet: Sheet | null;
  game: GameState | null;
  hold: HoldState | null;
  /** The holds that follow it, while the table shows missed events. The first one ends first. */
  nextHolds: HoldState[];
  /** The keys of the lifted cards, spaces or teams (see `cardKeys`). */
  lifted: string[];
  /** The own move that the game does not show yet; there is at most one. */
  pendingMove: PendingMove | null;
  /** The own changes that the room does not show yet, the oldest first. */
  pendingChanges: PendingChange[];
  chat: { lines: ChatEntry[]; unread: number; open: boolean };
  notice: NoticeState | null;
  lost: LostState | null;
  reactions: { seat: Seat; reaction: Reaction; until: number }[];
  /** The announcements to screen readers, the newest last. */
  announcements: { number: number; text: string }[];
  /** The status line as it was announced last. */
  statusLine: string;
  toasts: Toast[];
  /** How many toasts there have been. */
  toastCount: number;
  dialog: DialogName;
  /** The log in the dialog; null if none was read in this game. */
  roundLog: RoundLogState | null;
  /** The list of games; null until somebody opens it. */
  gameList: GameListState | null;
  /** The part of the dialog that gets the focus when it opens; null: the first one. */
  dialogFocus: DialogFocus | null;
  /** The names of the people whose lines and reactions this page does not show (mutes.js). */
  muted: string[];
  /** The seat at the bottom of the table, for spectators. */
  viewpoint: Seat;
  /** The time of the last update. */
  clock: number;
  settings: Settings;
  prompt: Prompt | null;
  /** Why forms were refused. */
  errors: Partial<Record<FormName, TextKey>>;
  /** Which forms wait for an answer. */
  busy: Partial<Record<FormName, boolean>>;
  home: Home;
  /** By how many milliseconds the server's clock is ahead, as `welcome` showed. */
  clockSkew: number;
  /** Whether the server has sent everything that happened before the page came. */
  isCaughtUp: boolean;
  /** The time of the newest line of chat; -1 before the first catch-up. After a reconnect only later lines are new. */
  newestLineAt: number;
  /** Whether the link is selected, to be copied by hand. */
  isLinkSelected: boolean;
  /** The code for another device that this page has asked for. */
  offeredHandover: { code: string; until: number } | null;
  /** The intro card that is shown; null before the first, `done` after the last or when there is no time for them. */
  introCard: number | 'done' | null;
  experience: Experience;
  checkResults: CheckResult[];
  help: HelpTopic;
}

/** A state with a room and a game, which may be over. */
export interface PlayState<G extends GameTypes = AnyGame> extends Omit<State, 'room' | 'game' | 'hold'> {
  room: RoomState<G>;
  game: GameState<G>;
  hold: HoldState<G> | null;
}

/** A change of the state. */
export type Update =
  | { type: 'tick' }
  | { type: 'message'; message: ServerMessage }
  | { type: 'route'; code: string | null; isReplay?: boolean }
  | { type: 'replay'; replay: ReplayState }
  | { type: 'connection'; status: ConnectionStatus; retryAt: number | null }
  | { type: 'caught_up' }
  | { type: 'move_sent'; id: string; card: Card | null }
  | { type: 'move_failed'; id: string }
  | { type: 'pending_change'; id: string; change: RoomChange }
  | { type: 'change_answer'; id: string; isDone: boolean }
  | { type: 'chat_read' }
  | { type: 'close_notice' }
  | { type: 'changes_lost'; lost: LostChanges }
  | { type: 'close_lost' }
  | { type: 'settings'; settings: Partial<Settings> }
  | { type: 'busy'; form: FormName; busy: boolean }
  | { type: 'error'; form: FormName; error: TextKey | null }
  | { type: 'home'; home: Partial<Home> }
  | { type: 'announce'; lines: string[]; statusLine: string }
  | { type: 'seat_moved' }
  | { type: 'experience'; experience: Experience }
  | { type: 'lift'; keys: string[] }
  | { type: 'end_hold' }
  | { type: 'games_asked' }
  | { type: 'games_refused'; error: TextKey }
  | { type: 'log_asked'; round: number }
  | { type: 'log_refused'; round: number; error: TextKey }
  | { type: 'open'; dialog: DialogName; focus?: DialogFocus }
  | { type: 'muted'; names: string[] }
  | { type: 'viewpoint'; seat: Seat }
  | { type: 'prompt'; prompt: Prompt | null }
  | { type: 'draft'; draft: Partial<Draft> }
  | { type: 'toast'; key: string; args?: Args; kind?: ToastKind }
  | { type: 'intro_card'; card: number | 'done' }
  | { type: 'help'; help: Partial<HelpTopic> }
  | { type: 'check_results'; results: CheckResult[] }
  | { type: 'link_selected' };

/** An update at its time. */
export type TimedUpdate = Update & { now: number };

/** A command to the room: a message without its id. */
export type Command<M = ClientMessage> = M extends unknown ? Omit<M, 'id'> : never;

/** The answer to a command: done, refused with a code, too large to be sent, or none because the session has ended. */
export type Answer = 'ok' | 'not_connected' | 'too_large' | Code;
