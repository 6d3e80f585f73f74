// The house rules of a room: controls for the host, text for everybody else.

import { Directive, directive } from '../vendor/lit-html/directive.js';
import { live } from '../vendor/lit-html/directives/live.js';
import { html, noChange, nothing } from '../vendor/lit-html/lit-html.js';
import { choice, toggle, yesOrNo } from './controls.js';
import { gameOf, lobbyOf, usualRounds } from './games.js';
import { t } from './i18n.js';
import { durationText, lengthText } from './lobby.js';
import { changedRoom, nameOf, REPLAY_ACCESS } from './state.js';

/** @import { PropertyPart } from '../vendor/lit-html/lit-html.js' */
/** @import { Actions } from './actions.js' */
/** @import { OptionText } from './game.js' */
/** @import { GameEnd, GameOptions } from './protocol.js' */
/** @import { RoomState, State } from './types.js' */

/** The times for a move that can be chosen, in seconds. */
const TURN_SECONDS = [null, 30, 45, 60, 90];
const MAX_ROUNDS = 30;
const MAX_POINTS = 999;
const USUAL_POINTS = 100;

/** The value of a field, unless the field has the focus: a late message must not replace a text that somebody types. */
const unlessFocused = directive(
  class extends Directive {
    /** @param {string} value */
    render(value) {
      return value;
    }

    /**
     * @param {PropertyPart} part
     * @param {[string]} values
     * @override
     */
    update({ element }, [value]) {
      return element === document.activeElement ? noChange : value;
    }
  },
);

/**
 * The house rules of a room before the game.
 * @param {State} state
 * @param {Actions} actions
 */
export function houseRules(state, actions) {
  const room = /** @type {RoomState} */ (state.room);
  if (!room.you.host) return texts(room);
  if (room.played_on) return rulesAtAnyTime(state, actions);
  return controls(changedRoom(room, state.pendingChanges), actions);
}

/**
 * The house rules that the host may change at any time.
 * @param {State} state
 * @param {Actions} actions
 */
export function rulesAtAnyTime(state, actions) {
  const room = /** @type {RoomState} */ (state.room);
  return html`<div class="options">${titleField(room, actions)}${turnTime(room, actions, 'menu-')}${fastBots(room, actions)}${openness(room, actions)}${replayAccess(room, actions, 'menu-')}${passwordField(room, actions)}</div>`;
}

/**
 * @param {RoomState} room
 * @param {Actions} actions
 */
function controls(room, actions) {
  const set = (/** @type {Partial<GameOptions>} */ change) => void actions.changeOptions(change);
  const gameLobby = lobbyOf(gameOf(room));
  return html`<div class="options">
    ${titleField(room, actions)} ${gameLobby.firstControls(room, set)} ${gameEndChoice(room, set)}
    ${openingSeat(room, actions)} ${turnTime(room, actions, '')}
    ${gameLobby.controls(room, set)} ${fastBots(room, actions)} ${openness(room, actions)}
    ${replayAccess(room, actions, '')} ${passwordField(room, actions)}
  </div>`;
}

/**
 * @param {RoomState} room
 * @param {Actions} actions
 */
function openingSeat(room, actions) {
  const onChange = (/** @type {Event} */ event) => {
    const { value } = /** @type {HTMLSelectElement} */ (event.currentTarget);
    void actions.command({ type: 'configure', opening_seat: value === '' ? null : Number(value) });
  };
  return html`<div class="option-line">
    <label for="opening"><b>${t(`opt.opening.${lobbyOf(gameOf(room)).openingRole(room.options)}`)}</b></label>
    <select class="input" id="opening" aria-describedby="opening-text" @change=${onChange}>
      <option value="" .selected=${live(room.opening_seat === null)}>${t('opt.opening.random')}</option>
      ${room.chairs.map(
        (_, seat) =>
          html`<option value=${seat} .selected=${live(room.opening_seat === seat)}>${nameOf(room, seat, t)}</option>`,
      )}
    </select>
    <small class="muted" id="opening-text">${openingText(room)}</small>
  </div>`;
}

/**
 * The task of the player on the opening seat. A chair that is free at the start is removed.
 * @param {RoomState} room
 */
function openingText(room) {
  const { opening_seat, chairs } = room;
  const isFree = opening_seat !== null && chairs[opening_seat]?.kind === 'free';
  return isFree ? t('opt.opening.free') : (lobbyOf(gameOf(room)).openingText?.(room) ?? '');
}

/**
 * @param {RoomState} room
 * @param {Actions} actions
 */
function titleField(room, actions) {
  return html`<label class="field"
    ><span>${t('opt.title')}</span
    ><input
      class="input"
      .value=${unlessFocused(room.title ?? '')}
      maxlength="80"
      autocomplete="off"
      @change=${(/** @type {Event} */ event) => {
        const title = /** @type {HTMLInputElement} */ (event.currentTarget).value.trim();
        void actions.command({ type: 'configure', title: title || null });
      }}
    />
  </label>`;
}

/**
 * When the game is over: as usual, after some rounds, or with some points.
 * @param {RoomState} room
 * @param {(change: { end: GameEnd | null }) => void} set
 */
function gameEndChoice(room, set) {
  const { end } = room.options;
  const usual = usualRounds(room);
  const ends = {
    usual: null,
    rounds: /** @type {const} */ ({ type: 'rounds', rounds: end?.type === 'rounds' ? end.rounds : usual }),
    target: /** @type {const} */ ({ type: 'target', target: USUAL_POINTS, max_rounds: MAX_ROUNDS }),
  };
  return html`${choice({
    name: 'end',
    label: t('opt.end'),
    values: /** @type {const} */ (['usual', 'rounds', 'target']),
    chosen: end?.type ?? 'usual',
    choose: (kind) => set({ end: ends[kind] }),
    text: (kind) => t(`opt.end.${kind}`, { n: usual }),
  })}
  ${
    end?.type === 'rounds'
      ? numberField(t('opt.rounds'), end.rounds, MAX_ROUNDS, (rounds) => set({ end: { type: 'rounds', rounds } }))
      : nothing
  }
  ${
    end?.type === 'target'
      ? html`${numberField(t('opt.points'), end.target, MAX_POINTS, (target) => set({ end: { ...end, target } }))}
          <p class="small muted">${t('opt.maxRounds', { n: end.max_rounds })}: ${durationText(room)}</p>`
      : nothing
  }`;
}

/**
 * A field for a number from 1 on.
 * @param {string} label
 * @param {number} value
 * @param {number} max
 * @param {(value: number) => void} set
 */
function numberField(label, value, max, set) {
  const onChange = (/** @type {Event} */ event) => {
    const input = /** @type {HTMLInputElement} */ (event.currentTarget);
    const number = Math.round(Number(input.value));
    if (number >= 1 && number <= max) set(number);
    else input.value = String(value);
  };
  return html`<label class="field"
    ><span class="visually-hidden">${label}</span
    ><input
      class="input count"
      type="number"
      inputmode="numeric"
      min="1"
      max=${max}
      .value=${unlessFocused(String(value))}
      @change=${onChange}
  /></label>`;
}

/**
 * @param {RoomState} room
 * @param {Actions} actions
 * @param {string} prefix of the name, which is the group of its radio buttons
 */
function turnTime({ turn_seconds }, actions, prefix) {
  const known = TURN_SECONDS.includes(turn_seconds) ? TURN_SECONDS : [...TURN_SECONDS, turn_seconds];
  return choice({
    name: `${prefix}turn-time`,
    label: t('opt.turnTime'),
    values: known.map(String),
    chosen: String(turn_seconds),
    choose: (value) =>
      void actions.command({ type: 'configure', turn_seconds: value === 'null' ? null : Number(value) }),
    text: (value) => (value === 'null' ? t('opt.turnTime.none') : t('opt.turnTime.seconds', { n: Number(value) })),
  });
}

/**
 * Whether bots move without a delay: a rule only for somebody who plays with bots alone.
 * @param {RoomState} room
 * @param {Actions} actions
 */
function fastBots({ chairs, fast_bots }, actions) {
  if (chairs.filter(({ kind }) => kind === 'person').length !== 1) return nothing;
  const set = (/** @type {boolean} */ isOn) => void actions.command({ type: 'configure', fast_bots: isOn });
  return toggle(t('opt.fastBots'), t('opt.fastBots.text'), fast_bots, set);
}

/**
 * Whether the room is listed, whether spectators may chat, and whether newcomers wait.
 * @param {RoomState} room
 * @param {Actions} actions
 */
function openness({ listed, spectator_chat, waiting_room }, actions) {
  const setWaiting = (/** @type {boolean} */ isOn) => void actions.command({ type: 'configure', waiting_room: isOn });
  const setListed = (/** @type {boolean} */ isOn) => void actions.command({ type: 'configure', listed: isOn });
  const setChat = (/** @type {boolean} */ isOn) => void actions.command({ type: 'configure', spectator_chat: isOn });
  return html`${toggle(t('opt.listed'), t('opt.listed.text'), listed, setListed)}
  ${toggle(t('opt.spectatorChat'), null, spectator_chat, setChat)}
  ${toggle(t('opt.waitingRoom'), t('opt.waitingRoom.text'), waiting_room, setWaiting)}`;
}

/**
 * The people who may see the replays of the games.
 * @param {RoomState} room
 * @param {Actions} actions
 * @param {string} prefix of the name, which is the group of its radio buttons
 */
const replayAccess = ({ replays }, actions, prefix) =>
  choice({
    name: `${prefix}replays`,
    label: t('opt.replays'),
    values: REPLAY_ACCESS,
    chosen: replays ?? 'everybody',
    choose: (access) => void actions.command({ type: 'configure', replays: access }),
    text: (access) => t(`opt.replays.${access}`),
    note: t('opt.replays.text'),
  });

/**
 * @param {RoomState} room
 * @param {Actions} actions
 */
function passwordField({ locked }, actions) {
  const onSubmit = async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.currentTarget);
    const password = String(new FormData(form).get('password') ?? '');
    if (password === '') return;
    if ((await actions.command({ type: 'configure', password })) !== 'ok') return;
    form.reset();
    actions.toast('opt.password.done');
  };
  const remove = () => void actions.command({ type: 'configure', password: null });
  return html`<form class="option-line" @submit=${onSubmit}>
    <span>${t('opt.password')}</span>
    <div class="field-with-button">
      <label class="field"
        ><span class="visually-hidden">${t('opt.password')}</span
        ><input
          class="input"
          name="password"
          maxlength="64"
          autocomplete="off"
          placeholder=${locked ? t('opt.password.kept') : t('opt.password.none')}
      /></label>
      <button class="btn">${t('opt.password.set')}</button>
    </div>
    <small class="muted">${t('opt.password.text')}</small>
    ${
      locked
        ? html`<button class="btn ghost compact start" type="button" @click=${remove}>${t('opt.password.clear')}</button>`
        : nothing
    }
  </form>`;
}

/** @param {RoomState} room */
function texts(room) {
  const { turn_seconds, opening_seat } = room;
  const gameLobby = lobbyOf(gameOf(room));
  const { first, others } = gameLobby.optionTexts(room);
  /** @type {OptionText[]} */
  const rows = [
    ...first,
    [t('opt.end'), lengthText(room)],
    [
      t(`opt.opening.${gameLobby.openingRole(room.options)}`),
      opening_seat === null ? t('opt.opening.random') : nameOf(room, opening_seat, t),
      openingText(room),
    ],
    [
      t('opt.turnTime'),
      turn_seconds === null ? t('opt.turnTime.none') : t('opt.turnTime.seconds', { n: turn_seconds }),
    ],
    ...others,
    [t('opt.spectatorChat'), yesOrNo(room.spectator_chat)],
    [t('opt.listed'), yesOrNo(room.listed)],
    [t('opt.waitingRoom'), yesOrNo(room.waiting_room)],
    [t('opt.replays'), t(`opt.replays.${room.replays ?? 'everybody'}`)],
  ];
  return html`<dl class="rules">${rows.map(
    ([name, value, note]) =>
      html`<div><dt>${name}</dt><dd>${note ? html`<span>${value}</span><small class="muted">${note}</small>` : value}</dd></div>`,
  )}</dl>`;
}
