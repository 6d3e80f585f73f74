// The handover: moving a seat to another device. The old device shows a code and a link, the new one takes the seat.

import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { dialog } from './dialog.js';
import { fieldForm } from './field-form.js';
import { onLinkClick } from './header.js';
import { t } from './i18n.js';
import { linkBox } from './link-box.js';
import { qr } from './qr.js';
import { nameOf } from './state.js';
import { handoverUrl, pageUrl } from './urls.js';

/** @import { Actions } from './actions.js' */
/** @import { HandoverCode, State } from './types.js' */

/**
 * On the old device: code, link and QR code, as long as they are valid.
 * @param {State} state
 * @param {Actions} actions
 */
export function handoverOffer(state, actions) {
  const { clock, offeredHandover: offered, code, you } = state;
  const close = () => actions.prompt(null);
  if (!offered || code === null || you.seat === null) {
    return dialog(state, {
      title: t('handover.title'),
      icon: 'time',
      close,
      body: html`<p role="status">${t('handover.old')}</p>
        <div class="row">
          <button class="btn primary" type="button" @click=${actions.offerHandover}>${t('handover.again')}</button>
          <button class="btn" type="button" @click=${close}>${t('common.close')}</button>
        </div>`,
    });
  }
  const link = handoverUrl(code, you.seat, offered.code);
  const seconds = Math.max(0, Math.ceil((offered.until - clock) / 1000));
  return dialog(state, {
    title: t('handover.title'),
    icon: 'phone',
    close,
    body: html`<div class="invitation">
        ${state.settings.streamer ? nothing : qr(link, t('handover.qr'), actions.redraw)}
        <div class="stack tight">
          <p>${t(state.settings.streamer ? 'streamer.handover' : 'handover.text')}</p>
          <p class="muted small" role="timer">${t('handover.left', { n: seconds })}</p>
        </div>
      </div>
      ${linkBox(link, state, actions)}
      ${
        state.settings.streamer
          ? nothing
          : html`<p class="small muted">${t('handover.codeToo')} <span class="handover nowrap">${inGroups(offered.code)}</span></p>`
      }`,
  });
}

/** @param {string} code */
const inGroups = (code) => code.match(/.{1,4}/g)?.join(' ') ?? code;

/**
 * On the new device: a button if it came by the link, otherwise a field for the code.
 * @param {State} state
 * @param {Actions} actions
 * @param {HandoverCode | undefined} offered the handover of the link
 */
export function handoverRedemption(state, actions, offered) {
  const { room, errors, busy } = state;
  const close = () => actions.prompt(null);
  const error = errors.redeem_handover;
  if (!offered) {
    return dialog(state, {
      title: t('handover.have'),
      icon: 'phone',
      close,
      body: html`<p>${t('handover.enter')}</p>
        ${fieldForm({
          form: 'redeem_handover',
          label: t('handover.code'),
          value: '',
          error,
          submit: (code) => void actions.redeemHandover(code),
          buttons: html`<button class="btn primary" ?disabled=${busy.redeem_handover}>${t('handover.go')}</button>`,
        })}`,
    });
  }
  if (!room) return null;
  const name = nameOf(room, offered.seat);
  const take = () => void actions.redeemHandover(offered.code);
  return dialog(state, {
    title: name ? t('handover.here', { name }) : t('handover.hereSeat'),
    icon: 'phone',
    close,
    body: html`${error ? nothing : html`<p>${t('handover.hereText')}</p>`}
      <p class="error-text" role="alert">${error ? t(error.key, error.args) : nothing}</p>
      <div class="row">
        ${
          error
            ? nothing
            : html`<button class="btn primary" type="button" autofocus ?disabled=${busy.redeem_handover} @click=${take}>
                ${t('handover.sit')}
              </button>`
        }
        <button class="btn" type="button" @click=${close}>${t(error ? 'common.close' : 'sit.watch')}</button>
      </div>`,
  });
}

/**
 * On the old device, when the seat has moved.
 * @param {State} state
 * @param {Actions} actions
 */
export const seatMoved = (state, actions) =>
  dialog(state, {
    title: t('handover.moved'),
    icon: 'check',
    close: () => actions.prompt(null),
    body: html`<p>${t('handover.movedText')}</p>
      <div class="row">
        <button class="btn primary" type="button" @click=${() => actions.prompt(null)}>${t('home.watch')}</button>
        <a class="btn" href=${pageUrl(null)} @click=${onLinkClick(actions, null)}>${t('common.home')}</a>
      </div>`,
  });
