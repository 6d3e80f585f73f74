// A modal dialog: it takes the focus and gives it back, and closes with Escape or a tap beside it.

import { keyed } from '../vendor/lit-html/directives/keyed.js';
import { ref } from '../vendor/lit-html/directives/ref.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { t } from './i18n.js';
import { icon } from './icons.js';
import { dialogRegion } from './live-region.js';

/** @import { Icon } from './icons.js' */
/** @import { State } from './types.js' */

/** The element that had the focus before the first of several dialogs. @type {Element | null} */
let focusedBefore = null;

/** @param {Element | undefined} element */
function show(element) {
  if (element instanceof HTMLDialogElement) {
    focusedBefore ??= document.activeElement;
    queueMicrotask(() => {
      if (!element.isConnected || element.open) return;
      element.showModal();
    });
  } else if (!element) {
    queueMicrotask(afterClose);
  }
}

/** Gives the focus back, unless another dialog follows. */
function afterClose() {
  if (document.querySelector('dialog.modal')) return;
  if (focusedBefore instanceof HTMLElement && focusedBefore.isConnected) focusedBefore.focus({ preventScroll: true });
  focusedBefore = null;
}

/**
 * A dialog. Without `close` it stays until something in it is chosen.
 * @param {State} state
 * @param {object} options
 * @param {unknown} options.title
 * @param {unknown} options.body
 * @param {() => void} [options.close]
 * @param {Icon} [options.icon]
 * @param {boolean} [options.isBottomSheet] whether it lies at the lower edge of small screens
 * @param {string} [options.name] a name for dialogs whose title changes while they are open
 */
export function dialog(state, { title, body, close, icon: iconName, isBottomSheet = false, name }) {
  const id = `${name ?? 'dialog'}-title`;
  const onCancel = (/** @type {Event} */ event) => {
    event.preventDefault();
    close?.();
  };
  const onClick = (/** @type {Event} */ event) => {
    if (event.target === event.currentTarget) close?.();
  };
  const element = html`<dialog
    class="modal ${isBottomSheet ? 'bottom-sheet' : ''}"
    aria-labelledby=${id}
    ${ref(show)}
    @cancel=${onCancel}
    @click=${onClick}
  >
    <div class="dialog-panel ${iconName ? 'stitched' : ''}">
      ${iconName ? html`<span>${icon(iconName)}</span>` : nothing}
      <div class="row space-between dialog-header">
        <h3 id=${id}>${title}</h3>
        ${
          close
            ? html`<button class="icon-button" type="button" aria-label=${t('common.close')} @click=${close}>${icon('close')}</button>`
            : nothing
        }
      </div>
      ${body}
    </div>
    ${dialogRegion(state)}
  </dialog>`;
  // Another dialog is another element, so that it takes the focus and is read out.
  return keyed(name ?? title, element);
}
