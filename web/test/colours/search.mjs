// Searches the fill of a suit among all colours that may be called by its name. It maximises the smallest CIEDE2000
// difference to the other suits, under four kinds of sight.
//
//   node web/test/colours/search.mjs

import { contrast, difference, hex, hueAndChroma, SIGHTS } from './colour.mjs';
import { variables } from './variables.mjs';

/** The suits of the edition `amigo-1993`; purple is there with six players. */
const OTHERS = /** @type {const} */ (['red', 'yellow', 'green', 'blue', 'purple']);
/** The range of orange: halfway between the hues of red and yellow, and as colourful as they are printed. */
const HUES = [50, 62];
const CHROMA = 65;
/** The number on the fill is text, the fill on the card's stock a graphic. */
const TEXT = 4.5;
const GRAPHIC = 3;

const { light } = variables();

/** @param {string} fill */
function isOrange(fill) {
  const [hue, chroma] = hueAndChroma(fill);
  return hue >= HUES[0] && hue <= HUES[1] && chroma >= CHROMA;
}

/** @param {string} fill */
function isReadable(fill) {
  const [ivory, ink] = [contrast(fill, light.stock), contrast(fill, light['print-dark'])];
  return Math.max(ivory, ink) >= TEXT && ivory >= GRAPHIC;
}

/** @param {string} fill */
const smallest = (fill) =>
  SIGHTS.flatMap((sight) =>
    OTHERS.map((other) => ({ sight, other, by: difference(fill, light[other], sight) })),
  ).reduce((least, next) => (next.by < least.by ? next : least));

let best = { fill: '', by: 0 };
for (let r = 160; r < 256; r += 1) {
  for (let g = 60; g < 160; g += 1) {
    for (let b = 0; b < 80; b += 1) {
      const fill = hex([r / 255, g / 255, b / 255]);
      if (!isReadable(fill) || !isOrange(fill)) continue;
      const { by } = smallest(fill);
      if (by > best.by) best = { fill, by };
    }
  }
}

console.log(`The best orange is ${best.fill}; the page has ${light.orange}.`);
for (const fill of [best.fill, light.orange]) {
  const { sight, other, by } = smallest(fill);
  console.log(`\n${fill}: at least ${by.toFixed(1)} (${other}, ${sight})`);
  console.log(
    `  on it: ink ${contrast(fill, light['print-dark']).toFixed(1)}; on the stock ${contrast(fill, light.stock).toFixed(1)}`,
  );
  for (const sight of SIGHTS) {
    const all = OTHERS.map((other) => `${other} ${difference(fill, light[other], sight).toFixed(1)}`);
    console.log(`  ${sight.padEnd(12)} ${all.join(', ')}`);
  }
}
