// The dialog with the games of a room that have a replay: the recent ones, and the earlier ones.

import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { dialog } from './dialog.js';
import { currentLanguage, nameList, t } from './i18n.js';
import { icon } from './icons.js';
import { replayUrl } from './urls.js';

/** @import { Actions } from './actions.js' */
/** @import { ListedGame, ReplayPlayer } from './protocol.js' */
/** @import { State } from './types.js' */

/** Games that began at most this long ago are recent. */
const RECENT_MS = 12 * 3600 * 1000;

/**
 * The list of games as a dialog.
 * @param {State} state
 * @param {Actions} actions
 */
export function gameListDialog(state, actions) {
  const { games, isBusy, error } = state.gameList ?? { games: null, isBusy: true, error: null };
  return dialog(state, {
    name: 'games',
    title: t('games.title'),
    isBottomSheet: true,
    close: () => actions.open(null),
    body: html`<div class="stack">
      <p class=${error ? 'error-text' : 'small muted'} role="status">
        ${error ? t(error.key, error.args) : isBusy && games === null ? t('games.loading') : games?.length === 0 ? t('games.none') : ''}
      </p>
      ${games === null ? nothing : sections(games, state)}
    </div>`,
  });
}

/**
 * @param {ListedGame[]} games
 * @param {State} state
 */
function sections(games, state) {
  const since = state.clock + state.clockSkew - RECENT_MS;
  const recent = games.filter(({ began_at }) => began_at >= since);
  const before = games.filter(({ began_at }) => began_at < since);
  return html`${section(t('games.tonight'), recent)}${section(t('games.before'), before)}`;
}

/**
 * @param {string} title
 * @param {ListedGame[]} games
 */
function section(title, games) {
  if (games.length === 0) return nothing;
  return html`<section class="stack tight">
    <h4>${title}</h4>
    <ul class="people">
      ${games.map(row)}
    </ul>
  </section>`;
}

/** @param {ListedGame} game */
function row(game) {
  const { replay, began_at, players, totals, rounds, status } = game;
  const time = new Intl.DateTimeFormat(currentLanguage(), { dateStyle: 'medium', timeStyle: 'short' }).format(began_at);
  const scores = players.map((player, seat) => `${nameOf(player)} ${t('play.points', { n: totals[seat] })}`);
  return html`<li>
    <span class="grow"
      ><b>${time}</b> <span class="small muted">${t(`games.${status}`, { n: rounds })}</span><br /><span class="small"
        >${nameList(scores, t)}</span
      ></span
    >
    <a class="btn compact" href=${`${replayUrl(replay)}#r1`} target="_blank" rel="noopener" aria-label=${t('games.open', { time })}>
      ${icon('play')} ${t('replay.open')}
    </a>
  </li>`;
}

/**
 * The name of a player; another word for somebody whose name was erased.
 * @param {ReplayPlayer} player
 */
const nameOf = ({ name }) => name ?? t('games.nobody');
