// The recordings of scenes are current: their messages have the fields of the samples.

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';

import { RECORDINGS_FOLDER, recordingOf } from '../browser/recordings.js';
import { SCENES } from '../browser/scenes.js';
import { tableState } from './builders.js';
import { serverSamples } from './samples.js';

/** @import { ServerMessage } from '../../js/protocol.js' */

const names = readdirSync(RECORDINGS_FOLDER)
  .filter((name) => name.endsWith('.json'))
  .map((name) => name.slice(0, -5));

/**
 * The names of all fields of a message, those of its parts included; cards, colours and spaces are values here.
 * @param {ServerMessage} message
 */
function fields(message) {
  /** @type {Set<string>} */
  const found = new Set();
  const walk = (/** @type {unknown} */ value, /** @type {string} */ path) => {
    if (Array.isArray(value)) {
      for (const one of value) walk(one, path);
      return;
    }
    if (value === null || typeof value !== 'object') return;
    for (const [name, inner] of Object.entries(value)) {
      const isValue = /^[a-z]+-\d+$/.test(name) || /\.(hints|board\.\w+)$/.test(path);
      if (!isValue) found.add(`${path}.${name}`);
      walk(inner, isValue ? `${path}.*` : `${path}.${name}`);
    }
  };
  walk(message, message.type);
  return found;
}

/** @type {Map<string, Set<string>>} */
const known = new Map();
for (const { message } of serverSamples) {
  known.set(message.type, new Set([...(known.get(message.type) ?? []), ...fields(message)]));
}

for (const name of names) {
  test(`recorded messages match the protocol: ${name}`, () => {
    const { at, snapshot, messages } = recordingOf(name);
    const [welcome] = snapshot;
    assert.ok(welcome?.type === 'welcome');
    assert.equal(welcome.now, at, 'the clocks of the server and of the scene agree');
    for (const message of [...snapshot, ...messages]) {
      const unknown = [...fields(message)].filter((field) => !known.get(message.type)?.has(field));
      assert.deepEqual(unknown, [], message.type);
    }
    const room = snapshot.find(({ type }) => type === 'room');
    assert.ok(room?.type === 'room');
    assert.deepEqual(Object.keys(room.table).sort(), Object.keys(tableState()).sort());
  });
}

test('every recording is used, and has the marks of the scenes', () => {
  const asked = SCENES.flatMap(({ input: { recording, mark } }) => (recording ? [{ recording, mark }] : []));
  assert.deepEqual([...new Set(asked.map(({ recording }) => recording))].sort(), names.sort());
  for (const { recording, mark } of asked) {
    assert.ok(mark !== undefined && mark in recordingOf(recording).marks, `${recording}: ${mark}`);
  }
});
