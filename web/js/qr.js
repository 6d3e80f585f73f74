// A QR code as one path of an SVG. The encoder is loaded when the first one is drawn.

import { html, svg } from '../vendor/lit-html/lit-html.js';
import { retry } from './parts.js';

/** @import { encode as Encode } from '../vendor/uqr/uqr.js' */

/** The width of the empty margin of a code, in modules. The paper around it adds the rest of the four that cameras need. */
const BORDER = 2;

let isLoading = false;
/** @type {typeof Encode | null} */
let encode = null;
/** @type {{ text: string, size: number, path: string } | null} */
let lastDrawn = null;

/**
 * The QR code of a text, dark on light in all themes; an empty square until the encoder is loaded.
 * @param {string} text
 * @param {string} label
 * @param {() => void} onLoad is called when the encoder is loaded
 */
export function qr(text, label, onLoad) {
  if (!encode) {
    if (!isLoading) void loadEncoder(onLoad);
    return html`<div class="qr"></div>`;
  }
  if (lastDrawn?.text !== text) lastDrawn = { text, ...pathOf(encode(text, { ecc: 'M', border: BORDER })) };
  const { size, path } = lastDrawn;
  return html`<div class="qr">
    ${svg`<svg viewBox="0 0 ${size} ${size}" role="img" aria-label=${label}><path d=${path} /></svg>`}
  </div>`;
}

/** @param {() => void} onLoad */
async function loadEncoder(onLoad) {
  isLoading = true;
  await retry(async () => {
    ({ encode } = await import('../vendor/uqr/uqr.js'));
  });
  onLoad();
}

/**
 * The dark modules of a code as a path.
 * @param {{ size: number, data: boolean[][] }} code
 */
function pathOf({ size, data }) {
  const runs = data.map((row, y) =>
    [
      ...row
        .map((isDark) => (isDark ? 'x' : ' '))
        .join('')
        .matchAll(/x+/g),
    ]
      .map(({ index, 0: { length } }) => `M${index} ${y}h${length}v1h${-length}z`)
      .join(''),
  );
  return { size, path: runs.join('') };
}
