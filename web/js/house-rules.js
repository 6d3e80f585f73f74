// House rules: controls for the host, text for everybody else.

import { Directive, directive } from '../vendor/lit-html/directive.js';
import { live } from '../vendor/lit-html/directives/live.js';
import { html, noChange, nothing } from '../vendor/lit-html/lit-html.js';
import { gameOf, length } from './games.js';
import { t } from './i18n.js';
import * as nyet from './nyet/options.js';
import * as sticheln from './sticheln/options.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./state.js').Room} Room */
/** @typedef {import('./actions.js').Actions} Actions */

/** What only one game has of house rules. @type {{ sticheln: import('./table/types.js').Options, nyet: import('./table/types.js').Options }} */
const OWN = { sticheln, nyet };

const TURN_SECONDS = [null, 30, 45, 60, 90];
const MOST_ROUNDS = 30;
const MOST_POINTS = 999;

/** The value of a field, unless it has the focus: what the server tells late is not to replace what is typed meanwhile. */
const untouched = directive(
  class extends Directive {
    /** @param {string} value */
    render(value) {
      return value;
    }

    /**
     * @param {import('../vendor/lit-html/lit-html.js').PropertyPart} part
     * @param {[string]} values
     * @override
     */
    update({ element }, [value]) {
      return element === document.activeElement ? noChange : value;
    }
  },
);

/**
 * The house rules of a table before it begins.
 * @param {State} state
 * @param {Actions} actions
 */
export function houseRules(state, actions) {
  const room = /** @type {Room} */ (state.room);
  return room.you.host ? controls(room, actions) : texts(room);
}

/**
 * What the host may change at any time.
 * @param {State} state
 * @param {Actions} actions
 */
export function runningRules(state, actions) {
  const room = /** @type {Room} */ (state.room);
  return html`<div class="opts">${titleField(room, actions)}${turnTime(room, actions, 'menu-')}${fastBots(room, actions)}${openness(room, actions)}</div>`;
}

/**
 * @param {Room} room
 * @param {Actions} actions
 */
function controls(room, actions) {
  const { options } = room;
  const set = (/** @type {object} */ change) => void actions.tell('configure', { options: { ...options, ...change } });
  const own = OWN[room.game];
  return html`<div class="opts">
    ${titleField(room, actions)} ${own.first(room, set)} ${gameEnd(room, set)}
    <div class="line">
      <label for="opening"><b>${t('opt.opening')}</b></label>
      <select
        class="input"
        id="opening"
        @change=${(/** @type {Event} */ event) => {
          const { value } = /** @type {HTMLSelectElement} */ (event.currentTarget);
          void actions.tell('configure', { opening_seat: value === '' ? null : Number(value) });
        }}
      >
        <option value="" .selected=${live(room.opening_seat === null)}>${t('opt.opening.random')}</option>
        ${room.chairs.map(
          (_, seat) =>
            html`<option value=${seat} .selected=${live(room.opening_seat === seat)}>${chairName(room, seat)}</option>`,
        )}
      </select>
    </div>
    ${turnTime(room, actions, '')}
    ${own.controls(room, set)} ${fastBots(room, actions)} ${openness(room, actions)} ${passwordField(room, actions)}
  </div>`;
}

/**
 * @param {Room} room
 * @param {Actions} actions
 */
function titleField(room, actions) {
  return html`<label class="field"
    ><span>${t('opt.title')}</span
    ><input
      class="input"
      .value=${untouched(room.title ?? '')}
      maxlength="80"
      autocomplete="off"
      @change=${(/** @type {Event} */ event) => {
        const title = /** @type {HTMLInputElement} */ (event.currentTarget).value.trim();
        void actions.tell('configure', { title: title || null });
      }}
    />
  </label>`;
}

/**
 * When the game is over: as usual, after some rounds, or with some points.
 * @param {Room} room
 * @param {(change: object) => void} set
 */
function gameEnd(room, set) {
  const { end } = room.options;
  const kind = end?.type ?? 'usual';
  const usual = gameOf(room).rounds(room);
  const ends = {
    usual: null,
    rounds: { type: 'rounds', rounds: end?.type === 'rounds' ? end.rounds : usual },
    target: { type: 'target', target: 100, max_rounds: MOST_ROUNDS },
  };
  const number = (
    /** @type {string} */ label,
    /** @type {number} */ value,
    /** @type {number} */ most,
    /** @type {(n: number) => object} */ made,
  ) =>
    html`<label class="field"
      ><span class="sr">${label}</span
      ><input
        class="input count"
        type="number"
        inputmode="numeric"
        min="1"
        max=${most}
        .value=${untouched(String(value))}
        @change=${(/** @type {Event} */ event) => {
          const input = /** @type {HTMLInputElement} */ (event.currentTarget);
          const n = Math.round(Number(input.value));
          if (n >= 1 && n <= most) set({ end: made(n) });
          else input.value = String(value);
        }}
    /></label>`;
  return html`${choice(
    'end',
    t('opt.end'),
    ['usual', 'rounds', 'target'],
    kind,
    (name) => set({ end: ends[/** @type {'usual' | 'rounds' | 'target'} */ (name)] }),
    (name) => t(`opt.end.${name}`, { n: usual }),
  )}
  ${
    end?.type === 'rounds'
      ? number(t('opt.rounds'), end.rounds, MOST_ROUNDS, (rounds) => ({ type: 'rounds', rounds }))
      : nothing
  }
  ${
    end?.type === 'target'
      ? number(t('opt.points'), end.target, MOST_POINTS, (target) => ({ ...end, target }))
      : nothing
  }`;
}

/**
 * @param {Room} room
 * @param {Actions} actions
 * @param {string} prefix
 */
function turnTime({ turn_seconds }, actions, prefix) {
  const known = TURN_SECONDS.includes(turn_seconds) ? TURN_SECONDS : [...TURN_SECONDS, turn_seconds];
  return choice(
    `${prefix}timer`,
    t('opt.timer'),
    known.map(String),
    String(turn_seconds),
    (value) => void actions.tell('configure', { turn_seconds: value === 'null' ? null : Number(value) }),
    (value) => (value === 'null' ? t('opt.timer.none') : t('opt.timer.seconds', { n: Number(value) })),
  );
}

/**
 * Whether bots take their time: that matters only to somebody who plays with them alone.
 * @param {Room} room
 * @param {Actions} actions
 */
function fastBots({ chairs, fast_bots }, actions) {
  if (chairs.filter(({ kind }) => kind === 'person').length !== 1) return nothing;
  return toggle(
    t('opt.fastBots'),
    t('opt.fastBots.text'),
    fast_bots,
    (fast_bots) => void actions.tell('configure', { fast_bots }),
  );
}

/**
 * @param {Room} room
 * @param {Actions} actions
 */
function openness({ listed, spectator_chat }, actions) {
  return html`${toggle(t('opt.listed'), t('opt.listed.text'), listed, (listed) => void actions.tell('configure', { listed }))}
  ${toggle(
    t('opt.spectatorChat'),
    t('opt.spectatorChat.text'),
    spectator_chat,
    (spectator_chat) => void actions.tell('configure', { spectator_chat }),
  )}`;
}

/**
 * @param {Room} room
 * @param {Actions} actions
 */
function passwordField({ locked }, actions) {
  const submit = async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.currentTarget);
    const password = String(new FormData(form).get('password') ?? '');
    if (password === '') return;
    if ((await actions.tell('configure', { password })) !== 'ok') return;
    form.reset();
    actions.toast('opt.password.done');
  };
  return html`<form class="line" @submit=${submit}>
    <span>${t('opt.password')}</span>
    <div class="joinrow plain">
      <label class="field"
        ><span class="sr">${t('opt.password')}</span
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
        ? html`<button
            class="btn ghost sm start"
            type="button"
            @click=${() => void actions.tell('configure', { password: null })}
          >
            ${t('opt.password.clear')}
          </button>`
        : nothing
    }
  </form>`;
}

/**
 * @param {string} name
 * @param {string} label
 * @param {string[]} values
 * @param {string} chosen
 * @param {(value: string) => void} choose
 * @param {(value: string) => string} text
 */
export function choice(name, label, values, chosen, choose, text) {
  return html`<div class="line">
    <span id="opt-${name}">${label}</span>
    <div class="seg ${values.length > 4 ? 'many' : ''}" role="radiogroup" aria-labelledby="opt-${name}">
      ${values.map(
        (value) =>
          html`<label
            ><input
              type="radio"
              name="opt-${name}"
              .checked=${live(value === chosen)}
              @change=${() => choose(value)}
            />${text(value)}</label
          >`,
      )}
    </div>
  </div>`;
}

/**
 * @param {string} label
 * @param {string} text
 * @param {boolean} on
 * @param {(on: boolean) => void} set
 */
export function toggle(label, text, on, set) {
  const changed = (/** @type {Event} */ event) => set(/** @type {HTMLInputElement} */ (event.currentTarget).checked);
  return html`<label class="switch"
    ><input type="checkbox" .checked=${live(on)} @change=${changed} /><span
      ><b>${label}</b>${text ? html`<small>${text}</small>` : nothing}</span
    ></label
  >`;
}

/**
 * What a chair is called in a list of chairs.
 * @param {Room} room
 * @param {number} seat
 */
export function chairName({ chairs }, seat) {
  const chair = chairs[seat];
  return chair.kind === 'free' ? t('lobby.freeNo', { n: seat + 1 }) : chair.name;
}

/** @param {Room} room */
function texts(room) {
  const { turn_seconds, opening_seat } = room;
  const own = OWN[room.game].texts(room);
  const yes = (/** @type {boolean} */ on) => t(on ? 'common.yes' : 'common.no');
  const rows = [
    ...own.first,
    [t('opt.end'), length(room)],
    [t('opt.opening'), opening_seat === null ? t('opt.opening.random') : chairName(room, opening_seat)],
    [t('opt.timer'), turn_seconds === null ? t('opt.timer.none') : t('opt.timer.seconds', { n: turn_seconds })],
    ...own.others,
    [t('opt.spectatorChat'), yes(room.spectator_chat)],
    [t('opt.listed'), yes(room.listed)],
  ];
  return html`<dl class="rules">${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}
