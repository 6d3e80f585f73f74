// A dialog over the page: it takes the focus, gives it back, and closes with Escape or a tap beside it.

import { keyed } from '../vendor/lit-html/directives/keyed.js';
import { ref } from '../vendor/lit-html/directives/ref.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { t } from './i18n.js';
import { icon } from './icons.js';
import { mirrorRegion, startMirroring, stopMirroring } from './live-region.js';

/** What had the focus before the first of several dialogs. @type {Element | null} */
let before = null;

/** @param {Element | undefined} element */
function show(element) {
  if (element instanceof HTMLDialogElement) {
    before ??= document.activeElement;
    queueMicrotask(() => {
      if (!element.isConnected || element.open) return;
      element.showModal();
      startMirroring();
    });
  } else if (!element) {
    queueMicrotask(giveBack);
  }
}

/** Gives the focus back, unless another dialog follows. */
function giveBack() {
  if (document.querySelector('dialog.over')) return;
  stopMirroring();
  if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
  before = null;
}

/**
 * @param {{ title: unknown, body: unknown, close?: () => void, icon?: import('./icons.js').Icon, sheet?: boolean,
 *   name?: string }} parts without `close` it stays until something is chosen; one without a name goes by its title
 */
export function dialog({ title, body, close, icon: drawn, sheet = false, name = 'dialog' }) {
  const cancel = (/** @type {Event} */ event) => {
    event.preventDefault();
    close?.();
  };
  const beside = (/** @type {Event} */ event) => {
    if (event.target === event.currentTarget) close?.();
  };
  const dialog = html`<dialog
    class="over ${sheet ? 'low' : ''}"
    aria-labelledby="${name}-title"
    ${ref(show)}
    @cancel=${cancel}
    @click=${beside}
  >
    <div class="dlg ${drawn ? 'stitched' : ''}">
      ${drawn ? html`<span>${icon(drawn)}</span>` : nothing}
      <div class="row sb dlg-top">
        <h3 id="${name}-title">${title}</h3>
        ${
          close
            ? html`<button class="icb" type="button" aria-label=${t('common.close')} @click=${close}>${icon('close')}</button>`
            : nothing
        }
      </div>
      ${body}
    </div>
    ${mirrorRegion}
  </dialog>`;
  // One dialog after another is opened anew, so that it takes the focus and is read out.
  return keyed(name === 'dialog' ? title : name, dialog);
}
