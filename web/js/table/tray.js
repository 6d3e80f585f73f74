// The tray under the table: the status line, the button, and the own hand.

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { nameList, t } from '../i18n.js';
import { icon } from '../icons.js';
import { part } from '../parts.js';
import { reaction } from '../reactions.js';
import { isQueueNeeded, nameOf } from '../state.js';
import { face } from './card-drawing.js';
import { cardsOfSeat, gameTableOf } from './display.js';
import { signed } from './format.js';
import { canAct, hand, MAX_FEW, pressTrayButton, preventRepeat } from './hand.js';
import { replaceOnChange } from './replace-on-change.js';
import { plateLabel } from './seats.js';
import { statusLine } from './status-line.js';

/** @import { Actions } from '../actions.js' */
/** @import { Display } from '../game.js' */
/** @import { PlayState } from '../types.js' */

/** Screen readers are warned when so many seconds are left. */
const WARNINGS = [5, 10, 20];

/**
 * The tray of a player, or of a spectator.
 * @param {Display} display
 * @param {PlayState} state
 * @param {Actions} actions
 */
export function tray(display, state, actions) {
  const { strong, text } = statusLine(display, state, t);
  const isSeated = display.ownSeat !== null;
  return html`<section
    class=${isSeated ? (display.yours && !state.pendingMove ? 'tray turn' : 'tray') : 'tray watch'}
    aria-label=${isSeated ? t('play.hand.title') : t('role.spectator')}
  >
    <div class="tray-top">
      <p class="status-line">${replaceOnChange(`${strong} ${text}`, html`<span><b>${strong}</b> ${text}</span>`)}</p>
      <div class="tray-actions" ?inert=${display.isPaused}>${isSeated ? playerActions(display, state, actions) : spectatorActions(display, state, actions)}</div>
    </div>
    ${gameTableOf(state.room).aboveHand(display, state)}${isSeated ? hand(display, state, actions) : shownHand(display, state)}
    <p class="visually-hidden" role="status">${timeWarning(display)}</p>
    <p class="visually-hidden" aria-live="polite" data-spoken></p>
  </section>`;
}

/**
 * The warning to screen readers that the own time runs out.
 * @param {Display} display
 * @returns {string}
 */
export function timeWarning({ yours, secondsLeft }) {
  const isShort = yours && secondsLeft !== null && secondsLeft > 0;
  const step = isShort ? WARNINGS.find((limit) => secondsLeft <= limit) : undefined;
  return step === undefined ? '' : t('announce.time', { n: step });
}

/**
 * @param {Display} display
 * @param {PlayState} state
 * @param {Actions} actions
 */
function playerActions(display, state, actions) {
  return html`${display.hasOwnPlate ? ownPlate(display, state, actions) : nothing}${trayButton(display, state, actions)}`;
}

/**
 * The own plate.
 * @param {Display} display
 * @param {PlayState} state
 * @param {Actions} actions
 */
export function ownPlate(display, state, actions) {
  const ownSeat = display.ownSeat ?? 0;
  const gameTable = gameTableOf(state.room);
  const score = display.running?.points[ownSeat];
  const tricks = t('play.tricks', { n: gameTable.tricksOf(ownSeat, display) });
  return html`<button
    class="own-plate"
    type="button"
    aria-label=${plateLabel(ownSeat, display, state)}
    @click=${() => actions.prompt({ kind: 'chair', seat: ownSeat })}
  >
    ${gameTable.badge(ownSeat, display)}<span class="own-details"
      ><b>${t('play.you')}${gameTable.besideName(ownSeat, display)}${display.dealer === ownSeat ? icon('dealer') : nothing}</b><small>${score === undefined ? tricks : `${tricks} · ${signed(score)}`}${gameTable.ownPlateDetails(ownSeat, display)}</small></span
    >${reaction(ownSeat, state)}
  </button>`;
}

/**
 * The button: it makes a move, ends a hold, or names the seats that the game waits for.
 * @param {Display} display
 * @param {PlayState} state
 * @param {Actions} actions
 */
function trayButton(display, state, actions) {
  const { label, action, endsHold = false } = gameTableOf(state.room).trayButton(display, state);
  const canPlay = Boolean(action) && !state.pendingMove && canAct(display, state);
  const words = label ?? waitingText(display, state);
  const onClick = () => {
    if (endsHold) actions.endHold();
    else if (canPlay) pressTrayButton(display, state, actions);
  };
  // It is the same element in all its roles, so that it keeps the focus.
  return html`<button
    class="btn primary"
    type="button"
    ?data-play=${!endsHold}
    aria-disabled=${endsHold || canPlay ? nothing : 'true'}
    @click=${onClick}
    @keydown=${preventRepeat}
  >
    ${replaceOnChange(words, html`<span>${words}</span>`)}
  </button>`;
}

/**
 * The names of the seats that the game waits for.
 * @param {Display} display
 * @param {PlayState} state
 * @returns {string}
 */
function waitingText(display, state) {
  const others = display.toAct.map((seat) => nameOf(state.room, seat, t));
  if (others.length === 0) {
    return t('play.wait');
  }
  return others.length > 2
    ? t('play.waitMany', { n: others.length })
    : t('play.waitShort', { name: nameList(others, t) });
}

/**
 * The buttons of a spectator: they change the viewpoint, enter the queue for a seat, and end a hold.
 * @param {Display} display
 * @param {PlayState} state
 * @param {Actions} actions
 */
function spectatorActions(display, state, actions) {
  const next = (display.south + 1) % display.seats;
  const name = nameOf(state.room, display.south, t);
  return html`<span class="button-row row"
    ><button
      class="btn compact"
      type="button"
      aria-label=${`${t('watch.seat', { name })}. ${t('play.viewpoint', { name, next: nameOf(state.room, next, t) })}`}
      @click=${() => actions.setViewpoint(next)}
    >
      ${icon('eye')} ${t('watch.seat', { name })}
    </button>${allHandsButton(display, state, actions)}${isQueueNeeded(state) ? part('deferred')?.queueButton(state, actions) : nothing}${
      gameTableOf(state.room).trayButton(display, state).endsHold
        ? html`<button class="btn compact" type="button" @click=${() => actions.endHold()}>${t('play.continue')}</button>`
        : nothing
    }</span
  >`;
}

/**
 * The hand of the seat at the bottom; nothing for other spectators.
 * @param {Display} display
 * @param {PlayState} state
 */
function shownHand(display, state) {
  const cards = cardsOfSeat(display.south, state);
  if (cards === null) return nothing;
  return html`<div class="hand">
    <ol
      aria-label=${t('watchers.handOf', { name: nameOf(state.room, display.south, t), n: cards.length })}
      data-count=${cards.length}
      ?data-few=${cards.length <= MAX_FEW}
    >
      ${cards.map((card) => html`<li>${face(card)}</li>`)}
    </ol>
  </div>`;
}

/**
 * The button that opens the dialog with all hands; nothing for other spectators.
 * @param {Display} display
 * @param {PlayState} state
 * @param {Actions} actions
 */
function allHandsButton(display, state, actions) {
  if (cardsOfSeat(display.south, state) === null) return nothing;
  return html`<button class="btn compact" type="button" @click=${() => actions.open('hands')}>
    ${icon('people')} ${t('watchers.hands')}
  </button>`;
}
