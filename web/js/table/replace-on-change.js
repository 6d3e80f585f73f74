/** Words that take the place of others come by themselves: nothing moves on the page when they are longer. */

import { keyed } from '../../vendor/lit-html/directives/keyed.js';
import { html } from '../../vendor/lit-html/lit-html.js';

/**
 * What stands here as long as its name is the same, and is new on the page when that changes.
 * @param {string} name
 * @param {unknown} [drawn] The name itself, if nothing else is drawn.
 */
export const anew = (name, drawn = name) => keyed(name, html`${drawn}`);
