// The controls of a replay: the rounds, the steps, the timeline, the speed and the perspective.

import { live } from '../../vendor/lit-html/directives/live.js';
import { ref } from '../../vendor/lit-html/directives/ref.js';
import { html, nothing, svg } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { icon } from '../icons.js';
import { nameOf } from '../state.js';
import { shownRound } from './play-state.js';
import { STOP_MS } from './session.js';
import { stopText } from './stop-text.js';
import { spansOf } from './stops.js';
import { effectsOf } from './trick-effects.js';

/** @import { FinishedRound, GameReplay } from '../protocol.js' */
/** @import { Icon } from '../icons.js' */
/** @import { ReplaySession } from './session.js' */
/** @import { EffectAtStop } from './trick-effects.js' */
/** @import { Perspective, ReplayState, Speed, Stop } from './types.js' */

/** The timeline shows the numbers of tricks that are multiples of this one, and that of the last trick. */
const NUMBERED_TRICKS = 5;
/** The radii of the marks of lost points, in pixels: the smallest, and the largest. */
const SMALLEST_MARK = 2;
const LARGEST_MARK = 6;
/** The heights in the drawing under the slider, in pixels: the middle of the marks, the ends of the ticks, and the numbers. */
const MARK_Y = 7;
const TICK_TOP = 32;
const TICK_BOTTOM = 38;
const NUMBER_Y = 52;

/**
 * The controls.
 * @param {ReplayState} replay
 * @param {ReplaySession} session
 */
export function controls(replay, session) {
  const overview = /** @type {GameReplay} */ (replay.overview);
  return html`<div class="replay-controls">
    ${roundButtons(overview, replay.place.round, session)}${stepButtons(replay, session)}${timeline(replay, session)}
    <div class="replay-choices">${speedChoice(replay, session)}${perspectiveChoice(replay, session)}</div>
  </div>`;
}

/**
 * @param {GameReplay} overview
 * @param {number} shown
 * @param {ReplaySession} session
 */
function roundButtons({ rounds }, shown, session) {
  return html`<div class="replay-rounds" role="group" aria-label=${t('replay.rounds')}>
    ${rounds.map(
      (entry) =>
        html`<button
          type="button"
          aria-current=${entry.round === shown ? 'true' : nothing}
          ${ref(entry.round === shown ? revealRound : undefined)}
          @click=${() => session.goToRound(entry.round)}
        >
          ${roundName(entry)}
        </button>`,
    )}
  </div>`;
}

/**
 * Scrolls the row of rounds to the round that is shown, after it is drawn.
 * @param {Element} [button] the button of the round; undefined once it is no longer shown
 */
function revealRound(button) {
  queueMicrotask(() => {
    const row = button?.parentElement;
    if (!(button instanceof HTMLElement) || !row) return;
    row.scrollLeft = button.offsetLeft - (row.clientWidth - button.offsetWidth) / 2;
  });
}

/** @param {FinishedRound} entry */
const roundName = (entry) =>
  entry.points ? t('replay.round', { n: entry.round }) : t('replay.round.abandoned', { n: entry.round });

/**
 * The buttons of the steps. None is disabled, so that it keeps the focus at an end.
 * @param {ReplayState} replay
 * @param {ReplaySession} session
 */
function stepButtons({ isAutoplaying }, session) {
  const button = (/** @type {Icon} */ name, /** @type {string} */ label, /** @type {() => void} */ onClick) =>
    html`<button class="icon-button" type="button" aria-label=${label} title=${label} @click=${onClick}>${icon(name)}</button>`;
  return html`<div class="replay-steps" role="group" aria-label=${t('replay.steps')}>
    ${button('first', t('replay.first'), session.toBeginning)}
    ${button('previousTrick', t('replay.trick.previous'), () => session.stepByTrick(-1))}
    ${button('previous', t('replay.card.previous'), () => session.stepByStop(-1))}
    <button
      class="icon-button replay-play"
      type="button"
      aria-label=${t(isAutoplaying ? 'replay.pause' : 'replay.play')}
      @click=${session.togglePlay}
    >
      ${icon(isAutoplaying ? 'pauseBars' : 'play')}
    </button>
    ${button('next', t('replay.card.next'), () => session.stepByStop(1))}
    ${button('nextTrick', t('replay.trick.next'), () => session.stepByTrick(1))}
    ${button('last', t('replay.last'), session.toEnd)}
  </div>`;
}

/**
 * The timeline of the round: a slider with a tick at the beginning of each trick. The marks are above the tricks that cost points.
 * Screen readers find the points of each trick in the log.
 * @param {ReplayState} replay
 * @param {ReplaySession} session
 */
function timeline(replay, session) {
  const shown = shownRound(replay);
  const overview = /** @type {GameReplay} */ (replay.overview);
  const max = shown ? shown.stops.length - 1 : 0;
  const onInput = (/** @type {Event} */ event) =>
    session.goToStop(Number(/** @type {HTMLInputElement} */ (event.currentTarget).value));
  return html`<div class="timeline">
    <input
      type="range"
      min="0"
      max=${max}
      step="1"
      .value=${live(String(shown?.index ?? 0))}
      ?disabled=${!shown}
      aria-label=${t('replay.timeline')}
      aria-valuetext=${shown ? stopText(shown.round, shown.stops, shown.index) : nothing}
      @input=${onInput}
    />
    ${shown ? scale(shown.stops, effectsOf(overview.game, shown.round, replay.place.perspective)) : nothing}
  </div>`;
}

/**
 * The ticks, the numbers of tricks, and the marks. Number and mark are in the middle of their trick, between two ticks. So a mark
 * cannot be taken for that of the next trick. It is a drawing, because the places of elements would need styles of their own.
 * @param {readonly Stop[]} stops
 * @param {readonly EffectAtStop[]} effects
 */
function scale(stops, effects) {
  const max = Math.max(1, stops.length - 1);
  const place = (/** @type {number} */ stop) => `${((100 * stop) / max).toFixed(2)}%`;
  const losses = effects.filter(({ cost }) => cost > 0);
  const worst = Math.max(1, ...losses.map(({ cost }) => cost));
  const radius = (/** @type {number} */ cost) => SMALLEST_MARK + ((LARGEST_MARK - SMALLEST_MARK) * cost) / worst;
  const spans = spansOf(stops);
  const lastTrick = spans.at(-1)?.trick ?? 0;
  const middles = new Map(spans.map(({ trick, first, last }) => [trick, (first + last) / 2]));
  const middleOf = (/** @type {number} */ trick) => place(middles.get(trick) ?? 0);
  // The number before the last one would touch it.
  const isNumbered = (/** @type {number} */ trick) =>
    (trick % NUMBERED_TRICKS === 0 && trick !== lastTrick - 1) || trick === lastTrick;
  return html`<svg class="timeline-scale" aria-hidden="true">
    ${losses.map(({ stop, cost }) => svg`<circle class="loss" cx=${middleOf(stops[stop].trick)} cy=${MARK_Y} r=${radius(cost).toFixed(1)} />`)}
    ${spans.map(({ first }) => svg`<line class="tick" x1=${place(first)} x2=${place(first)} y1=${TICK_TOP} y2=${TICK_BOTTOM} />`)}
    ${spans.map(({ trick, first }) =>
      isNumbered(trick)
        ? svg`<text class=${trick === 0 ? 'tick-text first' : 'tick-text'} x=${trick === 0 ? place(first) : middleOf(trick)} y=${NUMBER_Y}>${trick === 0 ? t('replay.deal') : trick}</text>`
        : nothing,
    )}
  </svg>`;
}

/**
 * @param {ReplayState} replay
 * @param {ReplaySession} session
 */
function speedChoice({ speed }, session) {
  const speeds = /** @type {Speed[]} */ (Object.keys(STOP_MS));
  const onChange = (/** @type {Event} */ event) =>
    session.setSpeed(/** @type {Speed} */ (/** @type {HTMLSelectElement} */ (event.currentTarget).value));
  return html`<select class="input" aria-label=${t('replay.speed')} @change=${onChange}>
    ${speeds.map((each) => html`<option value=${each} ?selected=${each === speed}>${t(`replay.speed.${each}`)}</option>`)}
  </select>`;
}

/**
 * @param {ReplayState} replay
 * @param {ReplaySession} session
 */
function perspectiveChoice({ place, overview, rounds }, session) {
  const players = rounds[place.round]?.players ?? overview?.players ?? [];
  /** @type {Perspective[]} */
  const perspectives = [
    { kind: 'open' },
    ...players.map((_, seat) => /** @type {Perspective} */ ({ kind: 'seat', seat })),
    { kind: 'spectator' },
  ];
  const keyOf = (/** @type {Perspective} */ perspective) => JSON.stringify(perspective);
  const nameAt = (/** @type {Perspective} */ perspective) => {
    if (perspective.kind !== 'seat') return t(`replay.perspective.${perspective.kind}`);
    const name = players[perspective.seat].name ?? nameOf(null, perspective.seat, t);
    return t('replay.perspective.seat', { name });
  };
  const onChange = (/** @type {Event} */ event) =>
    session.setPerspective(JSON.parse(/** @type {HTMLSelectElement} */ (event.currentTarget).value));
  return html`<select class="input" aria-label=${t('replay.perspective')} @change=${onChange}>
    ${perspectives.map(
      (perspective) =>
        html`<option value=${keyOf(perspective)} ?selected=${keyOf(perspective) === keyOf(place.perspective)}>${nameAt(perspective)}</option>`,
    )}
  </select>`;
}
