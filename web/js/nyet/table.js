// Nyet! at the table.

import { nothing } from '../../vendor/lit-html/lit-html.js';
import { ignoreUnknown } from '../exhaustive.js';
import { t } from '../i18n.js';
import { seats } from '../table/seats.js';
import { announcement, dealtHands, logText } from './announcements.js';
import { board } from './board.js';
import { trayButton } from './button.js';
import { calculation, summary } from './calculation.js';
import { displayOf } from './display.js';
import { hub } from './hub.js';
import {
  badge,
  besideName,
  hiddenCards,
  loot,
  marks,
  plateDetails,
  plateWords,
  slot,
  slotText,
  tricksOf,
  whyNotLifted,
} from './plate.js';
import { marker } from './signs.js';
import { statusLine } from './status-line.js';
import './symbols.js';
import { team } from './team.js';
import { trickEffects } from './trick-effects.js';

/** @import { GameTable } from '../game.js' */
/** @import { Nyet } from './types.js' */

/** @type {GameTable<Nyet>} */
export const table = {
  display: displayOf,
  felt: (display, state, actions) => {
    switch (display.kind) {
      case 'board':
      case 'settled':
        return board(display, state, actions);
      case 'choosing_team':
        return team(display, state, actions);
      case 'teams_formed':
      case 'discard':
      case 'chosen':
      case 'trick':
      case 'taken':
      case 'round_end':
        return seats(display, state, actions);
      default:
        return ignoreUnknown(display.kind, nothing);
    }
  },
  heading: ({ kind, round, trickNumber }) =>
    kind === 'trick' || kind === 'taken'
      ? t('play.heading.trick', { n: round, trick: trickNumber })
      : t('nyet.heading', { n: round, what: t(`nyet.where.${kind}`) }),
  progress: ({ kind, trickNumber, table }) => {
    if (kind === 'round_end') return '';
    if (kind !== 'trick' && kind !== 'taken') return t(`nyet.where.${kind}`);
    const before = kind === 'taken' ? trickNumber : trickNumber - 1;
    return t('bar.trick', { n: trickNumber, max: before + Math.max(...table.hand_counts) });
  },
  statusLine,
  hub,
  badge,
  besideName,
  plateDetails,
  ownPlateDetails: loot,
  plateTag: () => '',
  plateWords,
  slot,
  slotText,
  hiddenCards,
  tricksOf,
  whyNotLifted,
  marks,
  trayButton,
  aboveHand: () => nothing,
  summary,
  calculation,
  trophy: marker,
  announcement,
  dealtHands,
  logText,
  trickEffects,
};
