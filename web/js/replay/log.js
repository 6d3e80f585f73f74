// The log of a round beside its replay. The line of the stop that is shown is marked, and each line leads to its stop.

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { logGroups } from '../table/log-groups.js';
import { lineParts } from '../table/round-log.js';
import { eventsOfStop } from './stops.js';
import { effectsOf } from './trick-effects.js';

/** @import { Display } from '../game.js' */
/** @import { LogGroup, LogLine } from '../table/log-groups.js' */
/** @import { PlayState } from '../types.js' */
/** @import { ReplaySession } from './session.js' */
/** @import { Perspective, ShownStop } from './types.js' */

/**
 * The log. Where not all hands are open, it ends with the stop, because the later moves were not known then.
 * @param {ShownStop} shown
 * @param {Perspective} perspective
 * @param {Display} display
 * @param {PlayState} state
 * @param {ReplaySession} session
 * @param {{ isInDialog?: boolean }} [place]
 */
export function log(shown, perspective, display, state, session, { isInDialog = false } = {}) {
  const entries = perspective.kind === 'open' ? shown.round.steps : stepsUntil(shown);
  const groups = logGroups({ entries });
  const current = currentLine(groups, shown);
  followCurrent(isInDialog);
  const notes = new Map(effectsOf(state.room.game, shown.round, perspective).map(({ step, note }) => [step, note]));
  const noteOf = (/** @type {LogLine} */ line) => {
    const note = 'event' in line && line.event.type === 'trick_taken' ? notes.get(line.entry) : null;
    return note ? t(note.key, note.args) : '';
  };
  return html`<div class="replay-log round-log">
    ${groups.map((group) => section(group, current, isInDialog, shown, noteOf, display, state, session))}
  </div>`;
}

/**
 * The steps as far as they are shown.
 * @param {ShownStop} shown
 */
function stepsUntil({ round, stop }) {
  const steps = round.steps.slice(0, stop.step + 1);
  if (stop.isResult) return steps;
  return steps.map((step, index) => (index === stop.step ? { ...step, events: eventsOfStop(round, stop) } : step));
}

/**
 * The line of the stop that is shown: the last one of its step.
 * @param {readonly LogGroup[]} groups
 * @param {ShownStop} shown
 * @returns {LogLine | undefined}
 */
function currentLine(groups, { stop }) {
  return groups
    .filter(({ kind }) => (kind === 'end') === stop.isResult)
    .flatMap(({ lines }) => lines)
    .findLast(({ entry }) => entry <= stop.step);
}

/**
 * @param {LogGroup} group
 * @param {LogLine | undefined} current
 * @param {boolean} isInDialog whether the headings are those of a dialog
 * @param {ShownStop} shown
 * @param {(line: LogLine) => string} noteOf the sentence after the text of a line
 * @param {Display} display
 * @param {PlayState} state
 * @param {ReplaySession} session
 */
function section({ kind, trick, lines }, current, isInDialog, { stops }, noteOf, display, state, session) {
  const heading = { start: t('log.start'), trick: t('log.trick', { n: trick }), end: t('log.end') }[kind];
  const isEnd = kind === 'end';
  const goTo = (/** @type {number} */ entry) => {
    const stop = stops.findLastIndex(({ step, isResult }) => step <= entry && isResult === isEnd);
    session.goToStop(Math.max(0, stop));
    // The dialog covers the table.
    if (isInDialog) session.open(null);
  };
  return html`<section class="log-group">
    ${isInDialog ? html`<h4>${heading}</h4>` : html`<h3>${heading}</h3>`}
    <ol>
      ${lines.map((line) => {
        const parts = lineParts(line, display, state, noteOf(line));
        if (parts === null) return nothing;
        const isCurrent = line === current;
        return html`<li class=${parts.kind}>
          <button
            class="log-line"
            type="button"
            tabindex=${isCurrent ? '0' : '-1'}
            aria-current=${isCurrent ? 'step' : nothing}
            @click=${() => goTo(line.entry)}
          >
            ${parts.content}
          </button>
        </li>`;
      })}
    </ol>
  </section>`;
}

/** The line to which the log was scrolled last. @type {Element | null} */
let followed = null;

/**
 * Scrolls the log to the line of the stop after it is drawn, once for each line. A focus in the log moves to this line.
 * @param {boolean} isInDialog
 */
function followCurrent(isInDialog) {
  const isFocused = document.activeElement?.matches('.log-line') ?? false;
  requestAnimationFrame(() => {
    const line = document.querySelector(`${isInDialog ? 'dialog' : '.side'} .replay-log [aria-current]`);
    const list = line?.closest('.replay-log');
    if (!(line instanceof HTMLElement) || !list || line === followed) return;
    followed = line;
    if (isFocused) line.focus({ preventScroll: true });
    if (isInDialog) return line.scrollIntoView({ block: 'center' });
    const { top, bottom } = line.getBoundingClientRect();
    const box = list.getBoundingClientRect();
    if (top < box.top || bottom > box.bottom) list.scrollTop += (top + bottom - box.top - box.bottom) / 2;
  });
}
