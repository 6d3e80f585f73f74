// The log of a round: who led, who played which card, who took it, and what happened at the table.

import { html, nothing } from '../../vendor/lit-html/lit-html.js';
import { ignoreUnknown } from '../exhaustive.js';
import { currentLanguage, nameList, t } from '../i18n.js';
import { icon } from '../icons.js';
import { nameOrYou } from '../state.js';
import { announcementTexts } from './announcements.js';
import { face } from './card-drawing.js';
import { gameTableOf } from './display.js';
import { logGroups } from './log-groups.js';

/** @import { Actions } from '../actions.js' */
/** @import { Display } from '../game.js' */
/** @import { Translate } from '../i18n.js' */
/** @import { RoundLog, Seat, TableAct } from '../protocol.js' */
/** @import { PlayState, RoomState } from '../types.js' */
/** @import { LogGroup, LogLine } from './log-groups.js' */

/**
 * The body of the dialog with the log: a choice of the round, and its lines.
 * @param {Display} display
 * @param {PlayState} state
 * @param {Actions} actions
 */
export function roundLog(display, state, actions) {
  const { roundLog, game } = state;
  if (!roundLog) return nothing;
  const { log, error, isBusy } = roundLog;
  const newest = game.view.table.round;
  return html`<div class="stack round-log">
    ${roundChoice(roundLog.round, newest, actions)}
    <p class=${error ? 'error-text' : 'small muted'} role="status">${error ? t(error.key, error.args) : isBusy && !log ? t('log.loading') : ''}</p>
    ${log ? html`${notes(log)}${logGroups(log).map((group) => section(group, display, state))}${hands(log, display, state)}` : nothing}
    ${
      roundLog.round === newest || !log
        ? html`<div class="row">
            <button class="btn compact" type="button" ?disabled=${isBusy} @click=${() => actions.openLog(roundLog.round)}>
              ${icon('history')} ${t('log.again')}
            </button>
          </div>`
        : nothing
    }
  </div>`;
}

/**
 * @param {number} chosen
 * @param {number} newest
 * @param {Actions} actions
 */
const roundChoice = (chosen, newest, actions) =>
  html`<div class="log-rounds" role="group" aria-labelledby="log-rounds">
    <span id="log-rounds">${t('log.rounds')}</span>
    ${Array.from({ length: newest }, (_, at) => at + 1).map(
      (round) =>
        html`<button
          class="btn compact"
          type="button"
          aria-label=${t('log.round', { n: round })}
          aria-pressed=${round === chosen ? 'true' : 'false'}
          @click=${() => actions.openLog(round)}
        >
          ${round}
        </button>`,
    )}
  </div>`;

/**
 * The notes about lines that the log leaves out.
 * @param {RoundLog} log
 */
const notes = ({ tricks_left_out: tricks = 0, acts_left_out: acts = 0 }) =>
  html`${tricks > 0 ? html`<p class="small muted">${t('log.tricksLeftOut', { n: tricks })}</p>` : nothing}${
    acts > 0 ? html`<p class="small muted">${t('log.actsLeftOut', { n: acts })}</p>` : nothing
  }`;

/**
 * @param {LogGroup} group
 * @param {Display} display
 * @param {PlayState} state
 */
function section({ kind, trick, lines }, display, state) {
  const heading = { start: t('log.start'), trick: t('log.trick', { n: trick }), end: t('log.end') }[kind];
  return html`<section class="log-group">
    <h4>${heading}</h4>
    <ol>
      ${lines.map((line) => logLine(line, display, state))}
    </ol>
  </section>`;
}

/**
 * @param {LogLine} line
 * @param {Display} display
 * @param {PlayState} state
 */
function logLine(line, display, state) {
  const parts = lineParts(line, display, state);
  return parts ? html`<li class=${parts.kind}>${parts.content}</li>` : nothing;
}

/**
 * The content of a line of a log, and the class of its kind; null if the line has no text.
 * @param {LogLine} line
 * @param {Pick<Display, 'ownSeat'>} display
 * @param {PlayState} state
 * @param {string} [note] a sentence after the text of an event
 * @returns {{ kind: string, content: unknown } | null}
 */
export function lineParts(line, display, state, note = '') {
  if ('act' in line) {
    const time = new Intl.DateTimeFormat(currentLanguage(), { hour: 'numeric', minute: '2-digit' });
    const text = actText(line.act, state.room, display.ownSeat, t);
    return { kind: 'log-act', content: html`<span>${text}</span> <time>${time.format(line.at)}</time>` };
  }
  const { event, actedFor } = line;
  const table = gameTableOf(state.room);
  const own = table.logText?.(event, state, t);
  const text = own === undefined ? table.announcement(event, state, t) : own;
  if (text === null) return null;
  const { line: textFor } = announcementTexts(state.room, display.ownSeat, t);
  const before = actedFor ? `${textFor(`announce.${actedFor.by}`, actedFor.seat)} ` : '';
  const isEnd = event.type === 'trick_taken' || event.type === 'set_aside';
  const card = event.type === 'played' ? face(event.card, { compact: true, isDecorative: true }) : nothing;
  return { kind: isEnd ? 'log-taken' : '', content: html`${card}<span>${before}${text}${note && ` ${note}`}</span>` };
}

/**
 * An act at the table in words. A person who has left is named by the number of their seat, because its name is that of another
 * one by now.
 * @param {TableAct} act
 * @param {Pick<RoomState, 'chairs'>} room
 * @param {Seat | null} ownSeat
 * @param {Translate} t
 * @returns {string}
 */
export function actText(act, room, ownSeat, t) {
  const { line } = announcementTexts(room, ownSeat, t);
  switch (act.type) {
    case 'sat':
      return line('log.act.sat', act.seat);
    case 'stood':
      return t('log.act.stood', { n: act.seat + 1 });
    case 'removed':
      return t('log.act.removed', { n: act.seat + 1 });
    case 'bot_seated':
      return t('log.act.botSeated', { n: act.seat + 1, level: t(`bot.${act.level}`) });
    case 'configured':
      return t('log.act.configured', {
        settings: nameList(
          act.settings.map((setting) => t(`log.setting.${setting}`)),
          t,
        ),
      });
    case 'guest_admitted':
      return t('log.act.guestAdmitted');
    case 'spectator_removed':
      return t('log.act.spectatorRemoved');
    case 'host_passed':
      return act.seat === null ? t('log.act.noHost') : line('log.act.hostPassed', act.seat);
    case 'stood_in':
      return line('log.act.stoodIn', act.seat);
    case 'returned':
      return line('log.act.returned', act.seat);
    case 'paused':
      return line('log.act.paused', act.seat);
    case 'resumed':
      return t('news.resumed');
    case 'asked_for_time':
      return line('log.act.askedForTime', act.seat);
    case 'held':
      return line('log.act.held', act.seat);
    case 'end_agreed':
      return act.agrees ? line('log.act.agreed', act.seat) : line('log.act.disagreed', act.seat);
    case 'ended_early':
      return t('log.act.endedEarly');
    case 'handed_over':
      return line('log.act.handedOver', act.seat);
    case 'claimed':
      return line('log.act.claimed', act.seat);
    case 'restored':
      return line('log.act.restored', act.seat);
    default:
      return ignoreUnknown(act, '');
  }
}

/**
 * The hands as they were dealt, as far as all of their cards became known; nothing otherwise.
 * @param {RoundLog} log
 * @param {Display} display
 * @param {PlayState} state
 */
function hands({ entries }, display, state) {
  const events = entries.flatMap(({ events = [] }) => events);
  const dealt = gameTableOf(state.room).dealtHands?.(events, display.seats) ?? null;
  if (dealt === null) return nothing;
  return html`<section class="log-group">
    <h4>${t('log.hands')}</h4>
    <ul class="log-hands">
      ${dealt.map(
        (hand, seat) =>
          html`<li>
            <b>${nameOrYou(state.room, seat, display.ownSeat, t)}</b>
            <span>${hand.map((card) => face(card, { compact: true }))}</span>
          </li>`,
      )}
    </ul>
  </section>`;
}
