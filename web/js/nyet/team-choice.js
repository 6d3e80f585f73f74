/** Which teams are lifted, before they are confirmed: pure. */

/** @import { Action, State } from '../table/types.js' */
/** @import { Shown, Teams } from './scene.js' */

/**
 * @typedef {object} Choice
 * @property {number[]} partners The partners that are lifted.
 * @property {number | null} bonus Who would get the x2 card.
 * @property {number} most How many partners there can be.
 * @property {Teams | null} teams The teams that would be; `null` if these cannot be.
 * @property {number[]} pair Who could hold the x2 card, where that is to be chosen.
 * @property {boolean} needsBonus Whether it is still to be chosen.
 * @property {Action} [action] What forms these teams.
 */

/**
 * What the lifted partners come to. Who may be chosen is what the server lists.
 * @param {Shown} now
 * @param {State} state
 * @returns {Choice}
 */
export function choice(now, state) {
  const partners = chosen(state.lifted, 'seat');
  const all = now.actions.filter((action) => action.type === 'team');
  const most = Math.max(0, ...all.map((action) => action.partners.length));
  const isSame = (/** @type {Action} */ action) =>
    action.partners.length === partners.length && partners.every((seat) => action.partners.includes(seat));
  const these = all.filter(isSame);
  const pair = [...new Set(these.flatMap((action) => action.bonus ?? []))];
  const lifted = chosen(state.lifted, 'x2')[0] ?? null;
  const bonus = lifted !== null && pair.includes(lifted) ? lifted : null;
  const action = these.find((action) => (action.bonus ?? null) === bonus);
  const start = now.conditions?.start_seat ?? 0;
  const of = Array.from({ length: now.seats }, (_, seat) => Number(seat !== start && !partners.includes(seat)));
  const teams = these.length > 0 ? { of, bonus } : null;
  return { partners, bonus, most, teams, pair, needsBonus: pair.length > 0 && bonus === null, action };
}

/**
 * What is lifted after a tap on somebody: put down again, or lifted instead of whoever was lifted first.
 * @param {readonly string[]} lifted
 * @param {'seat' | 'x2'} group
 * @param {number} seat
 * @param {number} most
 * @returns {string[]}
 */
export function toggled(lifted, group, seat, most) {
  const name = `${group}:${seat}`;
  const own = lifted.filter((other) => other.startsWith(`${group}:`));
  const others = lifted.filter((other) => !other.startsWith(`${group}:`));
  return own.includes(name)
    ? [...others, ...own.filter((other) => other !== name)]
    : [...others, ...[...own, name].slice(-most)];
}

/**
 * @param {readonly string[]} lifted
 * @param {string} group
 * @returns {number[]}
 */
const chosen = (lifted, group) =>
  lifted.filter((name) => name.startsWith(`${group}:`)).map((name) => Number(name.split(':')[1]));
