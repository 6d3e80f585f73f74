// Toasts: short messages at the lower edge of the page, and warnings at the upper one.

import { ref } from '../vendor/lit-html/directives/ref.js';
import { repeat } from '../vendor/lit-html/directives/repeat.js';
import { html } from '../vendor/lit-html/lit-html.js';
import { t } from './i18n.js';
import { icon } from './icons.js';

/** @import { Icon } from './icons.js' */
/** @import { State, Toast } from './types.js' */

/** The drawings of toasts by their texts. @type {Record<string, Icon>} */
const ICONS = {
  'lobby.copied': 'copy',
  'news.back': 'people',
  'news.bot': 'robot',
  'news.left': 'plug',
  'news.host': 'crown',
  'news.hostYou': 'crown',
  'news.nudged': 'needle',
  'news.nudgedYou': 'needle',
  'news.resumed': 'play',
  'news.sat': 'people',
  'news.stoodUp': 'door',
  'news.youNudged': 'needle',
  'opt.password.done': 'lock',
  'state.back': 'check',
};

/** @param {State} state */
export function toasts({ toasts }) {
  const news = toasts.filter(({ kind }) => kind !== 'warn');
  const warnings = toasts.filter(({ kind }) => kind === 'warn');
  return html`<div class="toasts" role="status" popover="manual">${repeat(news, ({ id }) => id, toast)}</div>
    <div class="toasts warn" role="alert" popover="manual">${repeat(warnings, ({ id }) => id, toast)}</div>`;
}

/** @param {Toast} toast */
const toast = ({ key, args, kind }) =>
  html`<p class="toast ${kind === 'warn' ? 'warn' : ''}" ${ref(raise)}>${icon(ICONS[key] ?? 'info')}${t(key, args)}</p>`;

/**
 * Raises a toast that is shown while a dialog is open above the dialog.
 * @param {Element | undefined} toast
 */
function raise(toast) {
  if (!toast) return;
  queueMicrotask(() => {
    const list = toast.parentElement;
    if (!list?.isConnected || !list.showPopover || !document.querySelector('dialog[open]')) return;
    if (list.matches(':popover-open')) list.hidePopover();
    list.showPopover();
  });
}
