// A form of one field, with its refusal below it.

import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { t } from './i18n.js';

/**
 * Gives a function that takes the buttons of the form.
 * @param {{ form: string, label: string, value: string, error?: import('./state.js').Words,
 *   submit: (value: string) => void }} parts
 */
export const fieldForm =
  ({ form, label, value, error, submit }) =>
  (/** @type {unknown} */ buttons) => {
    const submitted = (/** @type {SubmitEvent} */ event) => {
      event.preventDefault();
      submit(String(new FormData(/** @type {HTMLFormElement} */ (event.currentTarget)).get('field') ?? ''));
    };
    return html`<form class="stack" @submit=${submitted}>
      <label class="field"
        ><span>${label}</span
        ><input
          class="input"
          name="field"
          .value=${value}
          autocomplete="off"
          autofocus
          aria-invalid=${error ? 'true' : 'false'}
          aria-describedby="${form}-error"
        /><span id="${form}-error" class="neg small" role="alert">${error ? t(error.key, error.args) : nothing}</span>
      </label>
      <div class="row">${buttons}</div>
    </form>`;
  };
