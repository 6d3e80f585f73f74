// Everything that a server has really sent is understood, and what nobody knows yet does no harm.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import test from 'node:test';

import { reduce } from '../../js/reduce.js';
import { defaultSettings } from '../../js/settings.js';
import { initialState } from '../../js/state.js';

/** @import { State } from '../../js/types.js' */

/**
 * @typedef {object} Sample
 * @property {string} title
 * @property {string} scene
 * @property {string} who
 * @property {'client' | 'server'} from
 * @property {string} [call] the call over HTTP
 * @property {any} message
 */

const NOW = 1_767_225_600_000;

/** @type {Sample[]} */
const all = JSON.parse(await readFile(new URL('../../../docs/wire/samples.json', import.meta.url), 'utf8'));
const samples = all.filter(({ from, call }) => from === 'server' && call === undefined);

/** The state of a page that is at a table. */
function atTable() {
  return reduce(initialState(defaultSettings(['en']), NOW), { type: 'page', now: NOW, code: 'k7qm2x4p' });
}

/**
 * @param {State} state
 * @param {any} message
 * @param {number} [later]
 */
const hear = (state, message, later = 0) => reduce(state, { type: 'message', now: NOW + later, message });

/** @param {Sample[]} told */
function byListener(told) {
  /** @type {Map<string, Sample[]>} */
  const listeners = new Map();
  for (const sample of told) {
    const key = `${sample.scene}, ${sample.who}`;
    listeners.set(key, [...(listeners.get(key) ?? []), sample]);
  }
  return listeners;
}

/**
 * The same with fields that nobody knows, wherever there are fields.
 * @param {any} value
 * @returns {any}
 */
function withMore(value) {
  if (Array.isArray(value)) return value.map(withMore);
  if (value === null || typeof value !== 'object') return value;
  const fields = Object.entries(value).map(([name, inner]) => [name, withMore(inner)]);
  return { ...Object.fromEntries(fields), of_later_days: { number: 7 } };
}

test('there are samples of each type', () => {
  const types = new Set(samples.map(({ message }) => message.type));
  for (const type of ['welcome', 'ok', 'refused', 'room', 'game', 'handover', 'chat', 'reacted', 'nudged', 'closing']) {
    assert.ok(types.has(type), type);
  }
});

for (const sample of samples) {
  test(`the page accepts a sample as its first message: ${sample.title}`, () => {
    const state = hear(atTable(), sample.message);
    if (sample.message.type === 'room') assert.equal(state.room?.rev, sample.message.rev);
    if (sample.message.type === 'game') assert.deepEqual(state.game?.view, sample.message.view);
  });
}

for (const [listener, story] of byListener(samples)) {
  /** @param {(message: any) => any} change */
  const tell = (change) => {
    let state = atTable();
    story.forEach(({ message }, at) => {
      // The first messages are the state; the others are news.
      if (at === 3) state = reduce(state, { type: 'caught_up', now: NOW + 500 * at });
      state = hear(state, change(message), 500 * at);
    });
    return state;
  };

  test(`the page follows the messages of a table: ${listener}`, () => {
    const state = tell((message) => message);
    const rooms = story.filter(({ message }) => message.type === 'room');
    const last = rooms.at(-1)?.message;
    assert.deepEqual(state.room, last ? { ...last.table, rev: last.rev, you: last.you } : null);
  });

  test(`unknown fields change nothing: ${listener}`, () => {
    const [plain, more] = [tell((message) => message), tell(withMore)];
    assert.deepEqual(more.game?.view.to_act, plain.game?.view.to_act);
    assert.equal(more.chat.lines.length, plain.chat.lines.length);
    assert.equal(more.pause?.kind, plain.pause?.kind);
  });
}

test('unknown types of messages change nothing', () => {
  const [before] = samples.filter(({ message }) => message.type === 'room');
  const state = hear(atTable(), before?.message);
  const after = hear(state, { type: 'of_later_days', rev: 7, table: null });
  assert.deepEqual(after, state);
});

test('unknown types of events change nothing', () => {
  for (const { message } of samples.filter(({ message }) => message.type === 'game')) {
    const events = [...message.events, { type: 'of_later_days', seat: 0 }];
    const [plain, more] = [message, { ...message, events }].map((game) => hear(atTable(), game));
    assert.deepEqual(more, plain);
  }
});
