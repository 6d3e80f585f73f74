import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gameState, pageState, roomState, view } from '../test/unit/builders.js';
import { titleOf } from './title.js';

/** @import { State } from './types.js' */

/** @param {Partial<State>} fields */
const title = (fields) => titleOf(pageState(fields), (key) => key);
const room = roomState({ game: 'nyet' });

test('the home page has a title of its own', () => {
  assert.equal(title({ route: 'home' }), 'title.home');
});

test('a room has its own title and its game in the title', () => {
  assert.equal(title({ room: null }), 'app.name');
  assert.equal(title({ room }), 'Nyet!');
  assert.equal(title({ room: { ...room, title: 'Thursday' } }), 'Thursday \u2013 Nyet!');
});

test('the own turn comes before the title of the room', () => {
  const game = gameState(view({ seat: 1, to_act: [1] }));
  assert.equal(title({ room: { ...room, title: 'Thursday' }, game }), '\u25cf title.turn \u2013 Nyet!');
});
