/** The house rules that only Sticheln has. */

import { html } from '../../vendor/lit-html/lit-html.js';
import { choice, toggle } from '../house-rules.js';
import { t } from '../i18n.js';

/** @typedef {import('../state.js').Room} Room */

/**
 * Which cards are played with.
 * @param {Room} room
 * @param {(change: object) => void} set
 */
export function first({ options }, set) {
  const name = (/** @type {string} */ edition) => t(`opt.edition.${edition}`);
  return choice(
    'edition',
    t('opt.edition'),
    ['nsv', 'amigo-1993'],
    options.edition,
    (edition) => set({ edition }),
    name,
  );
}

/**
 * What lies open.
 * @param {Room} room
 * @param {(change: object) => void} set
 */
export function controls({ options }, set) {
  const history = options.show_history;
  return html`${choice(
    'history',
    t('opt.history'),
    ['off', 'last_trick', 'all'],
    history,
    (show_history) => set({ show_history }),
    (name) => t(`opt.history.${name}`),
  )}
  ${toggle(
    t('opt.lastTrick'),
    t('opt.lastTrick.text'),
    options.show_last_trick && history !== 'off',
    (show_last_trick) =>
      set({ show_last_trick, ...(show_last_trick && history === 'off' && { show_history: 'last_trick' }) }),
  )}
  ${toggle(t('opt.running'), t('opt.running.text'), options.show_running_score, (show_running_score) =>
    set({ show_running_score }),
  )}`;
}

/**
 * The same as text, for those who may not change it.
 * @param {Room} room
 */
export function texts({ options }) {
  const yes = (/** @type {boolean} */ on) => t(on ? 'common.yes' : 'common.no');
  return {
    first: [[t('opt.edition'), t(`opt.edition.${options.edition}`)]],
    others: [
      [t('opt.history'), t(`opt.history.${options.show_history}`)],
      [t('opt.lastTrick'), yes(options.show_last_trick && options.show_history !== 'off')],
      [t('opt.running'), yes(options.show_running_score)],
    ],
  };
}
