// The layout of the chart: where its lines and labels lie. chart.js draws it.

/** The edges of the grid. */
export const LEFT = 32;
export const RIGHT = 248;
export const TOP = 14;
export const BOTTOM = 204;
/** Labels that are closer than this would overlap. */
const LINE_HEIGHT = 18;

/**
 * The total of each seat before the first round and after each.
 * @param {readonly number[][]} rounds the points of each round, by seat
 * @param {number} seats
 * @returns {number[][]} for each seat
 */
export function cumulate(rounds, seats) {
  return Array.from({ length: seats }, (_, seat) => {
    let total = 0;
    return [0, ...rounds.map((round) => (total += round[seat]))];
  });
}

/**
 * The lines of the grid, from the lowest to the highest: at most about eight round numbers around all values and zero.
 * @param {readonly number[][]} totals
 * @returns {number[]}
 */
export function gridLines(totals) {
  const all = totals.flat();
  const span = Math.max(...all, 0) - Math.min(...all, 0);
  const step = [5, 10, 20, 50, 100, 200, 500].find((step) => span / step <= 7) ?? 1000;
  const low = Math.min(-1, Math.floor(Math.min(...all, 0) / step));
  const high = Math.max(1, Math.ceil(Math.max(...all, 0) / step));
  return Array.from({ length: high - low + 1 }, (_, index) => (low + index) * step);
}

/**
 * The points of the lines.
 * @param {readonly number[][]} totals for each seat, before the first round and after each
 * @param {number} rounds how many rounds the chart has room for
 * @returns {{ x: number, y: number }[][]} for each seat
 */
export function chartPoints(totals, rounds) {
  const lines = gridLines(totals);
  const low = lines[0];
  const high = lines[lines.length - 1];
  return totals.map((values) =>
    values.map((value, round) => ({
      x: LEFT + ((RIGHT - LEFT) * round) / Math.max(1, rounds),
      y: BOTTOM - ((BOTTOM - TOP) * (value - low)) / (high - low),
    })),
  );
}

/**
 * Heights moved apart as little as needed for labels not to overlap, in their order.
 * @param {readonly number[]} heights
 * @returns {number[]}
 */
export function spreadLabels(heights) {
  const order = heights.map((_, index) => index).sort((a, b) => heights[a] - heights[b]);
  const result = [...heights];
  for (let at = 1; at < order.length; at += 1) {
    result[order[at]] = Math.max(result[order[at]], result[order[at - 1]] + LINE_HEIGHT);
  }
  let limit = BOTTOM + 6;
  for (const index of order.reverse()) {
    result[index] = Math.min(result[index], limit);
    limit = result[index] - LINE_HEIGHT;
  }
  return result;
}
