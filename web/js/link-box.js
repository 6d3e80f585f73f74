// A link in a box, with a button that copies it.

import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { t } from './i18n.js';
import { icon } from './icons.js';

/** @import { Actions } from './actions.js' */
/** @import { State } from './types.js' */

/**
 * The link with its button. If the page may not copy, the link gets selected, and a text says how to copy it by hand. For
 * somebody who streams their screen the link is not shown.
 * @param {string} link
 * @param {Pick<State, 'isLinkSelected' | 'settings'>} state
 * @param {Actions} actions
 */
export const linkBox = (link, { isLinkSelected, settings }, actions) => html`<div class="link-box">
    ${settings.streamer ? html`<span class="grow muted">${t('streamer.hidden')}</span>` : html`<span class="link" tabindex="-1">${link}</span>`}
    <button class="btn compact" type="button" @click=${() => void copyLink(link, actions)}>${icon('copy')} ${t('lobby.copy')}</button>
  </div>
  ${isLinkSelected ? copyHelp() : nothing}`;

/** How people copy a selected link by hand on this device. */
const copyHelp = () =>
  html`<p class="small" role="status">${t(matchMedia('(pointer: coarse)').matches ? 'lobby.copyTouch' : 'lobby.copyKeys')}</p>`;

/**
 * Copies a link that is shown. Where the page may not copy, the link is selected, to be copied by hand.
 * @param {string} link
 * @param {Actions} actions
 */
async function copyLink(link, actions) {
  try {
    await navigator.clipboard.writeText(link);
    actions.toast('lobby.copied');
  } catch {
    selectLink(actions);
  }
}

/**
 * Selects the link that is shown, in the dialog if one is open.
 * @param {Actions} actions
 */
function selectLink(actions) {
  const shown = document.querySelector('dialog[open] .link') ?? document.querySelector('.link');
  if (!shown) return actions.toast('streamer.noCopy', {}, 'warn');
  getSelection()?.selectAllChildren(shown);
  actions.showLinkSelected();
}
