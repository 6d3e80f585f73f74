// The invitation to a table: code, link and QR code.

import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { t } from './i18n.js';
import { icon } from './icons.js';
import { qr } from './qr.js';
import { formatCode, tableUrl } from './urls.js';

/** @import { Actions } from './actions.js' */
/** @import { State } from './types.js' */

/** How people copy a selected link by hand on this device. */
export const copyHint = () =>
  html`<p class="small" role="status">${t(matchMedia('(pointer: coarse)').matches ? 'lobby.copyTouch' : 'lobby.copyKeys')}</p>`;

/**
 * The invitation to the table of this page.
 * @param {State} state
 * @param {Actions} actions
 */
export function invite(state, actions) {
  const code = /** @type {string} */ (state.code);
  const link = tableUrl(code);
  const canShare = typeof navigator.share === 'function';
  const isInsecure = !globalThis.isSecureContext;
  return html`<section class="panel stitch" aria-labelledby="inv">
    <h2 id="inv">${t('lobby.invite')}</h2>
    <div class="stack tight">
      <div class="invite">
        ${qr(link, t('lobby.qr'), actions.redraw)}
        <div>
          <span class="small muted">${t('home.code')}</span>
          <p class="code">${formatCode(code)}</p>
          <p class="small muted">${t('lobby.invite.text')}</p>
        </div>
      </div>
      <div class="linkbox">
        <span class="link" tabindex="-1">${link}</span>
        <button class="btn sm" type="button" @click=${actions.copyInvitation}>${icon('copy')} ${t('lobby.copy')}</button>
      </div>
      ${state.isLinkSelected ? copyHint() : nothing}
      ${
        canShare
          ? html`<button class="btn wide" type="button" @click=${actions.shareInvitation}>${icon('share')} ${t('lobby.share')}</button>`
          : isInsecure
            ? html`<p class="small muted">${t('lobby.noShare')}</p>`
            : nothing
      }
      ${state.room?.locked ? html`<p class="small muted">${icon('lock')} ${t('lobby.locked')}</p>` : nothing}
    </div>
  </section>`;
}
