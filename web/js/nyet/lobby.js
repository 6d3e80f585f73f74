// Nyet! in the lobby, the intro and the help: its options and its rules.

import { live } from '../../vendor/lit-html/directives/live.js';
import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { toggle, yesOrNo } from '../controls.js';
import { usualRounds } from '../games.js';
import { t } from '../i18n.js';
import { nameOf } from '../state.js';
import { CHARACTERS } from './phrases.js';

/** @import { GameLobby } from '../game.js' */
/** @import { Character, Seat } from '../protocol.js' */
/** @import { RoomState } from '../types.js' */
/** @import { Nyet } from './types.js' */

/** The rules of a round in their order, from the board to the loot. */
const RULES = ['cover', 'last', 'rows', 'teams', 'bonus', 'discard', 'lead', 'trump', 'highest', 'equal', 'loot'];

/** @type {GameLobby<Nyet>} */
export const lobby = {
  firstControls: () => nothing,
  controls: (room, set) => {
    const { no_trump_space, supertrump_loot, reveal_discards } = room.options;
    const choose = (/** @type {Character[]} */ characters) => set({ characters });
    return html`<fieldset class="option-line">
        <legend>${t('nyet.opt.characters')}</legend>
        <div class="seat-fields">${room.chairs.map((_, seat) => characterSelect(seat, room, choose))}</div>
      </fieldset>
      ${toggle(t('nyet.opt.noTrump'), t('nyet.opt.noTrump.text'), no_trump_space, (isOn) => set({ no_trump_space: isOn }))}
      ${toggle(t('nyet.opt.loot'), t('nyet.opt.loot.text'), supertrump_loot, (isOn) => set({ supertrump_loot: isOn }))}
      ${toggle(t('nyet.opt.reveal'), t('nyet.opt.reveal.text'), reveal_discards, (isOn) => set({ reveal_discards: isOn }))}`;
  },
  openingRole: () => 'deals',
  openingText: (room) =>
    room.opening_seat === null
      ? t('nyet.opt.opening.random')
      : t('nyet.opt.opening.named', { name: nameOf(room, room.opening_seat, t) }),
  optionTexts: (room) => {
    const { characters, no_trump_space, supertrump_loot, reveal_discards } = room.options;
    const lines = room.chairs.map((_, seat) => `${nameOf(room, seat, t)}: ${t(`nyet.character.${characters[seat]}`)}`);
    return {
      first: [],
      others: [
        [t('nyet.opt.characters'), lines.join(', ')],
        [t('nyet.opt.noTrump'), yesOrNo(no_trump_space)],
        [t('nyet.opt.loot'), yesOrNo(supertrump_loot)],
        [t('nyet.opt.reveal'), yesOrNo(reveal_discards)],
      ],
    };
  },
  introIcons: ['no', 'people', 'scores'],
  keys: [['← → ↑ ↓', 'nyet.keys.board']],
  variants: null,
  rules: (room) => [
    rule('deck'),
    dealer(room),
    ...RULES.map(rule),
    ...(room?.options.supertrump_loot === false ? [rule('noSupertrumpLoot')] : []),
    rule('score'),
    ...end(room),
    rule('win'),
  ],
};

/** @param {string} name */
const rule = (name) => t(`nyet.rules.${name}`);

/**
 * The rule about the dealer of each round. It names the player whom the host has chosen for round 1.
 * @param {RoomState<Nyet> | null} room
 */
function dealer(room) {
  if (room === null || room.opening_seat === null) return rule('dealer');
  return t('nyet.rules.named', { name: nameOf(room, room.opening_seat, t) });
}

/**
 * The rules about the end of the game. Without a room: the usual end, and the variant.
 * @param {RoomState<Nyet> | null} room
 */
function end(room) {
  if (!room) return [rule('usual'), rule('variant')];
  const { end } = room.options;
  if (end?.type === 'target') return [t('nyet.rules.target', { target: end.target, max: end.max_rounds })];
  return [t('nyet.rules.rounds', { n: end?.rounds ?? usualRounds(room) })];
}

/**
 * The control for the character of a seat. The seat that had the chosen one takes the other.
 * @param {Seat} seat
 * @param {RoomState<Nyet>} room
 * @param {(characters: Character[]) => void} choose
 */
function characterSelect(seat, room, choose) {
  const { characters } = room.options;
  const onChange = (/** @type {Event} */ event) => {
    const chosen = CHARACTERS[/** @type {HTMLSelectElement} */ (event.currentTarget).selectedIndex];
    const old = characters[seat];
    choose(characters.map((other, at) => (at === seat ? chosen : other === chosen ? old : other)));
  };
  return html`<label
    ><span>${nameOf(room, seat, t)}</span
    ><select class="input" @change=${onChange}>
      ${CHARACTERS.map(
        (character) =>
          html`<option value=${character} .selected=${live(characters[seat] === character)}>${t(`nyet.character.${character}`)}</option>`,
      )}
    </select></label
  >`;
}
