// A pause of the game: its texts, and the note over the table.

import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { askToLeave } from './header.js';
import { minutesAndSeconds, t } from './i18n.js';
import { icon } from './icons.js';
import { isAway, nameOf } from './state.js';

/** @import { Actions } from './actions.js' */
/** @import { RoomState, State } from './types.js' */

/** @typedef {{ room: Pick<RoomState, 'pause'> | null } & Pick<State, 'clock' | 'clockSkew'>} PauseTimes the part of a state that tells when a pause ends */

/**
 * The text of a pause: the person who began it.
 * @param {RoomState} room
 */
export function pauseText(room) {
  const by = room.pause?.by;
  if (by === undefined) return t('refused.paused');
  return by === room.you.seat ? t('state.paused.you') : t('state.paused.text', { name: nameOf(room, by, t) });
}

/**
 * The seconds that are left of a pause; null if its end is not known.
 * @param {PauseTimes} state
 */
function pauseSeconds({ room, clock, clockSkew }) {
  const ends = room?.pause?.ends_at;
  return ends === undefined ? null : Math.max(0, Math.ceil((ends - clockSkew - clock) / 1000));
}

/**
 * The time that is left of a pause, as minutes and seconds.
 * @param {State} state
 */
function pauseLeft(state) {
  const seconds = pauseSeconds(state);
  return seconds === null ? '' : minutesAndSeconds(seconds);
}

/**
 * A pause for screen readers: the person who began it, and the minutes until it ends.
 * @param {PauseTimes & { room: RoomState }} state
 */
export function spokenPause(state) {
  const seconds = pauseSeconds(state);
  const left = seconds === null ? [] : [t('state.paused.minutes', { n: Math.max(1, Math.ceil(seconds / 60)) })];
  return [pauseText(state.room), ...left].join(' ');
}

/**
 * The button by which a person is ready to go on after the pause, with the number of people who are.
 * @param {RoomState} room
 * @param {Actions} actions
 */
function readyInPause(room, actions) {
  const people = room.chairs.flatMap((chair) => (chair.kind === 'person' && !isAway(chair) ? [chair] : []));
  const ready = people.filter((chair) => chair.ready).length;
  const own = room.you.seat === null ? undefined : room.chairs[room.you.seat];
  const isReady = own?.kind === 'person' && own.ready;
  return html`<button class="btn primary" type="button" aria-pressed=${String(isReady)} @click=${() => void actions.setReady(!isReady)}>
    ${isReady ? icon('check') : nothing} ${t('lobby.readyAsk')} (${ready}/${people.length})
  </button>`;
}

/**
 * The note over the table of a paused game. It leaves the header usable.
 * @param {State} state
 * @param {Actions} actions
 */
export function pausedNote(state, actions) {
  const { room } = state;
  if (room?.phase !== 'paused' || state.route !== 'room') return nothing;
  return html`<div class="pause-note">
    <section class="dialog-panel stitched" role="dialog" aria-labelledby="paused-title">
      <span>${icon('cup')}</span>
      <h3 id="paused-title">${t('state.paused.title')}</h3>
      <p>${pauseText(room)}</p>
      <p class="small muted" role="timer">${t('state.paused.left', { time: pauseLeft(state) })}</p>
      <div class="row">
        ${
          room.you.seat === null
            ? nothing
            : html`${readyInPause(room, actions)}
                <button class="btn" type="button" @click=${() => void actions.command({ type: 'resume' })}>${t('menu.resume')}</button>`
        }
        <button class="btn" type="button" @click=${() => askToLeave(state, actions)}>${t('menu.leave')}</button>
      </div>
    </section>
  </div>`;
}
