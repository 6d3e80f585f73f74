// The rules of Nyet! in sentences. In a room they are those of its options and of its number of players.

import { playersOf, usualRounds } from '../games.js';
import { t } from '../i18n.js';
import { nameOf } from '../state.js';

/** @import { RoomState } from '../types.js' */
/** @import { Nyet } from './types.js' */

/** @param {string} name */
const rule = (name) => t(`nyet.rules.${name}`);

/** @param {boolean} isNeeded @param {string} name */
const ruleIf = (isNeeded, name) => (isNeeded ? [rule(name)] : []);

/** @param {'hand' | 'absent' | 'teams' | 'bonus'} topic @param {number} players */
const ruleFor = (topic, players) => rule(`${topic}.${players}`);

/** The rules in their order. @param {RoomState<Nyet> | null} room */
export const rules = (room) => [...cards(room), ...board(room), ...teams(room), ...tricks(room), ...end(room)];

/**
 * Cards, characters and the dealer.
 * @param {RoomState<Nyet> | null} room
 */
function cards(room) {
  const players = room && playersOf(room);
  return [
    rule('deck'),
    players === null ? rule('hands') : ruleFor('hand', players),
    rule('characters'),
    ...(players === null ? [rule('absent')] : players < 5 ? [ruleFor('absent', players)] : []),
    dealer(room),
  ];
}

/**
 * The rule about the dealer of each round. It names the player whom the host has chosen for round 1.
 * @param {RoomState<Nyet> | null} room
 */
function dealer(room) {
  if (room === null || room.opening_seat === null) return rule('dealer');
  return t('nyet.rules.named', { name: nameOf(room, room.opening_seat, t) });
}

/** @param {RoomState<Nyet> | null} room */
const board = (room) => [
  ...['cover', 'last', 'rows'].map(rule),
  ...ruleIf(room?.options.no_trump_space === true, 'noTrump'),
  rule('start'),
];

/**
 * Teams, the x2 card, and the cards that are given up.
 * @param {RoomState<Nyet> | null} room
 */
function teams(room) {
  const players = room && playersOf(room);
  const bonus = players === null ? ['bonus', 'bonus.3', 'bonus.5'] : players % 2 === 1 ? [`bonus.${players}`] : [];
  return [
    players === null ? rule('teams') : ruleFor('teams', players),
    ...bonus.map(rule),
    rule('discard'),
    rule('together'),
    rule('revealed'),
  ];
}

/** @param {RoomState<Nyet> | null} room */
const tricks = (room) => [
  ...['lead', 'taker', 'trump', 'highest', 'equal', 'loot'].map(rule),
  rule(room?.options.supertrump_loot === false ? 'noSupertrumpLoot' : 'supertrumpLoot'),
  rule('score'),
];

/**
 * The rules about the end of the game. Without a room: the usual end, and the variant.
 * @param {RoomState<Nyet> | null} room
 */
function end(room) {
  if (!room) return [rule('usual'), rule('variant'), rule('win')];
  const { end } = room.options;
  const length =
    end?.type === 'target'
      ? t('nyet.rules.target', { target: end.target, max: end.max_rounds })
      : t('nyet.rules.rounds', { n: end?.rounds ?? usualRounds(room) });
  return [length, rule('win')];
}
