// The chart of a game: the totals after each round as lines.

import { html, nothing, svg } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { BOTTOM, chartPoints, cumulate, gridLines, LEFT, RIGHT, spreadLabels, TOP } from './chart-layout.js';
import { pointsText, signed } from './format.js';

/** @import { Seat } from '../protocol.js' */

/** The edges of the drawing, and the gap between the end of a line and its label. */
const START = -8;
const END = 360;
const GAP = 14;
/** The font of the labels. */
const FONT = '700 13px "Atkinson Next", system-ui, sans-serif';

/**
 * The chart. Its label and the table beside it have the same numbers.
 * @param {readonly number[][]} rounds the points of each round, by seat
 * @param {readonly string[]} names
 * @param {Seat | null} ownSeat
 * @param {number} planned how many rounds are drawn at least
 */
export function chart(rounds, names, ownSeat, planned) {
  const seats = names.length;
  const totals = cumulate(rounds, seats);
  const columns = Math.max(rounds.length, planned, 1);
  const points = chartPoints(totals, columns);
  const lines = gridLines(totals);
  const step = (BOTTOM - TOP) / (lines.length - 1);
  const every = Math.ceil(columns / 6);
  const ends = points.map((line) => line[line.length - 1]);
  const labels = spreadLabels(ends.map((end) => end.y + 4.5));
  // The own line comes last, above the others.
  const order = names.map((_, seat) => seat).sort((a, b) => Number(a === ownSeat) - Number(b === ownSeat));
  const others = order.filter((seat) => seat !== ownSeat);
  const spoken = names.map((name, seat) => `${name} ${totals[seat].slice(1).map(signed).join(', ')}`);
  return html`<svg
    class="chart"
    viewBox=${`${START} 0 ${END - START} 230`}
    role="img"
    aria-label=${t('play.chart', { lines: spoken.join('; ') })}
  >
    <g aria-hidden="true">
      ${lines.map((value, index) => {
        const y = BOTTOM - step * index;
        return svg`<line class=${value === 0 ? 'zero-line' : 'grid-line'} x1=${LEFT} x2=${RIGHT} y1=${y} y2=${y} /><text x="24" y=${y + 4} text-anchor="end">${pointsText(value)}</text>`;
      })}
      ${Array.from({ length: columns }, (_, index) =>
        (index + 1) % every === 0
          ? svg`<text x=${LEFT + ((RIGHT - LEFT) * (index + 1)) / columns} y="226" text-anchor="middle">${t('play.scores.round', { n: index + 1 })}</text>`
          : nothing,
      )}
      ${order.map((seat) => line(points[seat], seat === ownSeat ? -1 : others.indexOf(seat)))}
      ${order.map(
        (seat) =>
          svg`<text class=${seat === ownSeat ? 'label own' : 'label'} x=${ends[seat].x + GAP} y=${labels[seat]}>${label(names[seat], signed(totals[seat][rounds.length]))}</text>`,
      )}
    </g>
  </svg>`;
}

/**
 * A label: a name and a number. A long name is shortened to fit beside the lines.
 * @param {string} name
 * @param {string} number
 */
function label(name, number) {
  const characters = [...new Intl.Segmenter().segment(name)].map(({ segment }) => segment);
  const shortened = (/** @type {number} */ count) =>
    count === characters.length ? name : `${characters.slice(0, count).join('').trim()}…`;
  let count = characters.length;
  while (count > 1 && widthOf(`${shortened(count)} ${number}`) > END - RIGHT - GAP) count -= 1;
  return `${shortened(count)} ${number}`;
}

/** The canvas that measures texts. @type {CanvasRenderingContext2D | null} */
let pen = null;

/**
 * The width of a text.
 * @param {string} text
 */
function widthOf(text) {
  pen ??= document.createElement('canvas').getContext('2d');
  if (!pen) return 0;
  pen.font = FONT;
  return pen.measureText(text).width;
}

/**
 * A line and its marks. The lines differ by dashes and marks.
 * @param {{ x: number, y: number }[]} points
 * @param {number} kind -1 for the own line
 */
function line(points, kind) {
  const dash = kind < 0 ? 'own' : ['', 'dash-2', 'dash-3', 'dash-4', 'dash-5', 'dash-6'][kind % 6];
  const path = points.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ');
  return svg`<polyline class=${`series ${dash}`} points=${path} />${points.slice(1).map((point) => mark(point, kind))}`;
}

/**
 * @param {{ x: number, y: number }} point
 * @param {number} kind
 */
function mark({ x, y }, kind) {
  switch (kind) {
    case -1:
      return svg`<circle class="point own" cx=${x} cy=${y} r="5" />`;
    case 0:
      return svg`<rect class="point" x=${x - 4.5} y=${y - 4.5} width="9" height="9" />`;
    case 1:
      return svg`<path class="point" d=${`M${x} ${y - 6}l6 10.5h-12z`} />`;
    case 2:
      return svg`<circle class="point" cx=${x} cy=${y} r="5" />`;
    case 3:
      return svg`<path class="point" d=${`M${x} ${y - 6.5}l6.5 6.5l-6.5 6.5l-6.5 -6.5z`} />`;
    case 4:
      return svg`<path class="point" d=${`M${x} ${y + 6}l6 -10.5h-12z`} />`;
    default:
      return svg`<path class="point" d=${`M${x - 5} ${y - 5}l10 10m0 -10l-10 10`} />`;
  }
}
