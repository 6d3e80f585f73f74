// Colours as numbers: contrast (WCAG 2), sight without one kind of cones, and how different two colours look (CIEDE2000).
// The sight is that of Machado, Oliveira & Fernandes 2009, full severity, on linear RGB.

/** @typedef {[number, number, number]} Triple */
/** @typedef {'normal' | 'protanopia' | 'deuteranopia' | 'tritanopia'} Sight */

/** Four kinds of sight, with what each makes of linear RGB. */
const MACHADO = /** @type {Record<Sight, Triple[]>} */ ({
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
});

export const SIGHTS = /** @type {Sight[]} */ (Object.keys(MACHADO));

/**
 * The parts of a colour, each between 0 and 1.
 * @param {string} hex like `#ad0f12`
 * @returns {Triple}
 */
export function parts(hex) {
  const [, r, g, b] = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(hex) ?? [];
  if (b === undefined) throw new Error(`no colour: ${hex}`);
  return [parseInt(r, 16) / 255, parseInt(g, 16) / 255, parseInt(b, 16) / 255];
}

/**
 * @param {Triple} rgb
 * @returns {string}
 */
export const hex = (rgb) =>
  `#${rgb
    .map((part) =>
      Math.round(part * 255)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;

/**
 * The contrast of two colours by WCAG 2, from 1 to 21.
 * @param {string} one
 * @param {string} other
 */
export function contrast(one, other) {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** @param {string} colour */
function luminance(colour) {
  const [r, g, b] = linear(parts(colour));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/**
 * How different two colours look, by CIEDE2000; below 2 hardly anybody sees a difference.
 * @param {string} one
 * @param {string} other
 * @param {Sight} [sight]
 */
export const difference = (one, other, sight = 'normal') => ciede2000(lab(seen(one, sight)), lab(seen(other, sight)));

/**
 * The colour that somebody with this sight sees, in linear RGB.
 * @param {string} colour
 * @param {Sight} sight
 */
function seen(colour, sight) {
  const rgb = linear(parts(colour));
  const mixed = MACHADO[sight].map((row) => row[0] * rgb[0] + row[1] * rgb[1] + row[2] * rgb[2]);
  return /** @type {Triple} */ (mixed.map((part) => Math.min(1, Math.max(0, part))));
}

/**
 * @param {Triple} rgb
 * @returns {Triple}
 */
function linear(rgb) {
  const one = (/** @type {number} */ part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  return [one(rgb[0]), one(rgb[1]), one(rgb[2])];
}

/**
 * CIELAB under D65.
 * @param {Triple} rgb linear
 * @returns {Triple}
 */
function lab([r, g, b]) {
  const f = (/** @type {number} */ t) => (t > 216 / 24389 ? Math.cbrt(t) : ((24389 / 27) * t + 16) / 116);
  const x = f((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
  const y = f(0.2126729 * r + 0.7151522 * g + 0.072175 * b);
  const z = f((0.0193339 * r + 0.119192 * g + 0.9503041 * b) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

/**
 * The hue of a colour in degrees (red about 40, yellow about 82), and how colourful it is, in CIELAB.
 * @param {string} colour
 */
export function hueAndChroma(colour) {
  const [, a, b] = lab(linear(parts(colour)));
  return [(Math.atan2(b, a) * 180) / Math.PI, Math.hypot(a, b)];
}

/**
 * Sharma, Wu & Dalal 2005.
 * @param {Triple} one
 * @param {Triple} other
 */
export function ciede2000([l1, a1, b1], [l2, a2, b2]) {
  const { sqrt, hypot, atan2, cos, sin, exp, abs, PI } = Math;
  const mean = (hypot(a1, b1) + hypot(a2, b2)) / 2;
  const g = 0.5 * (1 - sqrt(mean ** 7 / (mean ** 7 + 25 ** 7)));
  const [p1, p2] = [a1 * (1 + g), a2 * (1 + g)];
  const [c1, c2] = [hypot(p1, b1), hypot(p2, b2)];
  const hue = (/** @type {number} */ b, /** @type {number} */ a) =>
    a === 0 && b === 0 ? 0 : (atan2(b, a) + 2 * PI) % (2 * PI);
  const [h1, h2] = [hue(b1, p1), hue(b2, p2)];
  let dh = c1 * c2 === 0 ? 0 : h2 - h1;
  if (dh > PI) dh -= 2 * PI;
  else if (dh < -PI) dh += 2 * PI;
  const dL = l2 - l1;
  const dC = c2 - c1;
  const dH = 2 * sqrt(c1 * c2) * sin(dh / 2);
  const l = (l1 + l2) / 2;
  const c = (c1 + c2) / 2;
  let h = h1 + h2;
  if (c1 * c2 !== 0) {
    if (abs(h1 - h2) > PI) h += h < 2 * PI ? 2 * PI : -2 * PI;
    h /= 2;
  }
  const degrees = (/** @type {number} */ angle) => (angle * PI) / 180;
  const t =
    1 -
    0.17 * cos(h - degrees(30)) +
    0.24 * cos(2 * h) +
    0.32 * cos(3 * h + degrees(6)) -
    0.2 * cos(4 * h - degrees(63));
  const turn = degrees(30) * exp(-((((h * 180) / PI - 275) / 25) ** 2));
  const rc = 2 * sqrt(c ** 7 / (c ** 7 + 25 ** 7));
  const sl = 1 + (0.015 * (l - 50) ** 2) / sqrt(20 + (l - 50) ** 2);
  const sc = 1 + 0.045 * c;
  const sh = 1 + 0.015 * c * t;
  const rt = -sin(2 * turn) * rc;
  return sqrt((dL / sl) ** 2 + (dC / sc) ** 2 + (dH / sh) ** 2 + rt * (dC / sc) * (dH / sh));
}
