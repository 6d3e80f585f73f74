/** What the sentence above the hand says in Sticheln. */

import { cardName, parts } from '../table/cards.js';
import { capital, listed, nameOf, plain, signed } from '../table/format.js';
import { elsewhere, join, winning } from '../table/status-line.js';

/** @import { Sentence, State, Translate } from '../table/types.js' */
/** @import { Shown } from './scene.js' */

/**
 * Who must act, who is winning with what, and what the lifted card would do.
 * @param {Shown} now
 * @param {State} state
 * @param {Translate} t
 * @returns {Sentence}
 */
export function sentence(now, state, t) {
  switch (now.kind) {
    case 'pick':
      return picking(now, state, t);
    case 'reveal':
      return revealed(now, state, t);
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
 */
function picking(now, state, t) {
  const count = now.picked.filter(Boolean).length;
  const waits = t('pick.wait', { n: String(count), max: String(now.seats) });
  if (!now.yours) {
    const missing = now.toAct.map((seat) => nameOf(state.room, seat, t));
    const who = missing.length > 0 ? t('play.waitFor', { names: listed(missing, t) }) : '';
    const strong = now.pick ? t('play.pick.laid', { card: capital(cardName(now.pick, t)) }) : waits;
    return { strong, text: now.pick ? join(waits, who) : who };
  }
  const strong = t('pick.title');
  const lifted = state.lifted[0];
  if (!lifted) {
    return { strong, text: t('play.pick.how') };
  }
  const { value } = parts(lifted);
  const card = capital(cardName(lifted, t));
  return { strong, text: t('pick.effect', { card, n: plain(-value) }) };
}

/**
 * @param {Shown} now
 * @param {State} state
 * @param {Translate} t
 */
function revealed(now, state, t) {
  const strong =
    now.leads === now.you ? t('play.leadsFirst.you') : t('reveal.leads', { name: nameOf(state.room, now.leads, t) });
  const own = now.you !== null ? now.picks?.[now.you] : undefined;
  return { strong, text: own ? t('play.reveal.own', { suit: suit(own, t) }) : '' };
}

/**
 * @param {Shown} now
 * @param {State} state
 * @param {Translate} t
 */
function playing(now, state, t) {
  const waits = elsewhere(now, state, t);
  if (waits) {
    return waits;
  }
  const isNew = (now.trick?.cards.length ?? 0) === 0;
  const effect = state.settings?.hints === false ? '' : consequence(now, state, t);
  if (isNew) {
    return { strong: t('turn.lead'), text: effect || t('play.lead.how') };
  }
  return { strong: t('turn.you'), text: join(winning(now, state, t), effect) };
}

/**
 * What the lifted card would do, or how many cards would beat what lies on the table.
 * @param {Shown} now
 * @param {State} state
 * @param {Translate} t
 * @returns {string}
 */
function consequence(now, state, t) {
  const cards = now.trick?.cards.length ?? 0;
  const lifted = state.lifted[0];
  if (!lifted) {
    const beating = [...now.hints.values()].filter((hint) => hint.winning).length;
    if (cards === 0 || now.hints.size === 0) {
      return '';
    }
    return beating > 0 ? t('play.beat', { n: beating }) : t('trick.none');
  }
  const hint = now.hints.get(lifted);
  const card = capital(cardName(lifted, t));
  if (!hint || cards === 0) {
    return '';
  }
  const n = Math.abs(hint.points);
  if (hint.winning) {
    return hint.points < 0 ? t('play.wouldHurt', { card, n }) : t('trick.would', { card });
  }
  const taker = now.trick?.winning;
  if (taker === undefined || hint.points === 0) {
    return t('trick.wouldNot', { card });
  }
  const name = nameOf(state.room, taker, t);
  return t(hint.points < 0 ? 'play.hurts' : 'play.gives', { card, name, n });
}

/**
 * Who has taken the finished trick, for how many points.
 * @param {Shown} now
 * @param {State} state
 * @param {Translate} t
 * @returns {string}
 */
function taken(now, state, t) {
  const { trick } = now;
  if (!trick) {
    return '';
  }
  const taker = trick.taker ?? null;
  const isZeros = trick.cards.every((card) => parts(card).value === 0);
  if (taker === null) {
    const isYou = trick.leader === now.you;
    return t(isYou ? 'play.zeros.you' : 'trick.zeros', { name: nameOf(state.room, trick.leader, t) });
  }
  const args = { name: nameOf(state.room, taker, t), points: signed(trick.points ?? 0) };
  const zeros = isZeros ? `${t('play.zeros.leader')} ` : '';
  return zeros + t(taker === now.you ? 'play.takes.you' : 'play.takes', args);
}

/**
 * @param {string} card
 * @param {Translate} t
 */
function suit(card, t) {
  return t(`suit.${parts(card).colour}`);
}
