// The live regions of the page, which screen readers read out. While a dialog is open they do not read the page under
// it. So each dialog has a live region that repeats the texts of the page's live regions.

import { Directive, directive } from '../vendor/lit-html/directive.js';
import { repeat } from '../vendor/lit-html/directives/repeat.js';
import { html } from '../vendor/lit-html/lit-html.js';
import { bannerTexts } from './banners.js';
import { t } from './i18n.js';
import { lobbyText } from './lobby.js';
import { part } from './parts.js';

/** @import { State } from './types.js' */

/**
 * The regions of the announcer: the announcements, and the status line.
 * @param {State} state
 */
export const announcementRegions = ({ announcements, statusLine }) => html`<div
    class="visually-hidden"
    role="log"
    aria-live="polite"
    aria-relevant="additions"
  >
    ${repeat(
      announcements,
      ({ number }) => number,
      ({ text }) => html`<p>${text}</p>`,
    )}
  </div>
  <p class="visually-hidden" role="status">${statusLine}</p>`;

/**
 * The region of a dialog.
 * @param {State} state
 */
export const dialogRegion = (state) =>
  html`<div class="visually-hidden" aria-live="polite" data-repeats-page>${newTexts(pageTexts(state))}</div>`;

/** @typedef {{ key: string, text: string }} PageText a text, and a key that no other text has */

/**
 * The texts of the live regions of the page.
 * @param {State} state
 * @returns {PageText[]}
 */
export function pageTexts(state) {
  const { announcements, statusLine, toasts, route, room } = state;
  const dock = room?.phase === 'lobby' ? [lobbyText(state)] : (part('table')?.liveTexts(state) ?? []);
  const others = route === 'room' ? [...bannerTexts(state), ...dock] : [];
  return [
    ...announcements.map(({ number, text }) => ({ key: `announcement ${number}`, text })),
    ...toasts.map(({ id, key, args }) => ({ key: `toast ${id}`, text: t(key, args) })),
    ...[...new Set([statusLine, ...others])].filter(Boolean).map((text) => ({ key: `text ${text}`, text })),
  ];
}

/** A filter that returns the texts that were added after its first call. A text that disappears and returns is new. */
export function createTextFilter() {
  /** The keys of the texts that are left out. @type {Set<string> | null} */
  let known = null;
  return (/** @type {PageText[]} */ texts) => {
    const keys = new Set(texts.map(({ key }) => key));
    known = new Set([...(known ?? keys)].filter((key) => keys.has(key)));
    return texts.filter(({ key }) => !known?.has(key));
  };
}

/** Draws the texts that were not there yet when the dialog was opened. */
const newTexts = directive(
  class extends Directive {
    #filter = createTextFilter();

    /** @param {PageText[]} texts */
    render(texts) {
      return repeat(
        this.#filter(texts),
        ({ key }) => key,
        ({ text }) => html`<p>${text}</p>`,
      );
    }
  },
);
