// The dialogs of a replay: menu, link, scores, export, and the choice of a seat to play on. On small screens the log and the
// hands are dialogs, too.

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { choice } from '../controls.js';
import { dialog } from '../dialog.js';
import { onLinkClick } from '../header.js';
import { hasTexts, REPLAY, t } from '../i18n.js';
import { icon } from '../icons.js';
import { linkBox } from '../link-box.js';
import { nameOf } from '../state.js';
import { pageUrl, replayUrl } from '../urls.js';
import { fragmentNow } from './session.js';

/** @import { Actions } from '../actions.js' */
/** @import { GameStatus } from '../protocol.js' */
/** @import { PlayState, State } from '../types.js' */
/** @import { ReplaySession } from './session.js' */
/** @import { ReplayState } from './types.js' */

/** Whether a game has a record, by its status. @type {Readonly<Record<GameStatus, boolean>>} */
const HAS_RECORD = { playing: false, over: true, ended_early: true, cleared: false };

/**
 * The parts of the dialogs that are drawn from the table.
 * @typedef {object} Contents
 * @property {() => unknown} log
 * @property {() => unknown} hands
 * @property {() => unknown} scores
 */

/**
 * The dialog of the replay that is open; nothing if none is.
 * @param {State} state
 * @param {Actions} actions
 * @param {PlayState | null} playState
 * @param {Contents} contents
 */
export function dialogOf(state, actions, playState, contents) {
  const session = actions.replay();
  const { replay } = state;
  if (!session || !replay?.overview || !hasTexts([REPLAY], actions.redraw)) return nothing;
  const close = () => session.open(null);
  const bottomSheet = (/** @type {string} */ name, /** @type {string} */ title, /** @type {unknown} */ body) =>
    dialog(state, { name: `replay-${name}`, title, body, close, isBottomSheet: true });
  switch (replay.dialog) {
    case null:
      return nothing;
    case 'menu':
      return bottomSheet('menu', t('replay.menu'), menu(replay, session, actions));
    case 'link':
      return bottomSheet('link', t('replay.link'), link(replay, state, actions));
    case 'log':
      return bottomSheet('log', t('log.title'), contents.log());
    case 'hands':
      return bottomSheet('hands', t('watchers.hands'), contents.hands());
    case 'scores':
      return bottomSheet('scores', t('play.scores'), contents.scores());
    case 'export':
      return bottomSheet('export', t('replay.export'), exportForm(replay, session));
    case 'play_on':
      return bottomSheet('play-on', t('replay.playOn'), playOnForm(replay, session, playState));
  }
}

/**
 * @param {ReplayState} replay
 * @param {ReplaySession} session
 * @param {Actions} actions
 */
function menu({ overview, place }, session, actions) {
  const open = (/** @type {'keys' | 'settings'} */ name) => () => {
    session.open(null);
    actions.open(name);
  };
  const hasOpenHands = place.perspective.kind === 'open';
  return html`<div class="stack tight">
    ${overview?.imported ? html`<p class="small muted">${t('replay.imported')}</p>` : nothing}
    ${overview?.status === 'playing' ? html`<p class="small muted">${t('replay.running')}</p>` : nothing}
    ${overview?.played_on ? html`<p class="small muted">${t('replay.playedOn', { n: overview.played_on.round })}</p>` : nothing}
    <button class="btn" type="button" @click=${() => session.open('link')}>${icon('copy')} ${t('replay.link')}</button>
    <button class="btn" type="button" @click=${() => session.open('export')}>${icon('down')} ${t('replay.export')}</button>
    <button
      class="btn"
      type="button"
      aria-disabled=${hasOpenHands ? nothing : 'true'}
      aria-describedby=${hasOpenHands ? nothing : 'play-on-note'}
      @click=${() => hasOpenHands && session.open('play_on')}
    >
      ${icon('play')} ${t('replay.playOn')}
    </button>
    ${hasOpenHands ? nothing : html`<p class="small muted" id="play-on-note">${t('replay.playOn.openOnly')}</p>`}
    <button class="btn" type="button" @click=${() => session.open('scores')}>${icon('scores')} ${t('play.scores')}</button>
    <button class="btn" type="button" @click=${open('keys')}>${icon('info')} ${t('menu.keys')}</button>
    <button class="btn" type="button" @click=${open('settings')}>${icon('gear')} ${t('menu.settings')}</button>
    <a class="btn" href=${pageUrl(null)} @click=${onLinkClick(actions, null)}>${icon('door')} ${t('common.home')}</a>
  </div>`;
}

/**
 * @param {ReplayState} replay
 * @param {State} state
 * @param {Actions} actions
 */
const link = (replay, state, actions) => html`<p>${t('replay.link.text')}</p>
  ${linkBox(`${replayUrl(replay.id)}${fragmentNow(replay)}`, state, actions)}`;

/**
 * The choice between a record with the names of people and one without.
 * @param {ReplayState} replay
 * @param {ReplaySession} session
 */
function exportForm({ overview, isBusy, refusal }, session) {
  const hasRecord = overview !== null && HAS_RECORD[overview.status];
  const button = (/** @type {boolean} */ names, /** @type {string} */ key) =>
    html`<button
      class=${names ? 'btn primary' : 'btn'}
      type="button"
      aria-disabled=${hasRecord && !isBusy ? nothing : 'true'}
      aria-describedby=${hasRecord ? nothing : 'export-note'}
      @click=${() => hasRecord && void session.exportRecord(names)}
    >
      ${t(key)}
    </button>`;
  return html`<p>${t('replay.export.text')}</p>
    ${hasRecord ? nothing : html`<p id="export-note">${t('replay.error.game_not_over')}</p>`}
    <div class="row">${button(true, 'replay.export.names')}${button(false, 'replay.export.seats')}</div>
    ${refusalText(refusal)}`;
}

/**
 * The choice of the seat for the new room.
 * @param {ReplayState} replay
 * @param {ReplaySession} session
 * @param {PlayState | null} playState
 */
function playOnForm({ playOnSeat, isBusy, refusal, overview }, session, playState) {
  const hasMoves = playState !== null && playState.game.view.table.phase !== 'round_end';
  const seats = playState?.room.chairs.map((_, at) => String(at)) ?? [];
  return html`<p>${t(hasMoves ? 'replay.playOn.text' : 'replay.playOn.over')}</p>
    ${
      hasMoves
        ? html`${choice({
            name: 'replay-seat',
            label: t('replay.playOn.seat'),
            values: seats,
            chosen: String(Math.min(playOnSeat, (overview?.players.length ?? 1) - 1)),
            choose: (at) => session.chooseSeat(Number(at)),
            text: (at) => nameOf(playState.room, Number(at), t),
          })}
            <div class="row">
              <button class="btn primary" type="button" aria-disabled=${isBusy ? 'true' : nothing} @click=${() => void session.playOn()}>
                ${t('replay.playOn.go')}
              </button>
              <button class="btn" type="button" @click=${() => session.open(null)}>${t('common.cancel')}</button>
            </div>`
        : nothing
    }
    ${refusalText(refusal)}`;
}

/** @param {string | null} refusal */
const refusalText = (refusal) =>
  html`<p class="error-text small" role="alert">${refusal === null ? nothing : t(refusal)}</p>`;
