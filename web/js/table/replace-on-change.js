// Content that becomes a new element when it changes. A new element has no earlier position, so browsers report no layout
// shift (`layout-shift.test.js`).

import { keyed } from '../../vendor/lit-html/directives/keyed.js';
import { html } from '../../vendor/lit-html/lit-html.js';

/**
 * Content with a key: as long as the key is the same, its elements stay; when it changes, they are new.
 * @param {string} key
 * @param {unknown} [content] the key itself if nothing else is drawn
 */
export const replaceOnChange = (key, content = key) => keyed(key, html`${content}`);
