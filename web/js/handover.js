// Moving a seat to another device: what the old one shows, the link in between, and what the new one asks.

import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { fieldForm } from './field-form.js';
import { homeLink } from './header.js';
import { t } from './i18n.js';
import { icon } from './icons.js';
import { copyByHand } from './invite.js';
import { dialog } from './modal.js';
import { qr } from './qr.js';
import { nameAt } from './state.js';
import { handoverUrl } from './urls.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./actions.js').Actions} Actions */

/**
 * The old device: code, link and QR code, as long as they are good.
 * @param {State} state
 * @param {Actions} actions
 */
export function handover(state, actions) {
  const { clock, offer, code, you } = state;
  const close = () => actions.ask(null);
  if (!offer || code === null || you.seat === null) {
    return dialog({
      title: t('handover.title'),
      icon: 'time',
      close,
      body: html`<p role="status">${t('handover.old')}</p>
        <div class="row">
          <button class="btn pri" type="button" @click=${actions.handover}>${t('handover.again')}</button>
          <button class="btn" type="button" @click=${close}>${t('common.close')}</button>
        </div>`,
    });
  }
  const link = handoverUrl(code, you.seat, offer.code);
  const seconds = Math.max(0, Math.ceil((offer.until - clock) / 1000));
  const again = () => actions.dispatch({ type: 'tick' });
  return dialog({
    title: t('handover.title'),
    icon: 'phone',
    close,
    body: html`<div class="invite">
        ${qr(link, t('handover.qr'), again)}
        <div class="stack tight">
          <p>${t('handover.text')}</p>
          <p class="muted small" role="timer">${t('handover.left', { n: seconds })}</p>
        </div>
      </div>
      <div class="linkbox">
        <span class="link" tabindex="-1">${link}</span>
        <button class="btn sm" type="button" @click=${() => void actions.copy(link)}>${icon('copy')} ${t('lobby.copy')}</button>
      </div>
      ${state.selectLink ? copyByHand() : nothing}
      <p class="small muted">${t('handover.codeToo')} <span class="handover nowrap">${grouped(offer.code)}</span></p>`,
  });
}

/** @param {string} code */
const grouped = (code) => code.match(/.{1,4}/g)?.join(' ') ?? code;

/**
 * The new device: one tap if it came by the link, else a field for the code.
 * @param {State} state
 * @param {Actions} actions
 * @param {{ seat: number, code: string } | undefined} offer
 */
export function takeover(state, actions, offer) {
  const { room, errors, busy } = state;
  const close = () => actions.ask(null);
  const error = errors.takeover;
  if (!offer) {
    return dialog({
      title: t('handover.have'),
      icon: 'phone',
      close,
      body: html`<p>${t('handover.enter')}</p>
        ${fieldForm({
          form: 'takeover',
          label: t('handover.code'),
          value: '',
          error,
          submit: (code) => void actions.takeOver(code),
        })(html`<button class="btn pri" ?disabled=${busy.takeover}>${t('handover.go')}</button>`)}`,
    });
  }
  if (!room) return null;
  const name = nameAt(room, offer.seat);
  const take = () => void actions.takeOver(offer.code);
  return dialog({
    title: name ? t('handover.here', { name }) : t('handover.hereSeat'),
    icon: 'phone',
    close,
    body: html`${error ? nothing : html`<p>${t('handover.hereText')}</p>`}
      <p class="neg" role="alert">${error ? t(error.key, error.args) : nothing}</p>
      <div class="row">
        ${
          error
            ? nothing
            : html`<button class="btn pri" type="button" autofocus ?disabled=${busy.takeover} @click=${take}>
                ${t('handover.sit')}
              </button>`
        }
        <button class="btn" type="button" @click=${close}>${t(error ? 'common.close' : 'sit.watch')}</button>
      </div>`,
  });
}

/**
 * The old device, when the seat has moved.
 * @param {Actions} actions
 */
export const moved = (actions) =>
  dialog({
    title: t('handover.moved'),
    icon: 'check',
    close: () => actions.ask(null),
    body: html`<p>${t('handover.movedText')}</p>
      <div class="row">
        <button class="btn pri" type="button" @click=${() => actions.ask(null)}>${t('home.watch')}</button>
        <a class="btn" href=${actions.hrefOf(null)} @click=${homeLink(actions)}>${t('common.home')}</a>
      </div>`,
  });
