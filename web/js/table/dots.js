// The dots of a seat that has to act.

import { html } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';

/** The three dots that say that a seat is choosing. */
export const choosingDots = () =>
  html`<span class="dots" role="img" aria-label=${t('play.choosing')}><i></i><i></i><i></i></span>`;
