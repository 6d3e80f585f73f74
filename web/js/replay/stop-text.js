// A stop of a replay in words.

import { t } from '../i18n.js';
import { cardsPlayed, isAbandonedAt } from './stops.js';

/** @import { RoundReplay, Stop } from './types.js' */

/**
 * A stop in words: `Round 2, trick 7, card 3 of 4`.
 * @param {RoundReplay} round
 * @param {readonly Stop[]} stops
 * @param {number} index
 * @returns {string}
 */
export function stopText(round, stops, index) {
  const place = placeText(round, stops, index);
  return isAbandonedAt(stops, index) ? t('replay.at.abandoned', { place }) : place;
}

/**
 * @param {RoundReplay} round
 * @param {readonly Stop[]} stops
 * @param {number} index
 * @returns {string}
 */
function placeText(round, stops, index) {
  const { trick, isResult } = stops[index];
  const n = round.round;
  if (isResult) return t('replay.at.result', { n });
  if (index === 0) return t('replay.at.deal', { n });
  const seats = round.players.length;
  if (trick > 0) return t('replay.at.card', { n, trick, card: cardsPlayed(round, stops, index), max: seats });
  const max = stops.filter((stop) => stop.trick === 0).length;
  return t('replay.at.start', { n, step: index + 1, max });
}
