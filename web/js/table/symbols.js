// The symbols of cards, chips and pins. This module adds them to the document when it is loaded.

import { html, render } from '../../vendor/lit-html/lit-html.js';

addSymbols(html`<svg>
  <symbol id="symbol-red" viewBox="0 0 100 100"><path d="M50 92C18 68 4 50 4 31C4 16 16 5 29 5C38 5 46 10 50 18C54 10 62 5 71 5C84 5 96 16 96 31C96 50 82 68 50 92Z"/></symbol>
  <symbol id="symbol-orange" viewBox="0 0 100 100"><path d="M50 14Q54 14 57 18L97 78Q100 83 97 87Q95 90 90 90L10 90Q5 90 3 87Q0 83 3 78L43 18Q46 14 50 14Z"/></symbol>
  <symbol id="symbol-yellow" viewBox="0 0 100 100"><path d="M50.0 1.0L63.8 16.7L84.6 15.4L83.3 36.2L99.0 50.0L83.3 63.8L84.6 84.6L63.8 83.3L50.0 99.0L36.2 83.3L15.4 84.6L16.7 63.8L1.0 50.0L16.7 36.2L15.4 15.4L36.2 16.7Z"/></symbol>
  <symbol id="symbol-green" viewBox="0 0 100 100"><path d="M50 4a23 23 0 0 1 19.500 35.200a23 23 0 1 1-12.500 35.600c.4 8 2.500 13.700 7 20.200H36c4.500-6.500 6.600-12.200 7-20.200a23 23 0 1 1-12.500-35.600A23 23 0 0 1 50 4Z"/></symbol>
  <symbol id="symbol-blue" viewBox="0 0 100 100"><path d="M50 2C58 16 86 42 86 63.500A36 36 0 0 1 14 63.500C14 42 42 16 50 2Z"/></symbol>
  <symbol id="symbol-purple" viewBox="0 0 100 100"><path d="M50 2Q53 2 55 5L91 46Q94 50 91 54L55 95Q53 98 50 98Q47 98 45 95L9 54Q6 50 9 46L45 5Q47 2 50 2Z"/></symbol>
  <symbol id="symbol-grey" viewBox="0 0 100 100"><path d="M50 2a48 48 0 1 1 0 96a48 48 0 0 1 0-96ZM50 10a40 40 0 1 0 0 80a40 40 0 1 0 0-80ZM50 13.500a36.500 36.500 0 1 1 0 73a36.500 36.500 0 1 1 0-73Z"/></symbol>
  <symbol id="symbol-ring" viewBox="0 0 100 100"><circle cx="50" cy="50" r="45"/></symbol>
  <symbol id="symbol-grey-index" viewBox="0 0 100 100"><path fill-rule="evenodd" d="M50 2a48 48 0 1 1 0 96a48 48 0 0 1 0-96ZM35 25a10 10 0 1 0 .01 0ZM65 25a10 10 0 1 0 .01 0ZM35 55a10 10 0 1 0 .01 0ZM65 55a10 10 0 1 0 .01 0Z"/></symbol>
  <symbol id="face" viewBox="0 0 100 140"><rect class="face-stock" x=".5" y=".5" width="99" height="139" rx="8.500"/><rect class="face-panel" x="4.500" y="4.500" width="91" height="131" rx="5.500"/><path class="face-weave" d="M5 20 20 5M5 40 40 5M5 60 60 5M5 80 80 5M5 100 95 10M5 120 95 30M10 135 95 50M30 135 95 70M50 135 95 90M70 135 95 110"/><rect class="face-stitch" x="7.400" y="7.400" width="85.200" height="125.200" rx="4"/></symbol>
  <symbol id="backside" viewBox="0 0 100 140"><rect class="face-stock" x=".5" y=".5" width="99" height="139" rx="8.500"/><rect class="face-panel" x="4.500" y="4.500" width="91" height="131" rx="5.500"/><rect class="face-stitch" x="8" y="8" width="84" height="124" rx="3.500"/><path class="back-cross" d="M47.6 37.2l4.800 4.800m0-4.800l-4.800 4.800M40.0 44.8l4.800 4.800m0-4.800l-4.800 4.800M47.6 44.8l4.800 4.800m0-4.800l-4.800 4.800M55.2 44.8l4.800 4.800m0-4.800l-4.800 4.800M32.4 52.4l4.800 4.800m0-4.800l-4.800 4.800M40.0 52.4l4.800 4.800m0-4.800l-4.800 4.800M55.2 52.4l4.800 4.800m0-4.800l-4.800 4.800M62.8 52.4l4.800 4.800m0-4.800l-4.800 4.800M24.8 60.0l4.800 4.800m0-4.800l-4.800 4.800M32.4 60.0l4.800 4.800m0-4.800l-4.800 4.800M62.8 60.0l4.800 4.800m0-4.800l-4.800 4.800M70.4 60.0l4.800 4.800m0-4.800l-4.800 4.800M17.2 67.6l4.800 4.800m0-4.800l-4.800 4.800M24.8 67.6l4.800 4.800m0-4.800l-4.800 4.800M47.6 67.6l4.800 4.800m0-4.800l-4.800 4.800M70.4 67.6l4.800 4.800m0-4.800l-4.800 4.800M78.0 67.6l4.800 4.800m0-4.800l-4.800 4.800M24.8 75.2l4.800 4.800m0-4.800l-4.800 4.800M32.4 75.2l4.800 4.800m0-4.800l-4.800 4.800M62.8 75.2l4.800 4.800m0-4.800l-4.800 4.800M70.4 75.2l4.800 4.800m0-4.800l-4.800 4.800M32.4 82.8l4.800 4.800m0-4.800l-4.800 4.800M40.0 82.8l4.800 4.800m0-4.800l-4.800 4.800M55.2 82.8l4.800 4.800m0-4.800l-4.800 4.800M62.8 82.8l4.800 4.800m0-4.800l-4.800 4.800M40.0 90.4l4.800 4.800m0-4.800l-4.800 4.800M47.6 90.4l4.800 4.800m0-4.800l-4.800 4.800M55.2 90.4l4.800 4.800m0-4.800l-4.800 4.800M47.6 98.0l4.800 4.800m0-4.800l-4.800 4.800M15 15l4 4m0-4l-4 4M15 21l4 4m0-4l-4 4M21 15l4 4m0-4l-4 4M79 15l4 4m0-4l-4 4M79 21l4 4m0-4l-4 4M73 15l4 4m0-4l-4 4M15 119l4 4m0-4l-4 4M15 113l4 4m0-4l-4 4M21 119l4 4m0-4l-4 4M79 119l4 4m0-4l-4 4M79 113l4 4m0-4l-4 4M73 119l4 4m0-4l-4 4" fill="none"/><path class="back-cross-light" d="M47.6 52.4l4.800 4.800m0-4.800l-4.800 4.800M40.0 60.0l4.800 4.800m0-4.800l-4.800 4.800M47.6 60.0l4.800 4.800m0-4.800l-4.800 4.800M55.2 60.0l4.800 4.800m0-4.800l-4.800 4.800M32.4 67.6l4.800 4.800m0-4.800l-4.800 4.800M40.0 67.6l4.800 4.800m0-4.800l-4.800 4.800M55.2 67.6l4.800 4.800m0-4.800l-4.800 4.800M62.8 67.6l4.800 4.800m0-4.800l-4.800 4.800M40.0 75.2l4.800 4.800m0-4.800l-4.800 4.800M47.6 75.2l4.800 4.800m0-4.800l-4.800 4.800M55.2 75.2l4.800 4.800m0-4.800l-4.800 4.800M47.6 82.8l4.800 4.800m0-4.800l-4.800 4.800" fill="none"/></symbol>
  <symbol id="pin" viewBox="0 0 22 26"><path class="pin-shadow" d="M8 10 19 24"/><path class="pin-needle" d="M6 7 16.500 21.500"/><circle class="pin-head" cx="6" cy="6" r="4.800"/><circle class="pin-highlight" cx="4.400" cy="4.400" r="1.300"/></symbol>
</svg>`);

/**
 * Adds symbols to the document, for drawings to use.
 * @param {unknown} svg
 */
export function addSymbols(svg) {
  const holder = document.createElement('div');
  holder.className = 'symbols';
  holder.setAttribute('aria-hidden', 'true');
  render(svg, holder);
  document.documentElement.append(holder);
}
