// The dialog with the results of the connection check.

import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { dialog } from './dialog.js';
import { HELP, hasTexts, t } from './i18n.js';
import { icon } from './icons.js';

/** @import { Actions } from './actions.js' */
/** @import { Icon } from './icons.js' */
/** @import { CheckResult, State } from './types.js' */

/** @type {Record<CheckResult['kind'], Icon>} */
const ICONS = { good: 'check', bad: 'close', harmless: 'info', wait: 'time' };

/**
 * The dialog with the results so far.
 * @param {State} state
 * @param {Actions} actions
 */
export function connectionCheckDialog(state, actions) {
  const { checkResults } = state;
  const isReady = hasTexts([HELP], actions.redraw);
  const isDone = !checkResults.some(({ kind }) => kind === 'wait');
  const isGood = isDone && !checkResults.some(({ kind }) => kind === 'bad');
  return dialog(state, {
    name: 'check',
    title: t('menu.check'),
    isBottomSheet: true,
    close: () => actions.open(null),
    body: html`<ul class="stack checks" aria-live="polite" aria-busy=${!isDone}>
        ${
          isReady
            ? checkResults.map(
                ({ kind, key, args }) => html`<li class=${kind}>${icon(ICONS[kind])} <span>${t(key, args)}</span></li>`,
              )
            : nothing
        }
      </ul>
      ${isReady && isGood ? html`<p role="status"><b>${t('check.good')}</b></p>` : nothing}
      <div class="row">
        <button class="btn" type="button" ?disabled=${!isDone} @click=${actions.checkConnection}>${t('check.again')}</button>
      </div>`,
  });
}
