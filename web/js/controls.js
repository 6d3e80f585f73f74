// Form controls: a choice of several values, and a switch.

import { live } from '../vendor/lit-html/directives/live.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { t } from './i18n.js';

/** A choice with more values than this takes a line of its own. */
const MAX_INLINE = 4;

/**
 * A choice of one of several values.
 * @template {string} Value
 * @param {object} options
 * @param {string} options.name
 * @param {string} options.label
 * @param {readonly Value[]} options.values
 * @param {Value} options.chosen
 * @param {(value: Value) => void} options.choose
 * @param {(value: Value) => string} options.text
 * @param {string} [options.note] what the chosen value means, if its text does not say so
 */
export const choice = ({ name, label, values, chosen, choose, text, note }) => html`<div class="option-line">
  <span id="opt-${name}">${label}</span>
  <div
    class="segmented ${values.length > MAX_INLINE ? 'many' : ''}"
    role="radiogroup"
    aria-labelledby="opt-${name}"
    aria-describedby=${note ? `opt-${name}-note` : nothing}
  >
    ${values.map(
      (value) =>
        html`<label
          ><input
            type="radio"
            name="opt-${name}"
            .checked=${live(value === chosen)}
            @change=${() => choose(value)}
          />${text(value)}</label
        >`,
    )}
  </div>
  ${note ? html`<small class="muted" id="opt-${name}-note">${note}</small>` : nothing}
</div>`;

/**
 * A value that is on or off, as a text.
 * @param {boolean} isOn
 */
export const yesOrNo = (isOn) => t(isOn ? 'common.yes' : 'common.no');

/**
 * A switch that is on or off.
 * @param {string} label
 * @param {string | null} text what it means, if its label does not say so
 * @param {boolean} isOn
 * @param {(isOn: boolean) => void} set
 */
export function toggle(label, text, isOn, set) {
  const onChange = (/** @type {Event} */ event) => set(/** @type {HTMLInputElement} */ (event.currentTarget).checked);
  return html`<label class="switch"
    ><input type="checkbox" .checked=${live(isOn)} @change=${onChange} /><span
      ><b>${label}</b>${text ? html`<small>${text}</small>` : nothing}</span
    ></label
  >`;
}
