// The links to the imprint and the privacy policy of the operator. The server names them in the head of the document.

import { html } from '../vendor/lit-html/lit-html.js';
import { t } from './i18n.js';

/** The links by the relation that the head names, with the keys of their texts. */
const LINKS = [
  { relation: 'imprint', key: 'legal.imprint' },
  { relation: 'privacy-policy', key: 'legal.privacy' },
];

/** The links that the operator has set. They open in another tab, so that nobody leaves a table. */
export function legalLinks() {
  return LINKS.flatMap(({ relation, key }) => {
    const link = document.head.querySelector(`link[rel="${relation}"]`);
    if (!(link instanceof HTMLLinkElement)) return [];
    return [html`<a href=${link.href} target="_blank" rel="noopener noreferrer">${t(key)}</a>`];
  });
}
