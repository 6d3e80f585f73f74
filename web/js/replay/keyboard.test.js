import assert from 'node:assert/strict';
import { test } from 'node:test';

import { pageState } from '../../test/unit/builders.js';
import { defaultSettings } from '../settings.js';
import { letterStep, stepOf } from './keyboard.js';

/** @import { Actions } from '../actions.js' */
/** @import { ReplaySession } from './session.js' */

/** The calls so far. @type {string[]} */
let calls = [];
const recorder = (/** @type {string} */ name) =>
  new Proxy(
    {},
    {
      get:
        (_, method) =>
        (/** @type {unknown[]} */ ...args) =>
          calls.push([name, String(method), ...args].join(' ')),
    },
  );
const session = /** @type {ReplaySession} */ (recorder('session'));
const actions = /** @type {Actions} */ (recorder('actions'));

/** The calls that a key makes. @param {string} key @param {{ shiftKey?: boolean, letterKeys?: boolean }} [how] */
function press(key, { shiftKey = false, letterKeys = true } = {}) {
  calls = [];
  const state = pageState({ settings: { ...defaultSettings(['en']), letterKeys } });
  (stepOf({ key, shiftKey }, session) ?? letterStep(key, { session, state, actions }))?.();
  return calls.join();
}

test('arrows step by stop, with Shift and as page keys by trick', () => {
  assert.equal(press('ArrowRight'), 'session stepByStop 1');
  assert.equal(press('ArrowLeft'), 'session stepByStop -1');
  assert.equal(press('ArrowRight', { shiftKey: true }), 'session stepByTrick 1');
  assert.equal(press('PageUp'), 'session stepByTrick -1');
  assert.equal(press('PageDown'), 'session stepByTrick 1');
  assert.equal(press('Home'), 'session toBeginning');
  assert.equal(press('End'), 'session toEnd');
  assert.equal(press(' '), 'session togglePlay');
});

test('digits and brackets choose the round, unless keys of one character are off', () => {
  assert.equal(press('3'), 'session goToRound 3');
  assert.equal(press('['), 'session stepByRound -1');
  assert.equal(press(']'), 'session stepByRound 1');
  assert.equal(press('l'), 'session open log');
  assert.equal(press('?'), 'actions open keys');
  assert.equal(press('x'), '');
  for (const key of ['3', '[', ']', 'l', '?']) assert.equal(press(key, { letterKeys: false }), '', key);
  assert.equal(press('ArrowRight', { letterKeys: false }), 'session stepByStop 1');
});
