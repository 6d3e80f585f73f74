// A QR code as one path of an SVG. What draws it is fetched when the first one is wanted.

import { html, svg } from '../vendor/lit-html/lit-html.js';

/** Empty modules around it; with the edge of the paper below it they are the four that cameras need. */
const BORDER = 2;

let isFetching = false;
/** @type {typeof import('../vendor/uqr/uqr.js').encode | null} */
let encode = null;
/** @type {{ text: string, size: number, path: string } | null} */
let last = null;

/**
 * The QR code of a text, dark on light whatever the colours of the page are; an empty square until it can be drawn.
 * @param {string} text
 * @param {string} label
 * @param {() => void} fetched is called when what was an empty square can be drawn
 */
export function qr(text, label, fetched) {
  if (!encode) {
    if (!isFetching) void fetchEncoder(fetched);
    return html`<div class="qr"></div>`;
  }
  if (last?.text !== text) last = { text, ...drawn(encode(text, { ecc: 'M', border: BORDER })) };
  const { size, path } = last;
  return html`<div class="qr">
    ${svg`<svg viewBox="0 0 ${size} ${size}" role="img" aria-label=${label}><path d=${path} /></svg>`}
  </div>`;
}

/** @param {() => void} fetched */
async function fetchEncoder(fetched) {
  isFetching = true;
  try {
    ({ encode } = await import('../vendor/uqr/uqr.js'));
    fetched();
  } catch {
    // Without the drawing there are the link and the code.
  }
}

/** @param {{ size: number, data: boolean[][] }} code */
function drawn({ size, data }) {
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
