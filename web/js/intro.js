// The intro: a few cards that explain a game on the first visit, and again in its help.

import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { dialog } from './dialog.js';
import { gameOf } from './games.js';
import { HELP, hasTexts, t } from './i18n.js';
import { icon } from './icons.js';
import { richText } from './rich-text.js';

/** @import { Actions } from './actions.js' */
/** @import { Game, GameLobby } from './game.js' */
/** @import { RoomState, State } from './types.js' */

/**
 * The card that is shown over the table; null if none is.
 * @param {State} state
 * @param {Actions} actions
 */
export function intro(state, actions) {
  const { introCard, room } = state;
  if (typeof introCard !== 'number' || !room) return null;
  const game = gameOf(room);
  if (!hasTexts([HELP, game.texts.help], actions.redraw)) return null;
  const icons = iconsOf(game);
  const isLast = introCard === icons.length - 1;
  const { title, text } = cardTexts(game, introCard);
  return dialog(state, {
    name: 'intro',
    title,
    icon: icons[introCard],
    body: html`<p aria-live="polite">${text}</p>
      <div class="row space-between">
        <div class="row">
          <button
            class="btn primary"
            type="button"
            autofocus
            @click=${() => (isLast ? actions.finishIntro() : actions.showIntroCard(introCard + 1))}
          >
            ${t(isLast ? 'intro.go' : 'common.next')}
          </button>
          ${
            isLast
              ? nothing
              : html`<button class="btn" type="button" @click=${actions.finishIntro}>${t('common.skip')}</button>`
          }
        </div>
        <span class="small muted">${t('intro.step', { n: introCard + 1, max: icons.length })}</span>
      </div>`,
    close: actions.finishIntro,
  });
}

/**
 * All cards of a game, one below the other.
 * @param {Game} game
 */
export const introCards = (game) =>
  html`<ol class="intro">
    ${iconsOf(game).map((iconName, n) => {
      const { title, text } = cardTexts(game, n);
      return html`<li>
        ${icon(iconName)}
        <div><h4>${title}</h4><p>${text}</p></div>
      </li>`;
    })}
  </ol>`;

/** @param {Game} game */
const iconsOf = (game) => /** @type {GameLobby} */ (game.lobby.value).introIcons;

/**
 * @param {Game} game
 * @param {number} n
 */
const cardTexts = ({ id }, n) => ({
  title: t(`${id}.intro.${n + 1}.title`),
  text: richText(t(`${id}.intro.${n + 1}.text`)),
});

/**
 * The game of a room in four lines.
 * @param {RoomState} room
 */
export const shortRules = ({ game }) => html`<ol class="stack tight">
  ${[1, 2, 3, 4].map((n) => html`<li><b>${n}.</b> ${richText(t(`${game}.short.${n}`))}</li>`)}
</ol>`;
