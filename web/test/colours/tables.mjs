// The tables of docs/colours.md, computed from the variables.
//
//   node web/test/colours/tables.mjs     prints them

import { contrast, difference, SIGHTS } from './colour.mjs';
import { variables } from './variables.mjs';

/** @import { Sight } from './colour.mjs' */
/** @import { Variables } from './variables.mjs' */

/** The pairs of foreground and background; a graphic needs less contrast than a text. */
const PAIRS = /** @type {const} */ ([
  ['ink', 'linen', 'text'],
  ['ink', 'paper', 'text'],
  ['ink', 'paper-sunken', 'text'],
  ['ink-muted', 'linen', 'text'],
  ['ink-muted', 'paper', 'text'],
  ['ink-muted', 'paper-sunken', 'text'],
  ['paper', 'ink', 'text'],
  ['line-strong', 'paper', 'graphic'],
  ['line-strong', 'linen', 'graphic'],
  ['on-accent', 'accent', 'text'],
  ['accent', 'paper', 'text'],
  ['thread', 'linen', 'graphic'],
  ['thread', 'paper', 'graphic'],
  ['on-wood', 'wood', 'text'],
  ['on-wood-muted', 'wood', 'text'],
  ['thread-wood', 'wood', 'text'],
  ['on-thread-wood', 'thread-wood', 'text'],
  ['good', 'paper', 'text'],
  ['bad', 'paper', 'text'],
  ['good', 'paper-sunken', 'text'],
  ['bad', 'paper-sunken', 'text'],
  ['focus', 'linen', 'graphic'],
  ['focus', 'paper', 'graphic'],
]);
export const NEEDED = { text: 4.5, graphic: 3 };

/** The suits, with what their numbers are printed in. */
const SUITS = /** @type {const} */ ([
  ['red', 'stock'],
  ['orange', 'print-dark'],
  ['yellow', 'print-dark'],
  ['green', 'stock'],
  ['blue', 'stock'],
  ['purple', 'stock'],
  ['grey', 'print-dark'],
]);

/** The suits that are seen together, by edition. */
const EDITIONS = {
  nsv: ['red', 'yellow', 'green', 'blue', 'purple', 'grey'],
  'amigo-1993': ['red', 'orange', 'yellow', 'green', 'blue', 'purple'],
};

/** The contrast of every pair in both themes. */
export function contrasts() {
  const themes = Object.values(variables());
  return PAIRS.map(([front, back, kind]) => ({
    front,
    back,
    kind,
    by: themes.map((theme) => contrast(theme[front], theme[back])),
  }));
}

/** Every suit, with the contrast of the number printed on it. */
export function suits() {
  const { light } = variables();
  return SUITS.map(([suit, print]) => ({ suit, fill: light[suit], print, by: contrast(light[suit], light[print]) }));
}

/** The two suits of each edition that look most alike, by sight. */
export function alike() {
  const { light } = variables();
  return Object.entries(EDITIONS).flatMap(([edition, all]) =>
    SIGHTS.map((sight) => ({ edition, sight, ...least(pairs(all), sight, light) })),
  );
}

/** The suit most like orange, by sight. */
export function likeOrange() {
  const { light } = variables();
  const others = EDITIONS['amigo-1993'].filter((suit) => suit !== 'orange');
  const all = others.map((other) => /** @type {[string, string]} */ (['orange', other]));
  return SIGHTS.map((sight) => ({ sight, ...least(all, sight, light) }));
}

/** The tables as they stand in the document, by their name there. */
export function tables() {
  const one = (/** @type {number} */ number) => number.toFixed(1);
  const row = (/** @type {string[]} */ cells) => `| ${cells.join(' | ')} |`;
  const table = (/** @type {string[]} */ head, /** @type {string[][]} */ rows) =>
    [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');
  return {
    contrast: table(
      ['colour', 'on', 'is', 'light', 'dark'],
      contrasts().map(({ front, back, kind, by }) => [`\`--${front}\``, `\`--${back}\``, kind, ...by.map(one)]),
    ),
    suits: table(
      ['suit', 'fill', 'number', 'contrast'],
      suits().map(({ suit, fill, print, by }) => [suit, `\`${fill}\``, print === 'stock' ? 'ivory' : 'ink', one(by)]),
    ),
    alike: table(
      ['edition', 'sight', 'most alike', 'CIEDE2000'],
      alike().map(({ edition, sight, pair, by }) => [`\`${edition}\``, sight, pair.join(' and '), one(by)]),
    ),
    orange: table(
      ['sight', 'most like orange', 'CIEDE2000'],
      likeOrange().map(({ sight, pair, by }) => [sight, pair[1], one(by)]),
    ),
  };
}

/** @param {string[]} suits */
const pairs = (suits) =>
  suits.flatMap((suit, at) => suits.slice(at + 1).map((other) => /** @type {[string, string]} */ ([suit, other])));

/**
 * @param {[string, string][]} pairs
 * @param {Sight} sight
 * @param {Variables} colours
 */
function least(pairs, sight, colours) {
  const all = pairs.map((pair) => ({ pair, by: difference(colours[pair[0]], colours[pair[1]], sight) }));
  return all.reduce((least, next) => (next.by < least.by ? next : least));
}

if (process.argv[1] === import.meta.filename) {
  for (const [name, table] of Object.entries(tables()))
    console.log(`<!-- table: ${name} -->\n${table}\n<!-- end -->\n`);
}
