// The help: how a game is played, and which keys there are.

import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { choice } from './controls.js';
import { dialog } from './dialog.js';
import { findGame, GAMES, gameOf, lobbyOf } from './games.js';
import { HELP, hasTexts, REPLAY, t } from './i18n.js';
import { icon } from './icons.js';
import { introCards } from './intro.js';
import { changedRoom } from './state.js';

/** @import { Actions } from './actions.js' */
/** @import { Game } from './game.js' */
/** @import { State } from './types.js' */

/** The lines of the help about people who are missing. */
const MISSING_LINES = [
  'help.missing.shown',
  'help.missing.warned',
  'help.missing.bot',
  'help.missing.away',
  'help.missing.pause',
  'help.missing.hold',
  'help.missing.host',
  'help.missing.end',
];

/**
 * The help. In a room it explains the game of the room; elsewhere people choose a game, and a variant of it.
 * @param {State} state
 * @param {Actions} actions
 */
export function help(state, actions) {
  const game = topicOf(state);
  const isReady = hasTexts([HELP, game.texts.main, game.texts.help], actions.redraw);
  return dialog(state, {
    name: 'help',
    title: t('help.title', { game: game.name }),
    isBottomSheet: true,
    close: () => actions.open(null),
    body: isReady
      ? html`<div class="stack">${state.room ? nothing : topics(state, actions)}${rules(state, actions)}</div>`
      : html`<p class="muted" role="status">${t('play.wait')}</p>`,
  });
}

/**
 * The game that the help explains.
 * @param {State} state
 */
const topicOf = ({ room, help }) => findGame(room?.game) ?? gameOf(help);

/**
 * @param {State} state
 * @param {Actions} actions
 */
function topics({ help }, actions) {
  const { variants } = lobbyOf(gameOf(help));
  return html`<div class="options">
    ${choice({
      name: 'help-game',
      label: t('home.game'),
      values: GAMES.map(({ id }) => id),
      chosen: help.game,
      choose: (game) => actions.setHelpTopic({ game, variant: null }),
      text: (game) => gameOf({ game }).name,
    })}
    ${
      variants
        ? choice({
            name: 'help-variant',
            label: t(variants.label),
            values: variants.ids,
            chosen: help.variant ?? variants.ids[0],
            choose: (variant) => actions.setHelpTopic({ variant }),
            text: (variant) => variants.text(variant),
          })
        : nothing
    }
  </div>`;
}

/**
 * The cards and the rules. The rules follow the pending changes of the options.
 * @param {State} state
 * @param {Actions} actions
 */
function rules(state, actions) {
  const game = topicOf(state);
  const room = state.room && changedRoom(state.room, state.pendingChanges);
  const lines = lobbyOf(game).rules(room, state.help.variant);
  return html`<section class="stack tight"><h4>${t('help.cards')}</h4>${introCards(game)}</section>
    <section class="stack tight">
      <h4>${t('help.rules')}</h4>
      <ul class="stack tight facts-list">
        ${lines.map((line) => html`<li>${line}</li>`)}
      </ul>
    </section>
    ${examples(state)}
    <section class="stack tight">
      <h4>${t('help.missing')}</h4>
      <ul class="stack tight facts-list">
        ${MISSING_LINES.map((key) => html`<li>${t(key)}</li>`)}
      </ul>
    </section>
    <section class="stack tight"><h4>${t('menu.keys')}</h4>${keyTable(state, actions)}</section>
    <section class="stack tight">
      <h4>${t('help.trouble')}</h4>
      <p>${t('help.trouble.text')}</p>
      <div class="row"><button class="btn" type="button" @click=${actions.checkConnection}>${icon('plug')} ${t('menu.check')}</button></div>
    </section>`;
}

/**
 * The worked examples. They follow the pending changes of the options too.
 * @param {State} state
 */
function examples(state) {
  const room = state.room && changedRoom(state.room, state.pendingChanges);
  const all = lobbyOf(topicOf(state)).examples?.(room, state.help.variant) ?? [];
  if (all.length === 0) return nothing;
  return html`<section class="stack tight">
    <h4>${t('help.examples')}</h4>
    ${all.map(
      ({ title, drawing, text }) => html`<figure class="example">
        <figcaption><b>${title}</b> ${text}</figcaption>
        ${drawing}
      </figure>`,
    )}
  </section>`;
}

/**
 * All keys, as a dialog of their own.
 * @param {State} state
 * @param {Actions} actions
 */
export const keys = (state, actions) =>
  dialog(state, {
    name: 'keys',
    title: t('menu.keys'),
    isBottomSheet: true,
    close: () => actions.open(null),
    body: html`${keyTable(state, actions)}${state.settings.letterKeys ? nothing : html`<p class="small muted">${t('keys.off')}</p>`}`,
  });

/**
 * @param {State} state
 * @param {Actions} actions
 */
const keyTable = (state, actions) => html`<table class="data-table keys">
  <tbody>
    ${keyboardShortcuts(state, actions).map(([key, text]) => html`<tr><th scope="row"><kbd>${key}</kbd></th><td>${t(text)}</td></tr>`)}
  </tbody>
</table>`;

/**
 * The keys of the keyboard, each with the key of its text. Those of the game follow when its texts are loaded.
 * @param {State} state
 * @param {Actions} actions
 */
function keyboardShortcuts(state, actions) {
  if (state.route === 'replay' && hasTexts([REPLAY], actions.redraw)) return keysOfReplay();
  return keysOfTable(state, actions);
}

/** The keys of a replay. */
const keysOfReplay = () => [
  ['← →', 'replay.keys.card'],
  [`${t('replay.keys.shift')} + ← →`, 'replay.keys.trick'],
  [t('replay.keys.pages'), 'replay.keys.trick'],
  [t('keys.name.homeEnd'), 'replay.keys.ends'],
  [t('replay.keys.space'), 'replay.keys.play'],
  ['1–9', 'replay.keys.round'],
  ['[ ]', 'replay.keys.rounds'],
  ['L', 'replay.keys.log'],
  ['?', 'keys.this'],
];

/**
 * The keys at a table.
 * @param {State} state
 * @param {Actions} actions
 */
const keysOfTable = (state, actions) => [
  ['← →', 'keys.choose'],
  [`1–${topicOf(state).colours(state.room?.options ?? null).length}`, 'keys.colour'],
  [t('keys.name.homeEnd'), 'keys.ends'],
  [t('play.keys.enterKey'), 'keys.lift'],
  [t('keys.name.escape'), 'keys.back'],
  ...(hasTexts([topicOf(state).texts.main], actions.redraw) ? lobbyOf(topicOf(state)).keys : []),
  ['H', 'keys.history'],
  ['L', 'keys.log'],
  ['S', 'keys.scores'],
  ['T', 'keys.table'],
  ['W', 'keys.more'],
  ['C', 'keys.chat'],
  ['R', 'keys.react'],
  ['M', 'keys.sound'],
  ['?', 'keys.this'],
];
