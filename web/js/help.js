// How a game is played, and which keys there are.

import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { choice } from './house-rules.js';
import { hasTexts, t } from './i18n.js';
import { icon } from './icons.js';
import { introCards } from './intro.js';
import { dialog } from './modal.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./state.js').Options} Options */
/** @typedef {import('./actions.js').Actions} Actions */

/**
 * The help. At a table that of its game and edition; elsewhere both can be chosen.
 * @param {State} state
 * @param {Actions} actions
 */
export function help(state, actions) {
  const isReady = hasTexts('help', actions.redraw);
  return dialog({
    name: 'help',
    title: t('help.title', { game: t(`game.${gameOf(state)}`) }),
    sheet: true,
    close: () => actions.open(null),
    body: isReady
      ? html`<div class="stack help">${state.room ? nothing : choices(state, actions)}${rules(state, actions)}</div>`
      : html`<p class="muted" role="status">${t('play.wait')}</p>`,
  });
}

/** @param {State} state */
const gameOf = ({ room, help }) => room?.game ?? help.game;

/**
 * @param {State} state
 * @param {Actions} actions
 */
function choices({ help }, actions) {
  return html`<div class="opts">
    ${choice(
      'help-game',
      t('home.game'),
      ['sticheln', 'nyet'],
      help.game,
      (game) => actions.help({ game: /** @type {State['help']['game']} */ (game) }),
      (game) => t(`game.${game}`),
    )}
    ${
      help.game === 'sticheln'
        ? choice(
            'help-edition',
            t('opt.edition'),
            ['nsv', 'amigo-1993'],
            help.edition,
            (edition) => actions.help({ edition: /** @type {Options['edition']} */ (edition) }),
            (edition) => t(`opt.edition.${edition}`),
          )
        : nothing
    }
  </div>`;
}

/**
 * @param {State} state
 * @param {Actions} actions
 */
function rules(state, actions) {
  const game = gameOf(state);
  const lines = game === 'sticheln' ? ofSticheln(state) : NYET.map((line) => t(`rules.nyet.${line}`));
  return html`<section class="stack tight"><h4>${t('help.cards')}</h4>${introCards(game)}</section>
    <section class="stack tight">
      <h4>${t('help.rules')}</h4>
      <ul class="stack tight facts-list">
        ${lines.map((line) => html`<li>${line}</li>`)}
      </ul>
    </section>
    <section class="stack tight"><h4>${t('menu.keys')}</h4>${keyTable(state)}</section>
    <section class="stack tight">
      <h4>${t('help.trouble')}</h4>
      <p>${t('help.trouble.text')}</p>
      <div class="row"><button class="btn" type="button" @click=${actions.check}>${icon('plug')} ${t('menu.check')}</button></div>
    </section>`;
}

const STICHELN = [
  'deck',
  'deal',
  'pick',
  'picked',
  'tricks',
  'lead',
  'beat',
  'tie',
  'same',
  'zero',
  'zeros',
  'taker',
  'plus',
  'minus',
  'negative',
  'first',
  'end',
  'win',
];
/** The lines that differ from edition to edition. */
const OF_EDITION = ['zeros', 'first'];

const NYET = [
  'deck',
  'cover',
  'last',
  'rows',
  'teams',
  'bonus',
  'discard',
  'lead',
  'trump',
  'highest',
  'equal',
  'loot',
  'score',
  'rounds',
  'target',
];

/**
 * The lines of the room's edition; without a room also those of an end that can be agreed.
 * @param {State} state
 */
function ofSticheln({ room, help }) {
  const edition = room?.options.edition ?? help.edition;
  return STICHELN.flatMap((line) => {
    if (line === 'end') return ends(room, edition);
    const zeros = room?.options.all_zero_trick;
    if (line === 'zeros' && zeros) return [t(`rules.sticheln.zeros.${zeros === 'nobody' ? 'nsv' : 'amigo-1993'}`)];
    return [t(OF_EDITION.includes(line) ? `rules.sticheln.${line}.${edition}` : `rules.sticheln.${line}`)];
  });
}

/**
 * @param {State['room']} room
 * @param {Options['edition']} edition
 */
function ends(room, edition) {
  const end = room?.options.end;
  if (!room) return [t(`rules.sticheln.usual.${edition}`), t('rules.sticheln.agreed')];
  if (end?.type === 'target') return [t('rules.sticheln.target', { target: end.target })];
  const n = end?.rounds ?? (edition === 'nsv' ? room.chairs.length : 10);
  return [t('rules.sticheln.rounds', { n })];
}

/** The digits that stand for the colours of a game. */
const DIGITS = { sticheln: '1–6', nyet: '1–4' };

/** @param {State} state */
const keysOf = (state) => [
  ['← →', 'keys.choose'],
  [DIGITS[gameOf(state)], 'keys.colour'],
  ['Home / End', 'keys.ends'],
  ['Enter', 'keys.lift'],
  ['Esc', 'keys.back'],
  ['H', 'keys.history'],
  ['S', 'keys.scores'],
  ['T', 'keys.table'],
  ['M', 'keys.sound'],
  ['?', 'keys.this'],
];

/**
 * All keys, as a sheet of their own.
 * @param {State} state
 * @param {Actions} actions
 */
export const keys = (state, actions) =>
  dialog({
    name: 'keys',
    title: t('menu.keys'),
    sheet: true,
    close: () => actions.open(null),
    body: html`${keyTable(state)}${state.settings.letterKeys ? nothing : html`<p class="small muted">${t('keys.off')}</p>`}`,
  });

/** @param {State} state */
const keyTable = (state) => html`<table class="tbl keys">
  <tbody>
    ${keysOf(state).map(([key, text]) => html`<tr><th scope="row"><kbd>${key}</kbd></th><td>${t(text)}</td></tr>`)}
  </tbody>
</table>`;
