// The tray under the table: the status line, the button, and the own hand.

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { icon } from '../icons.js';
import { reaction } from '../reactions.js';
import { listed, nameOf, signed } from './format.js';
import { canAct, hand, play, preventRepeat } from './hand.js';
import { replaceOnChange } from './replace-on-change.js';
import { tableOf } from './scene.js';
import { plateLabel } from './seats.js';
import { statusLine } from './status-line.js';

/** @import { Actions } from '../actions.js' */
/** @import { Scene } from '../game.js' */
/** @import { PlayState } from '../types.js' */

/** Screen readers are warned when so many seconds are left. */
const WARNINGS = [5, 10, 20];

/**
 * The tray of a player, or of a spectator.
 * @param {Scene} scene
 * @param {PlayState} state
 * @param {Actions} actions
 */
export function tray(scene, state, actions) {
  const { strong, text } = statusLine(scene, state, t);
  const isSeated = scene.you !== null;
  return html`<section
    class=${scene.yours && !state.sending ? 'tray turn' : 'tray'}
    aria-label=${isSeated ? t('play.hand.title') : t('play.spectator')}
  >
    <div class="tray-top">
      <p class="say-line">${replaceOnChange(`${strong} ${text}`, html`<span><b>${strong}</b> ${text}</span>`)}</p>
      <div class="acts" ?inert=${scene.isPaused}>${isSeated ? playerActions(scene, state, actions) : spectatorActions(scene, state, actions)}</div>
    </div>
    ${tableOf(state.room).aboveHand(scene, state)}${isSeated ? hand(scene, state, actions) : nothing}
    <p class="sr" role="status">${timeWarning(scene)}</p>
    <p class="sr" aria-live="polite" data-spoken></p>
  </section>`;
}

/**
 * What screen readers say as the own time runs out.
 * @param {Scene} scene
 * @returns {string}
 */
function timeWarning({ yours, secondsLeft }) {
  const isShort = yours && secondsLeft !== null && secondsLeft > 0;
  const step = isShort ? WARNINGS.find((limit) => secondsLeft <= limit) : undefined;
  return step === undefined ? '' : t('live.time', { n: step });
}

/**
 * @param {Scene} scene
 * @param {PlayState} state
 * @param {Actions} actions
 */
function playerActions(scene, state, actions) {
  return html`${scene.hasOwnPlate ? ownPlate(scene, state, actions) : nothing}${button(scene, state, actions)}`;
}

/**
 * The own plate.
 * @param {Scene} scene
 * @param {PlayState} state
 * @param {Actions} actions
 */
function ownPlate(scene, state, actions) {
  const you = scene.you ?? 0;
  const game = tableOf(state.room);
  const score = scene.running?.[you];
  const tricks = t('play.tricks', { n: game.tricksOf(you, scene) });
  return html`<button
    class="me-plate"
    type="button"
    aria-label=${plateLabel(you, scene, state)}
    @click=${() => actions.open({ player: you })}
  >
    ${game.badge(you, scene)}<span
      ><b>${t('play.you')}${game.besideName(you, scene)}${scene.dealer === you ? icon('dealer') : nothing}</b><small>${score ? `${tricks} · ${signed(score.points)}` : tricks}${game.ownPlateDetails(you, scene)}</small></span
    >${reaction(you, state)}
  </button>`;
}

/**
 * The button: it makes a move, ends a pause, or says whom all wait for.
 * @param {Scene} scene
 * @param {PlayState} state
 * @param {Actions} actions
 */
function button(scene, state, actions) {
  const { label, action, endsPause = false } = tableOf(state.room).button(scene, state);
  const canPlay = Boolean(action) && !state.sending && canAct(scene, state);
  const words = label ?? waitingText(scene, state);
  const onClick = () => {
    if (endsPause) actions.endPause();
    else if (canPlay) play(scene, state, actions);
  };
  // It is the same element whatever it does, so that it keeps the focus.
  return html`<button
    class="btn pri"
    type="button"
    ?data-play=${!endsPause}
    aria-disabled=${endsPause || canPlay ? nothing : 'true'}
    @click=${onClick}
    @keydown=${preventRepeat}
  >
    ${replaceOnChange(words, html`<span class="lbl">${words}</span>`)}
  </button>`;
}

/**
 * Whom all wait for.
 * @param {Scene} scene
 * @param {PlayState} state
 * @returns {string}
 */
function waitingText(scene, state) {
  const others = scene.toAct.map((seat) => nameOf(state.room, seat, t));
  if (others.length === 0) {
    return t('play.wait');
  }
  return others.length > 2
    ? t('play.waitMany', { n: others.length })
    : t('play.waitShort', { name: listed(others, t) });
}

/**
 * The button that changes the viewpoint of a spectator, and the one that ends a pause.
 * @param {Scene} scene
 * @param {PlayState} state
 * @param {Actions} actions
 */
function spectatorActions(scene, state, actions) {
  const next = (scene.south + 1) % scene.seats;
  const name = nameOf(state.room, scene.south, t);
  return html`<span class="btnrow row"
    ><button
      class="btn sm"
      type="button"
      aria-label=${`${t('watch.seat', { name })}. ${t('play.viewpoint', { name, next: nameOf(state.room, next, t) })}`}
      @click=${() => actions.setViewpoint(next)}
    >
      ${icon('eye')} ${t('watch.seat', { name })}
    </button>${
      tableOf(state.room).button(scene, state).endsPause
        ? html`<button class="btn sm" type="button" @click=${() => actions.endPause()}>${t('reveal.go')}</button>`
        : nothing
    }</span
  >`;
}
