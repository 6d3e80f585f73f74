// The winners of a game in words.

import { nameList } from '../i18n.js';
import { nameOf } from '../state.js';

/** @import { Translate } from '../i18n.js' */
/** @import { Seat } from '../protocol.js' */
/** @import { RoomState } from '../types.js' */

/**
 * The winners of a game: the seats with the best rank.
 * @param {readonly number[]} ranks
 * @param {Seat | null} ownSeat
 * @param {Pick<RoomState, 'chairs'> | null} room
 * @param {Translate} t
 * @returns {string}
 */
export function winnersText(ranks, ownSeat, room, t) {
  const winners = ranks.flatMap((rank, seat) => (rank === 1 ? [seat] : []));
  const others = winners.filter((seat) => seat !== ownSeat).map((seat) => nameOf(room, seat, t));
  const isOwn = others.length < winners.length;
  if (winners.length === 1) return isOwn ? t('result.wins.you') : t('result.wins', { name: others[0] });
  return t(isOwn ? 'result.tie.you' : 'result.tie', { names: nameList(others, t) });
}
