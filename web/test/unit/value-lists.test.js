// The ordered lists of values in the page have all values of the schema of the wire. So have the texts whose keys end
// with a value.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import './fake-document.js';
import { GAMES } from '../../js/games.js';
import { CHARACTERS } from '../../js/nyet/phrases.js';
import { ROWS, SPACES } from '../../js/nyet/spaces.js';
import { REACTIONS } from '../../js/reactions.js';
import { LEVELS, REPLAY_ACCESS } from '../../js/state.js';
import { EDITIONS, ZEROS } from '../../js/sticheln/lobby.js';
import { COLOURS } from '../../js/table/card-text.js';
import { textsOf } from '../texts.js';

/** @typedef {{ enum?: string[], const?: string, oneOf?: Definition[], anyOf?: Definition[] }} Definition */

const schema = JSON.parse(readFileSync(new URL('../../../docs/wire/schema.json', import.meta.url), 'utf8'));

/**
 * The values of a definition of texts.
 * @param {Definition} definition
 * @returns {string[]}
 */
const valuesOf = (definition) => [
  ...(definition.enum ?? []),
  ...(definition.const === undefined ? [] : [definition.const]),
  ...[...(definition.oneOf ?? []), ...(definition.anyOf ?? [])].flatMap(valuesOf),
];

/** @type {Record<string, readonly string[]>} */
const LISTS = {
  Level: LEVELS,
  Reaction: REACTIONS,
  ReplayAccess: REPLAY_ACCESS,
  GameId: GAMES.map(({ id }) => id),
  Character: CHARACTERS,
  AllZeroTrick: ZEROS,
  Edition: EDITIONS,
  Colour: COLOURS,
  DiscardRule: SPACES.discard,
  TrumpSpace: SPACES.trump,
  PointsSpace: SPACES.points,
};

for (const [name, list] of Object.entries(LISTS)) {
  test(`the page has every ${name}`, () => {
    const values = valuesOf(schema.$defs[name]);
    assert.ok(values.length > 1, `${name} has ${values.length} values`);
    assert.deepEqual([...list].sort(), values.sort());
  });
}

test('the page has every row of the board', () => {
  assert.deepEqual(
    ROWS.filter((row) => row !== 'start'),
    Object.keys(SPACES),
  );
});

/** The beginnings of the keys of texts that end with a value. @type {Record<string, readonly string[]>} */
const TEXTS = {
  Actor: ['announce.'],
  Character: ['nyet.character.'],
  Colour: ['colour.'],
  DiscardRule: ['nyet.discard.', 'nyet.space.discard.'],
  Edition: ['sticheln.opt.edition.', 'sticheln.rules.first.', 'sticheln.rules.usual.'],
  AllZeroTrick: ['sticheln.opt.zeros.', 'sticheln.rules.zeros.'],
  History: ['sticheln.opt.history.'],
  Level: ['bot.', 'news.level.'],
  PresenceState: ['presence.'],
  Reaction: ['react.'],
  RoomPhase: ['home.phase.'],
};

for (const [name, starts] of Object.entries(TEXTS)) {
  test(`the page has a text for every ${name}`, () => {
    const texts = textsOf('en');
    const keys = starts.flatMap((start) => valuesOf(schema.$defs[name]).map((value) => `${start}${value}`));
    assert.ok(keys.length > 1, `${name} has ${keys.length} values`);
    assert.deepEqual(
      keys.filter((key) => !(key in texts)),
      [],
    );
  });
}
