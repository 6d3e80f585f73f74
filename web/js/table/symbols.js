// The symbols of the backs of cards and of pins. This module adds them to the document when it is loaded.

import { html, render } from '../../vendor/lit-html/lit-html.js';

addSymbols(html`<svg>
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
