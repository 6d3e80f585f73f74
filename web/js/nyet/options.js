/** The house rules that only Nyet! has. */

import { live } from '../../vendor/lit-html/directives/live.js';
import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { chairName, toggle } from '../house-rules.js';
import { t } from '../i18n.js';

/** @typedef {import('../state.js').Room} Room */

const ANIMALS = ['bear', 'wolf', 'tiger', 'crane', 'eagle'];

/** Nothing comes before the end of the game. */
export const first = () => nothing;

/**
 * Who plays which character, and what differs between tables.
 * @param {Room} room
 * @param {(change: object) => void} set
 */
export function controls(room, set) {
  const options = /** @type {any} */ (room.options);
  return html`<fieldset class="line">
      <legend>${t('nyet.opt.characters')}</legend>
      <div class="cast">${room.chairs.map((_, seat) => cast(seat, room, set))}</div>
    </fieldset>
    ${toggle(t('nyet.opt.noTrump'), t('nyet.opt.noTrump.text'), options.no_trump_space, (no_trump_space) => set({ no_trump_space }))}
    ${toggle(t('nyet.opt.loot'), t('nyet.opt.loot.text'), options.supertrump_loot, (supertrump_loot) => set({ supertrump_loot }))}
    ${toggle(t('nyet.opt.reveal'), t('nyet.opt.reveal.text'), options.reveal_discards, (reveal_discards) => set({ reveal_discards }))}`;
}

/**
 * The character of a seat; whoever had the chosen one takes the other.
 * @param {number} seat
 * @param {Room} room
 * @param {(change: object) => void} set
 */
function cast(seat, room, set) {
  const characters = /** @type {string[]} */ (/** @type {any} */ (room.options).characters ?? ANIMALS);
  const changed = (/** @type {Event} */ event) => {
    const { value } = /** @type {HTMLSelectElement} */ (event.currentTarget);
    set({ characters: characters.map((one, at) => (at === seat ? value : one === value ? characters[seat] : one)) });
  };
  return html`<label
    ><span>${chairName(room, seat)}</span
    ><select class="input" @change=${changed}>
      ${ANIMALS.map(
        (animal) =>
          html`<option value=${animal} .selected=${live(characters[seat] === animal)}>${t(`nyet.animal.${animal}`)}</option>`,
      )}
    </select></label
  >`;
}

/**
 * The same as text, for those who may not change it.
 * @param {Room} room
 */
export function texts(room) {
  const options = /** @type {any} */ (room.options);
  const yes = (/** @type {boolean} */ on) => t(on ? 'common.yes' : 'common.no');
  const cast = room.chairs.map(
    (_, seat) => `${chairName(room, seat)}: ${t(`nyet.animal.${(options.characters ?? ANIMALS)[seat]}`)}`,
  );
  return {
    first: [],
    others: [
      [t('nyet.opt.characters'), cast.join(', ')],
      [t('nyet.opt.noTrump'), yes(options.no_trump_space)],
      [t('nyet.opt.loot'), yes(options.supertrump_loot)],
      [t('nyet.opt.reveal'), yes(options.reveal_discards)],
    ],
  };
}
