// Nyet! in the lobby, the intro and the help: its options and its rules.

import { live } from '../../vendor/lit-html/directives/live.js';
import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { toggle, yesOrNo } from '../controls.js';
import { t } from '../i18n.js';
import { nameOf } from '../state.js';
import { examples } from './examples.js';
import { CHARACTERS } from './phrases.js';
import { rules } from './rules.js';
import { silhouette } from './silhouette.js';

/** @import { Actions } from '../actions.js' */
/** @import { GameLobby } from '../game.js' */
/** @import { Character, Seat } from '../protocol.js' */
/** @import { RoomState } from '../types.js' */
/** @import { Nyet } from './types.js' */

/** @type {GameLobby<Nyet>} */
export const lobby = {
  firstControls: () => nothing,
  controls: (room, set) => {
    const { no_trump_space, supertrump_loot } = room.options;
    return html`${toggle(t('nyet.opt.noTrump'), t('nyet.opt.noTrump.text'), no_trump_space, (isOn) => set({ no_trump_space: isOn }))}
      ${toggle(t('nyet.opt.loot'), t('nyet.opt.loot.text'), supertrump_loot, (isOn) => set({ supertrump_loot: isOn }))}`;
  },
  openingRole: () => 'deals',
  openingText: (room) =>
    room.opening_seat === null
      ? t('nyet.opt.opening.random')
      : t('nyet.opt.opening.named', { name: nameOf(room, room.opening_seat, t) }),
  optionTexts: (room) => {
    const { no_trump_space, supertrump_loot } = room.options;
    return {
      first: [],
      others: [
        [t('nyet.opt.noTrump'), yesOrNo(no_trump_space)],
        [t('nyet.opt.loot'), yesOrNo(supertrump_loot)],
      ],
    };
  },
  introIcons: ['no', 'people', 'scores'],
  keys: [['← → ↑ ↓', 'nyet.keys.board']],
  variants: null,
  rules,
  examples,
  chairDetails,
};

/**
 * The characters of the seats of a room before a game; null for a free chair. Those without a choice get the others, in the
 * order of the options.
 * @param {RoomState<Nyet>} room
 * @returns {{ character: Character | null, isChosen: boolean }[]}
 */
export function seatCharacters({ chairs, options }) {
  const chosen = chairs.map((chair) => (chair.kind === 'person' ? characterNamed(chair.character) : null));
  const rest = options.characters.filter((character) => !chosen.includes(character));
  return chairs.map((chair, seat) => {
    if (chair.kind === 'free') return { character: null, isChosen: false };
    return { character: chosen[seat] ?? rest.shift() ?? null, isChosen: chosen[seat] !== null };
  });
}

/**
 * The character with this name; null if there is none.
 * @param {string | undefined} name
 * @returns {Character | null}
 */
const characterNamed = (name) => CHARACTERS.find((character) => character === name) ?? null;

/**
 * The character of a person or bot in the lobby: a control on the own chair.
 * @param {Seat} seat
 * @param {RoomState<Nyet>} room
 * @param {Actions} actions
 */
function chairDetails(seat, room, actions) {
  const { character, isChosen } = seatCharacters(room)[seat];
  if (character === null) return nothing;
  const name = t(`nyet.character.${character}`);
  if (seat === room.you.seat) return characterSelect(seat, room, actions);
  return html`<div class="status">${silhouette(character)} ${isChosen ? name : t('nyet.opt.unchosen', { name })}</div>`;
}

/**
 * The control for the own character. Those that others have chosen are disabled.
 * @param {Seat} seat
 * @param {RoomState<Nyet>} room
 * @param {Actions} actions
 */
function characterSelect(seat, room, actions) {
  const all = seatCharacters(room);
  const { character, isChosen } = all[seat];
  const isTaken = (/** @type {Character} */ one) =>
    all.some((other, at) => at !== seat && other.isChosen && other.character === one);
  const onChange = async (/** @type {Event} */ event) => {
    const select = /** @type {HTMLSelectElement} */ (event.currentTarget);
    const chosen = characterNamed(select.value);
    const answer = await actions.command({ type: 'choose_character', character: chosen });
    if (answer !== 'ok') select.value = isChosen ? String(character) : '';
  };
  return html`<div class="character-choice">
    ${character === null ? nothing : silhouette(character)}
    <select class="input level" aria-label=${t('nyet.opt.character')} @change=${onChange}>
      <option value="" .selected=${live(!isChosen)}>${t('nyet.opt.anyCharacter')}</option>
      ${CHARACTERS.map(
        (one) =>
          html`<option value=${one} ?disabled=${isTaken(one)} .selected=${live(isChosen && one === character)}>${t(`nyet.character.${one}`)}</option>`,
      )}
    </select>
  </div>`;
}
