/** What the sentence above the hand says in Nyet!. */

import { cardOfKey } from '../state.js';
import { cardName } from '../table/cards.js';
import { capital, listed, nameOf, signed } from '../table/format.js';
import { elsewhere, join, winning } from '../table/status-line.js';
import { people, rules, sides, spaceName } from './phrases.js';

/** @import { Sentence, State, Translate } from '../table/types.js' */
/** @import { Shown } from './scene.js' */

/**
 * Who must act, who is winning with what, and what would come of what is lifted.
 * @param {Shown} now
 * @param {State} state
 * @param {Translate} t
 * @returns {Sentence}
 */
export function sentence(now, state, t) {
  switch (now.kind) {
    case 'board':
      return covering(now, state, t);
    case 'settled':
      return {
        strong: t('nyet.settled.all'),
        text: now.conditions ? rules(now.conditions, now.you, state.room, t) : '',
      };
    case 'team':
      return choosing(now, state, t);
    case 'teams':
      return { strong: t('nyet.hub.teams'), text: formed(now, state, t) };
    case 'discard':
      return discarding(now, state, t);
    case 'chosen':
      return { strong: came(now, state, t), text: '' };
    case 'trick':
      return playing(now, state, t);
    case 'taken':
      return { strong: taken(now, state, t), text: '' };
    case 'over':
      return { strong: t('score.title', { n: now.table.round }), text: '' };
  }
}

/**
 * @param {Shown} now
 * @param {State} state
 * @param {Translate} t
 * @returns {Sentence}
 */
function covering(now, state, t) {
  const before = covered(now, state, t);
  if (!now.yours) {
    const seat = now.toAct[0];
    return { strong: seat === undefined ? '' : t('nyet.saysNo', { name: nameOf(state.room, seat, t) }), text: before };
  }
  const [row, space] = (state.lifted[0] ?? '').split(':');
  if (!space) {
    return { strong: t('nyet.say'), text: join(before, t('nyet.rule')) };
  }
  const name = (/** @type {string} */ other) => spaceName(row, other, now.characters, now.you, state.room, t);
  const rest = Object.entries(now.board[row]).filter(([other, by]) => by === null && other !== space);
  const effect = t('nyet.would', { what: name(space) });
  const then = rest.length === 1 ? t('nyet.then', { what: name(rest[0][0]) }) : t('nyet.stayFree', { n: rest.length });
  return { strong: t('nyet.say'), text: join(effect, then) };
}

/**
 * What was ruled out last.
 * @param {Shown} now
 * @param {State} state
 * @param {Translate} t
 * @returns {string}
 */
function covered({ cover, characters, you }, state, t) {
  if (!cover || cover.seat === you) {
    return '';
  }
  const what = spaceName(cover.row, cover.space, characters, you, state.room, t);
  return t('nyet.ruledOut', { name: nameOf(state.room, cover.seat, t), what });
}

/**
 * @param {Shown} now
 * @param {State} state
 * @param {Translate} t
 * @returns {Sentence}
 */
function choosing(now, state, t) {
  if (now.yours) {
    return { strong: t(`nyet.choose.${now.seats}`), text: now.seats === 4 ? '' : t('nyet.x2.text') };
  }
  return { strong: t('nyet.choosesTeam', { name: nameOf(state.room, now.toAct[0] ?? 0, t) }), text: '' };
}

/**
 * @param {Shown} now
 * @param {State} state
 * @param {Translate} t
 * @returns {string}
 */
function formed({ teams, you }, state, t) {
  if (!teams) {
    return '';
  }
  const holder = teams.bonus;
  const double =
    holder === null
      ? ''
      : holder === you
        ? t('nyet.holds.you')
        : t('nyet.holds', { name: nameOf(state.room, holder, t) });
  return join(`${sides(teams, you, state.room, t)}.`, double);
}

/**
 * @param {Shown} now
 * @param {State} state
 * @param {Translate} t
 * @returns {Sentence}
 */
function discarding(now, state, t) {
  const rule = now.conditions?.discard ?? '';
  const count = now.discarded.filter(Boolean).length;
  const waits = t('nyet.chosenBy', { n: count, max: now.seats });
  if (now.yours) {
    const left = ((now.you ?? 0) + 1) % now.seats;
    const strong = t(`nyet.do.${rule}`, { name: nameOf(state.room, left, t) });
    return { strong, text: t(rule === 'pass_left' ? 'nyet.do.passing' : 'nyet.do.laying') };
  }
  const missing = now.toAct.map((seat) => nameOf(state.room, seat, t));
  const who = missing.length > 0 ? t('play.waitFor', { names: listed(missing, t) }) : '';
  const own =
    now.aside.length > 0
      ? capital(
          listed(
            now.aside.map((card) => cardName(card, t)),
            t,
          ),
        )
      : '';
  return own
    ? { strong: t(rule === 'pass_left' ? 'nyet.willPass' : 'nyet.willLie', { cards: own }), text: join(waits, who) }
    : { strong: waits, text: who };
}

/**
 * What came of choosing cards: the one that was passed to the own seat, or only that it is done.
 * @param {Shown} now
 * @param {State} state
 * @param {Translate} t
 * @returns {string}
 */
export function came(now, state, t) {
  if (now.conditions?.discard !== 'pass_left') {
    return t('nyet.came.aside');
  }
  if (now.you === null || !now.received) {
    return t('nyet.came.passed');
  }
  const giver = (now.you - 1 + now.seats) % now.seats;
  return t('nyet.came', { card: cardName(now.received, t), name: nameOf(state.room, giver, t) });
}

/**
 * @param {Shown} now
 * @param {State} state
 * @param {Translate} t
 * @returns {Sentence}
 */
function playing(now, state, t) {
  const waits = elsewhere(now, state, t);
  if (waits) {
    return waits;
  }
  const isNew = (now.trick?.cards.length ?? 0) === 0;
  if (isNew) {
    return { strong: t('turn.lead'), text: '' };
  }
  const effect = state.settings?.hints === false ? '' : consequence(now, state, t);
  return { strong: t('turn.you'), text: join(winning(now, state, t), effect || must(now, t)) };
}

/**
 * That the led suit must be followed, where it can be.
 * @param {Shown} now
 * @param {Translate} t
 * @returns {string}
 */
function must(now, t) {
  const lead = now.trick?.lead;
  if (!lead || now.legal.size === 0 || now.hand.every((card) => now.legal.has(card))) {
    return '';
  }
  return lead === 'trump' ? t('nyet.must.trump') : t('nyet.must', { suit: t(`suit.${lead}`) });
}

/**
 * What the lifted card would do.
 * @param {Shown} now
 * @param {State} state
 * @param {Translate} t
 * @returns {string}
 */
function consequence(now, state, t) {
  const lifted = state.lifted[0] ? cardOfKey(state.lifted[0]) : null;
  const hint = lifted && now.legal.has(lifted) ? now.hints.get(lifted) : undefined;
  if (!lifted || !hint) {
    return '';
  }
  const card = capital(cardName(lifted, t));
  if (hint.winning) {
    return t('trick.would', { card });
  }
  const taker = now.trick?.winning;
  if (taker === undefined || hint.points === 0) {
    return t('trick.wouldNot', { card });
  }
  return t('nyet.wouldLoot', { card, name: nameOf(state.room, taker, t), points: signed(hint.points) });
}

/**
 * Who has taken the finished trick, and what of it is loot.
 * @param {Shown} now
 * @param {State} state
 * @param {Translate} t
 * @returns {string}
 */
function taken(now, state, t) {
  const taker = now.trick?.taker ?? 0;
  const loot = /** @type {string[]} */ (state.pause?.event?.loot ?? []);
  const who = people([taker], now.you, state.room, t);
  const key = taker === now.you ? 'nyet.takes.you' : 'nyet.takes';
  return join(
    t(key, { name: who }),
    loot.length > 0
      ? t('nyet.lootIs', {
          cards: listed(
            loot.map((card) => cardName(card, t)),
            t,
          ),
        })
      : '',
  );
}
