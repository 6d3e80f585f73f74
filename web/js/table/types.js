/**
 * What the table reads: the parts of messages and of the state that these modules touch.
 *
 * @typedef {string} CardText `red-7`
 * @typedef {{ leader: number, lead?: string, cards: CardText[], winning?: number }} Trick
 * @typedef {{ leader: number, cards: CardText[], taker?: number | null, points?: number }} FinishedTrick
 * @typedef {{ minus_cards: CardText[], minus: number, plus: number, points: number }} Score
 *
 * @typedef {object} TableView What everybody knows about the round.
 * @property {number} round
 * @property {string} phase
 * @property {number} first_leader
 * @property {number} [dealer]
 * @property {number[]} hand_counts
 * @property {number[]} captured
 * @property {number} [set_aside]
 * @property {number} tricks_played
 * @property {FinishedTrick} [last_trick]
 * @property {FinishedTrick[]} [history]
 * @property {Score[]} [running]
 * @property {boolean[]} [picked]
 * @property {CardText[]} [picks]
 * @property {Trick} [trick]
 * @property {any[]} [scores]
 * @property {any} [tricks_won] This and what follows only in Nyet!.
 * @property {any} [loot]
 * @property {any} [board]
 * @property {any} [characters]
 * @property {number} [covers_left]
 * @property {any} [conditions]
 * @property {any} [teams]
 * @property {boolean[]} [discarded]
 * @property {any} [discards]
 *
 * @typedef {object} View What one receiver may see.
 * @property {number | null} seat
 * @property {TableView} table
 * @property {{ hand: CardText[], pick?: CardText, discard?: CardText[], received?: CardText }} [own]
 * @property {{ winning: boolean[], points: number[] }} [hints]
 * @property {number[]} to_act
 *
 * @typedef {{ type: string, [field: string]: any }} Event A public fact.
 * @typedef {{ type: string, card?: CardText, cards?: CardText[], [field: string]: any }} Action
 *
 * @typedef {object} Chair
 * @property {'free' | 'person' | 'bot'} kind
 * @property {string} [name]
 * @property {'here' | 'lost' | 'away'} [presence]
 * @property {boolean} [ready]
 * @property {boolean} [stood_in]
 * @property {boolean} [waits_for_deal]
 * @property {string} [level]
 *
 * @typedef {object} Room The last `room` message.
 * @property {string} phase
 * @property {string | null} title
 * @property {Chair[]} chairs
 * @property {number | null} host
 * @property {any} options
 * @property {{ rounds: Score[][], totals: number[] } | null} sheet
 * @property {{ totals: number[], ranks: number[] } | null} standings
 *
 * @typedef {object} State As the page keeps it; `js/state.js` has the whole of it.
 * @property {{ status: string }} link
 * @property {{ seat: number | null, host: boolean }} you
 * @property {any} room
 * @property {{ rev: number, view: any, legal: any[], deadline?: number | null, cover?: any, byBot?: number[] } | null} game
 * @property {{ kind: 'reveal' | 'trick' | 'settled' | 'teams' | 'chosen', until: number, view: any, event: any } | null} pause
 * @property {FinishedTrick[]} history
 * @property {string[]} lifted
 * @property {{ id: string, card: CardText | null } | null} sending
 * @property {{ seat: number, reaction: string }[]} reactions
 * @property {any} sheet
 * @property {number} viewpoint
 * @property {number} clock
 * @property {any} settings
 *
 * @typedef {object} Actions What a template may ask for.
 * @property {(type: string, fields?: object) => any} tell
 * @property {(names: string[]) => void} lift
 * @property {(action: Action) => any} act
 * @property {() => void} goOn
 * @property {(sheet: any) => void} open
 * @property {(settings: any) => void} set
 * @property {(seat: number) => void} viewpoint
 * @property {(ready: boolean) => any} ready
 * @property {(key: string, args?: any, kind?: 'news' | 'good' | 'warn') => void} toast
 *
 * @typedef {(key: string, args?: Record<string, any>) => string} Translate
 * @typedef {{ strong: string, text: string }} Sentence The part in bold, and the rest.
 *
 * @typedef {object} Common What both games show.
 * @property {number} seats How many seats the game has.
 * @property {number | null} you The own seat.
 * @property {number} south The seat at the bottom.
 * @property {TableView} table What everybody knows, at least of this round.
 * @property {TableView} before The table as it was when what stays on it happened.
 * @property {View['own']} own What only the own seat knows.
 * @property {string[]} hand The own hand, sorted.
 * @property {Map<string, Action>} legal What can be done with each card.
 * @property {Map<string, { winning: boolean, points: number }>} hints What each card would do.
 * @property {number[]} toAct Who must act in what is shown.
 * @property {boolean} yours Whether the own seat must act in what is shown.
 * @property {number[]} byBot The seats for whose person a bot has laid a card to the trick.
 * @property {boolean} paused Whether the table rests: under the note that says so only the own hand can be reached.
 * @property {number | null} left The seconds that are left to those who must act.
 *
 * @typedef {object} Scene What a game adds to it.
 * @property {string} kind What is going on: `trick`, `taken`, `over`, or something of this game alone.
 * @property {number} most How many cards may be lifted at once.
 * @property {boolean} hasPlate Whether the own plate stands in the rail.
 * @property {number[]} turn The seats with a ring round their plate.
 * @property {(Trick & { taker?: number | null, points?: number }) | null} trick The trick on the table.
 * @property {number} number The number of that trick, from 1.
 *
 * @typedef {Common & Scene & { game: Game }} Shown What is shown now.
 *
 * @typedef {{ label?: string, action?: Action, goesOn?: boolean }} Button What the button says; without words it
 * says for whom all wait. `action`: what it does; `goesOn`: it ends a pause.
 *
 * @typedef {object} Options Of the house rules those that come `first`, and the others: to be changed, and as names
 * with values.
 * @property {(room: any, set: (change: object) => void) => unknown} first
 * @property {(room: any, set: (change: object) => void) => unknown} controls
 * @property {(room: any) => { first: string[][], others: string[][] }} texts
 *
 * @typedef {object} Game What the table needs to know of a game. `now` is what its `shown` has made.
 * @property {string} card A card that stands for it.
 * @property {number[]} seats With how many seats it is played, the fewest first.
 * @property {number} usual The usual number of them.
 * @property {(options: any) => string[]} colours What the digit keys stand for.
 * @property {(room: any) => number} rounds How many rounds a game has as usual.
 * @property {(state: State) => (Common & Scene) | null} shown What is to be shown now; `null` without a game.
 * @property {(now: any, state: State, actions: Actions) => unknown} felt What lies on the felt.
 * @property {(now: any) => string} heading What is on the felt, for those who do not see it.
 * @property {(state: State) => string} where Where the round is, for the bar.
 * @property {(now: any, state: State, t: Translate) => Sentence} sentence What stands above the hand.
 * @property {(now: any, state: State) => unknown} hub The middle of the table.
 * @property {(seat: number, now: any) => unknown} badge What is pinned to a plate.
 * @property {(seat: number, now: any) => unknown} beside What stands beside a name.
 * @property {(seat: number, now: any) => unknown} sub The second line of a plate.
 * @property {(seat: number, now: any) => unknown} more What the own plate tells after the tricks.
 * @property {(seat: number, now: any) => string} says A tag above a plate.
 * @property {(seat: number, now: any, state: State) => string[]} spoken What a plate tells, in words.
 * @property {(seat: number, now: any) => unknown} slot What lies in front of a seat besides cards of a trick.
 * @property {(now: any) => string} waits The key of what the own empty place asks for.
 * @property {(seat: number, now: any) => number} tricksOf How many tricks a seat has taken.
 * @property {(card: CardText, now: any) => { key: string, args?: any } | null} refuses Why a card cannot be lifted now.
 * @property {(card: CardText, now: any) => { drawn: unknown, words: string[] }} marks What is special about a card in
 *   this round.
 * @property {(now: any, state: State) => Button} button The button in the rail.
 * @property {(now: any, state: State) => unknown} above What stands between the sentence and the hand.
 * @property {(now: any, state: State) => string} summary A round in a sentence.
 * @property {(now: any, state: State) => unknown} calculation What a round was for everybody.
 * @property {(seat: number, now: any) => unknown} trophy What stands over the winner's place.
 * @property {(event: Event, room: Pick<Room, 'chairs'> | null, you: { seat: number | null, characters?: string[] }, t: Translate) => string | null} tell
 *   An event as a line for the spoken log; `null` if it is not worth one.
 */

export {};
