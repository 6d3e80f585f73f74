// The effect of the tricks of a round of Nyet! on its points (docs/rules/nyet.md, section 7).

import { signed } from '../table/format.js';

/** @import { TakenTrick, TrickEffect } from '../game.js' */
/** @import { Seat, Teams } from '../protocol.js' */
/** @import { Nyet } from './types.js' */

/**
 * The effect of each trick. A trick is worth the points of the round once, and once more for each loot card; each member of the
 * team that takes it gets them. It costs the other team its worth; where the worth is negative, it costs the team that takes it.
 * The costs are those of the team of a seat, which count double if the seat holds the x2 card. For no seat they are those of the
 * team that loses the round, or has fewer points so far: it has the lower mean points of its members. With equal points they are
 * those of both teams.
 * @param {readonly TakenTrick<Nyet>[]} tricks
 * @param {Seat | null} seat
 * @returns {TrickEffect[]}
 */
export function trickEffects(tricks, seat) {
  const table = tricks.at(-1)?.table;
  if (table?.phase !== 'trick' && table?.phase !== 'round_end') return [];
  const { conditions, teams } = table;
  const taken = tricks.map(({ event }) => ({
    team: teams.of[event.seat],
    worth: (1 + event.loot.length) * Number(conditions.points),
  }));
  const concerned = seat === null ? losers(taken, teams) : [teams.of[seat]];
  const factor = seat !== null && seat === teams.bonus ? 2 : 1;
  return taken.map(({ team, worth }) => {
    const isCost = concerned.some((other) => (other === team) === worth < 0);
    return {
      cost: isCost ? Math.abs(worth) * factor : 0,
      note: { key: 'nyet.trickWorth', args: { points: signed(worth) } },
    };
  });
}

/**
 * The team whose members have the lower mean points, or both teams.
 * @param {readonly { team: number, worth: number }[]} taken
 * @param {Teams} teams
 */
function losers(taken, { of, bonus }) {
  const means = [...new Set(of)].map((team) => {
    const members = of.filter((other) => other === team).length;
    const doubled = bonus !== null && of[bonus] === team ? 1 : 0;
    const each = taken.reduce((sum, trick) => sum + (trick.team === team ? trick.worth : 0), 0);
    return { team, mean: (each * (members + doubled)) / members };
  });
  const least = Math.min(...means.map(({ mean }) => mean));
  return means.flatMap(({ team, mean }) => (mean === least ? [team] : []));
}
