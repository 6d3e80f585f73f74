// The chat of a room, with reactions, and the nudge for a seat that the game waits for.

import { ref } from '../vendor/lit-html/directives/ref.js';
import { repeat } from '../vendor/lit-html/directives/repeat.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { currentLanguage, nameList, t } from './i18n.js';
import { icon } from './icons.js';
import { isMuted, numberOfKey, SPECTATORS } from './mutes.js';
import { REACTIONS, reactionIcon } from './reactions.js';
import { isPlayedByBot, ownSpectator, seesAllHands, spectatorName } from './state.js';

/** @import { Actions } from './actions.js' */
/** @import { Seat } from './protocol.js' */
/** @import { ChatEntry, DialogFocus, State } from './types.js' */

/** How long a line may be, in graphemes and in bytes of UTF-8. A grapheme can have any number of combining marks. */
const MAX_LINE = 200;
const MAX_LINE_BYTES = 1600;
/** The form shows how many graphemes are left if they are no more than this. */
const FEW_LEFT = 40;

const segmenter = new Intl.Segmenter();

/**
 * The number of graphemes in a text. A grapheme is a character as people count them.
 * @param {string} text
 */
export function graphemes(text) {
  let count = 0;
  for (const _ of segmenter.segment(text)) count += 1;
  return count;
}

/** Whether the server refuses a line for its length. @param {string} text */
export const isTooLong = (text) => graphemes(text) > MAX_LINE || new TextEncoder().encode(text).length > MAX_LINE_BYTES;

/**
 * The chat as a section, for a column or a dialog.
 * @param {State} state
 * @param {Actions} actions
 */
export function chatPanel(state, actions) {
  return html`<section class="chat" aria-label=${t('chat.title')}>
    <div class="row space-between">
      <h2>${t('chat.title')}</h2>
      ${hideButton(state, actions)}
    </div>
    ${chatBody(state, actions)}
  </section>`;
}

/**
 * The button that hides the chat or shows it again.
 * @param {State} state
 * @param {Actions} actions
 */
export function hideButton({ settings }, actions) {
  if (settings.streamer) return nothing;
  return html`<button class="btn ghost compact" type="button" @click=${() => actions.changeSettings({ hideChat: !settings.hideChat })}>
    ${t(settings.hideChat ? 'chat.show' : 'chat.hide')}
  </button>`;
}

/**
 * The lines, the reactions and the form.
 * @param {State} state
 * @param {Actions} actions
 */
export function chatBody(state, actions) {
  const { settings, you, chat } = state;
  if (settings.streamer) return streamedBody(state, actions);
  if (settings.hideChat) return html`<p class="small muted">${t('chat.hidden')}</p>`;
  const closed = whyClosed(state);
  const lines = chat.lines.filter((line) => !isMuted(state, line));
  return html`<div class="chat-body">
    <ol class="chat-lines" tabindex="0" aria-label=${t('chat.lines')} ${ref(followEnd)}>
      ${
        lines.length === 0
          ? html`<li class="muted">${t('chat.empty')}</li>`
          : repeat(lines, ({ at, number }) => `${at} ${number}`, chatLine)
      }
    </ol>
    ${mutedNote(state, actions)} ${you.seat === null ? nothing : reactionButtons(state, actions)}
    ${closed === null ? chatForm(state, actions) : html`<p class="small muted">${t(closed)}</p>`}
  </div>`;
}

/**
 * Why nobody may write here; null if the own person may.
 * @param {State} state
 * @returns {string | null}
 */
function whyClosed(state) {
  const { room, you } = state;
  if (you.seat !== null || room === null) return null;
  if (seesAllHands(state)) return 'refused.watches_hands';
  if (!room.spectator_chat) return 'refused.chat_closed';
  return ownSpectator(state)?.muted ? 'refused.muted' : null;
}

/**
 * The chat while somebody streams their screen: only the reactions, and the end of that.
 * @param {State} state
 * @param {Actions} actions
 */
const streamedBody = (state, actions) => html`<div class="chat-body">
  <p class="small muted">${t('streamer.chat')}</p>
  ${state.you.seat === null ? nothing : reactionButtons(state, actions)}
  <button class="btn compact start" type="button" @click=${() => actions.changeSettings({ streamer: false })}>${t('streamer.end')}</button>
</div>`;

/**
 * The people who are muted, with a button that ends that.
 * @param {State} state
 * @param {Actions} actions
 */
function mutedNote({ muted }, actions) {
  if (muted.length === 0) return nothing;
  const names = muted.map((key) => {
    const spectator = numberOfKey(key);
    if (spectator !== null) return spectatorName({ spectator }, t);
    return key === SPECTATORS ? t('mute.spectators') : key;
  });
  return html`<p class="small muted muted-note">
    ${icon('mute')} ${t('mute.note', { names: nameList(names, t) })}
    <button class="btn ghost compact" type="button" @click=${actions.unmuteAll}>${t('mute.end')}</button>
  </p>`;
}

/** @param {ChatEntry} line */
function chatLine({ at, name, spectator, text, isNotice }) {
  const time = new Intl.DateTimeFormat(currentLanguage(), { hour: 'numeric', minute: '2-digit' });
  return html`<li>
    <b>${isNotice ? t('notice.from') : spectatorName({ name, spectator }, t)}</b>
    ${spectator === null || name === null ? nothing : html`<span class="tag">${t('role.spectator')}</span>`} <time class="muted">${time.format(at)}</time>
    <p dir="auto">${text}</p>
  </li>`;
}

/** The lists that follow their end. @type {WeakSet<Element>} */
const following = new WeakSet();

/**
 * Keeps a list scrolled to its newest line, also when it appears or its size changes. A column and a dialog can each have one.
 * @param {Element | undefined} element
 */
function followEnd(element) {
  if (!element || following.has(element)) return;
  following.add(element);
  const scroll = () => {
    element.scrollTop = element.scrollHeight;
  };
  new MutationObserver(scroll).observe(element, { childList: true, subtree: true });
  new ResizeObserver(scroll).observe(element);
}

/**
 * @param {State} state
 * @param {Actions} actions
 */
function reactionButtons({ dialogFocus }, actions) {
  return html`<div class="reaction-row" role="group" aria-label=${t('react.title')}>
    ${REACTIONS.map(
      (name, at) => html`<button
        class="icon-button"
        type="button"
        ?autofocus=${dialogFocus === 'reactions' && at === 0}
        aria-label=${t(`react.${name}`)}
        title=${t(`react.${name}`)}
        @click=${() => {
          void actions.react(name);
          actions.open(null);
        }}
      >
        ${reactionIcon(name)}
      </button>`,
    )}
  </div>`;
}

/**
 * Gives the focus to a part of the chat beside the table.
 * @param {DialogFocus} part
 * @returns {boolean} whether the chat is shown there
 */
export function focusChat(part) {
  const selectors = { line: '.side .chat-form input', reactions: '.side .reaction-row button' };
  const found = document.querySelector(selectors[part]);
  if (!(found instanceof HTMLElement) || found.offsetParent === null) return false;
  found.focus();
  return true;
}

/**
 * @param {State} state
 * @param {Actions} actions
 */
function chatForm({ dialogFocus }, actions) {
  const submit = async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.currentTarget);
    const field = /** @type {HTMLInputElement} */ (form.elements.namedItem('text'));
    const { value } = field;
    if (value.trim() === '' || isTooLong(value)) return;
    field.value = '';
    showLength(form);
    if ((await actions.sendChat(value)) !== 'ok' && field.value === '') field.value = value;
  };
  const typed = (/** @type {Event} */ event) => showLength(/** @type {HTMLFormElement} */ (event.currentTarget));
  return html`<form class="field-with-button chat-form" @submit=${submit} @input=${typed}>
    <label class="field"
      ><span class="visually-hidden">${t('chat.field')}</span
      ><input class="input" name="text" ?autofocus=${dialogFocus === 'line'} autocomplete="off" enterkeyhint="send" placeholder=${t('chat.field')}
    /></label>
    <button class="btn" aria-label=${t('chat.send')}>${icon('send')}</button>
    <output class="small"></output>
  </form>`;
}

/**
 * Shows how many graphemes are left, once there are few, or that the line is too long.
 * @param {HTMLFormElement} form
 */
function showLength(form) {
  const field = /** @type {HTMLInputElement} */ (form.elements.namedItem('text'));
  const output = /** @type {HTMLOutputElement} */ (form.querySelector('output'));
  output.value = lengthText(field.value);
  output.classList.toggle('error-text', isTooLong(field.value));
}

/**
 * The text about the length of a line; empty if many graphemes are left.
 * @param {string} line
 */
function lengthText(line) {
  const left = MAX_LINE - graphemes(line);
  if (left < 0) return t('chat.tooLong', { n: -left });
  if (isTooLong(line)) return t('chat.tooManyMarks');
  return left > FEW_LEFT ? '' : t('chat.left', { n: left });
}

/**
 * The button that nudges a seat; nothing if nobody waits for it, or if it is the own one.
 * @param {State} state
 * @param {Actions} actions
 * @param {Seat} seat
 */
export function nudgeButton(state, actions, seat) {
  const { you, room, game } = state;
  const chair = room?.chairs[seat];
  const isWaitedFor = room?.phase === 'playing' && game?.view.to_act.includes(seat);
  if (!isWaitedFor || you.seat === null || you.seat === seat || isPlayedByBot(chair)) return nothing;
  return html`<button class="btn" type="button" @click=${() => void actions.nudge(seat)}>
    ${icon('needle')} ${t('nudge.button')}
  </button>`;
}
