// The board: five rows, of which each keeps one space. A covered space does not apply in this round.

import { repeat } from '../../vendor/lit-html/directives/repeat.js';
import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { icon } from '../icons.js';
import { isPlayedByBot, nameOf, nameOrYou } from '../state.js';
import { choosingDots } from '../table/dots.js';
import { canAct } from '../table/hand.js';
import { fromSouth } from '../table/seating.js';
import { trayButton } from './button.js';
import { marker } from './signs.js';
import { spaceDrawing } from './space-drawing.js';
import { coveredBy, freeSpaces, ROWS, shownSpaceText, spaceKey, spacesOf } from './spaces.js';

/** @import { Actions } from '../actions.js' */
/** @import { PlayState } from '../types.js' */
/** @import { Nyet, NyetDisplay, Row, Space } from './types.js' */

/** The key of the space that the keyboard has reached. */
let current = '';

/**
 * The players, and the board below them.
 * @param {NyetDisplay} display
 * @param {PlayState<Nyet>} state
 * @param {Actions} actions
 */
export function board(display, state, actions) {
  const keys = ROWS.flatMap((row) => spacesOf(row, display).map((space) => spaceKey(row, space)));
  const tabStop = keys.includes(current) ? current : (state.lifted[0] ?? keys[0]);
  return html`<div class="nyet" @click=${() => state.hold && actions.endHold()}>
    ${players(display, state)}
    <div class="board" role="group" aria-label=${t('nyet.board')} @keydown=${(/** @type {KeyboardEvent} */ event) => onKey(event, state, actions)}>
      ${ROWS.map(
        (row) => html`<div class="board-row" role="group" aria-label=${t(`nyet.row.${row}`)}>
          <b>${t(`nyet.row.${row}`)}<small>${t(`nyet.row.${row}.text`)}</small></b>
          ${repeat(
            spacesOf(row, display),
            (space) => space,
            (space) => spaceButton(row, space, spaceKey(row, space) === tabStop, display, state, actions),
          )}
        </div>`,
      )}
    </div>
  </div>`;
}

/**
 * @param {NyetDisplay} display
 * @param {PlayState<Nyet>} state
 */
function players(display, state) {
  const left = display.coversLeft;
  return html`<ul class="nyet-players" aria-label=${t('nyet.players')}>
    ${fromSouth(display).map((seat) => {
      const isTurn = display.toAct.includes(seat);
      const name = nameOrYou(state.room, seat, display.ownSeat, t);
      return html`<li class=${isTurn ? 'turn' : ''}>
        ${marker(seat, display)}<span class="name">${name}</span>${isPlayedByBot(state.room.chairs[seat]) ? icon('robot') : nothing}${
          isTurn && seat !== display.ownSeat ? choosingDots() : nothing
        }
      </li>`;
    })}
    ${left > 0 ? html`<li class="count"><span>${t('nyet.coversLeft', { n: left })}</span></li>` : nothing}
  </ul>`;
}

/**
 * A space: free, lifted, covered, or the one that the row keeps.
 * @param {Row} row
 * @param {Space} space
 * @param {boolean} isTabStop whether it is the stop of the Tab key on the board
 * @param {NyetDisplay} display
 * @param {PlayState<Nyet>} state
 * @param {Actions} actions
 */
function spaceButton(row, space, isTabStop, display, state, actions) {
  const key = spaceKey(row, space);
  const by = coveredBy(row, space, display);
  const isFree = by === null;
  const isKept = isFree && freeSpaces(row, display).length === 1;
  const isLifted = state.lifted.includes(key);
  const isLast = display.covered?.row === row && display.covered.space === space;
  const classes = [
    'space',
    isFree ? '' : 'covered',
    isKept ? 'settled' : '',
    isLast ? 'last' : '',
    isLifted && state.pendingMove ? 'sent' : '',
  ];
  const canCover = isFree && !isKept && display.kind === 'board' && mayLift(display, state);
  return html`<button
    type="button"
    class=${classes.filter(Boolean).join(' ')}
    data-space=${key}
    ?data-main=${isTabStop}
    aria-label=${spaceLabel(row, space, display, state)}
    aria-pressed=${isFree && !isKept ? String(isLifted) : nothing}
    aria-disabled=${canCover ? nothing : 'true'}
    tabindex=${isTabStop ? '0' : '-1'}
    @click=${() => onTap(row, space, display, state, actions)}
  >
    ${spaceDrawing(row, space, display, state)}${by === null || by === undefined ? nothing : marker(by, display)}${
      isKept ? html`<svg class="pin" aria-hidden="true" viewBox="0 0 22 26"><use href="#pin"></use></svg>` : nothing
    }
  </button>`;
}

/**
 * A space and its state in words.
 * @param {Row} row
 * @param {Space} space
 * @param {NyetDisplay} display
 * @param {PlayState<Nyet>} state
 */
function spaceLabel(row, space, display, state) {
  const what = shownSpaceText(row, space, display, state);
  const by = coveredBy(row, space, display);
  if (by === undefined) return t('nyet.nobody', { what });
  if (by === null) return freeSpaces(row, display).length === 1 ? t('nyet.settled', { what }) : what;
  return t(by === display.ownSeat ? 'nyet.covered.you' : 'nyet.covered', { what, name: nameOf(state.room, by, t) });
}

/**
 * Whether a space may be lifted at all.
 * @param {NyetDisplay} display
 * @param {PlayState<Nyet>} state
 */
const mayLift = (display, state) => display.ownSeat !== null && !state.pendingMove && canAct(display, state);

/**
 * @param {Row} row
 * @param {Space} space
 * @param {NyetDisplay} display
 * @param {PlayState<Nyet>} state
 * @param {Actions} actions
 */
function onTap(row, space, display, state, actions) {
  const key = spaceKey(row, space);
  current = key;
  if (display.kind !== 'board' || !mayLift(display, state)) return;
  if (coveredBy(row, space, display) !== null) {
    actions.toast('refused.space_covered', {}, 'warn');
  } else if (freeSpaces(row, display).length === 1) {
    actions.toast('refused.last_space_in_row', {}, 'warn');
  } else if (state.lifted.includes(key)) {
    const { action } = trayButton(display, state);
    if (action) void actions.act(action);
  } else {
    actions.lift([key]);
  }
}

/**
 * Arrow keys move over the board, row by row; Escape puts down the lifted space.
 * @param {KeyboardEvent} event
 * @param {PlayState<Nyet>} state
 * @param {Actions} actions
 */
function onKey(event, state, actions) {
  const { target, currentTarget, key } = event;
  if (!(target instanceof HTMLElement) || !(currentTarget instanceof HTMLElement)) return;
  if (key === 'Enter' || key === ' ') {
    if (event.repeat) event.preventDefault();
    return;
  }
  if (key === 'Escape' && state.lifted.length > 0 && !state.pendingMove) {
    actions.lift([]);
    event.preventDefault();
    return;
  }
  const rows = [...currentTarget.querySelectorAll('.board-row')].map((row) => [...row.querySelectorAll('.space')]);
  const row = rows.findIndex((spaces) => spaces.includes(target));
  const index = rows[row]?.indexOf(target) ?? -1;
  const next = neighbour(rows, row, index, key);
  if (!(next instanceof HTMLElement)) return;
  event.preventDefault();
  for (const space of rows.flat()) space.setAttribute('tabindex', space === next ? '0' : '-1');
  current = next.dataset.space ?? current;
  next.focus();
}

/**
 * The space to which a key leads from another one.
 * @param {Element[][]} rows
 * @param {number} row
 * @param {number} index
 * @param {string} key
 * @returns {Element | undefined}
 */
function neighbour(rows, row, index, key) {
  switch (key) {
    case 'ArrowLeft':
      return rows[row]?.[Math.max(0, index - 1)];
    case 'ArrowRight':
      return rows[row]?.[Math.min(rows[row].length - 1, index + 1)];
    case 'ArrowUp':
      return rows[row - 1]?.[Math.min(rows[row - 1].length - 1, index)];
    case 'ArrowDown':
      return rows[row + 1]?.[Math.min(rows[row + 1].length - 1, index)];
    case 'Home':
      return rows[row]?.[0];
    case 'End':
      return rows[row]?.at(-1);
    default:
      return undefined;
  }
}
