// The home page: open a room, join one, or return to one.

import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { findGame, GAMES, gameOf } from './games.js';
import { onLinkClick } from './header.js';
import { t } from './i18n.js';
import { icon } from './icons.js';
import { savedName } from './identity.js';
import { legalLinks } from './legal-links.js';
import { part } from './parts.js';
import { richText } from './rich-text.js';
import { formatCode, roomUrl } from './urls.js';

/** @import { Actions } from './actions.js' */
/** @import { RoomSummary } from './protocol.js' */
/** @import { Settings } from './settings.js' */
/** @import { DialogName, Draft, HelpTopic, SavedRoomState, State } from './types.js' */

/** The cards of the fan under the title. */
const FAN = ['red-2', 'yellow-9', 'green-0', 'blue-14', 'purple-7', 'grey-11'];

/**
 * The home page.
 * @param {State} state
 * @param {Actions} actions
 */
export function home(state, actions) {
  return html`<main class="content stack" id="main">
      ${state.home.savedRooms.map((room) => savedRoomPanel(room, state.settings, actions))}
      <div class="columns two">
        ${hero()}
        <section class="panel stitched" aria-labelledby="sit">
          <h2 id="sit">${t('home.sit')}</h2>
          <div class="stack">
            ${createForm(state, actions)}
            <p class="or-divider">${t('home.or')}</p>
            ${joinForm(state, actions)}
            <p class="small muted">${t('home.privacy')}</p>
          </div>
        </section>
      </div>
      ${roomList(state, actions)}
    </main>
    <footer class="page-footer">
      ${GAMES.map(
        ({ id, name }) =>
          html`<a href="#help" @click=${onDialogLinkClick(actions, 'help', id)}>${t('home.howTo', { game: name })}</a>`,
      )}
      <a href="#keys" @click=${onDialogLinkClick(actions, 'keys')}>${t('home.keys')}</a>
      <a href="#settings" @click=${onDialogLinkClick(actions, 'settings')}>${t('menu.settings')}</a>
      ${legalLinks()}
    </footer>`;
}

/**
 * The listener of a link that opens a dialog.
 * @param {Actions} actions
 * @param {DialogName} dialog
 * @param {HelpTopic['game']} [game] the topic of the help
 */
const onDialogLinkClick = (actions, dialog, game) => (/** @type {Event} */ event) => {
  event.preventDefault();
  if (game !== undefined) actions.setHelpTopic({ game, variant: null });
  actions.open(dialog);
};

/**
 * A saved room, to which people can return.
 * @param {SavedRoomState} room
 * @param {Settings} settings
 * @param {Actions} actions
 */
function savedRoomPanel({ code, title, phase }, settings, actions) {
  return html`<div class="panel saved-room">
    ${icon('door')}
    <p class="grow">
      <b>${t('home.saved', { table: title ?? shownCode(code, settings) })}</b>
      ${phase === null ? nothing : html`<span class="muted">${t(`home.phase.${phase}`)}</span>`}
    </p>
    <a class="btn primary compact" href=${roomUrl(code)} @click=${onLinkClick(actions, code)}>${t('home.saved.go')}</a>
    <button
      class="icon-button"
      type="button"
      aria-label=${t('home.saved.dismiss')}
      title=${t('home.saved.dismiss')}
      @click=${() => actions.removeSavedRoom(code)}
    >
      ${icon('close')}
    </button>
  </div>`;
}

/**
 * The name of a room without a title: its code, which streamers hide.
 * @param {string} code
 * @param {Settings} settings
 */
export const shownCode = (code, settings) => (settings.streamer ? t('lobby.untitled') : formatCode(code));

const hero = () => html`<section class="hero">
  <h1>${t('app.name')}</h1>
  <svg class="thread" viewBox="0 0 420 34" aria-hidden="true">
    <path d="M4 20C40 4 60 32 98 20S160 6 196 20s58 10 96-2 46 2 84-6" />
    <path
      class="needle"
      d="M418 2c-16 3-40 10-52 17l1 2.500C382 18 404 9 418 2ZM372 15.500c2.500-1.400 5-2.200 8-2.600-2 2-5 3-7.500 3.500Z"
    />
  </svg>
  <p>${richText(t('home.tagline'))}</p>
  <div class="fan" aria-hidden="true">${FAN.map((card) => part('cardDrawing')?.face(card, { isDecorative: true }))}</div>
</section>`;

/**
 * The form in which a room is opened.
 * @param {State} state
 * @param {Actions} actions
 */
function createForm(state, actions) {
  const { draft } = state.home;
  const error = state.errors.create;
  const onSubmit = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const form = new FormData(/** @type {HTMLFormElement} */ (event.currentTarget));
    const text = (/** @type {string} */ name) => String(form.get(name) ?? '');
    void actions.createRoom({
      name: text('name'),
      title: text('title'),
      listed: form.has('listed'),
      password: text('password'),
    });
  };
  return html`<form class="stack" @submit=${onSubmit}>
    <label class="field"
      ><span>${t('home.name')}</span
      ><input class="input" id="name" name="name" .value=${savedName()} maxlength="40" autocomplete="nickname" />
    </label>
    ${gameChoice(draft, actions)}${seatsChoice(draft, actions)}${moreFields()}
    ${error ? html`<p class="error-text small" role="alert">${t(error.key, error.args)}</p>` : nothing}
    <button class="btn primary big full-width" ?disabled=${state.busy.create}>${icon('plus')} ${t('home.create')}</button>
  </form>`;
}

/**
 * @param {Draft} draft
 * @param {Actions} actions
 */
const gameChoice = (draft, actions) => html`<fieldset class="game-choice">
  <legend class="visually-hidden">${t('home.game')}</legend>
  ${GAMES.map(
    ({ id, name, card, seats, usualSeats }) => html`<label
      ><input
        type="radio"
        name="game"
        .checked=${id === draft.game}
        @change=${() => actions.setDraft({ game: id, seats: usualSeats })}
      />${part('cardDrawing')?.face(card, { compact: true, isDecorative: true }) ?? html`<span class="card mini"></span>`}<b>${name}</b
      ><small>${t('home.players', { n: seats[0], max: seats.at(-1) })}</small></label
    >`,
  )}
</fieldset>`;

/** Every number of seats of some game, in order. */
const SEAT_COUNTS = [...new Set(GAMES.flatMap(({ seats }) => seats))].sort((a, b) => a - b);

/**
 * The numbers of seats of the chosen game. Each number has a place in the template, so that its element never becomes
 * that of another number.
 * @param {Draft} draft
 * @param {Actions} actions
 */
const seatsChoice = (draft, actions) => html`<div class="options">
  <div class="option-line">
    <span id="seats-label">${t('home.seats')}</span>
    <div class="segmented" role="radiogroup" aria-labelledby="seats-label">
      ${SEAT_COUNTS.map((seats) =>
        gameOf(draft).seats.includes(seats)
          ? html`<label
              ><input
                type="radio"
                name="seats"
                .checked=${seats === draft.seats}
                @change=${() => actions.setDraft({ seats })}
              />${seats}</label
            >`
          : nothing,
      )}
    </div>
  </div>
</div>`;

/** The fields that few people need: title, list, password. */
const moreFields = () => html`<details class="more">
  <summary>${t('home.more')}</summary>
  <div class="stack">
    <label class="field"
      ><span>${t('opt.title')}</span><input class="input" name="title" maxlength="80" autocomplete="off" />
    </label>
    <label class="switch"
      ><input type="checkbox" name="listed" /><span
        ><b>${t('opt.listed')}</b><small>${t('opt.listed.text')}</small></span
      ></label
    >
    <label class="field"
      ><span>${t('opt.password')}</span
      ><input class="input" name="password" maxlength="64" autocomplete="off" /><small
        class="muted"
        >${t('opt.password.text')}</small
      >
    </label>
  </div>
</details>`;

/**
 * @param {State} state
 * @param {Actions} actions
 */
function joinForm(state, actions) {
  const error = state.errors.join;
  const onSubmit = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const form = new FormData(/** @type {HTMLFormElement} */ (event.currentTarget));
    const name = document.querySelector('#name');
    void actions.join(String(form.get('code') ?? ''), name instanceof HTMLInputElement ? name.value : '');
  };
  return html`<form class="field-with-button join-form" @submit=${onSubmit}>
    <label class="field"
      ><span class="visually-hidden">${t('home.code')}</span
      ><input
        class="input"
        type=${state.settings.streamer ? 'password' : 'text'}
        name="code"
        placeholder="K7QM-2X4P"
        autocapitalize="characters"
        autocomplete="off"
        spellcheck="false"
        aria-invalid=${error ? 'true' : 'false'}
        aria-describedby="code-error"
    /></label>
    <button class="btn" ?disabled=${state.busy.join}>${t('home.join')}</button>
    <p class="error-text small" id="code-error" role="alert">${error ? t(error.key, error.args) : nothing}</p>
  </form>`;
}

/**
 * The rooms that are listed.
 * @param {State} state
 * @param {Actions} actions
 */
function roomList({ home, settings }, actions) {
  const rooms = (home.rooms ?? []).filter(({ game }) => findGame(game));
  const seatsTaken = rooms.reduce((sum, { taken }) => sum + taken, 0);
  const count = html`${t('home.tables', { n: rooms.length })}, ${t('home.seatsTaken', { n: seatsTaken })}`;
  return html`<section class="stack tight" aria-labelledby="open-tables-heading">
    <div class="row space-between">
      <h2 id="open-tables-heading">${t('home.open')}</h2>
      ${rooms.length > 0 ? html`<span class="small muted">${count}</span>` : nothing}
    </div>
    ${
      rooms.length > 0
        ? html`<ul class="open-tables columns two">
            ${rooms.map((room) => listedRoom(room, settings, actions))}
          </ul>`
        : home.rooms === null
          ? nothing
          : html`<div class="panel empty">
              <h3>${t('home.empty.title')}</h3>
              <p>${t('home.empty.text')}</p>
            </div>`
    }
  </section>`;
}

/**
 * A room in the list.
 * @param {RoomSummary} summary
 * @param {Settings} settings
 * @param {Actions} actions
 */
function listedRoom({ room: code, game, title, seats, taken, phase, locked }, settings, actions) {
  const free = Math.max(0, seats - taken);
  const canSit = phase === 'lobby' && free > 0;
  const dots = Array.from({ length: seats }, (_, seat) => html`<i class=${seat < taken ? 'taken' : ''}></i>`);
  return html`<li>
    <b>${title ?? shownCode(code, settings)}</b>
    <span class="meta"
      >${gameOf({ game }).name}
      <span class="seat-dots" role="img" aria-label=${t('lobby.taken', { n: taken, max: seats })}>${dots}</span>
      ${canSit ? t('home.seatsFree', { n: free }) : t(`home.phase.${phase}`)}
      ${locked ? html`<span class="tag">${icon('lock')}${t('home.locked')}</span>` : nothing}
    </span>
    <a class="btn" href=${roomUrl(code)} @click=${onLinkClick(actions, code)}
      >${canSit ? t('home.join') : html`${icon('eye')} ${t('home.watch')}`}</a
    >
  </li>`;
}
