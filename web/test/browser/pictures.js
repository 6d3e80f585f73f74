// Compares a page with the stored screenshots in `web/test/screens`, which people have reviewed.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';

import pixelmatch from 'pixelmatch';
import { PNG } from 'pngjs';

import { TARGET } from '../target.js';

/** @import { Page } from 'playwright-core' */

export const SCREENS_FOLDER = new URL('../screens/', import.meta.url);
/** The folder for pictures that differ, and for images of the difference. */
const DIFFERENCES_FOLDER = join(TARGET, 'screens');
const IS_UPDATE = process.env.UPDATE_SCREENS === '1';

/** The largest colour difference of equal pixels, from 0 to 1. Any two colour tokens of the page differ by more. */
const TOLERANCE = 0.12;
/** The largest share of different pixels: the edges of letters differ between versions of the browser. */
const MAX_DIFFERENT_SHARE = 0.002;

/**
 * Compares a page with the picture of this name, or replaces the picture if `UPDATE_SCREENS` is 1. Returns null if they
 * are alike, else a sentence about the difference.
 * @param {Page} page
 * @param {string} name
 * @returns {Promise<string | null>}
 */
export async function difference(page, name) {
  const now = PNG.sync.read(await page.screenshot({ animations: 'disabled', caret: 'hide' }));
  const file = new URL(`${name}.png`, SCREENS_FOLDER);
  if (IS_UPDATE) {
    mkdirSync(SCREENS_FOLDER, { recursive: true });
    writeFileSync(file, encodeIndexedPng(now));
    return null;
  }
  let before;
  try {
    before = PNG.sync.read(readFileSync(file));
  } catch {
    return `${name}: there is no picture; UPDATE_SCREENS=1 makes one`;
  }
  const { width, height } = now;
  if (before.width !== width || before.height !== height) return `${name}: another size`;
  const marked = new PNG({ width, height });
  const count = pixelmatch(before.data, now.data, marked.data, width, height, { threshold: TOLERANCE });
  if (count <= MAX_DIFFERENT_SHARE * width * height) return null;
  mkdirSync(DIFFERENCES_FOLDER, { recursive: true });
  writeFileSync(join(DIFFERENCES_FOLDER, `${name}.png`), PNG.sync.write(now));
  writeFileSync(join(DIFFERENCES_FOLDER, `${name}.difference.png`), PNG.sync.write(marked));
  return `${name}: ${count} pixels differ; see ${DIFFERENCES_FOLDER}`;
}

/**
 * Encodes a picture as a PNG file with a palette of at most 256 colours, to keep it small.
 * @param {PNG} picture
 */
function encodeIndexedPng({ width, height, data }) {
  const colourAt = (/** @type {number} */ at) => (data[at] << 16) | (data[at + 1] << 8) | data[at + 2];
  /** @type {Map<number, number>} */
  const counts = new Map();
  for (let at = 0; at < data.length; at += 4) counts.set(colourAt(at), (counts.get(colourAt(at)) ?? 0) + 1);
  const palette = paletteOf(counts);
  /** @type {Map<number, number>} */
  const nearest = new Map(palette.map((colour, index) => [colour, index]));
  const indexOf = (/** @type {number} */ colour) => {
    const known = nearest.get(colour);
    if (known !== undefined) return known;
    const index = palette.reduce(
      (best, other, at) => (distance(other, colour) < distance(palette[best], colour) ? at : best),
      0,
    );
    nearest.set(colour, index);
    return index;
  };
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) rows[y * (width + 1) + x + 1] = indexOf(colourAt(4 * (y * width + x)));
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  const colours = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  const chunks = [
    chunk('IHDR', head),
    chunk('PLTE', colours),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ];
  return Buffer.concat([Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]), ...chunks]);
}

/**
 * The palette, by the popularity algorithm: the colour space is divided into cubes of 16 levels in each direction. The
 * most frequent colour of each of the 160 cubes with the most pixels comes first, then the 96 most frequent colours.
 * @param {Map<number, number>} counts
 */
function paletteOf(counts) {
  /** @type {Map<number, { pixels: number, colour: number, most: number }>} */
  const cubes = new Map();
  for (const [colour, count] of counts) {
    const name = colour & 0xf0f0f0;
    const cube = cubes.get(name) ?? { pixels: 0, colour, most: 0 };
    cube.pixels += count;
    if (count > cube.most) Object.assign(cube, { most: count, colour });
    cubes.set(name, cube);
  }
  const first = [...cubes.values()].sort((a, b) => b.pixels - a.pixels).map(({ colour }) => colour);
  const rest = [...counts].sort((a, b) => b[1] - a[1]).map(([colour]) => colour);
  return [...new Set([...first.slice(0, 160), ...rest.slice(0, 96), ...first, ...rest])].slice(0, 256);
}

/** @param {number} one @param {number} other */
function distance(one, other) {
  const [r, g, b] = [16, 8, 0].map((shift) => ((one >> shift) & 255) - ((other >> shift) & 255));
  return 2 * r * r + 4 * g * g + 3 * b * b;
}

/** @param {string} type @param {Buffer} data */
function chunk(type, data) {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8 + named.length);
  frame.writeUInt32BE(data.length, 0);
  frame.set(named, 4);
  frame.writeUInt32BE(crc32(named), 4 + named.length);
  return frame;
}
