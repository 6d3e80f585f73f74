/** The board: five rows, of which each keeps one space. What is covered does not hold in this round. */

import { repeat } from '../../vendor/lit-html/directives/repeat.js';
import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { icon } from '../icons.js';
import { nameOf } from '../table/format.js';
import { playButton } from './button.js';
import { marker } from './marker.js';
import { coveredBy, drawn, freeIn, named, ROWS, spacesOf } from './spaces.js';

/** @import { Actions, State } from '../table/types.js' */
/** @import { Shown } from './scene.js' */

/** The space that the keys have reached. */
let current = 'start:';

/**
 * The players, and the board below them.
 * @param {Shown} now
 * @param {State} state
 * @param {Actions} actions
 */
export function board(now, state, actions) {
  const names = ROWS.flatMap((row) => spacesOf(row, now).map((space) => `${row}:${space}`));
  const stop = names.includes(current) ? current : (state.lifted[0] ?? names[0]);
  return html`<div class="nyet" @click=${() => state.pause && actions.goOn()}>
    ${players(now, state)}
    <div class="board" role="group" aria-label=${t('nyet.board')} @keydown=${(/** @type {KeyboardEvent} */ event) => onKey(event, state, actions)}>
      ${ROWS.map(
        (row) => html`<div class="rw" role="group" aria-label=${t(`nyet.row.${row}`)}>
          <b>${t(`nyet.row.${row}`)}<small>${t(`nyet.row.${row}.text`)}</small></b>
          ${repeat(
            spacesOf(row, now),
            (space) => space,
            (space) => one(row, space, `${row}:${space}` === stop, now, state, actions),
          )}
        </div>`,
      )}
    </div>
  </div>`;
}

/**
 * @param {Shown} now
 * @param {State} state
 */
function players(now, state) {
  const order = Array.from({ length: now.seats }, (_, step) => (now.south + step) % now.seats);
  const left = now.table.covers_left ?? 0;
  return html`<ul class="ny-players" aria-label=${t('nyet.players')}>
    ${order.map((seat) => {
      const isTurn = now.toAct.includes(seat);
      const isBot = state.room.chairs[seat]?.kind === 'bot' || state.room.chairs[seat]?.stood_in;
      return html`<li class=${isTurn ? 'turn' : ''}>
        ${marker(seat, now)}<span class="nm">${seat === now.you ? t('play.you') : nameOf(state.room, seat, t)}</span>${isBot ? icon('robot') : nothing}${
          isTurn && seat !== now.you
            ? html`<span class="dots" role="img" aria-label=${t('play.choosing')}><i></i><i></i><i></i></span>`
            : nothing
        }
      </li>`;
    })}
    ${left > 0 ? html`<li class="count"><span>${t('nyet.coversLeft', { n: left })}</span></li>` : nothing}
  </ul>`;
}

/**
 * A space: free, lifted, covered, or the one that stays.
 * @param {string} row
 * @param {string} space
 * @param {boolean} isStop
 * @param {Shown} now
 * @param {State} state
 * @param {Actions} actions
 */
function one(row, space, isStop, now, state, actions) {
  const name = `${row}:${space}`;
  const by = coveredBy(row, space, now);
  const isFree = by === null;
  const isSet = isFree && freeIn(row, now) === 1;
  const isLifted = state.lifted.includes(name);
  const isLast = now.cover?.row === row && now.cover.space === space;
  const classes = [
    'sp',
    isFree ? '' : 'no',
    isSet ? 'set' : '',
    isLast ? 'last' : '',
    isLifted && state.sending ? 'sent' : '',
  ];
  const what = named(row, space, now, state);
  const label = isSet
    ? t('nyet.settled', { what })
    : isFree
      ? what
      : by === undefined
        ? t('nyet.nobody', { what })
        : t(by === now.you ? 'nyet.covered.you' : 'nyet.covered', { what, name: nameOf(state.room, by, t) });
  return html`<button
    type="button"
    class=${classes.filter(Boolean).join(' ')}
    data-space=${name}
    aria-label=${label}
    aria-pressed=${isFree && !isSet ? String(isLifted) : nothing}
    aria-disabled=${isFree && !isSet && now.kind === 'board' && mayLift(now, state) ? nothing : 'true'}
    tabindex=${isStop ? '0' : '-1'}
    @click=${() => tap(row, space, now, state, actions)}
  >
    ${drawn(row, space, now, state)}${by === null || by === undefined ? nothing : marker(by, now)}${
      isSet ? html`<svg class="pin" aria-hidden="true" viewBox="0 0 22 26"><use href="#pin"></use></svg>` : nothing
    }
  </button>`;
}

/**
 * Whether somebody who has a seat can do anything now.
 * @param {Shown} now
 * @param {State} state
 */
const mayLift = (now, state) => now.you !== null && state.link.status === 'open' && !now.paused && !state.sending;

/**
 * @param {string} row
 * @param {string} space
 * @param {Shown} now
 * @param {State} state
 * @param {Actions} actions
 */
function tap(row, space, now, state, actions) {
  const name = `${row}:${space}`;
  current = name;
  if (now.kind !== 'board' || !mayLift(now, state)) {
    return;
  }
  const by = coveredBy(row, space, now);
  if (by !== null) {
    actions.toast('refused.space_covered', {}, 'warn');
  } else if (freeIn(row, now) === 1) {
    actions.toast('refused.last_space_in_row', {}, 'warn');
  } else if (state.lifted.includes(name)) {
    playButton(now, state, actions);
  } else {
    actions.lift([name]);
  }
}

/**
 * Arrows move over the board, row by row; Escape puts back.
 * @param {KeyboardEvent} event
 * @param {State} state
 * @param {Actions} actions
 */
function onKey(event, state, actions) {
  const { target, currentTarget, key } = event;
  if (!(target instanceof HTMLElement) || !(currentTarget instanceof HTMLElement)) {
    return;
  }
  if (key === 'Enter' || key === ' ') {
    if (event.repeat) {
      event.preventDefault();
    }
    return;
  }
  if (key === 'Escape' && state.lifted.length > 0 && !state.sending) {
    actions.lift([]);
    event.preventDefault();
    return;
  }
  const rows = [...currentTarget.querySelectorAll('.rw')].map((row) => [...row.querySelectorAll('.sp')]);
  const row = rows.findIndex((spaces) => spaces.includes(target));
  const place = rows[row]?.indexOf(target) ?? -1;
  const next = stepFrom(rows, row, place, key);
  if (!(next instanceof HTMLElement)) {
    return;
  }
  event.preventDefault();
  for (const spaces of rows) {
    for (const space of spaces) {
      space.setAttribute('tabindex', space === next ? '0' : '-1');
    }
  }
  current = next.dataset.space ?? current;
  next.focus();
}

/**
 * Where a key leads from a space.
 * @param {Element[][]} rows
 * @param {number} row
 * @param {number} place
 * @param {string} key
 * @returns {Element | undefined}
 */
function stepFrom(rows, row, place, key) {
  switch (key) {
    case 'ArrowLeft':
      return rows[row]?.[Math.max(0, place - 1)];
    case 'ArrowRight':
      return rows[row]?.[Math.min(rows[row].length - 1, place + 1)];
    case 'ArrowUp':
      return rows[row - 1]?.[Math.min(rows[row - 1].length - 1, place)];
    case 'ArrowDown':
      return rows[row + 1]?.[Math.min(rows[row + 1].length - 1, place)];
    case 'Home':
      return rows[row]?.[0];
    case 'End':
      return rows[row]?.at(-1);
    default:
      return undefined;
  }
}
