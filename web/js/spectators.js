// The spectators of a room: their list, the dialog of one of them, and the queue for the next free seat.

import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { dialog } from './dialog.js';
import { fieldForm } from './field-form.js';
import { t } from './i18n.js';
import { icon } from './icons.js';
import { savedName } from './identity.js';
import { isMuted, muteKey } from './mutes.js';
import { ownSpectator, seesAllHands, spectatorName } from './state.js';

/** @import { Actions } from './actions.js' */
/** @import { SpectatorState } from './protocol.js' */
/** @import { State } from './types.js' */

/**
 * The list of the spectators.
 * @param {State} state
 * @param {Actions} actions
 */
export function spectatorList(state, actions) {
  const { room, you } = state;
  if (!room || room.spectators.length === 0) return nothing;
  return html`<ul class="people" aria-label=${t('spectators.title')}>
    ${room.spectators.map((spectator) => {
      const name = spectatorName(spectator, t);
      const isYou = spectator.spectator === you.spectator;
      return html`<li>
        <span class="grow"><b>${name}</b> ${isYou ? html`<span class="tag">${t('role.you')}</span>` : nothing} ${tags(spectator, state)}</span>
        <button
          class="icon-button"
          type="button"
          aria-label=${t('lobby.more', { name })}
          @click=${() => {
            actions.open(null);
            actions.prompt({ kind: 'spectator', spectator: spectator.spectator });
          }}
        >
          ${icon(isYou ? 'edit' : 'menu')}
        </button>
      </li>`;
    })}
  </ul>`;
}

/**
 * The spectators as a panel of the lobby.
 * @param {State} state
 * @param {Actions} actions
 */
export function spectatorPanel(state, actions) {
  if (!state.room || state.room.spectators.length === 0) return nothing;
  return html`<section class="panel" aria-labelledby="spectators-heading">
    <h2 id="spectators-heading">${t('spectators.title')}</h2>
    ${spectatorList(state, actions)}
  </section>`;
}

/**
 * The special marks of a spectator.
 * @param {SpectatorState} spectator
 * @param {State} state
 */
function tags(spectator, state) {
  const { muted, queue_place, offered_until, allowed_by, sees_hands } = spectator;
  return html`${sees_hands ? html`<span class="tag accent">${icon('eye')}${t('watchers.sees')}</span>` : nothing}${
    allowed_by ? html`<span class="tag">${icon('eye')}${t('watchers.asks')}</span>` : nothing
  }${
    muted || isMuted(state, spectator)
      ? html`<span class="tag">${icon('mute')}${t(muted ? 'spectators.muted' : 'mute.isMuted')}</span>`
      : nothing
  }${
    offered_until !== undefined
      ? html`<span class="tag">${icon('time')}${t('spectators.offered')}</span>`
      : queue_place !== undefined
        ? html`<span class="tag">${icon('time')}${t('spectators.place', { n: queue_place })}</span>`
        : nothing
  }`;
}

/**
 * The dialog of a spectator: the own one with the name and the queue, others with what one can do about them.
 * @param {State} state
 * @param {Actions} actions
 * @param {number} number
 * @param {() => void} close
 */
export function spectatorDialog(state, actions, number, close) {
  const { room, you } = state;
  const spectator = room?.spectators.find((other) => other.spectator === number);
  if (!room || !spectator) return null;
  const name = spectatorName(spectator, t);
  const isYou = number === you.spectator;
  const isSilent = isMuted(state, spectator);
  return dialog(state, {
    name: 'spectator',
    title: name,
    icon: 'eye',
    close,
    body: html`<p class="muted chair-state">${t('role.spectator')} ${tags(spectator, state)}</p>
      ${isYou && !spectator.sees_hands ? nameForm(state, actions, spectator) : nothing}
      <div class="stack tight choices">
        ${isYou ? html`${queueButton(state, actions)} ${watchButton(state, actions)}` : nothing}
        ${
          isYou
            ? nothing
            : html`<button
                  class="btn"
                  type="button"
                  aria-pressed=${String(isSilent)}
                  @click=${() => actions.mute(muteKey(spectator), !isSilent)}
                >
                  ${icon(isSilent ? 'sound' : 'mute')} ${t(isSilent ? 'mute.endFor' : 'mute.for', { name })}
                </button>
                <p class="small muted">${t('mute.text')}</p>`
        }
        ${room.you.host ? hostButtons(actions, spectator, name) : nothing}
      </div>`,
  });
}

/**
 * The actions of the host for a spectator.
 * @param {Actions} actions
 * @param {SpectatorState} spectator
 * @param {string} name
 */
function hostButtons(actions, { spectator, ...others }, name) {
  const muted = others.muted === true;
  const ask = () => actions.prompt({ kind: 'remove_spectator', spectator });
  const mute = () => void actions.command({ type: 'mute_spectator', spectator, muted: !muted });
  return html`<button class="btn" type="button" aria-pressed=${String(muted)} @click=${mute}>
      ${icon('chat')} ${t(muted ? 'spectators.unmute' : 'spectators.mute', { name })}
    </button>
    <button class="btn" type="button" @click=${ask}>${icon('removed')} ${t('menu.remove', { name })}</button>`;
}

/**
 * The form for the own name as a spectator.
 * @param {State} state
 * @param {Actions} actions
 * @param {SpectatorState} spectator
 */
const nameForm = ({ errors, busy }, actions, { name }) =>
  fieldForm({
    form: 'spectator',
    label: t('home.name'),
    value: name ?? savedName(),
    error: errors.spectator,
    submit: (value) => void actions.renameSpectator(value),
    buttons: html`<button class="btn" ?disabled=${busy.spectator}>
      ${t(name === undefined ? 'spectators.giveName' : 'chair.rename')}
    </button>`,
  });

/**
 * The question whether to remove a spectator.
 * @param {State} state
 * @param {Actions} actions
 * @param {number} number
 * @param {() => void} close
 */
export function removalDialog(state, actions, number, close) {
  const spectator = state.room?.spectators.find((other) => other.spectator === number);
  if (!spectator) return null;
  const name = spectatorName(spectator, t);
  const remove = () => {
    close();
    void actions.command({ type: 'remove_spectator', spectator: number });
  };
  return dialog(state, {
    title: t('spectators.remove.title', { name }),
    close,
    body: html`<p>${t('spectators.remove.text')}</p>
      <div class="row">
        <button class="btn primary" type="button" @click=${remove}>${t('spectators.remove.go')}</button>
        <button class="btn" type="button" @click=${close}>${t('common.cancel')}</button>
      </div>`,
  });
}

/**
 * After the host has removed a person: the spectators, because one of them may be another tab of this person.
 * @param {State} state
 * @param {Actions} actions
 * @param {() => void} close
 */
export const spectatorsDialog = (state, actions, close) =>
  dialog(state, {
    title: t('spectators.title'),
    icon: 'eye',
    close,
    body: html`<p>${t('spectators.afterRemoval')}</p>
      ${spectatorList(state, actions)}
      <div class="row"><button class="btn" type="button" @click=${close}>${t('common.close')}</button></div>`,
  });

/**
 * The button that enters the queue for the next free seat, or leaves it.
 * @param {State} state
 * @param {Actions} actions
 */
export function queueButton(state, actions) {
  const own = ownSpectator(state);
  if (!own || own.offered_until !== undefined || own.sees_hands) return nothing;
  const isWaiting = own.queue_place !== undefined;
  return html`<button
    class="btn compact"
    type="button"
    aria-pressed=${String(isWaiting)}
    @click=${() => void actions.command({ type: 'queue', queue: !isWaiting })}
  >
    ${icon(isWaiting ? 'check' : 'plus')} ${isWaiting ? t('queue.place', { n: own.queue_place ?? 1 }) : t('queue.enter')}
  </button>`;
}

/**
 * The button that asks all seats to show their hands in the next round, or asks no more. The seats answer by name.
 * @param {State} state
 * @param {Actions} actions
 */
function watchButton(state, actions) {
  const own = ownSpectator(state);
  if (!own || seesAllHands(state)) return nothing;
  if (own.name === undefined) return html`<p class="small muted">${t('watchers.name')}</p>`;
  const asks = own.allowed_by !== undefined;
  return html`<button
      class="btn"
      type="button"
      aria-pressed=${String(asks)}
      @click=${() => void actions.command({ type: 'watch_hands', watch: !asks })}
    >
      ${icon('eye')} ${t(asks ? 'watchers.askNoMore' : 'watchers.ask')}
    </button>
    <p class="small muted">${t('watchers.ask.text')}</p>`;
}
