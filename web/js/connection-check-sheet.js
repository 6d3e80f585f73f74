// What a check of the connection has found, in words.

import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { hasTexts, t } from './i18n.js';
import { icon } from './icons.js';
import { dialog } from './modal.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./state.js').Found} Found */
/** @typedef {import('./actions.js').Actions} Actions */

/** @type {Record<Found['kind'], import('./icons.js').Icon>} */
const ICONS = { good: 'check', bad: 'close', note: 'info', wait: 'time' };

/**
 * What was found, as a sheet.
 * @param {State} state
 * @param {Actions} actions
 */
export function connectionCheckSheet({ found }, actions) {
  const isReady = hasTexts('help', actions.redraw);
  const isDone = !found.some(({ kind }) => kind === 'wait');
  const isGood = isDone && !found.some(({ kind }) => kind === 'bad');
  return dialog({
    name: 'check',
    title: t('menu.check'),
    sheet: true,
    close: () => actions.open(null),
    body: html`<ul class="stack checks" aria-live="polite" aria-busy=${!isDone}>
        ${
          isReady
            ? found.map(
                ({ kind, key, args }) => html`<li class=${kind}>${icon(ICONS[kind])} <span>${t(key, args)}</span></li>`,
              )
            : nothing
        }
      </ul>
      ${isReady && isGood ? html`<p role="status"><b>${t('check.good')}</b></p>` : nothing}
      <div class="row">
        <button class="btn" type="button" ?disabled=${!isDone} @click=${actions.check}>${t('check.again')}</button>
      </div>`,
  });
}
