// The invitation to a room: code, link and QR code.

import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { t } from './i18n.js';
import { icon } from './icons.js';
import { linkBox } from './link-box.js';
import { qr } from './qr.js';
import { formatCode, roomUrl } from './urls.js';

/** @import { Actions } from './actions.js' */
/** @import { State } from './types.js' */

/**
 * The invitation to the room of this page.
 * @param {State} state
 * @param {Actions} actions
 */
export function invitation(state, actions) {
  const code = /** @type {string} */ (state.code);
  const link = roomUrl(code);
  const canShare = typeof navigator.share === 'function';
  const isInsecure = !globalThis.isSecureContext;
  return html`<section class="panel stitched" aria-labelledby="invitation-heading">
    <h2 id="invitation-heading">${t('lobby.invite')}</h2>
    <div class="stack tight">
      ${
        state.settings.streamer
          ? html`<p class="small muted">${t('streamer.invitation')}</p>`
          : html`<div class="invitation">
              ${qr(link, t('lobby.qr'), actions.redraw)}
              <div>
                <span class="small muted">${t('home.code')}</span>
                <p class="code">${formatCode(code)}</p>
                <p class="small muted">${t('lobby.invite.text')}</p>
              </div>
            </div>`
      }
      ${linkBox(link, state, actions)}
      ${
        canShare
          ? html`<button class="btn full-width" type="button" @click=${() => void shareLink(state.room?.title ?? t('app.name'), link)}>${icon('share')} ${t('lobby.share')}</button>`
          : isInsecure
            ? html`<p class="small muted">${t('lobby.noShare')}</p>`
            : nothing
      }
      ${state.room?.locked ? html`<p class="small muted">${icon('lock')} ${t('lobby.locked')}</p>` : nothing}
    </div>
  </section>`;
}

/**
 * Opens the dialog of the device that shares a link.
 * @param {string} title
 * @param {string} url
 */
async function shareLink(title, url) {
  try {
    await navigator.share({ title, url });
  } catch {
    // The dialog of the device was closed.
  }
}
