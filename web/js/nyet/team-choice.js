// The choice of the teams before it is confirmed: pure functions of the lifted keys.

/** @import { NyetTeamAction, Seat, Teams } from '../protocol.js' */
/** @import { State } from '../types.js' */
/** @import { NyetDisplay } from './types.js' */

/** The lift keys: `seat:2` is a partner, `x2:2` the holder of the x2 card. @typedef {'seat' | 'x2'} Group */

/**
 * @typedef {object} TeamChoice
 * @property {Seat[]} partners the partners that are lifted
 * @property {Seat | null} bonus the seat that gets the x2 card
 * @property {number} maxPartners
 * @property {Teams | null} teams the teams that would be formed; null if these partners are not possible
 * @property {Seat[]} bonusSeats the seats that could get the x2 card
 * @property {boolean} needsBonus whether the holder of the x2 card is still to be chosen
 * @property {NyetTeamAction | undefined} action the move that forms the teams
 */

/**
 * The choice that is lifted. The server lists which partners are possible.
 * @param {NyetDisplay} display
 * @param {Pick<State, 'lifted'>} state
 * @returns {TeamChoice}
 */
export function teamChoice({ actions, conditions, seats }, { lifted }) {
  const partners = chosen(lifted, 'seat');
  const all = actions.filter((action) => action.type === 'team');
  const maxPartners = Math.max(0, ...all.map((action) => action.partners.length));
  const possible = all.filter(
    (action) => action.partners.length === partners.length && partners.every((seat) => action.partners.includes(seat)),
  );
  const bonusSeats = [...new Set(possible.flatMap((action) => action.bonus ?? []))];
  const holder = chosen(lifted, 'x2')[0] ?? null;
  const bonus = holder !== null && bonusSeats.includes(holder) ? holder : null;
  const start = conditions?.start_seat ?? 0;
  const of = Array.from({ length: seats }, (_, seat) => Number(seat !== start && !partners.includes(seat)));
  return {
    partners,
    bonus,
    maxPartners,
    teams: possible.length > 0 ? { of, bonus } : null,
    bonusSeats,
    needsBonus: bonusSeats.length > 0 && bonus === null,
    action: possible.find((action) => action.bonus === bonus),
  };
}

/**
 * The lifted keys after a tap on a seat: it is put down if it was lifted. Otherwise it is lifted; if that is one too
 * many, the one that was lifted first is put down.
 * @param {readonly string[]} lifted
 * @param {Group} group
 * @param {Seat} seat
 * @param {number} max
 * @returns {string[]}
 */
export function toggleLift(lifted, group, seat, max) {
  const key = `${group}:${seat}`;
  const own = lifted.filter((other) => other.startsWith(`${group}:`));
  const others = lifted.filter((other) => !other.startsWith(`${group}:`));
  return own.includes(key)
    ? [...others, ...own.filter((other) => other !== key)]
    : [...others, ...[...own, key].slice(-max)];
}

/**
 * @param {readonly string[]} lifted
 * @param {Group} group
 * @returns {Seat[]}
 */
const chosen = (lifted, group) =>
  lifted.filter((key) => key.startsWith(`${group}:`)).map((key) => Number(key.split(':')[1]));
