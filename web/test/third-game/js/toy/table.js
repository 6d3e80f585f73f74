// The toy at the table.

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { nameOf } from '../state.js';
import { announcementTexts, playedText, roundScoredText } from '../table/announcements.js';
import { cardName } from '../table/card-text.js';
import { baseDisplay } from '../table/display.js';
import { capital, signed } from '../table/format.js';
import { seats } from '../table/seats.js';
import { waitingLine, winningText } from '../table/status-line.js';
import { winnersText } from '../table/winners.js';

/** @import { GameTable } from '../game.js' */
/** @import { Toy } from './types.js' */

/** How many tricks a round has. */
const TRICKS = 5;

/** @type {GameTable<Toy>} */
export const table = {
  display: (state) => {
    const base = baseDisplay(state);
    const { table, toAct } = base;
    const event = state.hold?.event;
    const taken = event?.type === 'trick_taken' ? event : null;
    const finished = table.tricks_won.reduce((sum, won) => sum + won, 0);
    return {
      ...base,
      kind: taken ? 'taken' : table.phase === 'round_end' ? 'round_end' : 'trick',
      round: table.round,
      dealer: null,
      maxLifted: 1,
      hasOwnPlate: true,
      highlighted: toAct,
      trick: taken ? { ...taken, winning: taken.taker } : table.phase === 'trick' ? table.trick : null,
      trickNumber: taken ? finished : finished + 1,
      pastTricks: { tricks: [], shown: 'none' },
      running: null,
    };
  },
  felt: seats,
  heading: ({ round, trickNumber }) => t('play.heading.trick', { n: round, trick: trickNumber }),
  progress: ({ trickNumber }) => t('bar.trick', { n: Math.min(TRICKS, trickNumber), max: TRICKS }),
  statusLine: (display, state, t) => {
    const { kind, trick, ownSeat, round } = display;
    if (kind === 'round_end') return { strong: t('score.title', { n: round }), text: '' };
    if (kind === 'taken') {
      const name = nameOf(state.room, trick?.taker ?? 0, t);
      return { strong: t(trick?.taker === ownSeat ? 'toy.takes.you' : 'toy.takes', { name }), text: '' };
    }
    const strong = t(trick?.cards.length ? 'turn.you' : 'turn.lead');
    return waitingLine(display, state, t) ?? { strong, text: winningText(display, state, t) };
  },
  hub: (display) => html`<li class="hub"><b>${table.progress(display)}</b></li>`,
  badge: () => nothing,
  besideName: () => nothing,
  plateDetails: (seat, display) => html`<span>${table.plateWords(seat, display)}</span>`,
  ownPlateDetails: () => nothing,
  plateTag: () => '',
  plateWords: (seat, display) => [t('play.tricks', { n: table.tricksOf(seat, display) })],
  slot: () => null,
  slotText: ({ trick }) => (trick?.cards.length ? 'play.slot.card' : 'play.slot.lead'),
  tricksOf: (seat, { table }) => table.tricks_won[seat],
  whyNotLifted: () => null,
  marks: () => ({ drawn: nothing, words: [] }),
  trayButton: ({ yours, legal }, { lifted: [card], pendingMove }) => {
    if (!yours || pendingMove) return {};
    if (!card) return { label: t('trick.choose') };
    return { label: capital(t('trick.play', { card: cardName(card, t) })), action: legal.get(card) };
  },
  aboveHand: () => nothing,
  summary: ({ table }) => t('toy.round.best', { n: Math.max(...table.tricks_won) }),
  calculation: ({ table }, { room }) =>
    table.tricks_won.map((won, seat) => {
      const parts = html`<b class="name">${nameOf(room, seat, t)}</b><span class="sum">${signed(won)}</span>`;
      return html`<article class="calculation"><header>${parts}</header></article>`;
    }),
  trophy: () => nothing,
  announcement: (event, { room, you }, t) => {
    const { name, line } = announcementTexts(room, you.seat, t);
    if (event.type === 'dealt') return t('announce.dealt', { round: String(event.round), n: event.cards });
    if (event.type === 'played') return playedText(event, line, t);
    if (event.type === 'trick_taken') return line('toy.takes', event.taker ?? event.leader);
    if (event.type === 'round_scored') return roundScoredText(event, name, t);
    return winnersText(event.ranks, you.seat, room, t);
  },
};
