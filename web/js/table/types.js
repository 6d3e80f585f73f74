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
 * @property {'pick' | 'trick' | 'round_end'} phase
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
 * @property {Score[]} [scores]
 *
 * @typedef {object} View What one receiver may see.
 * @property {number | null} seat
 * @property {TableView} table
 * @property {{ hand: CardText[], pick?: CardText }} [own]
 * @property {{ winning: boolean[], points: number[] }} [hints]
 * @property {number[]} to_act
 *
 * @typedef {{ type: string, [field: string]: any }} Event A public fact.
 * @typedef {{ type: string, card: CardText }} Action
 *
 * @typedef {object} Chair
 * @property {'free' | 'person' | 'bot'} kind
 * @property {string} [name]
 * @property {'here' | 'lost' | 'away'} [presence]
 * @property {boolean} [ready]
 * @property {boolean} [stood_in]
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
 * @property {{ rev: number, view: any, legal: any[], deadline?: number | null } | null} game
 * @property {{ kind: 'reveal' | 'trick', until: number, view: any, event: any } | null} pause
 * @property {FinishedTrick[]} history
 * @property {CardText | null} lifted
 * @property {{ id: string, card: CardText } | null} sending
 * @property {{ seat: number, reaction: string }[]} reactions
 * @property {any} sheet
 * @property {number} viewpoint
 * @property {number} clock
 * @property {any} settings
 *
 * @typedef {object} Actions What a template may ask for.
 * @property {(type: string, fields?: object) => any} send
 * @property {(card: CardText | null) => void} lift
 * @property {(action: Action) => any} act
 * @property {() => void} goOn
 * @property {(sheet: any) => void} open
 * @property {(settings: any) => void} set
 * @property {(seat: number) => void} viewpoint
 * @property {(ready: boolean) => any} ready
 *
 * @typedef {(key: string, args?: Record<string, any>) => string} Translate
 */

export {};
