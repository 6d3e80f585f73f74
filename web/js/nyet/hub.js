/** The middle of the table in Nyet!: what was led, and the rules of the round. */

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { chip } from '../table/card.js';
import { capital } from '../table/format.js';
import { anew } from '../table/replace-on-change.js';
import { star } from './marker.js';
import { people, sides } from './phrases.js';
import { named } from './spaces.js';
import { came } from './status-line.js';

/** @import { State } from '../table/types.js' */
/** @import { Shown } from './scene.js' */

/**
 * The middle of the table.
 * @param {Shown} now
 * @param {State} state
 */
export function hub(now, state) {
  const lead = now.trick?.lead;
  const { strong, text } = words(now, state);
  return html`<li class="hub rules-hub">
    ${anew(`${strong} ${text}`, html`${lead && lead !== 'trump' ? chip(lead) : nothing}<div><b>${strong}</b><span>${text}</span></div>`)}
    ${conditions(now, state)}
  </li>`;
}

/**
 * @param {Shown} now
 * @param {State} state
 * @returns {{ strong: string, text: string }}
 */
function words(now, state) {
  const { trick } = now;
  switch (now.kind) {
    case 'teams':
      return { strong: t('nyet.hub.teams'), text: now.teams ? sides(now.teams, now.you, state.room, t) : '' };
    case 'discard': {
      const n = now.discarded.filter(Boolean).length;
      return {
        strong: capital(t(`nyet.space.discard.${now.conditions?.discard}`)),
        text: t('nyet.hub.chosen', { n, max: now.seats }),
      };
    }
    case 'chosen':
      return { strong: came(now, state, t), text: '' };
    default:
      break;
  }
  if (trick?.lead) {
    const isTrump = trick.lead === 'trump';
    const strong = isTrump ? t('nyet.trumpLed') : t('trick.led', { suit: capital(t(`suit.${trick.lead}`)) });
    return { strong, text: t('nyet.follow.rule') };
  }
  if (now.number === 1 && now.teams && now.seats > 2) {
    return { strong: t('play.newTrick'), text: sides(now.teams, now.you, state.room, t) };
  }
  const last = now.table.last_trick;
  if (!last) {
    return { strong: t('play.newTrick'), text: t('play.newTrick.number', { n: now.number }) };
  }
  const key = last.taker === now.you ? 'play.last.you' : 'play.last';
  return {
    strong: t('play.newTrick'),
    text: t(key, { name: people([last.taker ?? 0], null, state.room, t), points: '' }),
  };
}

/**
 * Trump, supertrump and points of the round, as signs.
 * @param {Shown} now
 * @param {State} state
 */
function conditions(now, state) {
  const { conditions } = now;
  if (!conditions) {
    return nothing;
  }
  const { trump, supertrump, points } = conditions;
  const sign = (/** @type {string} */ row, /** @type {string} */ space, /** @type {unknown} */ drawn) =>
    html`<li><span class="sr">${named(row, space, now, state)}</span><span aria-hidden="true">${drawn}</span></li>`;
  return html`<ul class="conds" aria-label=${t('nyet.rules.title')}>
    ${sign('trump', trump, html`${trump === 'none' ? '' : chip(trump)}<small>${t(trump === 'none' ? 'nyet.sign.noTrump' : 'nyet.sign.trump')}</small>`)}
    ${supertrump === 'none' ? nothing : sign('supertrump', supertrump, html`${chip(supertrump)}<b>1</b>${star}`)}
    ${sign('points', points, html`<b class="pts">${points.replace('-', '−')}</b><small>${t('nyet.sign.points')}</small>`)}
  </ul>`;
}
