// Sticheln in the lobby, the intro and the help: its options and its rules.

import { html } from '../../vendor/lit-html/lit-html.js';
import { choice, toggle, yesOrNo } from '../controls.js';
import { enumValues } from '../exhaustive.js';
import { t } from '../i18n.js';
import { nameOf } from '../state.js';
import { sticheln } from './game.js';

/** @import { GameLobby } from '../game.js' */
/** @import { AllZeroTrick, Edition, History } from '../protocol.js' */
/** @import { RoomState } from '../types.js' */
/** @import { Sticheln } from './types.js' */

/** @type {readonly Edition[]} */
export const EDITIONS = enumValues({ nsv: true, 'amigo-1993': true });

/** @type {readonly History[]} */
const HISTORIES = enumValues({ off: true, last_trick: true, all: true });

/** The role of the opening seat, by edition. @type {Readonly<Record<Edition, 'leads' | 'deals'>>} */
const OPENING_ROLES = { nsv: 'leads', 'amigo-1993': 'deals' };

/** The editions whose rule for a trick of zeros is this one. @type {Readonly<Record<AllZeroTrick, Edition>>} */
const EDITIONS_OF_ZEROS = { nobody: 'nsv', leader: 'amigo-1993' };

/** @param {string} edition */
const editionText = (edition) => t(`sticheln.opt.edition.${edition}`);

/** @type {GameLobby<Sticheln>} */
export const lobby = {
  firstControls: ({ options }, set) =>
    choice({
      name: 'edition',
      label: t('sticheln.opt.edition'),
      values: EDITIONS,
      chosen: options.edition,
      choose: (edition) => set({ edition }),
      text: editionText,
    }),
  controls: ({ options }, set) => {
    const { show_history, show_last_trick, show_running_score } = options;
    const showLastTrick = (/** @type {boolean} */ isOn) =>
      set({ show_last_trick: isOn, ...(isOn && show_history === 'off' && { show_history: 'last_trick' }) });
    return html`${choice({
      name: 'history',
      label: t('sticheln.opt.history'),
      values: HISTORIES,
      chosen: show_history,
      choose: (history) => set({ show_history: history }),
      text: (history) => t(`sticheln.opt.history.${history}`),
    })}
    ${toggle(
      t('sticheln.opt.lastTrick'),
      t('sticheln.opt.lastTrick.text'),
      show_last_trick && show_history !== 'off',
      showLastTrick,
    )}
    ${toggle(t('sticheln.opt.running'), t('sticheln.opt.running.text'), show_running_score, (isOn) =>
      set({ show_running_score: isOn }),
    )}`;
  },
  openingRole: ({ edition }) => OPENING_ROLES[edition],
  optionTexts: ({ options }) => {
    return {
      first: [[t('sticheln.opt.edition'), editionText(options.edition)]],
      others: [
        [t('sticheln.opt.history'), t(`sticheln.opt.history.${options.show_history}`)],
        [t('sticheln.opt.lastTrick'), yesOrNo(options.show_last_trick && options.show_history !== 'off')],
        [t('sticheln.opt.running'), yesOrNo(options.show_running_score)],
      ],
    };
  },
  introIcons: ['needle', 'bulb', 'scores'],
  keys: [],
  variants: { label: 'sticheln.opt.edition', ids: EDITIONS, text: editionText },
  rules: (room, variant) => {
    const edition = room?.options.edition ?? EDITIONS.find((edition) => edition === variant) ?? EDITIONS[0];
    return [
      ...['deck', 'deal', 'pick', 'picked', 'tricks', 'lead', 'beat', 'tie', 'same', 'zero'].map(rule),
      rule(`zeros.${editionOfZeros(room) ?? edition}`),
      ...['taker', 'plus', 'minus', 'negative'].map(rule),
      first(room, edition),
      ...end(room, edition),
      rule('win'),
    ];
  },
};

/** @param {string} name */
const rule = (name) => t(`sticheln.rules.${name}`);

/**
 * The edition whose rule for a trick of zeros the room has chosen; null if it follows its own edition.
 * @param {RoomState<Sticheln> | null} room
 * @returns {Edition | null}
 */
function editionOfZeros(room) {
  const chosen = room?.options.all_zero_trick ?? null;
  return chosen === null ? null : EDITIONS_OF_ZEROS[chosen];
}

/**
 * The rule about the first lead of each round. It names the player whom the host has chosen for round 1.
 * @param {RoomState<Sticheln> | null} room
 * @param {Edition} edition
 */
function first(room, edition) {
  if (room === null || room.opening_seat === null) return rule(`first.${edition}`);
  return t(`sticheln.rules.named.${edition}`, { name: nameOf(room, room.opening_seat, t) });
}

/**
 * The rules about the end of the game. Without a room: the usual end, and that players can agree on another one.
 * @param {RoomState<Sticheln> | null} room
 * @param {Edition} edition
 */
function end(room, edition) {
  if (!room) return [rule(`usual.${edition}`), rule('agreed')];
  const { end } = room.options;
  if (end?.type === 'target') return [t('sticheln.rules.target', { target: end.target, max: end.max_rounds })];
  const n = end?.rounds ?? sticheln.rounds(room);
  return [t('sticheln.rules.rounds', { n })];
}
