// The lobby: a room before the game, with its chairs, and the dock with Ready and Start. House rules, invitation and
// chat are loaded later.

import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { dock } from './dock.js';
import { durationOf, gameOf, lobbyOf, plannedRounds, playersOf } from './games.js';
import { onLinkClick } from './header.js';
import { hasTexts, nameList, t } from './i18n.js';
import { icon } from './icons.js';
import { savedName } from './identity.js';
import { keptSeat } from './kept-seat.js';
import { part } from './parts.js';
import { chairToTake, isAway, isHere, isQueueNeeded, LEVELS, nameOf } from './state.js';
import { pageUrl } from './urls.js';

/** @import { Actions } from './actions.js' */
/** @import { BotChair, Chair, Seat } from './protocol.js' */
/** @import { RoomState, State, TakenChair } from './types.js' */

/**
 * The lobby.
 * @param {State} state
 * @param {Actions} actions
 */
export function lobby(state, actions) {
  const room = /** @type {RoomState} */ (state.room);
  return html`<main class="content stack" id="main">
      <div class="row space-between">
        <div>
          <h1>${room.title ?? t('lobby.untitled')}</h1>
          <p class="muted">${summaryText(room)}</p>
          ${room.played_on ? html`<p>${t('lobby.playedOn', { n: room.played_on.round })}</p>` : nothing}
        </div>
        ${
          room.spectators.length > 0
            ? html`<span class="tag">${icon('eye')} ${t('role.spectators', { n: room.spectators.length })}</span>`
            : nothing
        }
      </div>
      <div class="columns lobby-columns">
        <div class="stack panel-column">${chairs(state, actions)}${rules(state, actions)}</div>
        <div class="stack panel-column">${beside(state, actions)}</div>
      </div>
    </main>
    ${lobbyDock(state, actions)}`;
}

/**
 * The game, its players and its length. A game that continues another one takes less time than a whole one.
 * @param {RoomState} room
 */
function summaryText(room) {
  const parts = [gameOf(room).name, t('lobby.players', { n: playersOf(room) }), lengthText(room)];
  return (room.played_on ? parts : [...parts, durationText(room)]).join(' · ');
}

/**
 * How long the game is: its rounds, or the points at which it ends.
 * @param {RoomState} room
 */
export function lengthText(room) {
  const { end } = room.options;
  if (end?.type === 'target') return t('opt.untilPoints', { n: end.target, max: end.max_rounds });
  return t('opt.roundsOf', { n: plannedRounds(room) });
}

/**
 * The approximate duration of the game, as a text.
 * @param {RoomState} room
 */
export function durationText(room) {
  const { usual, most } = durationOf(room);
  return most === null || most === usual
    ? t('lobby.lasts', { n: usual })
    : t('lobby.lastsAtMost', { n: usual, max: most });
}

/**
 * @param {State} state
 * @param {Actions} actions
 */
function rules(state, actions) {
  const deferred = part('deferred');
  if (!deferred || !hasGameTexts(state, actions)) return nothing;
  return html`<section class="panel" aria-labelledby="house-rules-heading">
    <div class="row space-between">
      <h2 id="house-rules-heading">${t('lobby.rules')}</h2>
      ${state.you.host ? html`<span class="small muted">${t('lobby.rules.host')}</span>` : nothing}
    </div>
    ${deferred.houseRules(state, actions)}
  </section>`;
}

/**
 * Whether the texts of the game are loaded.
 * @param {State} state
 * @param {Actions} actions
 */
const hasGameTexts = ({ room }, actions) => room !== null && hasTexts([gameOf(room).texts.main], actions.redraw);

/**
 * The column beside the chairs, on small screens below them: invitation, spectators, chat, the game in four lines.
 * @param {State} state
 * @param {Actions} actions
 */
function beside(state, actions) {
  const deferred = part('deferred');
  if (!deferred || !hasGameTexts(state, actions)) return nothing;
  return html`${deferred.invitation(state, actions)}
    ${deferred.spectatorPanel(state, actions)}
    <div class="panel lobby-chat">${deferred.chatPanel(state, actions)}</div>
    <section class="panel" aria-labelledby="help-heading">
      <h2 id="help-heading">${t('help.short')}</h2>
      ${deferred.shortRules(/** @type {RoomState} */ (state.room))}
    </section>`;
}

/**
 * @param {State} state
 * @param {Actions} actions
 */
function chairs(state, actions) {
  const room = /** @type {RoomState} */ (state.room);
  const taken = room.chairs.filter(({ kind }) => kind !== 'free').length;
  const count = room.chairs.length;
  const last = room.chairs.at(-1);
  const { seats } = gameOf(room);
  return html`<section class="panel" aria-labelledby="seats-heading">
    <div class="row space-between">
      <h2 id="seats-heading">${t('lobby.seats')}</h2>
      <span class="small muted">${t('lobby.taken', { n: taken, max: count })}</span>
    </div>
    ${room.you.seat === null ? sitForm(state, actions) : nothing}
    <ol class="seat-list">
      ${room.chairs.map((chair, seat) => chairRow(chair, seat, state, actions))}
    </ol>
    ${room.you.host && taken < count ? botLevel(state, actions) : nothing}
    ${
      room.you.host
        ? html`<div class="row">
            ${
              count < seats[seats.length - 1]
                ? html`<button class="btn ghost compact" type="button" @click=${() => void actions.changeSeats(1)}>
                    ${icon('plus')} ${t('lobby.moreSeats')}
                  </button>`
                : nothing
            }
            ${
              count > seats[0] && last?.kind === 'free'
                ? html`<button class="btn ghost compact" type="button" @click=${() => void actions.changeSeats(-1)}>
                    ${icon('minus')} ${t('lobby.fewerSeats')}
                  </button>`
                : nothing
            }
            ${
              taken > 1
                ? html`<button class="btn ghost compact" type="button" @click=${() => void actions.shuffleSeats()}>
                    ${icon('swap')} ${t('lobby.shuffle')}
                  </button>`
                : nothing
            }
          </div>`
        : nothing
    }
  </section>`;
}

/**
 * The level of bots that are added.
 * @param {State} state
 * @param {Actions} actions
 */
function botLevel({ settings }, actions) {
  return html`<div class="options"><div class="option-line bots">
    <span id="bot-level">${icon('robot')} ${t('lobby.botLevel')}</span>
    <div class="segmented" role="radiogroup" aria-labelledby="bot-level" aria-describedby="bot-level-text">
      ${LEVELS.map(
        (level) =>
          html`<label
            ><input
              type="radio"
              name="bot-level"
              .checked=${level === settings.botLevel}
              @change=${() => actions.changeSettings({ botLevel: level })}
            />${t(`bot.${level}`)}</label
          >`,
      )}
    </div>
    <small class="muted" id="bot-level-text">${t(`bot.${settings.botLevel}.text`)}</small>
  </div></div>`;
}

/**
 * The form in which a spectator sits down: on the first free chair, or on one of those below.
 * @param {State} state
 * @param {Actions} actions
 */
function sitForm(state, actions) {
  const takeOver = html`<button class="btn ghost compact" type="button" @click=${() => actions.prompt({ kind: 'redeem_handover' })}>
    ${icon('phone')} ${t('handover.have')}
  </button>
  <button class="btn ghost compact" type="button" @click=${() => actions.prompt({ kind: 'claim' })}>
    ${icon('people')} ${t('claim.title')}
  </button>`;
  if (isFull(state)) return html`<div class="sit-form">${takeOver}</div>`;
  const error = state.errors.sit;
  const onSubmit = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    void actions.sit(typedName(), keptSeat(state));
  };
  return html`<form class="sit-form" @submit=${onSubmit}>
    <label class="field"
      ><span>${t('home.name')}</span
      ><input
        class="input"
        id="sit-name"
        .value=${savedName()}
        maxlength="40"
        autocomplete="nickname"
        aria-invalid=${error ? 'true' : 'false'}
        aria-describedby="sit-error"
    /></label>
    <button class="btn primary" ?disabled=${state.busy.sit}>${t('sit.down')}</button>
    <p class="error-text small" id="sit-error" role="alert">${error ? t(error.key, error.args) : nothing}</p>
    ${takeOver}
  </form>`;
}

/**
 * Whether nobody can sit down: no chair is free, has a bot, or belongs to somebody who is away.
 * @param {State} state
 */
const isFull = (state) => chairToTake(state) === null && !state.room?.chairs.some(isAway);

/** The name in the form. */
function typedName() {
  const field = document.querySelector('#sit-name');
  return field instanceof HTMLInputElement ? field.value : '';
}

/**
 * @param {Chair} chair
 * @param {Seat} seat
 * @param {State} state
 * @param {Actions} actions
 */
function chairRow(chair, seat, state, actions) {
  const { you } = state;
  if (chair.kind === 'free') return freeRow(seat, state, actions);
  const isYou = seat === you.seat;
  const isHost = seat === state.room?.host;
  const isBot = chair.kind === 'bot';
  const openDialog = () => actions.prompt({ kind: 'chair', seat });
  const canSit = you.seat === null && (isBot || isAway(chair));
  return html`<li data-seat=${seat}>
    ${
      isBot
        ? html`<span class="avatar bot" aria-hidden="true">${icon('robot')}</span>`
        : html`<span class="avatar" aria-hidden="true">${initialOf(chair.name)}${part('deferred')?.reaction(seat, state)}</span>`
    }
    <div class="grow">
      <div class="name">
        ${chair.name} ${isYou ? html`<span class="tag">${t('role.you')}</span>` : nothing}
        ${isHost ? html`<span class="tag">${icon('crown')}${t('role.host')}</span>` : nothing}
        ${isBot ? html`<span class="tag">${t('role.bot')}</span>` : nothing}
      </div>
      ${isBot && you.host ? levelSelect(chair, seat, actions) : status(chair)}
      ${chairDetails(seat, state, actions)}
    </div>
    ${
      chair.kind === 'person' && chair.ready
        ? html`<span class="tag good">${icon('check')}${t('lobby.isReady')}</span>`
        : nothing
    }
    ${
      canSit
        ? html`<button class="btn compact" type="button" @click=${() => void actions.sit(typedName(), seat)}>${t('sit.here')}</button>`
        : nothing
    }
    ${
      isYou || you.host
        ? html`<button class="icon-button" type="button" aria-label=${t('lobby.more', { name: chair.name })} @click=${openDialog}>
            ${icon(isYou ? 'edit' : 'menu')}
          </button>`
        : nothing
    }
    ${
      isBot && you.host
        ? html`<button
            class="icon-button"
            type="button"
            aria-label=${t('lobby.removeBot', { name: chair.name })}
            @click=${() => void actions.command({ type: 'remove', seat })}
          >
            ${icon('close')}
          </button>`
        : nothing
    }
  </li>`;
}

/**
 * The sign of the game for a person or bot.
 * @param {Seat} seat
 * @param {State} state
 * @param {Actions} actions
 */
function chairDetails(seat, state, actions) {
  const { room } = state;
  if (!room || !part('deferred') || !hasGameTexts(state, actions)) return nothing;
  return lobbyOf(gameOf(room)).chairDetails?.(seat, room, actions);
}

/**
 * @param {Seat} seat
 * @param {State} state
 * @param {Actions} actions
 */
function freeRow(seat, state, actions) {
  const { you, settings } = state;
  const isKept = keptSeat(state) === seat;
  const addBot = () => void actions.command({ type: 'add_bot', level: settings.botLevel, seat });
  return html`<li class="free" data-seat=${seat}>
    <div class="grow">
      <div class="name">${t('lobby.free')}</div>
      <div class="status">${t(isKept ? 'lobby.kept' : 'lobby.free.text')}</div>
    </div>
    ${
      you.seat === null
        ? html`<button class="btn compact" type="button" @click=${() => void actions.sit(typedName(), seat)}>${t('sit.here')}</button>`
        : nothing
    }
    ${
      you.host
        ? html`<button class="btn compact" type="button" @click=${addBot}>${icon('robot')} ${t('lobby.addBot')}</button>`
        : nothing
    }
  </li>`;
}

/**
 * The level of a bot, for the host to change.
 * @param {BotChair} bot
 * @param {Seat} seat
 * @param {Actions} actions
 */
function levelSelect({ name, level }, seat, actions) {
  const onChange = async (/** @type {Event} */ event) => {
    const select = /** @type {HTMLSelectElement} */ (event.currentTarget);
    const chosen = LEVELS[select.selectedIndex];
    if ((await actions.command({ type: 'set_bot', seat, level: chosen })) !== 'ok') select.value = level;
  };
  return html`<select class="input level" aria-label=${t('bot.levelOf', { name })} @change=${onChange}>
    ${LEVELS.map((each) => html`<option value=${each} .selected=${each === level}>${t(`bot.${each}`)}</option>`)}
  </select>`;
}

/** @param {TakenChair} chair */
function status(chair) {
  if (chair.kind === 'bot') {
    return html`<div class="status">${t(`bot.${chair.level}`)} · ${t(`bot.${chair.level}.text`)}</div>`;
  }
  if (isHere(chair)) return nothing;
  return html`<div class="status">${icon('plug')} ${t(`presence.${chair.presence}`)}</div>`;
}

/**
 * The first letter of a name.
 * @param {string} name
 */
export const initialOf = (name) => [...new Intl.Segmenter().segment(name)][0]?.segment.toUpperCase() ?? '';

/**
 * The dock at the lower edge: a text about missing or unready people, and the buttons Ready and Start.
 * @param {State} state
 * @param {Actions} actions
 */
function lobbyDock(state, actions) {
  const room = /** @type {RoomState} */ (state.room);
  const { you } = room;
  if (you.seat === null) return spectatorDock(state, actions);
  const isReady = isOwnReady(room);
  const missing = missingPlayers(room);
  const others = unreadyOthers(room);
  const start = () => void actions.command({ type: 'start' });
  return dock(
    lobbyText(state),
    html`<button class="btn" type="button" aria-pressed=${String(isReady)} @click=${() => void actions.setReady(!isReady)}>
        ${isReady ? html`${icon('check')} ${t('lobby.ready')}` : t('lobby.readyAsk')}
      </button>
      ${
        you.host
          ? missing > 0
            ? html`<button class="btn primary" type="button" @click=${actions.fillAndStart}>${t('lobby.fillStart')}</button>`
            : html`<button class="btn ${others.length === 0 ? 'primary' : ''}" type="button" @click=${start}>
                ${others.length === 0 ? t('lobby.start') : t('lobby.startAnyway')}
              </button>`
          : isReady
            ? askHostButton(room, actions)
            : nothing
      }`,
  );
}

/**
 * The button with which a person asks the host to go on; none for the host, for spectators, and if the host is not here.
 * @param {RoomState} room
 * @param {Actions} actions
 * @param {() => void} [onAsked] is called when the host was asked
 */
export function askHostButton(room, actions, onAsked) {
  const { you, host } = room;
  if (you.seat === null || you.host || host === null || !isHere(room.chairs[host])) return nothing;
  const onClick = async () => {
    if ((await actions.command({ type: 'ask_host' })) === 'ok') onAsked?.();
  };
  return html`<button class="btn" type="button" @click=${onClick}>
    ${icon('crown')} ${t('host.ask', { name: nameOf(room, room.host) })}
  </button>`;
}

/**
 * The dock of a spectator.
 * @param {State} state
 * @param {Actions} actions
 */
function spectatorDock(state, actions) {
  return dock(
    lobbyText(state),
    html`${isFull(state) || isQueueNeeded(state) ? part('deferred')?.queueButton(state, actions) : nothing}
    ${
      isFull(state)
        ? html`<a class="btn" href=${pageUrl(null)} @click=${onLinkClick(actions, null)}>${t('lobby.otherTables')}</a>`
        : nothing
    }`,
  );
}

/**
 * The text of the dock: the people for whom the room waits.
 * @param {State} state
 */
export function lobbyText(state) {
  const { room } = state;
  if (!room) return '';
  const { you } = room;
  if (you.seat === null) return t(isFull(state) ? 'lobby.full' : 'lobby.watching');
  const missing = missingPlayers(room);
  if (missing > 0) return t('lobby.needPlayers', { n: missing });
  const others = unreadyOthers(room);
  if (others.length > 0) return t('common.waitFor', { names: nameList(others, t) });
  if (!you.host && !isOwnReady(room)) return t('lobby.waitYou');
  const free = room.chairs.filter(({ kind }) => kind === 'free').length;
  if (you.host) return free > 0 ? t('lobby.allReadyFree', { n: free }) : t('lobby.allReady');
  return t('lobby.waitHost', { name: nameOf(room, room.host) });
}

/**
 * How many players are missing for the smallest number of seats.
 * @param {RoomState} room
 */
function missingPlayers(room) {
  const players = room.chairs.filter(({ kind }) => kind !== 'free').length;
  return Math.max(0, gameOf(room).seats[0] - players);
}

/**
 * The names of other people who are here and not ready. The host need not be ready, but starts the game.
 * @param {RoomState} room
 */
function unreadyOthers({ chairs, you, host }) {
  return chairs.flatMap((chair, seat) => {
    if (chair.kind !== 'person' || !isHere(chair) || chair.ready) return [];
    return seat === you.seat || seat === host ? [] : [chair.name];
  });
}

/** @param {RoomState} room */
function isOwnReady({ chairs, you }) {
  const own = you.seat === null ? undefined : chairs[you.seat];
  return own?.kind === 'person' && own.ready;
}
