// The lists of values in the page, which have an order, have all values that the schema of the wire has.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import './fake-document.js';
import { GAMES } from '../../js/games.js';
import { CHARACTERS } from '../../js/nyet/phrases.js';
import { ROWS, SPACES } from '../../js/nyet/spaces.js';
import { REACTIONS } from '../../js/reactions.js';
import { LEVELS } from '../../js/state.js';
import { EDITIONS } from '../../js/sticheln/lobby.js';
import { COLOURS } from '../../js/table/card-text.js';

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
  GameId: GAMES.map(({ id }) => id),
  Character: CHARACTERS,
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
