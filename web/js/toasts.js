// Short news at the lower edge, and refusals.

import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { repeat } from '../vendor/lit-html/directives/repeat.js';
import { icon } from './icons.js';
import { t } from './i18n.js';

/** @param {import('./state.js').State} state */
export function toasts({ toasts }) {
  const news = toasts.filter(({ kind }) => kind !== 'warn');
  const warnings = toasts.filter(({ kind }) => kind === 'warn');
  return html`<div class="toasts" role="status">
      ${repeat(news, ({ id }) => id, ({ key, args }) => html`<p class="toast">${icon('info')}${t(key, args)}</p>`)}
    </div>
    <div class="toasts warn" role="alert">
      ${warnings.length === 0
        ? nothing
        : repeat(warnings, ({ id }) => id, ({ key, args }) => html`<p class="toast warn">${icon('info')}${t(key, args)}</p>`)}
    </div>`;
}
