/** Nyet!, as the table needs to know it. */

import { nothing } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { sticheln } from '../sticheln/game.js';
import * as facts from './facts.js';

/** @import { Game } from '../table/types.js' */

/** @type {Game} */
export const nyet = { ...sticheln, ...facts, felt: () => nothing, shown: () => null, where: () => t('bar.pick'), options: { first: () => nothing, controls: () => nothing, texts: () => ({ first: [], others: [] }) } };
