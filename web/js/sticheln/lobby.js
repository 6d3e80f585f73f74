// Sticheln in the lobby, the intro and the help: its options and its rules.

import { html } from '../../vendor/lit-html/lit-html.js';
import { choice, toggle, yesOrNo } from '../controls.js';
import { enumValues } from '../exhaustive.js';
import { seatToTheLeft, usualRounds } from '../games.js';
import { t } from '../i18n.js';
import { nameOf } from '../state.js';
import { examples } from './examples.js';

/** @import { GameLobby } from '../game.js' */
/** @import { AllZeroTrick, Edition, History, StichelnOptions } from '../protocol.js' */
/** @import { RoomState } from '../types.js' */
/** @import { Sticheln } from './types.js' */

/** @type {readonly Edition[]} */
export const EDITIONS = enumValues({ nsv: true, 'amigo-1993': true });

/** @type {readonly History[]} */
const HISTORIES = enumValues({ off: true, last_trick: true, all: true });

/** The role of the opening seat, by edition. @type {Readonly<Record<Edition, 'leads' | 'deals'>>} */
const OPENING_ROLES = { nsv: 'leads', 'amigo-1993': 'deals' };

/** The rule for a trick of zeros, by edition. @type {Readonly<Record<Edition, AllZeroTrick>>} */
const ZEROS_RULES = { nsv: 'nobody', 'amigo-1993': 'leader' };

/** The rules for a trick of zeros. @type {readonly AllZeroTrick[]} */
export const ZEROS = enumValues({ nobody: true, leader: true });

/** The choices for it: the rule of the edition, or one of the rules. @type {readonly ('edition' | AllZeroTrick)[]} */
const ZEROS_CHOICES = ['edition', ...ZEROS];

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
      note: t(`sticheln.opt.edition.${options.edition}.text`),
    }),
  controls: ({ options }, set) => {
    const { show_history, show_last_trick, show_running_score } = options;
    const showLastTrick = (/** @type {boolean} */ isOn) =>
      set({ show_last_trick: isOn, ...(isOn && show_history === 'off' && { show_history: 'last_trick' }) });
    return html`${zerosChoice(options, set)}
    ${choice({
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
  openingText: (room) => {
    const { options, opening_seat: seat } = room;
    const role = OPENING_ROLES[options.edition];
    if (seat === null) return t(`sticheln.opt.opening.${role}.random`);
    const leader = nameOf(room, seatToTheLeft(room, seat), t);
    return t(`sticheln.opt.opening.${role}.named`, { name: nameOf(room, seat, t), leader });
  },
  optionTexts: ({ options }) => {
    return {
      first: [
        [t('sticheln.opt.edition'), editionText(options.edition), t(`sticheln.opt.edition.${options.edition}.text`)],
      ],
      others: [
        [t('sticheln.opt.zeros'), t(`sticheln.opt.zeros.${zerosRule(options)}`), zerosNote(options)],
        [t('sticheln.opt.history'), t(`sticheln.opt.history.${options.show_history}`)],
        [t('sticheln.opt.lastTrick'), yesOrNo(options.show_last_trick && options.show_history !== 'off')],
        [t('sticheln.opt.running'), yesOrNo(options.show_running_score)],
      ],
    };
  },
  introIcons: ['needle', 'bulb', 'scores'],
  keys: [],
  variants: { label: 'sticheln.opt.edition', ids: EDITIONS, text: editionText },
  examples: (room, variant) => {
    const edition = editionOf(room, variant);
    return examples(edition, room?.options.all_zero_trick ?? ZEROS_RULES[edition]);
  },
  rules: (room, variant) => {
    const edition = editionOf(room, variant);
    return [
      ...['deck', 'deal', 'pick', 'picked', 'tricks', 'lead', 'beat', 'tie', 'same', 'zero'].map(rule),
      rule(`zeros.${room?.options.all_zero_trick ?? ZEROS_RULES[edition]}`),
      ...['taker', 'plus', 'minus', 'negative'].map(rule),
      first(room, edition),
      ...end(room, edition),
      rule('win'),
    ];
  },
};

/**
 * The edition of a room, or the one with this id; the first one if there is none.
 * @param {RoomState<Sticheln> | null} room
 * @param {string | null} variant
 */
const editionOf = (room, variant) =>
  room?.options.edition ?? EDITIONS.find((edition) => edition === variant) ?? EDITIONS[0];

/**
 * The choice of the rule for a trick of zeros.
 * @param {StichelnOptions} options
 * @param {(change: Partial<StichelnOptions>) => void} set
 */
const zerosChoice = (options, set) =>
  choice({
    name: 'zeros',
    label: t('sticheln.opt.zeros'),
    values: ZEROS_CHOICES,
    chosen: options.all_zero_trick ?? 'edition',
    choose: (chosen) => set({ all_zero_trick: chosen === 'edition' ? null : chosen }),
    text: (chosen) => t(`sticheln.opt.zeros.${chosen}`),
    note: zerosNote(options),
  });

/**
 * The rule for a trick of zeros, of the room or of its edition.
 * @param {StichelnOptions} options
 */
const zerosRule = ({ all_zero_trick, edition }) => all_zero_trick ?? ZEROS_RULES[edition];

/** @param {StichelnOptions} options */
const zerosNote = (options) => t(`sticheln.opt.zeros.${zerosRule(options)}.text`);

/** @param {string} name */
const rule = (name) => t(`sticheln.rules.${name}`);

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
  const n = end?.rounds ?? usualRounds(room);
  return [t('sticheln.rules.rounds', { n })];
}
