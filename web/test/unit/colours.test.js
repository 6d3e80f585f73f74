// Contrast, and what people see who see colours differently, computed from the variables of the style sheet.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { ciede2000, contrast } from '../colours/colour.mjs';
import { alike, contrasts, likeOrange, NEEDED, suits, tables } from '../colours/tables.mjs';
import { variables } from '../colours/variables.mjs';

const design = readFileSync(new URL('../../../docs/colours.md', import.meta.url), 'utf8');

test('the formulas give the published figures', () => {
  assert.equal(contrast('#000000', '#ffffff'), 21);
  assert.equal(contrast('#777777', '#ffffff').toFixed(2), '4.48');
  assert.equal(ciede2000([50, 2.6772, -79.7751], [50, 0, -82.7485]).toFixed(4), '2.0425');
  assert.equal(ciede2000([60.2574, -34.0099, 36.2677], [60.4626, -34.1751, 39.4387]).toFixed(4), '1.2644');
  assert.equal(ciede2000([2.0776, 0.0795, -1.135], [0.9033, -0.0636, -0.5514]).toFixed(4), '0.9082');
});

test('the two blocks of the dark theme agree: the chosen one and that of the device', () => {
  const css = readFileSync(new URL('../../css/app.css', import.meta.url), 'utf8');
  const block = (/** @type {string} */ selector) => {
    const [, body] = css.split(`${selector} {`);
    assert.ok(body, selector);
    return body
      .split('}')[0]
      .split(';')
      .map((line) => line.trim())
      .filter(Boolean);
  };
  const chosen = block(':root[data-theme="dark"]');
  assert.ok(chosen.length > 20, `${chosen.length} variables`);
  assert.deepEqual(block(':root:not([data-theme="light"])'), chosen);
});

test('every colour has enough contrast to its background in both themes', () => {
  for (const { front, back, kind, by } of contrasts()) {
    for (const contrast of by) assert.ok(contrast >= NEEDED[kind], `${front} on ${back}: ${contrast}`);
  }
  for (const { suit, by } of suits()) assert.ok(by >= NEEDED.text, `the number on ${suit}: ${by}`);
});

test('orange differs from the other suits for every kind of colour blindness', () => {
  for (const { sight, by } of likeOrange()) assert.ok(by >= 14, `${sight}: ${by}`);
  const { light } = variables();
  assert.ok(contrast(light.orange, light.stock) >= NEEDED.graphic);
});

test('no two suits of an edition are more alike than the document says', () => {
  for (const { edition, sight, by } of alike()) assert.ok(by >= 12, `${edition}, ${sight}: ${by}`);
});

test('the tables of the document agree with the style sheet', () => {
  for (const [name, table] of Object.entries(tables())) {
    const [, written] = new RegExp(`<!-- table: ${name} -->\n([^<]*)\n<!-- end -->`).exec(design) ?? [];
    assert.equal(written, table, `node web/test/colours/tables.mjs prints the table "${name}"`);
  }
});
