// The middle of the table in Nyet!: the led suit, and the rules of the round.

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { t } from '../i18n.js';
import { chip } from '../table/card-drawing.js';
import { capital } from '../table/format.js';
import { replaceOnChange } from '../table/replace-on-change.js';
import { namesOf, teamsText } from './phrases.js';
import { star } from './signs.js';
import { shownSpaceText } from './spaces.js';
import { chosenText } from './status-line.js';

/** @import { StatusLine } from '../game.js' */
/** @import { PlayState } from '../types.js' */
/** @import { Nyet, NyetDisplay, Row, Space } from './types.js' */

/**
 * The middle of the table.
 * @param {NyetDisplay} display
 * @param {PlayState<Nyet>} state
 */
export function hub(display, state) {
  const lead = display.trick?.lead;
  const { strong, text } = hubText(display, state);
  return html`<li class="hub conditions-hub">
    ${replaceOnChange(`${strong} ${text}`, html`${lead && lead !== 'trump' ? chip(lead) : nothing}<div><b>${strong}</b><span>${text}</span></div>`)}
    ${conditionSigns(display, state)}
  </li>`;
}

/**
 * @param {NyetDisplay} display
 * @param {PlayState<Nyet>} state
 * @returns {StatusLine}
 */
function hubText(display, state) {
  const { kind, teams, seats, ownSeat } = display;
  if (kind === 'teams_formed') {
    return { strong: t('nyet.hub.teams'), text: teams ? teamsText(teams, ownSeat, state.room, t) : '' };
  }
  if (kind === 'discard') {
    const n = display.hasDiscarded.filter(Boolean).length;
    const strong = capital(t(`nyet.space.discard.${display.conditions?.discard}`));
    return { strong, text: t('nyet.chosenBy', { n, max: seats }) };
  }
  if (kind === 'chosen') return { strong: chosenText(display, state, t), text: '' };
  return trickText(display, state);
}

/**
 * @param {NyetDisplay} display
 * @param {PlayState<Nyet>} state
 * @returns {StatusLine}
 */
function trickText({ trick, trickNumber, teams, seats, ownSeat, pastTricks }, state) {
  if (trick?.lead) {
    const colour = capital(t(`colour.${trick.lead}`));
    const strong = trick.lead === 'trump' ? t('nyet.trumpLed') : t('trick.led', { colour });
    return { strong, text: t('nyet.follow.rule') };
  }
  const strong = t('play.newTrick');
  if (trickNumber === 1 && teams && seats > 2) return { strong, text: teamsText(teams, ownSeat, state.room, t) };
  const last = pastTricks.tricks[0]?.trick;
  if (!last) return { strong, text: t('play.newTrick.number', { n: trickNumber }) };
  const name = namesOf([last.taker ?? 0], null, state.room, t);
  return { strong, text: t(last.taker === ownSeat ? 'play.last.you' : 'play.last', { name, points: '' }) };
}

/**
 * Trump, supertrump and points of the round, as signs.
 * @param {NyetDisplay} display
 * @param {PlayState<Nyet>} state
 */
function conditionSigns(display, state) {
  const { conditions } = display;
  if (!conditions) return nothing;
  const { trump, supertrump, points } = conditions;
  const sign = (/** @type {Row} */ row, /** @type {Space} */ space, /** @type {unknown} */ drawing) =>
    html`<li><span class="visually-hidden">${shownSpaceText(row, space, display, state)}</span><span aria-hidden="true">${drawing}</span></li>`;
  return html`<ul class="conditions" aria-label=${t('nyet.conditions.title')}>
    ${sign('trump', trump, html`${trump === 'none' ? '' : chip(trump)}<small>${t(trump === 'none' ? 'nyet.sign.noTrump' : 'nyet.sign.trump')}</small>`)}
    ${supertrump === 'none' ? nothing : sign('supertrump', supertrump, html`${chip(supertrump)}<b>1</b>${star}`)}
    ${sign('points', points, html`<b class="points">${points.replace('-', '−')}</b><small>${t('nyet.sign.points')}</small>`)}
  </ul>`;
}
