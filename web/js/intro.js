// The first visit: three small cards that explain a game, shown once and again in the help.

import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { hasTexts, t } from './i18n.js';
import { icon } from './icons.js';
import { dialog } from './modal.js';
import { richText } from './rich-text.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./actions.js').Actions} Actions */
/** @typedef {'sticheln' | 'nyet'} Game */

/** What is drawn on each card, in their order. */
const CARDS = /** @type {const} */ ({
  sticheln: ['needle', 'bulb', 'scores'],
  nyet: ['no', 'people', 'scores'],
});

/**
 * The card that is shown over the table, if one is.
 * @param {State} state
 * @param {Actions} actions
 */
export function intro(state, actions) {
  const { intro, room } = state;
  if (typeof intro !== 'number' || !room || !hasTexts('help', actions.redraw)) return null;
  const cards = CARDS[room.game];
  const isLast = intro === cards.length - 1;
  const { title, text } = card(room.game, intro);
  return dialog({
    name: 'intro',
    title,
    icon: cards[intro],
    body: html`<p aria-live="polite">${text}</p>
      <div class="row sb">
        <div class="row">
          <button
            class="btn pri"
            type="button"
            autofocus
            @click=${() => (isLast ? actions.introduced() : actions.introduce(intro + 1))}
          >
            ${t(isLast ? 'intro.go' : 'common.next')}
          </button>
          ${
            isLast
              ? nothing
              : html`<button class="btn" type="button" @click=${actions.introduced}>${t('common.skip')}</button>`
          }
        </div>
        <span class="small muted">${t('intro.step', { n: intro + 1, max: cards.length })}</span>
      </div>`,
    close: actions.introduced,
  });
}

/**
 * All cards of a game, one below the other.
 * @param {Game} game
 */
export const introCards = (game) =>
  html`<ol class="intro">
    ${CARDS[game].map((drawn, n) => {
      const { title, text } = card(game, n);
      return html`<li>
        ${icon(drawn)}
        <div><h4>${title}</h4><p>${text}</p></div>
      </li>`;
    })}
  </ol>`;

/**
 * @param {Game} game
 * @param {number} n
 */
const card = (game, n) => ({
  title: t(`intro.${game}.${n + 1}.title`),
  text: richText(t(`intro.${game}.${n + 1}.text`)),
});

/**
 * The game in four lines.
 * @param {import('./state.js').Room} room
 */
export const quickRules = ({ game }) => html`<ol class="stack tight">
  ${[1, 2, 3, 4].map((n) => html`<li><b>${n}.</b> ${richText(t(`help.${game}.line${n}`))}</li>`)}
</ol>`;
