/** The rail under the table: the sentence, what can be done, and the own hand. */

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { icon } from '../icons.js';
import { reaction } from '../reactions.js';
import { listed, nameOf, signed } from './format.js';
import { hand, mayAct, noRepeat, play } from './hand.js';
import { anew } from './replace-on-change.js';
import { spoken } from './seats.js';
import { sentence } from './status-line.js';

/** @import { Actions, Shown, State } from './types.js' */

/**
 * The rail of somebody who has a seat, or who watches.
 * @param {Shown} now
 * @param {State} state
 * @param {Actions} actions
 */
export function tray(now, state, actions) {
  const { strong, text } = sentence(now, state, t);
  const isSeated = now.you !== null;
  return html`<section
    class=${now.yours && !state.sending ? 'tray turn' : 'tray'}
    aria-label=${isSeated ? t('play.hand.title') : t('play.spectator')}
  >
    <div class="tray-top">
      <p class="say-line">${anew(`${strong} ${text}`, html`<span><b>${strong}</b> ${text}</span>`)}</p>
      <div class="acts" ?inert=${now.paused}>${isSeated ? seated(now, state, actions) : watching(now, state, actions)}</div>
    </div>
    ${now.game.above(now, state)}${isSeated ? hand(now, state, actions) : nothing}
    <p class="sr" role="status">${warning(now)}</p>
    <p class="sr" aria-live="polite" data-spoken></p>
  </section>`;
}

/**
 * What a screen reader says as the own time runs out: at 20, 10 and 5 seconds.
 * @param {Shown} now
 * @returns {string}
 */
function warning(now) {
  const { left } = now;
  const step = now.yours && left !== null && left > 0 ? [5, 10, 20].find((limit) => left <= limit) : undefined;
  return step === undefined ? '' : t('live.time', { n: step });
}

/**
 * @param {Shown} now
 * @param {State} state
 * @param {Actions} actions
 */
function seated(now, state, actions) {
  return html`${now.hasPlate ? self(now, state, actions) : nothing}${button(now, state, actions)}`;
}

/**
 * The own plate.
 * @param {Shown} now
 * @param {State} state
 * @param {Actions} actions
 */
function self(now, state, actions) {
  const you = now.you ?? 0;
  const running = now.table.running?.[you];
  const tricks = t('play.tricks', { n: now.game.tricksOf(you, now) });
  return html`<button
    class="me-plate"
    type="button"
    aria-label=${spoken(you, now, state)}
    @click=${() => actions.open({ player: you })}
  >
    ${now.game.badge(you, now)}<span
      ><b>${t('play.you')}${now.game.beside(you, now)}${now.table.dealer === you ? icon('dealer') : nothing}</b><small>${running ? `${tricks} · ${signed(running.points)}` : tricks}${now.game.more(you, now)}</small></span
    >${reaction(you, state)}
  </button>`;
}

/**
 * The button that plays, or says why not.
 * @param {Shown} now
 * @param {State} state
 * @param {Actions} actions
 */
function button(now, state, actions) {
  const { label, action, goesOn = false } = now.game.button(now, state);
  const canPlay = Boolean(action) && !state.sending && mayAct(now, state);
  const words = label ?? waiting(now, state);
  const press = () => {
    if (goesOn) actions.goOn();
    else if (canPlay) play(now, state, actions);
  };
  // It is one button whatever it does, so that it keeps the focus.
  return html`<button
    class="btn pri"
    type="button"
    ?data-play=${!goesOn}
    aria-disabled=${goesOn || canPlay ? nothing : 'true'}
    @click=${press}
    @keydown=${noRepeat}
  >
    ${anew(words, html`<span class="lbl">${words}</span>`)}
  </button>`;
}

/**
 * For whom all wait.
 * @param {Shown} now
 * @param {State} state
 * @returns {string}
 */
function waiting(now, state) {
  const others = now.toAct.map((seat) => nameOf(state.room, seat, t));
  if (others.length === 0) {
    return t('play.wait');
  }
  return others.length > 2
    ? t('play.waitMany', { n: others.length })
    : t('play.waitShort', { name: listed(others, t) });
}

/**
 * @param {Shown} now
 * @param {State} state
 * @param {Actions} actions
 */
function watching(now, state, actions) {
  const next = (now.south + 1) % now.seats;
  const name = nameOf(state.room, now.south, t);
  return html`<span class="btnrow row"
    ><button
      class="btn sm"
      type="button"
      aria-label=${`${t('watch.seat', { name })}. ${t('play.viewpoint', { name, next: nameOf(state.room, next, t) })}`}
      @click=${() => actions.viewpoint(next)}
    >
      ${icon('eye')} ${t('watch.seat', { name })}
    </button>${
      now.game.button(now, state).goesOn
        ? html`<button class="btn sm" type="button" @click=${() => actions.goOn()}>${t('reveal.go')}</button>`
        : nothing
    }</span
  >`;
}
