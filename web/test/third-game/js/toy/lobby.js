// The toy in the lobby, the intro and the help: its option and its rules.

import { nothing } from '../../vendor/lit-html/lit-html.js';
import { toggle, yesOrNo } from '../controls.js';
import { t } from '../i18n.js';

/** @import { GameLobby } from '../game.js' */
/** @import { Toy } from './types.js' */

/** @type {GameLobby<Toy>} */
export const lobby = {
  firstControls: () => nothing,
  controls: ({ options }, set) =>
    toggle(t('toy.opt.lowest'), null, options.lowest_takes, (isOn) => set({ lowest_takes: isOn })),
  openingRole: () => 'leads',
  optionTexts: ({ options }) => ({
    first: [],
    others: [[t('toy.opt.lowest'), yesOrNo(options.lowest_takes)]],
  }),
  introIcons: ['scores'],
  keys: [],
  variants: null,
  rules: (room) => {
    const taker = room?.options.lowest_takes ? 'lowest' : 'highest';
    return ['deal', taker, 'points'].map((rule) => t(`toy.rules.${rule}`));
  },
};
