// The icons of the page: line drawings on buttons, tags and banners.

import { html } from '../vendor/lit-html/lit-html.js';

const PATHS = {
  help: 'M12 3a9 9 0 1 0 .01 0ZM9.3 9.5a2.7 2.7 0 1 1 4 2.4c-.9.5-1.3 1-1.3 2M12 17v.01',
  globe: 'M12 3a9 9 0 1 0 .01 0ZM3 12h18M12 3c3 2.7 4 5.5 4 9s-1 6.3-4 9c-3-2.7-4-5.5-4-9s1-6.3 4-9',
  moon: 'M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10Z',
  sun: 'M12 8a4 4 0 1 0 .01 0ZM12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M18.7 5.3l-1.4 1.4M6.7 17.3l-1.4 1.4',
  halfMoon: 'M12 3a9 9 0 1 0 .01 0ZM12 3v18M12 7h5.5M12 11h8.5M12 15h7.5M12 19h4',
  door: 'M6 21V3.5h12V21M3 21h18M14.5 12v.01',
  robot: 'M5 9h14v10H5ZM12 9V5M9.5 13.5v1M14.5 13.5v1M2.5 13v3M21.5 13v3',
  crown: 'M4 18h16M4 15 3 7l5 3.5L12 5l4 5.5L21 7l-1 8Z',
  dealer: 'M12 3.5a8.5 8.5 0 1 0 .01 0ZM12 6.5a5.5 5.5 0 1 0 .01 0ZM9.7 12v.01M14.3 12v.01',
  plug: 'M9 3v5M15 3v5M6.5 8h11v3.5a5.5 5.5 0 0 1-11 0ZM12 17v4',
  check: 'M4.5 12.5 10 18 19.5 6.5',
  eye: 'M2 12s3.6-6.5 10-6.5S22 12 22 12s-3.6 6.5-10 6.5S2 12 2 12ZM12 9.2a2.8 2.8 0 1 0 .01 0',
  plus: 'M12 5v14M5 12h14',
  minus: 'M5 12h14',
  time: 'M7 3.5h10M7 20.5h10M8 3.5c0 5 3 5.5 3.5 8.5-.5 3-3.5 3.5-3.5 8.5M16 3.5c0 5-3 5.5-3.5 8.5.5 3 3.5 3.5 3.5 8.5',
  cup: 'M4.5 9h12v6a4.5 4.5 0 0 1-4.5 4.5H9A4.5 4.5 0 0 1 4.5 15ZM16.5 10.5H18a2.5 2.5 0 0 1 0 5h-1.5M8 3v2.5M12 3v2.5',
  close: 'M6 6l12 12M18 6 6 18',
  menu: 'M4 7h16M4 12h16M4 17h16',
  lock: 'M6 11h12v9H6ZM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  copy: 'M9 9h11v11H9ZM15 9V4H4v11h5',
  share: 'M12 15V3M8 6.5 12 3l4 3.5M6 11H5v10h14V11h-1',
  info: 'M12 3a9 9 0 1 0 .01 0ZM12 11v5.5M12 7.5v.01',
  people:
    'M9 11.5a3.5 3.5 0 1 0-.01 0ZM2.5 20c0-3.5 2.6-5.5 6.5-5.5s6.5 2 6.5 5.5M16 5a3.3 3.3 0 0 1 0 6.3M18 14.8c2.2.7 3.5 2.5 3.5 5.2',
  removed: 'M9.5 11.5a3.5 3.5 0 1 0-.01 0ZM3 20c0-3.5 2.6-5.5 6.5-5.5 1.5 0 2.8.3 3.8.9M15.5 16.5l5 5M20.5 16.5l-5 5',
  chat: 'M4 5h16v11H11l-5 4v-4H4ZM8 9h8M8 12h5',
  scores: 'M5 20V11M12 20V4M19 20v-6',
  history: 'M3.5 12a8.5 8.5 0 1 0 2.6-6.1L3.5 8.5M3.5 3.5v5h5M12 7.5V12l3 2',
  bulb: 'M9 18h6M10 21h4M8.5 15c-1.6-1.2-2.5-3-2.5-5a6 6 0 0 1 12 0c0 2-.9 3.8-2.5 5',
  up: 'M12 19V6M6 11.5 12 5.5l6 6',
  down: 'M12 5v13M6 12.5 12 18.5l6-6',
  no: 'M12 3a9 9 0 1 0 .01 0ZM5.7 5.7l12.6 12.6',
  swap: 'M4 8h14M15 4.5 18.5 8 15 11.5M20 16H6M9 12.5 5.5 16 9 19.5',
  edit: 'M5 19l1-4L16 5l3 3L9 18ZM14 7l3 3',
  needle: 'M20.5 3.5C15 8 9 15 5 20.5M20.5 3.5 18 8M3.5 12.5c2-2 4 1 6-1',
  phone: 'M7.5 2.5h9v19h-9ZM11 18.5h2',
  send: 'M4 12 20 4l-5 16-3.5-6.5ZM11.5 13.5 20 4',
  play: 'M8 5.5v13l10.5-6.5Z',
  stop: 'M6.5 6.5h11v11h-11Z',
  gear: 'M12 9a3 3 0 1 0 .01 0ZM12 3.5v2.2M12 18.3v2.2M3.5 12h2.2M18.3 12h2.2M6 6l1.6 1.6M16.4 16.4 18 18M18 6l-1.6 1.6M7.6 16.4 6 18',
};

/** @typedef {keyof typeof PATHS} Icon */

/**
 * An icon in the size and colour of the text.
 * @param {Icon} name
 */
export const icon = (name) =>
  html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d=${PATHS[name]} /></svg>`;

/** The logo: a needle and its thread. */
export const logo = () => html`<svg aria-hidden="true" viewBox="0 0 48 48">
  <path class="logo-thread" d="M4 40C10 28 18 44 24 33S38 24 33 15" />
  <path
    class="logo-needle"
    d="M44 2C37 6 22 22 12 38l-1.5-.9C18.5 20 31 6.5 44 2ZM40.5 5.5c-1.5.9-3 2.3-4.2 3.7.4.5 1.2.4 1.7-.2 1.1-1.2 2-2.4 2.5-3.5Z"
  />
</svg>`;
