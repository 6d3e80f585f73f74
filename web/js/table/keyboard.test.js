import assert from 'node:assert/strict';
import { test } from 'node:test';

import '../../test/unit/fake-document.js';

import { gameState, NOW, pageState, person, roomState, view } from '../../test/unit/builders.js';
import { enableKeyboard } from './keyboard.js';

/** @import { Actions } from '../actions.js' */
/** @import { Display } from '../game.js' */
/** @import { PersonChair } from '../protocol.js' */
/** @import { PlayState } from '../types.js' */

/** An element that lies in a field in which letters are typed, or not. */
class FakeElement {
  /** @param {boolean} isField */
  constructor(isField) {
    this.isField = isField;
  }
  closest() {
    return this.isField ? this : null;
  }
}

/** The listener for keys. @type {(event: object) => void} */
let onKey = () => {};
let isDialogOpen = false;
Object.assign(globalThis, { Element: FakeElement });
Object.assign(globalThis.document, {
  addEventListener: (/** @type {string} */ _, /** @type {typeof onKey} */ listener) => (onKey = listener),
  querySelector: (/** @type {string} */ selector) => (selector.includes('dialog') ? isDialogOpen || null : true),
});

/**
 * How often more time is asked for when W is pressed.
 * @param {Partial<PersonChair>} chair the fields of the own chair
 * @param {{ isTyping?: boolean, letterKeys?: boolean, turnSeconds?: number | null }} [options]
 */
function requests(chair, { isTyping = false, letterKeys = true, turnSeconds = null } = {}) {
  let count = 0;
  const actions = { askForMoreTime: () => (count += 1) };
  const chairs = [person('Ann', chair), person('Bob'), person('Cem')];
  const room = roomState({ chairs, turn_seconds: turnSeconds });
  const page = pageState({ room, you: room.you, game: gameState(view()) });
  enableKeyboard(
    /** @type {Display} */ (/** @type {unknown} */ ({ hand: [] })),
    /** @type {PlayState} */ ({ ...page, settings: { ...page.settings, letterKeys } }),
    /** @type {Actions} */ (/** @type {unknown} */ (actions)),
  );
  onKey({ key: 'w', target: new FakeElement(isTyping), preventDefault: () => {} });
  return count;
}

const WARNED = { idle: { since: NOW - 150_000, warn_at: NOW } };

test('W asks for more time once a person is warned, also over a dialog', () => {
  for (const isOpen of [false, true]) {
    isDialogOpen = isOpen;
    assert.equal(requests(WARNED), 1);
    assert.equal(requests({}), 0, 'nobody is warned');
    assert.equal(requests({ ...WARNED, has_more_time: true }), 0, 'once in a turn');
    assert.equal(requests(WARNED, { turnSeconds: 300 }), 0, 'the time limit ends the turn');
    assert.equal(requests(WARNED, { isTyping: true }), 0, 'the letter is typed');
    assert.equal(requests(WARNED, { letterKeys: false }), 0, 'letter keys are off');
  }
});
