// A form with one field, with the reason for a refusal below the field.

import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { t } from './i18n.js';

/** @import { FormName, TextKey } from './types.js' */

/** The greatest length of the text, in UTF-16 units: that of a name of 160 bytes. Passwords and codes are shorter. */
const MAX_LENGTH = 160;

/**
 * @param {object} options
 * @param {FormName} options.form
 * @param {string} options.label
 * @param {string} options.value
 * @param {TextKey} [options.error]
 * @param {(value: string) => void} options.submit
 * @param {unknown} options.buttons
 */
export function fieldForm({ form, label, value, error, submit, buttons }) {
  const onSubmit = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    submit(String(new FormData(/** @type {HTMLFormElement} */ (event.currentTarget)).get('field') ?? ''));
  };
  return html`<form class="stack" @submit=${onSubmit}>
    <label class="field"
      ><span>${label}</span
      ><input
        class="input"
        name="field"
        .value=${value}
        maxlength=${MAX_LENGTH}
        autocomplete="off"
        autofocus
        aria-invalid=${error ? 'true' : 'false'}
        aria-describedby="${form}-error"
      /><span id="${form}-error" class="error-text small" role="alert">${error ? t(error.key, error.args) : nothing}</span>
    </label>
    <div class="row">${buttons}</div>
  </form>`;
}
